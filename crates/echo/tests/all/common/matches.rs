//! Invented matches.

use gametape_echo::{Frame, Game};
use gametape_samples::echo::{Match, MatchOptions};

/// A generated match.
pub fn frames_of(options: MatchOptions) -> Vec<Frame> {
    Match::new(options).collect()
}

/// Matches of all kinds: arena, private arena and combat, with and without bones, joins, pauses.
pub fn match_options(seed: u64, frames: u64) -> MatchOptions {
    MatchOptions {
        seed,
        game: if seed % 4 == 3 {
            Game::Combat
        } else {
            Game::Arena
        },
        rate_hz: [30, 15, 60, 10, 1][(seed % 5) as usize],
        frames: Some(frames),
        players_per_team: [5, 1, 4][(seed % 3) as usize],
        spectators: (seed % 3) as u8,
        bones: seed % 2 == 1,
        private: seed % 4 >= 2,
        pauses: seed % 3 != 1,
        joins: true,
        ..MatchOptions::default()
    }
}
