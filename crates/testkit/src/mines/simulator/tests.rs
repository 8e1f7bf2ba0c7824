use std::fs;
use std::path::Path;

use gametape_mines::rmv::{self, ReadOptions, Strictness};

use super::*;

/// The clicks that the README beside the recordings of 3.0.2H and the table in formats/rmv.md state: left,
/// right, double, effective.
const KNOWN_CLICKS: &[(&str, [u32; 4])] = &[
    ("both-buttons-closed-cell", [7, 1, 4, 9]),
    ("both-buttons-closed-cell-moving", [15, 0, 1, 15]),
    ("both-buttons-flag", [11, 1, 4, 12]),
    ("button-moved-from-beside", [10, 2, 4, 14]),
    ("button-moved-last-release", [9, 0, 0, 9]),
    ("button-moved-left-down", [11, 0, 0, 9]),
    ("button-moved-left-up", [6, 2, 5, 12]),
    ("button-moved-no-events", [10, 0, 0, 9]),
    ("flop_intermediate", [23, 8, 14, 42]),
    ("left-down-beside-board", [7, 0, 0, 5]),
    ("negative-x", [9, 3, 4, 15]),
    ("press-outside-window", [11, 3, 4, 18]),
    ("right-again-clicks", [10, 3, 9, 18]),
    ("right-again-closed-cell", [18, 3, 4, 23]),
    ("right-again-opens", [8, 1, 5, 12]),
    ("test_rmv1_utf8_basic", [81, 29, 56, 143]),
];

/// The recordings of a folder, with their names. Says loudly where there is no such folder.
fn recordings(folder: &str) -> Vec<(String, Game<'static>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes");
    let path = path.join(folder);
    let Ok(entries) = path.read_dir() else {
        println!("SKIPPED: no real recordings in {}", path.display());
        return Vec::new();
    };
    // Two files have names that are not UTF-8, which does not matter here.
    let options = ReadOptions {
        strictness: Strictness::Lenient,
        ..ReadOptions::default()
    };
    let mut games = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rmv") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let bytes = fs::read(&path).unwrap();
            let game = rmv::read_with(&bytes, options).unwrap();
            games.push((name, game.game.into_owned()));
        }
    }
    assert!(!games.is_empty(), "{} is empty", path.display());
    games
}

fn all_recordings() -> impl Iterator<Item = (String, Game<'static>)> {
    let folders = ["rmv", "vienna-3.0.2H"];
    folders.into_iter().flat_map(recordings)
}

#[test]
fn every_genuine_recording_has_the_expected_events_and_ending() {
    for (name, game) in all_recordings() {
        if name.starts_with("tampered") {
            continue;
        }
        let (recorded, expected) = (events_of(&game), expected(&game));
        let same = recorded.iter().zip(&expected);
        let same = same.take_while(|(a, b)| a == b).count();
        assert_eq!(
            recorded.get(same),
            expected.get(same),
            "{name}: event {same}"
        );
        let mut simulator = Simulator::of(&game);
        stream(&mut simulator, &mouse_of(&game));
        let outcome = game.ending.map(|ending| ending.outcome);
        assert_eq!(outcome, Some(simulator.outcome()), "{name}");
    }
}

#[test]
fn no_genuine_recording_asks_an_open_question() {
    for (name, game) in all_recordings() {
        let mut simulator = Simulator::of(&game);
        for event in mouse_of(&game) {
            assert!(!simulator.is_open_question(&event), "{name}: {event:?}");
            simulator.step(&event);
        }
    }
}

#[test]
fn the_clicks_are_those_that_are_known() {
    let mut known = 0;
    let mut found = 0;
    for (name, game) in all_recordings() {
        found += 1;
        let Some((_, counts)) = KNOWN_CLICKS.iter().find(|(known, _)| *known == name) else {
            continue;
        };
        known += 1;
        let Clicks {
            left,
            right,
            double,
            effective,
        } = clicks(&game);
        assert_eq!([left, right, double, effective], *counts, "{name}");
    }
    assert!(found == 0 || known == KNOWN_CLICKS.len(), "{known}");
}

#[test]
fn tampered_recordings_have_other_events() {
    for (name, game) in recordings("vienna-3.0.2H") {
        // A click that was shifted within its cell has the same board events: only its missing move
        // reveals it.
        if name.starts_with("tampered") && name != "tampered-click-shifted" {
            assert_ne!(events_of(&game), expected(&game), "{name}");
        }
    }
}

#[test]
fn a_shifted_click_is_a_button_without_its_move() {
    for (name, game) in recordings("vienna-3.0.2H") {
        let mouse = mouse_of(&game);
        let without = (1..mouse.len()).filter(|&at| {
            let (before, event) = (mouse[at - 1], mouse[at]);
            event.action != MouseAction::Move
                && (before.x, before.y) != (event.x, event.y)
                && !brings_its_move(&mouse, at)
        });
        let expected = usize::from(name == "tampered-click-shifted");
        assert_eq!(without.count(), expected, "{name}");
    }
}
