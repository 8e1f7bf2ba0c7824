//! Real recordings for tests.

use std::fs;
use std::path::Path;

use gametape_mines::Game;
use gametape_mines::rmv::{self, ReadOptions, Strictness};

/// The recordings of a folder, with their names. Says loudly where there is no such folder.
pub(super) fn recordings(folder: &str) -> Vec<(String, Game<'static>)> {
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

/// The recordings of ViennaSweeper: genuine ones, and some whose names begin with `tampered`.
pub(super) fn all_recordings() -> impl Iterator<Item = (String, Game<'static>)> {
    let folders = ["rmv", "vienna-3.0.2H"];
    folders.into_iter().flat_map(recordings)
}
