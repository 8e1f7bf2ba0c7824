//! Comparing frames, and measuring the loss of a conversion.

use std::collections::BTreeSet;

use crate::common::arena::{arena, pose, score, tapes};
use crate::common::{frames_of, read_strictly};
use gametape_echo::diff::{Differ, Difference, Side, Tolerance, compare};
use gametape_echo::loss::FieldErrors;
use gametape_echo::{
    Bones, Disc, Field, Frame, Game, GameStatus, GoalType, Holding, Kept, LastThrow, Loadout, Map,
    Object, Payload, Player, PlayerBones, Session, Stats, Team, TeamId, Unknown, Weapon, butter,
    echoreplay,
};
use gametape_samples::echo::MatchOptions;

/// A frame with every part.
pub fn full() -> Frame {
    let mut frame = arena(2_000);
    let session = &mut frame.session;
    session.player = Some(pose([0.1, 0.2, 0.3]));
    session.last_throw = Some(LastThrow {
        arm_speed: 4.0,
        ..LastThrow::default()
    });
    session.last_score = Some(score(TeamId::Blue, 2, "player-01"));
    session.disc.as_mut().unwrap().velocity = [4.0, 5.0, 6.0];
    let player = &mut session.teams[1].players[2];
    player.velocity = [1.0, 2.0, 3.0];
    player.stats.as_mut().unwrap().possession_time = 100.0;
    frame.bones = Some(Bones {
        user_bones: vec![PlayerBones::default(); 6],
        unknown: vec![],
    });
    frame
}

fn on(map: Map) -> Frame {
    let mut frame = full();
    let session = &mut frame.session;
    session.map_name = map;
    session.private_match = false;
    (session.disc, session.last_score) = (None, None);
    session.payload = Some(Payload::default());
    frame
}

/// The field, the frame, the path of the difference, and the change.
type Change = (Field, Frame, &'static str, fn(&mut Frame));

/// Parts of a frame and their changes, with the prefix of their paths and the frame.
macro_rules! changes {
    ($($before:literal, $part:ident($frame:expr) {
        $($field:ident = $path:literal, |$to:ident| $change:expr;)*
    })*) => {
        vec![$($((Field::$field, $frame, concat!($before, $path), |frame| {
            let $to = $part(frame);
            $change;
        }),)*)*]
    };
}

fn whole(frame: &mut Frame) -> &mut Frame {
    frame
}

fn session(frame: &mut Frame) -> &mut Session {
    &mut frame.session
}

fn player(frame: &mut Frame) -> &mut Player {
    &mut frame.session.teams[1].players[2]
}

/// A frame in which an input is partly pressed.
fn pressed() -> Frame {
    let mut frame = full();
    frame.session.inputs.left_shoulder = 0.5;
    frame
}

/// A change of each field, on each map where it counts.
fn changes() -> Vec<Change> {
    changes! {
        "", whole(full()) {
            Time = "time", |frame| frame.time.0 += 1;
            Name = "teams[1].players[2] \"other\" name",
                |frame| frame.session.teams[1].players[2].name = "else".into();
            BonePosition = "user_bones[4].bone_t[22].y",
                |frame| frame.bones.as_mut().unwrap().user_bones[4].positions[22][1] = 0.01;
            BoneRotation = "user_bones[4].bone_o[22]", |frame| {
                let half = 7.0_f32.to_radians() / 2.0;
                let rotation = [half.sin(), 0.0, 0.0, half.cos()];
                frame.bones.as_mut().unwrap().user_bones[4].rotations[22] = rotation;
            };
            BonePlayers = "user_bones", |frame| frame.bones.as_mut().unwrap().user_bones.pop();
        }
        "teams[1].players[2] \"player-12\" ", player(full()) {
            HeadPosition = "head.position.x", |p| p.head.position[0] += 0.5;
            BodyPosition = "body.position.y", |p| p.body.position[1] += 0.5;
            HandPosition = "lhand.pos.z", |p| p.lhand.position[2] += 0.5;
            HandPosition = "rhand.pos.z", |p| p.rhand.position[2] += 0.5;
            HeadRotation = "head.forward, up", |p| turn(&mut p.head);
            BodyRotation = "body.forward, up", |p| turn(&mut p.body);
            HandRotation = "rhand.forward, up", |p| turn(&mut p.rhand);
            Orientation = "body.forward, up",
                |p| (p.body.forward, p.body.left, p.body.up) = Default::default();
            PlayerVelocity = "velocity.y", |p| p.velocity[1] = -2.0;
            PossessionTime = "stats.possession_time",
                |p| p.stats.as_mut().unwrap().possession_time += 0.5;
            Counts = "stats.interceptions", |p| p.stats.as_mut().unwrap().interceptions += 1;
            Presence = "stats", |p| p.stats = None;
            PacketLoss = "packetlossratio", |p| p.packetlossratio = 0.01;
            Ping = "ping", |p| p.ping += 1;
            PlayerId = "playerid", |p| p.playerid = 9;
            UserId = "userid", |p| p.userid += 1;
            Number = "number", |p| p.number += 1;
            Level = "level", |p| p.level += 1;
            PlayerFlags = "flags", |p| p.is_emote_playing = true;
            Holding = "holding_right", |p| p.holding_right = Some(Holding::Geo);
            LoadoutElsewhere = "loadout", |p| p.loadout = Some(loadout());
        }
        "", session(full()) {
            Players = "teams[1].players", |s| s.teams[1].players.pop();
            Teams = "teams", |s| s.teams.push(Team::default());
            TeamName = "teams[0].team", |s| s.teams[0].name = "Splash".into();
            TeamPossession = "teams[0].possession", |s| s.teams[0].possession = true;
            Counts = "teams[0].stats.stuns", |s| s.teams[0].stats.as_mut().unwrap().stuns += 1;
            DiscPosition = "disc.position.z", |s| s.disc.as_mut().unwrap().pose.position[2] = 0.1;
            DiscRotation = "disc.forward, up", |s| turn(&mut s.disc.as_mut().unwrap().pose);
            DiscVelocity = "disc.velocity.x", |s| s.disc.as_mut().unwrap().velocity[0] = 4.1;
            BounceCount = "disc.bounce_count", |s| s.disc.as_mut().unwrap().bounce_count = 2;
            PlayspacePosition = "player.vr_position.x",
                |s| s.player.as_mut().unwrap().position[0] = 0.2;
            PlayspaceRotation = "player.vr_forward, vr_up", |s| turn(s.player.as_mut().unwrap());
            GameClock = "game_clock", |s| s.game_clock += 0.01;
            ClockDisplay = "game_clock_display", |s| s.game_clock_display = "01:00.00".into();
            Throw = "last_throw.speed_from_arm",
                |s| s.last_throw.as_mut().unwrap().speed_from_arm = 0.5;
            Presence = "last_throw", |s| s.last_throw = None;
            ScoreSpeed = "last_score.disc_speed",
                |s| s.last_score.as_mut().unwrap().disc_speed += 0.1;
            ScoreDistance = "last_score.distance_thrown",
                |s| s.last_score.as_mut().unwrap().distance_thrown += 0.1;
            ScorePoints = "last_score.point_amount",
                |s| s.last_score.as_mut().unwrap().point_amount = 3;
            ScoreTeam = "last_score.team", |s| s.last_score.as_mut().unwrap().team = TeamId::Orange;
            GoalType = "last_score.goal_type",
                |s| s.last_score.as_mut().unwrap().goal_type = GoalType::Headbutt;
            Scorers = "last_score.assist_scored",
                |s| s.last_score.as_mut().unwrap().assist_scored = "player-02".into();
            PauseTimer = "pause.paused_timer", |s| s.pause.as_mut().unwrap().paused_timer = 0.5;
            PauseState = "pause.paused_state",
                |s| s.pause.as_mut().unwrap().paused_state = "pausing".into();
            PauseTeams = "pause.unpaused_team",
                |s| s.pause.as_mut().unwrap().unpaused_team = TeamId::Blue;
            Points = "orange_points", |s| s.orange_points += 2.0;
            SessionId = "sessionid", |s| s.sessionid = "another".into();
            SessionIdCase = "sessionid", |s| s.sessionid = s.sessionid.to_ascii_lowercase();
            SessionIp = "sessionip", |s| s.sessionip = "198.51.100.9".into();
            ClientName = "client_name", |s| s.client_name = "other".into();
            PrivateMatch = "private_match", |s| s.private_match = false;
            Status = "game_status", |s| s.game_status = GameStatus::Score;
            Inputs = "left_shoulder_pressed, right_shoulder_pressed, …2",
                |s| s.inputs.right_shoulder2 = 1.0;
            RestartRequests = "blue_team_restart_request, orange_team_restart_request",
                |s| s.orange_team_restart_request = true;
            RulesChanged = "rules_changed_by, rules_changed_at", |s| s.rules_changed_at = Some(7);
            RoundScores = "blue_round_score, orange_round_score", |s| s.blue_round_score = 1;
            RoundCount = "total_round_count", |s| s.total_round_count = 1;
            MatchType = "match_type", |s| s.match_type = "Other".into();
            TournamentMatch = "tournament_match", |s| s.tournament_match = true;
            Possession = "possession", |s| s.possession = Some([0, 1]);
            ApiError = "err_code, err_description", |s| s.err_code = Some(-6);
            UnknownMembers = "unknown members", |s| s.unknown.push(unknown());
            MissingMembers = "missing members", |s| s.missing = nearly_nothing().missing;
            PayloadElsewhere = "payload", |s| s.payload = Some(Payload::default());
        }
        "", session(on(Map::Gauss)) {
            CombatPoints = "blue_points", |s| s.blue_points = 0.5;
            PayloadDistance = "payload_distance",
                |s| s.payload.as_mut().unwrap().payload_distance = 0.1;
            PayloadSpeed = "payload_speed", |s| s.payload.as_mut().unwrap().payload_speed = 0.1;
            PayloadCounts = "payload_defenders",
                |s| s.payload.as_mut().unwrap().payload_defenders = 1;
            PayloadMultiplier = "payload_multiplier",
                |s| s.payload.as_mut().unwrap().payload_multiplier = 2.0;
            Contested = "contested", |s| s.payload.as_mut().unwrap().contested = true;
            DiscElsewhere = "disc", |s| s.disc = Some(Disc::default());
            LastScoreElsewhere = "last_score",
                |s| s.last_score = Some(score(TeamId::Blue, 2, "player-01"));
            RulesElsewhere = "rules_changed_by, rules_changed_at", |s| s.rules_changed_at = Some(7);
        }
        "", whole(on(Map::Gauss)) {
            Loadout = "teams[0].players[0] \"player-00\" loadout",
                |frame| frame.session.teams[0].players[0].loadout = Some(loadout());
            HoldingElsewhere = "teams[0].players[0] \"player-00\" holding_left",
                |frame| frame.session.teams[0].players[0].holding_left = None;
        }
        "", session(on(Map::Lobby)) {
            PointsElsewhere = "blue_points", |s| s.blue_points = 2.0;
            MapName = "map_name", |s| s.map_name = Map::TutorialArena;
        }
        "", session(pressed()) {
            AnalogueInputs = "left_shoulder_pressed, right_shoulder_pressed, …2",
                |s| s.inputs.left_shoulder = 1.0;
        }
    }
}

/// A session of one member.
fn nearly_nothing() -> Session {
    let text = b"2022/01/02 03:00:00.000\t{\"sessionid\":\"A\"}";
    let mut reader = echoreplay::read(text);
    reader.next_frame().unwrap().unwrap().session.clone()
}

fn unknown() -> Unknown {
    Unknown {
        object: Object::Disc,
        name: "colour".into(),
        json: "7".into(),
    }
}

fn loadout() -> Loadout {
    Loadout {
        weapon: Weapon::Scout,
        ordnance: "stun".into(),
        tac_mod: "heal".into(),
        arm: "Left".into(),
    }
}

/// Turns by a degree about the up axis.
fn turn(pose: &mut gametape_echo::Pose) {
    let (sin, cos) = 1.0_f32.to_radians().sin_cos();
    pose.forward = [sin, 0.0, cos];
    pose.left = [cos, 0.0, -sin];
}

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
