//! Games that were made from others are found; unrelated games are not reported.

use std::borrow::Cow;
use std::ops::ControlFlow;

use gametape_core::Severity;
use gametape_core::surface::{Related, Relations};
use gametape_core::table::{Scan, Value};
use gametape_core::tape::{Format, Options, Source, Traces, Work};
use gametape_mines::tape::Rmv;
use gametape_mines::{
    Board, Cell, Ending, Event, Game, MouseAction, MouseEvent, Outcome, PlayerFields, Version, rmv,
};
use gametape_samples::mines::person::{Hand, Release};
use gametape_samples::mines::{BoardSpec, Finish, Scenario, play, record, scenarios};
use gametape_testkit::mines::{mouse_of, twins};
use proptest::prelude::*;

use crate::common::parts::Parts;
use crate::common::{boards, game, rewritten};

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

/// The rows of some columns.
fn rows(bytes: Vec<u8>, table: &str, columns: [&str; 2]) -> Vec<[Option<String>; 2]> {
    let tape = Rmv.open(Source::new(bytes)).unwrap();
    let mut rows = Vec::new();
    let scan = Scan::table(table).columns(columns);
    let _ = tape.scan_table(&scan, &Work::default(), |batch| {
        for row in 0..batch.len() {
            rows.push([0, 1].map(|column| match batch.get(row, column) {
                Value::Text(text) => Some(text.to_owned()),
                Value::Uint(number) => Some(number.to_string()),
                _ => None,
            }));
        }
        Ok(ControlFlow::Continue(()))
    });
    rows
}

/// The key of the board and that of the path.
fn keys(game: &Game<'_>) -> [Option<String>; 2] {
    keys_of(rmv::write(game).unwrap())
}

fn keys_of(bytes: Vec<u8>) -> [Option<String>; 2] {
    rows(bytes, "game", ["board_key", "path_key"]).remove(0)
}

fn on(board: Board<'static>) -> Game<'static> {
    let mut game = Game::new(Version::V2, board);
    game.ending = Some(Ending {
        outcome: Outcome::Other,
        time_ms: 0,
    });
    game
}

/// A board in one of its eight orientations.
fn turned(board: &Board<'_>, turn: u8) -> Board<'static> {
    let [swaps, left_right, up_down] = [1, 2, 4].map(|bit| turn & bit != 0);
    let (cols, rows) = if swaps {
        (board.rows, board.cols)
    } else {
        (board.cols, board.rows)
    };
    let mines = board.mines.iter().map(|Cell { col, row }| {
        let (col, row) = if swaps { (row, col) } else { (col, row) };
        Cell::new(
            if left_right { cols - 1 - col } else { col },
            if up_down { rows - 1 - row } else { row },
        )
    });
    Board::new(cols.into(), rows.into(), mines, board.timestamp).unwrap()
}

/// The mines of a board in the first of its orientations, which says whether two boards are the same.
fn first(board: &Board<'_>) -> (u8, u8, Vec<Cell>) {
    let of = |turn| {
        let board = turned(board, turn);
        let mut mines: Vec<Cell> = board.mines.iter().collect();
        mines.sort_unstable();
        (board.cols, board.rows, mines)
    };
    (0..8).map(of).min().unwrap()
}

proptest! {
    #[test]
    fn a_board_has_one_key_in_all_orientations_and_other_boards_have_others(
        board in boards(12, 20),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        let [key, path] = keys(&on(board.clone()));
        prop_assert_eq!(key.as_ref().map(String::len), Some(16));
        prop_assert_eq!(path, None, "no button went down or up");
        for turn in 1..8 {
            prop_assert_eq!(&keys(&on(turned(&board, turn)))[0], &key, "{}", turn);
        }
        // One mine is moved.
        let mut mines: Vec<Cell> = board.mines.iter().collect();
        if mines.is_empty() {
            return Ok(());
        }
        let cell = to.index(usize::from(board.cols) * usize::from(board.rows));
        let cols = usize::from(board.cols);
        let cell = Cell::new((cell % cols) as u8, (cell / cols) as u8);
        let at = from.index(mines.len());
        if !mines.contains(&cell) {
            mines[at] = cell;
        }
        let moved = Board::new(board.cols.into(), board.rows.into(), mines, 0).unwrap();
        let [other, _] = keys(&on(moved.clone()));
        prop_assert_eq!(first(&moved) == first(&board), other == key);
    }

    #[test]
    fn the_mines_are_those_of_the_board(board in boards(12, 20)) {
        let mut mines: Vec<Cell> = board.mines.iter().collect();
        mines.sort_unstable();
        let mines = mines.iter().map(|mine| [mine.col, mine.row].map(|at| Some(at.to_string())));
        let mines: Vec<_> = mines.collect();
        prop_assert_eq!(rows(rmv::write(&on(board)).unwrap(), "mines", ["col", "row"]), mines);
    }
}

#[test]
fn what_leaves_the_clicks_as_they_are_leaves_the_key_of_the_path() {
    const SAME: [&str; 8] = [
        "renamed",
        "dated-anew",
        "in-the-other-version",
        "other-moves",
        "mirrored",
        "rotated",
        "borrowed-checksum",
        "in-two-games-at-once",
    ];
    let mut made = std::collections::BTreeMap::<&str, u32>::new();
    for (seed, scenario) in (0..).zip(scenarios()) {
        let [game, other] = [seed, seed + 1000].map(|seed| record(&scenario, seed).unwrap());
        for twin in twins() {
            let Some(forged) = twin.of(&game, &other, seed) else {
                continue;
            };
            // Two of the twins are made of the other game.
            let of = if twin.code == "rmv.same-checksum" || twin.code == "rmv.two-at-once" {
                &other
            } else {
                &game
            };
            let [[board, path], [forged_board, forged_path]] = [keys(of), keys(&forged)];
            // Version 1 can't store the size of the cells, so the same pixels are other cells.
            if game.cell_size() != forged.cell_size() && twin.name == "in-the-other-version" {
                continue;
            }
            let what = format!("{} of {} {seed}", twin.name, scenario.name);
            assert_eq!(board, forged_board, "{what}");
            // A game of one click is at its start whatever its times are shifted by.
            let is_short = mouse_of(of).len() < 10 && path == forged_path;
            let is_same = SAME.contains(&twin.name) || is_short;
            assert_eq!(path == forged_path, is_same, "{what}");
            *made.entry(twin.name).or_default() += 1;
        }
    }
    for name in SAME.iter().filter(|name| **name != "borrowed-checksum") {
        assert!(made.get(name) >= Some(&5), "{name}: {made:?}");
    }
}

#[test]
fn a_button_that_moves_by_a_millisecond_or_a_pixel_changes_the_key_of_the_path() {
    for name in ["beginner-win", "v1-expert-win", "loss"] {
        let game = game(name, 3);
        let [board, path] = keys(&game);
        let events: Vec<Event> = game.events.iter().collect();
        let change = |at: usize, change: fn(MouseEvent) -> MouseEvent| {
            let mut events = events.clone();
            if let Event::Mouse(event) = &mut events[at] {
                *event = change(*event);
            }
            keys(&rewritten(&game, events))
        };
        let mouse = |event: &Event| match event {
            Event::Mouse(event) => Some(*event),
            _ => None,
        };
        // The next event must not be earlier.
        let is_free = |at: &usize| {
            let next = events.iter().skip(*at + 1).find_map(mouse);
            let event = mouse(&events[*at]).filter(|event| event.action != MouseAction::Move);
            (event.zip(next)).is_some_and(|(event, next)| event.time_ms < next.time_ms)
        };
        let free: Vec<usize> = (0..events.len()).filter(is_free).collect();
        assert!(free.len() > 20, "{name}");
        for at in free {
            let later = |event: MouseEvent| MouseEvent {
                time_ms: event.time_ms + 1,
                ..event
            };
            let lower = |event: MouseEvent| MouseEvent {
                y: event.y + 1,
                ..event
            };
            for changed in [change(at, later), change(at, lower)] {
                assert_eq!(changed[0], board, "{name} {at}");
                assert_ne!(changed[1], path, "{name} {at}");
            }
        }
    }
}

#[test]
fn a_game_that_is_cut_off_has_a_board_and_no_path() {
    let bytes = rmv::write(&game("beginner-win", 3)).unwrap();
    let [board, path] = keys_of(bytes.clone());
    assert!(board.is_some() && path.is_some());
    assert_eq!(keys_of(bytes[..bytes.len() / 2].to_vec()), [board, None]);
}

#[test]
fn a_board_with_a_mine_beside_it_or_a_mine_twice_has_no_key() {
    let board = Board::new(4, 4, [Cell::new(0, 0), Cell::new(3, 3)], 0).unwrap();
    let sound = Parts::of(&on(board));
    for (mine, count) in [([1, 0], 2), ([4, 0], 1), ([3, 3], 1)] {
        let mut parts = sound.clone();
        parts.board[8..10].copy_from_slice(&mine);
        let bytes = parts.bytes();
        assert_eq!(keys_of(bytes.clone())[0].is_some(), count == 2, "{mine:?}");
        assert_eq!(
            rows(bytes, "mines", ["col", "row"]).len(),
            count,
            "{mine:?}"
        );
    }
}

/// Archives store keys: they stay what they are.
#[test]
fn the_keys_of_a_game_do_not_change() {
    let keys = keys(&game("beginner-win", 3)).map(Option::unwrap);
    assert_eq!(keys, ["09a1697db930cbfe", "163961842b97d95a"]);
}
