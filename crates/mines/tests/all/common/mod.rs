//! Recordings and helpers that several tests share.

pub mod board;
pub mod parts;

use std::path::PathBuf;

use gametape_mines::rmv::{self, EventLog, Findings, Severity};
use gametape_mines::{Board, Cell, Event, Game};
use gametape_samples::mines::{Scenario, record, scenarios};
use proptest::collection::btree_set;
use proptest::prelude::*;

/// The real recordings with their names.
pub fn real_files() -> Vec<(String, Vec<u8>)> {
    tapes("rmv")
}

/// The recordings of a folder of tapes, with their names. If it is missing, prints a loud note and
/// returns none.
pub fn tapes(folder: &str) -> Vec<(String, Vec<u8>)> {
    let tapes = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes");
    let folder = tapes.join(folder);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!(
            "SKIPPED: no real recordings at {}; this test has checked nothing",
            folder.display()
        );
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<(String, Vec<u8>)> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "rmv"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// The scenario of this name.
pub fn scenario(name: &str) -> Scenario {
    scenarios().into_iter().find(|s| s.name == name).unwrap()
}

/// The game with this name and seed.
pub fn game(name: &str, seed: u64) -> Game<'static> {
    record(&scenario(name), seed).unwrap()
}

/// The same game with other events.
pub fn rewritten(game: &Game<'_>, events: impl IntoIterator<Item = Event>) -> Game<'static> {
    let mut game = game.clone().into_owned();
    game.events = EventLog::empty(game.version());
    for event in events {
        game.events.push_shortest(event).unwrap();
    }
    game
}

/// The findings of a game after it was written.
pub fn findings(game: &Game<'_>) -> Findings {
    rmv::audit(&rmv::write(game).unwrap()).findings
}

/// The severity of the worst finding, and the codes of all.
pub fn audited(game: &Game<'_>) -> (Option<Severity>, Vec<&'static str>) {
    let findings = findings(game);
    (findings.worst(), codes(&findings))
}

pub fn codes(findings: &Findings) -> Vec<&'static str> {
    findings.iter().map(rmv::Finding::code).collect()
}

/// Boards of up to `side` × `side` cells, with fewer than `mines` mines.
pub fn boards(side: u32, mines: usize) -> impl Strategy<Value = Board<'static>> {
    (1..=side, 1..=side, any::<u32>()).prop_flat_map(move |(cols, rows, timestamp)| {
        btree_set((0..rows as u8, 0..cols as u8), 0..mines).prop_map(move |mines| {
            let mines = mines.into_iter().map(|(row, col)| Cell::new(col, row));
            Board::new(cols, rows, mines, timestamp).unwrap()
        })
    })
}
