//! The bot's recordings: every kind of game, every event code, every mode.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gametape_mines::rmv::{self, Severity};
use gametape_mines::{Event, Mode, Outcome};
use gametape_samples::mines::{Finish, record, scenarios};
use sha2::{Digest, Sha256};

#[test]
fn every_scenario_is_recorded_and_found_sound() {
    for scenario in scenarios() {
        for seed in 0..4 {
            let game = record(&scenario, seed).unwrap();
            let bytes = rmv::write(&game).unwrap();
            let name = format!("{} seed {seed}", scenario.name);
            assert_eq!(rmv::read(&bytes).unwrap(), game, "{name}");
            let audit = rmv::audit(&bytes);
            for finding in &audit.findings {
                assert_ne!(finding.severity(), Severity::Error, "{name}: {finding}");
                assert_ne!(
                    finding.code(),
                    "rmv.board-event-unproven",
                    "{name}: {finding}"
                );
            }
            let outcome = game.ending.map(|ending| ending.outcome);
            let expected = match scenario.finish {
                Finish::Win => Outcome::Win,
                Finish::Abort(_) => Outcome::Other,
                Finish::Loss(_) | Finish::ChordLoss => Outcome::Blast,
            };
            assert_eq!(outcome, Some(expected), "{name}");
        }
    }
}

#[test]
fn the_scenarios_cover_every_event_code_and_mode() {
    let mut codes = BTreeSet::new();
    let mut modes = BTreeSet::new();
    for scenario in scenarios() {
        modes.insert(scenario.mode);
        for seed in 0..4 {
            let game = record(&scenario, seed).unwrap();
            codes.extend(game.ending.map(|ending| ending.outcome.code()));
            for event in &game.events {
                codes.insert(match event {
                    Event::Mouse(mouse) if mouse.reduced => 28,
                    Event::Mouse(mouse) => mouse.action.code(),
                    Event::Board(board) => board.face.code(),
                    Event::Timestamp(_) => 0,
                });
            }
        }
    }
    assert_eq!(modes.len(), Mode::ALL.len());
    // 8 is undefined; all other codes up to 28 occur.
    let missing: Vec<u8> = (0..=28)
        .filter(|code| !codes.contains(code) && *code != 8)
        .collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
}

/// A changed hash reveals a change of engine, bot or writer: the first eight bytes of the SHA-256 of every scenario's file with seed 1. After an intended
/// change, run with `GAMETAPE_BLESS=1` and review the difference.
#[test]
fn recordings_are_the_same_as_ever() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/mines_golden.txt");
    let mut found = String::new();
    for scenario in scenarios() {
        let bytes = rmv::write(&record(&scenario, 1).unwrap()).unwrap();
        let digest = Sha256::digest(&bytes);
        let hash = u64::from_be_bytes(digest[..8].try_into().unwrap());
        writeln!(found, "{hash:016x} {:>6} {}", bytes.len(), scenario.name).unwrap();
    }
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), found);
}
