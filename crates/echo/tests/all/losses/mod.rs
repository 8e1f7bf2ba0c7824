//! Comparing frames, and measuring the loss of a conversion.
pub mod changes;

use std::collections::BTreeSet;

use crate::common::arena::{arena, tapes};
use crate::common::{frames_of, read_strictly};
use changes::{changes, full};
use gametape_echo::diff::{Differ, Difference, Side, Tolerance, compare};
use gametape_echo::loss::FieldErrors;
use gametape_echo::{Field, Frame, Game, GoalType, Kept, Stats, butter};
use gametape_samples::echo::MatchOptions;

#[test]
fn every_field_is_compared_named_and_counted() {
    let mut seen = BTreeSet::new();
    for (field, mut a, path, change) in changes() {
        if field == Field::Name {
            a.session.teams[1].players[2].name = "other".into();
        }
        let mut b = a.clone();
        change(&mut b);
        assert_eq!(compare(&a, &a, &Tolerance::EXACT), None, "{field:?}");
        let found = compare(&a, &b, &Tolerance::EXACT).unwrap();
        assert_eq!((found.field, found.path.as_str()), (field, path));
        assert_eq!(found.more, 0, "{found}");
        let text = found.to_string();
        assert!(
            !text.contains("198.51.100.9") && !text.contains("1005"),
            "{text}"
        );

        // A .butter's reader makes up values that are not kept.
        let kept = !matches!(field.kept(), Kept::Once | Kept::Nothing);
        let near = compare(&a, &b, &Tolerance::BUTTER);
        assert_eq!(near.is_some(), kept, "{field:?}: {near:?}");

        let mut errors = FieldErrors::new();
        errors.push(&a, &a);
        assert!(errors.report().is_lossless(), "{errors}");
        errors.push(&a, &b);
        let report = errors.report();
        assert!(!report.is_lossless(), "{field:?}");
        assert_eq!(report.is_within_bounds(), !kept, "{field:?}: {errors}");
        let names: Vec<&str> = match field.kept() {
            Kept::Rounded | Kept::Whole => {
                let numbers = report.numbers.iter();
                let beyond = numbers.filter(|number| number.beyond == 1);
                beyond.map(|number| number.field).collect()
            }
            Kept::Same => report.changed.iter().map(|change| change.field).collect(),
            Kept::Once | Kept::Nothing => {
                report.not_kept.iter().map(|change| change.field).collect()
            }
        };
        assert_eq!(names, [field.name()]);
        seen.insert(field);
    }
    let all: BTreeSet<Field> = Field::ALL.iter().copied().collect();
    assert_eq!(seen, all);
}

#[test]
fn rounding_by_a_butter_is_no_difference() {
    let a = full();
    let mut b = a.clone();
    let session = &mut b.session;
    session.sessionid = session.sessionid.to_ascii_lowercase();
    session.game_clock += 6.1e-5;
    session.disc.as_mut().unwrap().velocity[1] *= 1.0 - 1.0 / 1_100.0;
    let player = &mut session.teams[0].players[1];
    player.head.position[2] += 10.0 / 1_100.0;
    player.stats = None;
    (player.number, player.level) = (0, 0);
    let bones = &mut b.bones.as_mut().unwrap().user_bones[3];
    bones.positions[4] = [1.0 / 4_100.0; 3];
    assert_eq!(compare(&a, &b, &Tolerance::BUTTER), None);
    let found = compare(&a, &b, &Tolerance::EXACT).unwrap();
    assert_eq!(found.path, "sessionid");
    assert_eq!(found.more, 9);

    // Fast movement is rounded by its change.
    let mut before = a.clone();
    before.session.disc.as_mut().unwrap().pose.position = [0.0, 0.0, 36.0];
    let mut b = a.clone();
    b.session.disc.as_mut().unwrap().pose.position = [0.0, 0.0, 0.015];
    assert!(compare(&a, &b, &Tolerance::BUTTER).is_some());
    let mut differ = Differ::new(Tolerance::BUTTER);
    differ.push(Some(&before), Some(&before));
    differ.push(Some(&a), Some(&b));
    assert!(differ.finish().is_same());
    let mut errors = FieldErrors::new();
    errors.push(&before, &before);
    errors.push(&a, &b);
    assert!(errors.report().is_within_bounds(), "{errors}");
    assert_eq!(errors.position_error(), 0.015);

    // NaN and infinity are near nothing but themselves.
    let mut b = a.clone();
    b.session.teams[0].players[0].head.position[0] = f32::NAN;
    let found = compare(&a, &b, &Tolerance::BUTTER).unwrap();
    assert!(matches!(
        found,
        Difference {
            field: Field::HeadPosition,
            ..
        }
    ));
    assert_eq!(compare(&b, &b, &Tolerance::EXACT), None);
    let mut errors = FieldErrors::new();
    errors.push(&a, &b);
    assert_eq!(errors.position_error(), f32::INFINITY);
    assert!(errors.to_string().contains("1 (1 no number)"), "{errors}");
}

#[test]
fn recordings_of_other_lengths_differ_where_one_ends() {
    let frames: Vec<Frame> = (0..10).map(|at| arena(at * 100)).collect();
    let mut other = frames[..7].to_vec();
    other[4].session.blue_points = 9.0;
    other[5].session.teams[1].players.pop();
    let mut differ = Differ::new(Tolerance::EXACT);
    for at in 0..10 {
        differ.push(frames.get(at), other.get(at));
    }
    let diff = differ.finish();
    assert_eq!((diff.frames, diff.values), ([10, 7], 2));
    let first = diff.first.clone().unwrap();
    assert_eq!((first.frame, first.time), (4, frames[4].time));
    assert!(matches!(first.what, Side::Both(found) if found.field == Field::Points));
    // 5, and the three that only one of them has.
    assert_eq!(diff.more_frames, 4);
}

#[test]
fn parts_measured_apart_are_one_report() {
    let frames = frames_of(MatchOptions {
        seed: 2,
        bones: true,
        frames: Some(400),
        ..MatchOptions::default()
    });
    let options = butter::Options {
        keyframe_interval: 100,
        ..butter::Options::default()
    };
    let bytes = butter::write(&frames, options).unwrap();
    let stored = read_strictly(&bytes).frames;
    let measured = |from: usize, to: usize| {
        let mut errors = FieldErrors::new();
        for (a, b) in frames[from..to].iter().zip(&stored[from..to]) {
            errors.push(a, b);
        }
        errors
    };
    let whole = measured(0, 400).report();
    let mut parts = measured(0, 100);
    for from in [100, 200, 300] {
        parts.merge(&measured(from, from + 100));
    }
    let parts = parts.report();
    assert_eq!((parts.frames, &parts.changed), (400, &whole.changed));
    assert_eq!(parts.not_kept, whole.not_kept);
    assert_eq!(parts.numbers.len(), whole.numbers.len());
    for (a, b) in parts.numbers.iter().zip(&whole.numbers) {
        assert_eq!((a.field, a.values), (b.field, b.values));
        assert_eq!(
            (a.max_error, a.max_error_frame),
            (b.max_error, b.max_error_frame)
        );
        assert!((a.mean_error - b.mean_error).abs() <= 1e-9 * b.mean_error.abs());
    }
}

#[test]
fn a_report_is_a_table_and_json() {
    let mut a = full();
    let mut errors = FieldErrors::new();
    for at in 0..3_u8 {
        let mut b = a.clone();
        b.session.teams[0].players[0].head.position[0] += f32::from(at) * 0.25;
        b.session.last_score.as_mut().unwrap().goal_type = GoalType::Unknown;
        b.session.tournament_match = at > 0;
        errors.push(&a, &b);
        a.time.0 += 33;
    }
    let table = errors.to_string();
    let head = table.lines().find(|line| line.starts_with("head position"));
    let cells: Vec<&str> = head.unwrap().split_whitespace().collect();
    assert_eq!(
        cells,
        [
            "head", "position", "(m)", "18", "0.0417", "0.500", "2", "0.00574", "2"
        ]
    );
    assert!(table.contains("\nchanged "), "{table}");
    assert!(table.contains("\nnot kept "), "{table}");
    let json = serde_json::to_value(&errors).unwrap();
    assert_eq!(json["frames"], 3);
    assert_eq!(json["numbers"][0]["field"], "head position");
    assert_eq!(json["numbers"][0]["max_error"], 0.5);
    assert_eq!(json["numbers"][0]["max_error_step"], 2);
    assert_eq!(json["changed"][0]["field"], "goal type");
    assert_eq!(json["changed"][0]["frames"], 3);
    assert_eq!(json["not_kept"][0]["field"], "tournament match");
    assert_eq!(json["not_kept"][0]["first_step"], 1);
}

#[test]
fn a_team_without_stats_is_one_whose_stats_are_zero() {
    let a = arena(0);
    let mut b = a.clone();
    b.session.teams[2].stats = Some(Stats::default());
    assert_eq!(compare(&a, &b, &Tolerance::BUTTER), None);
    assert_eq!(
        compare(&a, &b, &Tolerance::EXACT).unwrap().field,
        Field::Presence
    );
}

/// Every bound is kept, however things move.
#[test]
fn a_correct_butter_keeps_its_bounds() {
    let mut all: Vec<(String, Vec<Frame>)> = tapes();
    for (game, private) in [(Game::Arena, true), (Game::Combat, false)] {
        let options = MatchOptions {
            seed: 3,
            game,
            private,
            pauses: true,
            bones: true,
            spectators: 2,
            frames: Some(6_000),
            ..MatchOptions::default()
        };
        all.push((format!("{game:?}"), frames_of(options)));
    }
    for (name, frames) in &all {
        let bytes = butter::write(frames, butter::Options::default()).unwrap();
        let file = butter::read(&bytes).unwrap();
        let mut stored = file.frames();
        let mut errors = FieldErrors::new();
        let mut differ = Differ::new(Tolerance::BUTTER);
        for frame in frames {
            let stored = stored.next_frame().unwrap();
            errors.push(frame, stored.unwrap());
            differ.push(Some(frame), stored);
        }
        let report = errors.report();
        let beyond = report.numbers.iter().filter(|number| number.beyond > 0);
        let beyond: Vec<&str> = beyond.map(|number| number.field).collect();
        assert!(beyond.is_empty(), "{name}: {beyond:?}\n{errors}");
        let diff = differ.finish();
        assert!(diff.is_same(), "{name}: {diff}");
    }
}
