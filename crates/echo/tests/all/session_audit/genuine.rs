//! Ordinary events in matches and recordings cause no warning.

use gametape_echo::butter::Options;
use gametape_echo::{Frame, Game, Severity};
use gametape_samples::echo::MatchOptions;

use super::audit;
use crate::common::arena::arena;
use crate::common::{frames_of, read_strictly, reference_matches, write};

fn quiet<'a>(what: &str, frames: impl IntoIterator<Item = &'a Frame>) {
    for finding in audit(frames) {
        assert_eq!(finding.severity(), Severity::Info, "{what}: {finding}");
    }
}

#[test]
fn matches_raise_no_warning_in_any_format() {
    for seed in 0..20 {
        for game in [Game::Arena, Game::Combat] {
            let options = MatchOptions {
                seed,
                rate_hz: [10, 30, 60][seed as usize % 3],
                private: seed % 2 == 1,
                pauses: seed % 4 > 1,
                frames: Some(2_500),
                game,
                ..MatchOptions::default()
            };
            let what = format!("{options:?}");
            let frames = frames_of(options);
            quiet(&what, &frames);
            if seed % 5 > 0 {
                continue;
            }
            let again = read_strictly(&write(&frames, Options::default())).frames;
            quiet(&format!("as .butter, {what}"), &again);
        }
    }
    for file in reference_matches() {
        quiet(&file.name, &read_strictly(&file.bytes).frames);
    }
}

/// What a recorder sees when the server or the network stalls.
#[test]
fn a_stall_is_no_cut() {
    // The clock stands for three seconds, once every twenty, and makes up for it.
    let mut frames: Vec<Frame> = (0..900).map(|at| arena(at * 100)).collect();
    for at in 0..frames.len() {
        let seen = if at % 200 > 170 {
            at - at % 200 + 170
        } else {
            at
        };
        let session = frames[seen].session.clone();
        frames[at].session = session;
    }
    quiet("stalls", &frames);
    // It stands and does not make up for it.
    let mut frames: Vec<Frame> = (0..900).map(|at| arena(at * 100)).collect();
    for (at, frame) in frames.iter_mut().enumerate() {
        let stood = at / 200 * 30 + (at % 200).saturating_sub(170);
        frame.session = arena((at - stood) as i64 * 100).session;
    }
    quiet("stands", &frames);
    // The recorder loses the game for a while.
    frames.drain(300..400);
    quiet("loses", &frames);
}
