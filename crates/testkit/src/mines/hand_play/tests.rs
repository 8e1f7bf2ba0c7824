use std::collections::BTreeSet;

use gametape_mines::{Version, rmv};

use super::super::simulator::{brings_its_move, events_of, expected};
use super::super::{mouse_of, random_game};
use super::*;

/// Random games of both versions.
fn games() -> impl Iterator<Item = (u64, Game<'static>)> {
    (0..60).map(|seed| {
        let version = [Version::V1, Version::V2][seed as usize % 2];
        let game = random_game(version, &mut fastrand::Rng::with_seed(seed));
        (seed, game)
    })
}

#[test]
fn random_games_follow_the_laws_and_can_be_stored() {
    for (seed, game) in games() {
        assert_eq!(events_of(&game), expected(&game), "{seed}");
        let bytes = rmv::write(&game).unwrap();
        assert_eq!(rmv::read(&bytes).unwrap(), game, "{seed}");
    }
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let game = || random_game(Version::V1, &mut fastrand::Rng::with_seed(3));
    assert_eq!(game(), game());
}

#[test]
fn a_hand_asks_no_open_question_and_states_its_buttons() {
    for (seed, game) in games() {
        let mouse = mouse_of(&game);
        let mut simulator = Simulator::of(&game);
        let (cols, rows) = (game.board.cols.into(), game.board.rows.into());
        let mut before = MouseEvent {
            buttons: Buttons::LEFT,
            ..mouse[0]
        };
        for (at, event) in mouse.iter().enumerate() {
            assert!(!simulator.is_open_question(event), "{seed}: {event:?}");
            let (col, row) = before.cell(game.cell_size());
            let was_beside = !(0..cols).contains(&col) || !(0..rows).contains(&row);
            if event.buttons != before.buttons.after(event.action) {
                let is_press = event.buttons.0 & before.buttons.0 == before.buttons.0;
                assert!(event.action == MouseAction::Move && was_beside && is_press);
            }
            let is_button = at > 0 && event.action != MouseAction::Move;
            if is_button && (before.x, before.y) != (event.x, event.y) {
                assert!(brings_its_move(&mouse, at), "{seed}: {event:?}");
            }
            simulator.step(event);
            before = *event;
        }
    }
}

/// What happens in a game.
fn events_of_note(game: &Game<'_>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut simulator = Simulator::of(game);
    let mouse = mouse_of(game);
    for (at, event) in mouse.iter().enumerate() {
        let (col, row) = event.cell(game.cell_size());
        let is_on_board = (0..game.board.cols.into()).contains(&col)
            && (0..game.board.rows.into()).contains(&row);
        let face = is_on_board.then(|| simulator.face(Cell::new(col as u8, row as u8)));
        let action = event.action.name();
        if brings_its_move(&mouse, at) {
            seen.insert(format!("{action} with its move"));
        }
        if event.action == MouseAction::Move && event.buttons != mouse[at.saturating_sub(1)].buttons
        {
            seen.insert("press outside".to_owned());
        }
        if event.action == MouseAction::RightDown && simulator.holds_left() {
            let face = match face {
                Some(Face::Closed | Face::Pressed) => "a closed cell",
                Some(Face::Flag) => "a flag",
                _ => "an open cell",
            };
            let again = match simulator.grip() {
                Grip::Nothing => " again",
                Grip::Single | Grip::Chord => "",
            };
            seen.insert(format!("both{again} on {face}"));
        }
        if simulator.grip() == Grip::Chord && event.action != MouseAction::Move {
            let place = if is_on_board { "on" } else { "beside" };
            seen.insert(format!("{action} ends a chord {place} the board"));
        }
        if simulator.grip() == Grip::Single && event.action == MouseAction::LeftUp {
            seen.insert(format!(
                "left released on {}",
                face.map_or("nothing", Face::name)
            ));
        }
        simulator.step(event);
    }
    let outcome = game.ending.map_or("no end", |ending| ending.outcome.name());
    seen.insert(outcome.to_owned());
    seen
}

#[test]
fn hands_do_all_that_is_known() {
    let seen: BTreeSet<String> = games()
        .flat_map(|(_, game)| events_of_note(&game))
        .collect();
    let wanted = [
        "both again on a closed cell",
        "both again on an open cell",
        "both on a closed cell",
        "both on a flag",
        "both on an open cell",
        "blast",
        "left released on flag",
        "left released on nothing",
        "left released on pressed",
        "lmb_down with its move",
        "lmb_up ends a chord beside the board",
        "lmb_up ends a chord on the board",
        "lmb_up with its move",
        "other",
        "press outside",
        "rmb_down with its move",
        "rmb_up ends a chord beside the board",
        "rmb_up ends a chord on the board",
        "rmb_up with its move",
        "win",
    ];
    for wanted in wanted {
        assert!(seen.contains(wanted), "{wanted} is not in {seen:#?}");
    }
    assert!(!seen.contains("both again on a flag"), "an open question");
}
