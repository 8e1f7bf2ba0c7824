use gametape_mines::Buttons;

use super::super::real::{all_recordings, recordings};
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

/// Mouse events with the right button states, at the centres of cells of 16 pixels in row 0, one every 10 ms.
fn in_row(actions: &[(MouseAction, i32)]) -> Vec<MouseEvent> {
    let mut buttons = Buttons::LEFT;
    let event = |(time_ms, &(action, col)): (u32, &(MouseAction, i32))| {
        buttons = buttons.after(action);
        MouseEvent {
            action,
            time_ms: 10 * time_ms,
            buttons,
            x: 16 * col + 8,
            y: 8,
            reduced: false,
        }
    };
    (0..).zip(actions).map(event).collect()
}

/// A board of one row: two safe cells, a mine, four safe cells.
fn row() -> Simulator {
    let board = Board::new(7, 1, [Cell::new(2, 0)], 0).unwrap();
    Simulator::new(&board, 16, [])
}

/// What each of these mouse events shows: column and code.
fn shown(simulator: &mut Simulator, mouse: &[MouseEvent]) -> Vec<Vec<(u8, u8)>> {
    let of = |event: BoardEvent| (event.cell.col, event.face.code());
    let steps = mouse.iter().map(|event| simulator.step(event));
    steps
        .map(|shown| shown.into_iter().map(of).collect())
        .collect()
}

#[test]
fn a_cell_that_is_pressed_when_both_buttons_press_it_is_pressed_twice_and_released_once() {
    use MouseAction::{LeftDown, LeftUp, Move, RightDown, RightUp};
    let mouse = in_row(&[
        (LeftUp, 1),
        (LeftDown, 4),
        (RightDown, 4),
        (Move, -1),
        (LeftUp, -1),
        (RightUp, -1),
    ]);
    let mut simulator = row();
    let shown = shown(&mut simulator, &mouse);
    assert_eq!(shown[0], [(1, 9), (1, 19)]);
    assert_eq!(shown[1], [(4, 9)]);
    assert_eq!(shown[2], [(3, 9), (5, 9), (4, 9)]);
    assert_eq!(shown[3], [(3, 11), (5, 11), (4, 11)]);
    assert_eq!(simulator.clicks().double, 1);
}

#[test]
fn right_again_is_a_chord_while_left_remains() {
    use MouseAction::{LeftDown, LeftUp, RightDown, RightUp};
    let mouse = in_row(&[
        (LeftUp, 1),
        (RightDown, 2),
        (RightUp, 2),
        (LeftDown, 6),
        (RightDown, 6),
        (RightUp, 6),
        (RightDown, 1),
        (LeftUp, 1),
        (RightUp, 1),
        (LeftDown, 4),
        (LeftUp, 4),
    ]);
    let mut simulator = row();
    let shown = shown(&mut simulator, &mouse);
    assert_eq!(shown[1], [(2, 13)]);
    assert_eq!(shown[5], [(5, 11), (6, 11)]);
    assert_eq!(shown[6], [(0, 9)]);
    assert_eq!(shown[7], [(0, 18)], "the 1 has one flag");
    assert_eq!(shown[10], [(4, 18), (3, 19), (5, 18), (6, 18)]);
    assert!(simulator.is_won());
    let clicks = simulator.clicks();
    let expected = Clicks {
        left: 2,
        right: 1,
        double: 2,
        effective: 4,
    };
    assert_eq!(clicks, expected);
}

#[test]
fn a_button_at_a_new_pixel_brings_its_move() {
    use MouseAction::{LeftUp, Move, RightDown};
    let mut mouse = in_row(&[(LeftUp, 1), (RightDown, 2), (Move, 2)]);
    mouse[2].time_ms = mouse[1].time_ms + 1;
    let order = |mouse: &[MouseEvent]| -> Vec<bool> {
        let events = stream(&mut row(), mouse);
        let is_mouse = |event: &Event| matches!(event, Event::Mouse(_));
        events.iter().map(is_mouse).collect()
    };
    assert_eq!(order(&mouse), [true, false, false, true, true, false]);
    mouse[2].time_ms += 1;
    assert_eq!(order(&mouse), [true, false, false, true, false, true]);
}

#[test]
fn a_press_outside_the_window_is_unknown_until_the_next() {
    use MouseAction::{LeftDown, LeftUp, Move};
    let mut mouse = in_row(&[
        (LeftUp, 1),
        (Move, -1),
        (Move, 4),
        (LeftUp, 4),
        (LeftDown, 4),
    ]);
    mouse[2].buttons = Buttons::LEFT;
    let mut simulator = row();
    let shown = shown(&mut simulator, &mouse);
    assert!(shown[2].is_empty() && shown[3].is_empty());
    assert_eq!(shown[4], [(4, 9)]);
    assert_eq!(simulator.clicks().left, 1);
}
