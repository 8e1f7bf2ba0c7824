//! The claims of a recording are compared with its content.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gametape_mines::Game;
use gametape_mines::rmv::{self, Findings, Limits, Severity};
use gametape_samples::mines::person::{Hand, Release};
use gametape_samples::mines::{Habit, play, scenarios};
use gametape_testkit::mines::forgeries;

use crate::common::codes;

/// A day in 2026.
fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_790_000_000)
}

fn findings(game: &Game<'_>) -> Findings {
    rmv::audit_at(&rmv::write(game).unwrap(), Limits::DEFAULT, now()).findings
}

/// Games of every release and level, with flags and without.
fn sound(seed: u64) -> Vec<(String, Game<'static>)> {
    let mut games = Vec::new();
    let names = ["beginner-win", "intermediate-win", "expert-win"];
    let levels = scenarios().into_iter().filter(|s| names.contains(&s.name));
    for mut scenario in levels {
        for habit in [Habit::Chords, Habit::NoFlags] {
            for release in Release::ALL {
                scenario.habit = habit;
                let hand = Hand::of(release, seed);
                let game = play(&scenario, release, &[hand], seed).unwrap();
                let name = format!("{} {habit:?} {release:?} seed {seed}", scenario.name);
                games.push((name, game));
            }
        }
    }
    games
}

/// The codes of false claims.
pub const CLAIMS: [&str; 10] = [
    "rmv.nf",
    "rmv.nf-preflags",
    "rmv.rank-3bv",
    "rmv.date-missing",
    "rmv.date-early",
    "rmv.date-future",
    "rmv.release-field",
    "rmv.release-unusual",
    "rmv.release-missing",
    "rmv.release-clone",
];

#[test]
fn sound_games_of_every_release_make_no_false_claim() {
    for seed in 0..4 {
        for (name, game) in sound(seed) {
            for finding in &findings(&game) {
                assert!(!CLAIMS.contains(&finding.code()), "{name}: {finding}");
            }
        }
    }
}

#[test]
fn false_claims_are_found_and_nothing_else_is() {
    let mut made = BTreeMap::<&str, u32>::new();
    for seed in 0..2 {
        for (name, game) in sound(seed) {
            let before = codes(&findings(&game));
            for forgery in forgeries().filter(|forgery| CLAIMS.contains(&forgery.code)) {
                let Some(forged) = forgery.of(&game, seed) else {
                    continue;
                };
                *made.entry(forgery.name).or_default() += 1;
                let found = findings(&forged);
                let what = format!("{} of {name}", forgery.name);
                assert!(found.has(forgery.code), "{what}: {:?}", codes(&found));
                assert!(found.worst() >= Some(Severity::Warning), "{what}");
                let more: Vec<&str> = (codes(&found).into_iter())
                    .filter(|code| *code != forgery.code && !before.contains(code))
                    .collect();
                let expected = follows(forgery.name);
                assert!(
                    more.iter().all(|code| expected.contains(code)),
                    "{what}: {more:?}"
                );
            }
        }
    }
    for forgery in forgeries().filter(|forgery| CLAIMS.contains(&forgery.code)) {
        assert!(
            made.contains_key(forgery.name),
            "{} was tried",
            forgery.name
        );
    }
}

/// Further findings that a false claim causes.
fn follows(name: &str) -> &'static [&'static str] {
    match name {
        // The property does not make the claim.
        "no-flag-claim-of-the-result-string" => &["rmv.result-nf"],
        "no-flag-claim-with-preflags-of-a-known-board" => &["rmv.mode-unproven", "rmv.rank-mode"],
        // The major version after the clone id is still the old one.
        "release-without-the-format" => &["rmv.release-unusual"],
        // The game was played before release 5 existed, and with a clock that this release does not
        // use.
        "release-with-another-format" => &["rmv.date-early", "rmv.clock-grid"],
        _ => &[],
    }
}
