use std::collections::BTreeMap;

use gametape_mines::Version;

use super::super::random_game;
use super::super::real::all_recordings;
use super::super::simulator::events_of;
use super::*;

/// The forgeries whose board events are right.
const ONLY_PLACES: [&str; 2] = ["own-move-dropped", "shifted"];

/// Counts the forgeries of a game by their names, and checks that each is one.
fn check(of: &str, game: &Game<'_>, seed: u64, counts: &mut BTreeMap<&'static str, u32>) {
    let mut rng = fastrand::Rng::with_seed(seed);
    for (name, forged) in forgeries_of_laws(game, &mut rng) {
        *counts.entry(name).or_default() += 1;
        assert_ne!(events_of(&forged), events_of(game), "{of}: {name}");
        let is_seen = events_of(&forged) != expected(&forged);
        assert_eq!(is_seen, !ONLY_PLACES.contains(&name), "{of}: {name}");
    }
}

#[test]
fn each_forgery_of_a_random_game_breaks_a_law() {
    let mut counts = BTreeMap::new();
    for seed in 0..60 {
        let version = [Version::V1, Version::V2][seed as usize % 2];
        let game = random_game(version, &mut fastrand::Rng::with_seed(seed));
        check(&format!("seed {seed}"), &game, seed, &mut counts);
    }
    for (name, _) in FORGERIES {
        assert!(
            counts.get(name).is_some_and(|&count| count > 20),
            "{counts:?}"
        );
    }
}

#[test]
fn each_forgery_of_a_real_game_breaks_a_law() {
    let mut counts = BTreeMap::new();
    let mut games = 0;
    for (name, game) in all_recordings() {
        if !name.starts_with("tampered") {
            games += 1;
            check(&name, &game, games, &mut counts);
        }
    }
    if games > 0 {
        assert_eq!(counts.len(), FORGERIES.len(), "{counts:?}");
    }
}
