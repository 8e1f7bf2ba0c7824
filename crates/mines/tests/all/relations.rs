//! Games that were made from others are found; unrelated games are not reported.

use std::borrow::Cow;

use gametape_core::Severity;
use gametape_core::surface::{Related, Relations};
use gametape_core::tape::{Format, Options, Source, Traces, Work};
use gametape_mines::tape::Rmv;
use gametape_mines::{Game, PlayerFields, Version, rmv};
use gametape_samples::mines::person::{Hand, Release};
use gametape_samples::mines::{BoardSpec, Finish, Scenario, play, record, scenarios};
use gametape_testkit::mines::twins;

fn traces(game: &Game<'_>) -> Traces {
    let bytes = rmv::write(game).unwrap();
    let tape = Rmv.open(Source::new(bytes)).unwrap();
    tape.audit(&Options::new(), &Work::default())
        .unwrap()
        .traces
}

fn related<'g>(games: impl IntoIterator<Item = &'g Game<'static>>) -> Vec<Related> {
    let mut relations = Relations::new();
    for game in games {
        relations.add(Rmv.info().relations, &traces(game));
    }
    relations.find()
}

/// A game with a player and a checksum of its own.
fn own(mut game: Game<'static>, seed: u64) -> Game<'static> {
    let name = format!("Player {seed}");
    let fields: Vec<Vec<u8>> = game.player.iter().map(<[u8]>::to_vec).collect();
    let fields = fields.into_iter().enumerate();
    let fields = fields.map(|(at, field)| if at < 2 { name.clone().into() } else { field });
    game.player = PlayerFields::new(fields).unwrap();
    // No two checksums are alike.
    let checksum = (1..=18_u64).map(|at| (seed.wrapping_mul(at * at) >> (at % 7)) as u8 ^ at as u8);
    game.checksum = Cow::Owned(checksum.chain(seed.to_be_bytes()).collect());
    game
}

/// A game played by hand; `None` if the hand left the window further than version 1 can express.
fn played(scenario: &Scenario, release: Release, seed: u64) -> Option<Game<'static>> {
    let hand = Hand::of(release, seed);
    let mines = scenario.name.bytes().map(u64::from).sum::<u64>();
    Some(own(
        play(scenario, release, &[hand], seed).ok()?,
        seed << 16 | mines,
    ))
}

fn levels(version: Version) -> impl Iterator<Item = Scenario> {
    let levels = ["beginner-win", "intermediate-win", "expert-win"];
    scenarios().into_iter().filter(move |scenario| {
        let name = scenario.name.strip_prefix("v1-").unwrap_or(scenario.name);
        scenario.version == version && levels.contains(&name)
    })
}

#[test]
fn a_game_made_from_another_is_found_in_both() {
    let mut made = std::collections::BTreeMap::<&str, u32>::new();
    for seed in 0..24 {
        let release = Release::ALL[seed as usize % Release::ALL.len()];
        for scenario in levels(release.version()) {
            let two = [seed, seed + 1000].map(|seed| played(&scenario, release, seed));
            let [Some(game), Some(other)] = two else {
                continue;
            };
            for twin in twins() {
                let Some(forged) = twin.of(&game, &other, seed) else {
                    continue;
                };
                let what = format!("{} of {} {seed}, {release:?}", twin.name, scenario.name);
                let found = related([&game, &forged]);
                let codes: Vec<&str> = found.iter().map(|r| r.relation.code).collect();
                assert_eq!(codes, [twin.code; 2], "{what}");
                assert_eq!((found[0].tape, &*found[0].others), (0, &[1][..]), "{what}");
                assert_eq!((found[1].tape, &*found[1].others), (1, &[0][..]), "{what}");
                assert_eq!(found[0].severity, Severity::Warning, "{what}");
                *made.entry(twin.name).or_default() += 1;
            }
        }
    }
    for twin in twins() {
        assert!(made.get(twin.name) >= Some(&5), "{}: {made:?}", twin.name);
    }
}

#[test]
fn a_crowd_of_forgeries_is_found_among_others() {
    let release = Release::R5_0;
    let scenario = levels(release.version()).last().unwrap();
    let mut games: Vec<Game<'static>> = (0..40)
        .filter_map(|seed| played(&scenario, release, seed))
        .collect();
    let (game, other) = (games[7].clone(), games[8].clone());
    let forged = twins().filter_map(|twin| twin.of(&game, &other, 3));
    games.extend(forged);
    let found = related(&games);
    let of = |tape: u32| found.iter().filter(move |related| related.tape == tape);
    for tape in 40..games.len() as u32 {
        assert!(of(tape).next().is_some(), "{tape}");
    }
    for tape in (0..40).filter(|tape| ![7, 8].contains(tape)) {
        assert!(of(tape).next().is_none(), "{tape}");
    }
}

/// This holds for games of hands and of machines, on boards of any size.
#[test]
fn games_that_have_nothing_to_do_with_each_other_are_left_alone() {
    let mut games = Vec::new();
    let seeds = if cfg!(debug_assertions) { 300 } else { 3000 };
    for seed in 0..seeds {
        let release = Release::ALL[seed as usize % Release::ALL.len()];
        let scenarios = levels(release.version());
        games.extend(scenarios.filter_map(|scenario| played(&scenario, release, seed)));
    }
    for seed in seeds..seeds + seeds / 10 {
        // There is only one ring board.
        let scenarios = scenarios().into_iter();
        for scenario in scenarios.filter(|scenario| scenario.board != BoardSpec::Ring) {
            let number = games.len() as u64 + 100_000;
            games.push(own(record(&scenario, seed).unwrap(), number));
        }
    }
    let found = related(&games);
    let told: Vec<String> = found
        .iter()
        .filter(|related| related.severity > Severity::Info)
        .map(|related| format!("{related:?}"))
        .collect();
    assert!(
        told.is_empty(),
        "{} of {}: {}",
        told.len(),
        games.len(),
        told.join("\n")
    );
}

#[test]
fn a_loss_and_a_game_that_was_left_have_traces_too() {
    let scenarios = scenarios().into_iter();
    for scenario in scenarios.filter(|scenario| scenario.finish != Finish::Win) {
        let game = own(record(&scenario, 3).unwrap(), 3);
        let found = related([&game, &own(game.clone(), 4)]);
        assert_eq!(found.len(), 2, "{}", scenario.name);
        assert_eq!(found[0].relation.kind, "same-game", "{}", scenario.name);
    }
}

/// A program's default name is no person: strangers have it at the same time.
#[test]
fn players_without_a_name_are_not_one_player() {
    let named = |name: &str, seed: u64| {
        let mut game = record(&levels(Version::V2).nth(1).unwrap(), seed).unwrap();
        game.board.timestamp = 1_700_000_000;
        game.player = PlayerFields::new([name, "", "", ""]).unwrap();
        game
    };
    for (name, is_person) in [("Ada", true), ("ANONYMOUS", false), ("player", false)] {
        let found = related(&[named(name, 1), named(name, 2)]);
        let at_once = found
            .iter()
            .any(|related| related.relation.code == "rmv.two-at-once");
        assert_eq!(at_once, is_person, "{name}: {found:?}");
    }
}
