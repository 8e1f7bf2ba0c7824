//! Edited matches are found out.

use gametape_echo::{Frame, GameStatus, Severity, TeamId};
use gametape_samples::echo::MatchOptions;

use super::audit;
use crate::common::frames_of;

fn made(seed: u64) -> Vec<Frame> {
    frames_of(MatchOptions {
        seed,
        rate_hz: 15,
        frames: Some(3_000),
        ..MatchOptions::default()
    })
}

#[track_caller]
fn warns(frames: &[Frame], code: &str) {
    let found = audit(frames);
    let warning = found
        .iter()
        .find(|finding| finding.severity() > Severity::Info && finding.code() == code);
    assert!(warning.is_some(), "no {code}, but {found:?}");
}

fn points(frame: &Frame) -> f32 {
    frame.session.blue_points + frame.session.orange_points
}

/// The frame of a match's first goal.
fn goal(frames: &[Frame]) -> usize {
    let rises = |pair: &[Frame]| points(&pair[1]) > points(&pair[0]);
    frames.windows(2).position(rises).unwrap() + 1
}

fn team_points<'a>(frame: &'a mut Frame, team: &TeamId) -> &'a mut f32 {
    if *team == TeamId::Blue {
        &mut frame.session.blue_points
    } else {
        &mut frame.session.orange_points
    }
}

#[test]
fn a_match_continued_by_another_one() {
    let mut frames = made(1);
    let session = frames[0].session.clone();
    let tail = made(2).split_off(1_500);
    let server = frames[1_499].time.0 + 67 - tail[0].time.0;
    frames.truncate(1_500);
    frames.extend(tail.into_iter().map(|mut frame| {
        frame.time.0 += server;
        frame.session.sessionid = session.sessionid.clone();
        frame.session.sessionip = session.sessionip.clone();
        frame.session.client_name = session.client_name.clone();
        frame
    }));
    warns(&frames, "echo.roster-changed");
}

#[test]
fn a_goal_that_is_edited() {
    for seed in 0..5 {
        let whole = made(seed);
        let at = goal(&whole);
        let score = whole[at].session.last_score.clone().unwrap();

        let mut removed = whole.clone();
        for frame in &mut removed[at..] {
            *team_points(frame, &score.team) -= score.point_amount as f32;
        }
        warns(&removed, "echo.goal-uncounted");
        for frame in &mut removed {
            frame.session.last_score = whole[0].session.last_score.clone();
        }
        warns(&removed, "echo.goal-stats");

        let mut dearer = whole.clone();
        for frame in &mut dearer[at..] {
            *team_points(frame, &score.team) += 1.0;
            if frame.session.last_score.as_ref() == Some(&score) {
                frame.session.last_score.as_mut().unwrap().point_amount += 1;
            }
        }
        warns(&dearer, "echo.goal-stats");

        let mut stolen = whole.clone();
        let other = usize::from(score.team == TeamId::Blue);
        let thief = whole[at].session.teams[other].players[0].name.clone();
        for frame in &mut stolen[at..] {
            if frame.session.last_score.as_ref() == Some(&score) {
                frame.session.last_score.as_mut().unwrap().person_scored = thief.clone();
            }
        }
        warns(&stolen, "echo.goal-scorer");

        // From the last moment before the goal straight to the next round.
        let mut cut = whole.clone();
        let next = cut[at..]
            .iter()
            .position(|frame| frame.session.game_status == GameStatus::RoundStart)
            .unwrap();
        cut.drain(at..at + next);
        let closed = cut[at].time.0 - cut[at - 1].time.0 - 67;
        cut[at..]
            .iter_mut()
            .for_each(|frame| frame.time.0 -= closed);
        warns(&cut, "echo.goal-cut");

        // Left out, without closing the gap.
        let mut left_out = whole;
        left_out.drain(at - 20..at + 20);
        warns(&left_out, "echo.hole-points");
    }
}

#[test]
fn a_match_that_is_slowed_down_or_sped_up() {
    for seed in 0..5 {
        for factor in [0.5, 0.9, 1.1, 1.25, 2.0] {
            let mut frames = made(seed);
            let start = frames[0].time.0;
            for frame in &mut frames {
                frame.time.0 = start + ((frame.time.0 - start) as f64 * factor) as i64;
            }
            warns(&frames, "echo.clock-rate");
        }
    }
}

#[test]
fn a_clock_that_is_set_back() {
    let mut frames = made(1);
    for frame in &mut frames[1_000..] {
        frame.session.game_clock += 20.0;
        frame.session.game_clock_display = gametape_echo::clock_display(frame.session.game_clock);
    }
    let playing = |frame: &Frame| frame.session.game_status == GameStatus::Playing;
    assert!(playing(&frames[999]) && playing(&frames[1_000]));
    warns(&frames, "echo.clock-set");
}
