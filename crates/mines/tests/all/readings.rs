//! Where the engine follows our own reading of the rules, which no recording proves, other readings
//! are excused, and nothing more.

use gametape_mines::engine::Doubt;
use gametape_mines::rmv::Severity;
use gametape_mines::{BoardEvent, Cell, Engine, Face, MouseAction, MouseEvent, replay};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::board::{Recording, board, recorded, recorded_by};
use crate::common::{boards, findings};

use MouseAction::{LeftDown, LeftUp, MiddleDown, MiddleUp, Move, RightDown, RightUp};

/// An action, and the column and row of its cell.
type Deed = (MouseAction, i32, i32);

/// A wide board with three mines.
const WIDE: [&str; 3] = ["*..*....", ".*......", "........"];

/// A game on [`WIDE`]: the 2 at (2, 0) is open, and the left button is held on the closed (4, 0).
fn held() -> Recording {
    let mut game = Recording::new(&WIDE);
    game.plays(LeftUp, 2, 0).plays(LeftDown, 4, 0);
    game
}

#[test]
fn a_right_press_on_a_held_left_one_is_our_reading_on_closed_cells() {
    assert!(
        held()
            .gives(RightDown, 4, 0)
            .starts_with("closed40 pressed")
    );
    for (right, after) in [
        // The right button sets a flag; it has no effect and the click continues; or it ends the
        // click.
        ("flag40", ["", ""]),
        ("closed40 flag40", ["", ""]),
        ("", ["", "open_140"]),
        ("closed40", ["", ""]),
    ] {
        let mut game = held();
        game.says(RightDown, 4, 0, right);
        game.says(RightUp, 4, 0, after[0]);
        game.says(LeftUp, 4, 0, after[1]);
        let (found, replayed) = game.left();
        assert_eq!(replayed.fault, None, "{right}: {found:?}");
        let doubted = replayed.doubted.unwrap();
        assert_eq!(doubted.why, Doubt::RightWhileLeft);
        assert_eq!(found.worst(), Some(Severity::Warning), "{found:?}");
        let sentence = found
            .iter()
            .find(|f| f.code() == "rmv.board-event-unproven");
        let sentence = sentence.unwrap().message();
        assert!(sentence.contains("is our reading"), "{sentence}");

        // With all buttons up, the normal rules apply.
        game.says(LeftDown, 5, 2, "pressed52")
            .says(LeftUp, 5, 2, "");
        assert!(game.left().0.has("rmv.board-event"), "{right}");
    }
}

#[test]
fn board_events_of_no_reading_are_errors() {
    for right in [
        // Opened by the right button; a flag on another cell; a flag and a press.
        "open_140",
        "flag50",
        "flag40 pressed40",
        "closed40 flag40 flag50",
        "pressed70",
        "closed00",
    ] {
        let mut game = held();
        game.says(RightDown, 4, 0, right);
        game.plays(RightUp, 4, 0).plays(LeftUp, 4, 0);
        assert!(game.left().0.has("rmv.board-event"), "{right}");
    }
    for left in [
        "open_240",
        "open_140 open_150",
        "open_151",
        "flag40",
        "open_blast30",
    ] {
        let mut game = held();
        game.says(RightDown, 4, 0, "").says(RightUp, 4, 0, "");
        game.says(LeftUp, 4, 0, left);
        assert!(game.left().0.has("rmv.board-event"), "{left}");
    }
    // For open cells, recordings prove the rule.
    let mut game = Recording::new(&WIDE);
    game.plays(LeftUp, 2, 0).plays(LeftDown, 2, 0);
    game.says(RightDown, 2, 0, "");
    assert!(game.left().0.has("rmv.board-event"));
}

#[test]
fn a_recording_that_agrees_once_has_answered_the_question() {
    let mut game = held();
    game.plays(RightDown, 4, 0).plays(RightUp, 4, 0);
    assert_eq!(game.left().1.divergence, None);
    // The chord released everything, so nothing opens.
    game.says(LeftUp, 4, 0, "open_140");
    let (found, replayed) = game.left();
    assert!(found.has("rmv.board-event") && replayed.doubted.is_none());
}

/// The cursor is on (1, 0), and the next button event is at (4, 0).
fn beside() -> Recording {
    let mut game = Recording::new(&WIDE);
    game.plays(LeftUp, 2, 0).plays(Move, 1, 0);
    game.jumps();
    game
}

#[test]
fn a_button_that_acts_where_the_cursor_was_is_in_doubt() {
    let mut game = beside();
    game.says(LeftDown, 4, 0, "pressed10");
    game.says(LeftUp, 4, 0, "open_210");
    let (found, replayed) = game.left();
    assert_eq!(replayed.fault, None, "{found:?}");
    assert_eq!(replayed.doubted.unwrap().why, Doubt::ButtonElsewhere);
    assert_eq!(found.worst(), Some(Severity::Warning), "{found:?}");
    // Once the cursor has moved, its position is certain.
    game.says(Move, 4, 0, "");
    game.says(LeftDown, 4, 0, "pressed10");
    assert!(game.left().0.has("rmv.board-event"));

    let mut game = beside();
    game.says(RightDown, 4, 0, "flag10").says(RightUp, 4, 0, "");
    game.plays(Move, 5, 0).plays(Move, 1, 0);
    game.says(RightDown, 1, 0, "closed10");
    let (found, replayed) = game.left();
    assert_eq!(replayed.fault, None, "{found:?}");

    // A press that the next move takes to the cursor's position.
    let mut game = beside();
    game.says(LeftDown, 4, 0, "pressed10");
    game.says(Move, 4, 0, "closed10 pressed40");
    game.plays(LeftUp, 4, 0);
    let (found, replayed) = game.left();
    assert_eq!(replayed.fault, None, "{found:?}");
}

#[test]
fn a_button_acts_in_one_place_at_most() {
    for (left, up) in [
        ("pressed10", "open_210 open_140"),
        ("pressed10", "open_140 open_210"),
        ("pressed10", "open_310"),
        ("pressed40", "open_240"),
        ("pressed60", ""),
        ("pressed40", "open_060"),
    ] {
        let mut game = beside();
        game.says(LeftDown, 4, 0, left).says(LeftUp, 4, 0, up);
        assert!(game.left().0.has("rmv.board-event"), "{left}, {up}");
    }
    for flags in ["flag10 flag40", "flag11", "flag50", "closed10"] {
        let mut game = beside();
        game.says(RightDown, 4, 0, flags);
        assert!(game.left().0.has("rmv.board-event"), "{flags}");
    }
    // In the cursor's own cell nothing is in doubt.
    let mut game = beside();
    game.says(LeftDown, 1, 0, "");
    assert!(game.left().0.has("rmv.board-event"));
    // Events that agree with the engine have answered the question.
    let mut game = beside();
    game.plays(LeftDown, 4, 0).says(LeftUp, 4, 0, "closed40");
    assert!(game.left().0.has("rmv.board-event"));
}

/// Games of a program that updates the cursor's position only on moves, in which its board events
/// are at first the same as ours.
#[test]
fn events_that_both_readings_give_answer_nothing() {
    let games: &[(&[&str], &[Deed])] = &[
        // Both buttons press the same cells from a flag and from below it.
        (
            &[".......", ".....*.", ".......", "......."],
            &[
                (LeftUp, 0, 0),
                (Move, 6, 0),
                (RightDown, 6, 0),
                (LeftDown, 6, 1),
                (RightUp, -1, -1),
                (RightDown, 3, -1),
            ],
        ),
        // From the corner as from below it, both buttons press the mine alone.
        (
            &[".*", ".."],
            &[
                (LeftUp, 0, 0),
                (Move, 1, 0),
                (RightDown, 0, -1),
                (LeftDown, 1, 1),
                (RightUp, 2, 0),
                (RightDown, 2, 0),
            ],
        ),
        // The cursor presses (3, 2) where it moves to, and we expect that one event before.
        (
            &[
                ".........",
                ".........",
                "...*.....",
                ".........",
                ".........",
                ".........",
                ".......*.",
            ],
            &[
                (LeftUp, 0, 0),
                (RightDown, 0, 1),
                (LeftDown, 4, 1),
                (Move, 4, 2),
                (Move, 3, 2),
            ],
        ),
        // The cell of the jump is closed, and the one before it is open beside it.
        (
            &[
                "......", "...*..", "......", "......", "......", "*.....", ".*...*",
            ],
            &[
                (LeftUp, 0, 0),
                (RightDown, 0, -1),
                (Move, 5, 5),
                (LeftDown, 5, 6),
                (LeftUp, 5, 6),
                (RightUp, 5, 6),
                (LeftDown, 5, 6),
            ],
        ),
    ];
    for (picture, deeds) in games {
        let mut cursor = CursorOfMoves::default();
        let game = recorded(&board(picture), false, deeds, |_, event| cursor.sees(event));
        let found = findings(&game);
        assert!(!found.has("rmv.board-event"), "{picture:?}: {found:?}");
    }
}

/// A flag is no answer: a right button that acts alone sets it too.
#[test]
fn a_flag_does_not_show_that_the_buttons_were_a_chord() {
    let mut game = held();
    game.says(RightDown, 4, 0, "flag40").says(RightUp, 4, 0, "");
    game.says(Move, 5, 0, "pressed50");
    game.says(RightDown, 5, 0, "closed50 flag50");
    game.says(RightUp, 5, 0, "").says(Move, 4, 1, "");
    game.says(RightDown, 4, 1, "flag41").says(RightUp, 4, 1, "");
    game.says(Move, 4, 2, "pressed42").says(LeftUp, 4, 2, "");
    let (found, replayed) = game.left();
    assert_eq!(replayed.fault, None, "{found:?}");
}

/// A chord of two cells that lie side by side: the first cell that opens is beside both.
#[test]
fn a_chord_where_the_cursor_was_opens_cells_that_are_beside_both() {
    let start = || {
        let mut game = Recording::new(&["*...", "...*", "....", "*..."]);
        game.plays(LeftUp, 1, 0).clicks(1, 1).flags(0, 0);
        game.plays(LeftDown, 1, 1).plays(RightDown, 1, 1);
        game.jumps();
        game
    };
    for (opened, possible) in [
        (
            "open_120 open_101 open_121 open_102 open_112 open_122",
            true,
        ),
        ("open_120 open_101 open_121 open_102 open_112", false),
        ("open_120 open_101", false),
        ("open_120 open_131", false),
    ] {
        let mut game = start();
        game.says(LeftUp, 1, 0, opened);
        let (found, replayed) = game.left();
        assert_eq!(replayed.fault.is_none(), possible, "{opened}: {found:?}");
    }
}

/// Actions that a hand can do: moves, and buttons that are pressed and released in turn, with or
/// without a move before each of them.
fn deeds(jumps: bool, middle: bool) -> impl Strategy<Value = Vec<Deed>> {
    vec(
        (
            0u8..if middle { 6 } else { 4 },
            -1i32..10,
            -1i32..10,
            0u8..3,
        ),
        1..120,
    )
    .prop_map(move |deeds| {
        let (mut left, mut right, mut middle) = (false, false, false);
        let (mut col, mut row) = (0, 0);
        let mut all = vec![(LeftUp, 0, 0)];
        for (what, to_col, to_row, stay) in deeds {
            if stay == 0 || what == 0 {
                (col, row) = (to_col, to_row);
                if !jumps || what == 0 {
                    all.push((Move, col, row));
                }
            }
            let action = match what {
                0 => continue,
                1 | 2 => {
                    left = !left;
                    if left { LeftDown } else { LeftUp }
                }
                3 => {
                    right = !right;
                    if right { RightDown } else { RightUp }
                }
                _ => {
                    middle = !middle;
                    if middle { MiddleDown } else { MiddleUp }
                }
            };
            all.push((action, col, row));
        }
        all
    })
}

fn is_open(engine: &Engine, event: &MouseEvent) -> bool {
    let (col, row) = event.cell(16);
    let cell = u8::try_from(col).ok().zip(u8::try_from(row).ok());
    let face = cell.and_then(|(col, row)| engine.face(Cell::new(col, row)));
    matches!(face, Some(Face::Number(_)))
}

/// A program that updates the cursor's position only on moves.
#[derive(Default)]
struct CursorOfMoves {
    at: Option<(i32, i32)>,
}

impl CursorOfMoves {
    fn sees(&mut self, event: MouseEvent) -> MouseEvent {
        let (x, y) = match self.at {
            Some(at) if event.action != Move => at,
            _ => (event.x, event.y),
        };
        self.at = Some((x, y));
        MouseEvent { x, y, ..event }
    }
}

/// A program in which the right button is no part of a chord while the left one is held, except on
/// open cells.
struct RightAlone {
    left: bool,
    /// Whether the right button is held and is no part of a chord.
    right: bool,
    /// Whether it sets flags all the same.
    flags: bool,
}

impl RightAlone {
    const fn new(flags: bool) -> Self {
        Self {
            left: true,
            right: false,
            flags,
        }
    }

    fn plays(&mut self, engine: &mut Engine, event: MouseEvent, shown: &mut Vec<BoardEvent>) {
        if event.action == RightDown {
            self.right = self.left && !is_open(engine, &event);
        }
        let mut play = |action, x, y| {
            engine.apply(
                &MouseEvent {
                    action,
                    x,
                    y,
                    ..event
                },
                shown,
            );
        };
        self.left = match event.action {
            LeftDown => true,
            LeftUp => false,
            _ => self.left,
        };
        let (x, y) = (event.x, event.y);
        match event.action {
            RightDown if self.right && self.flags => {
                // The left button is released beside the board, so that it opens nothing.
                for action in [Move, LeftUp] {
                    play(action, -99, -99);
                }
                for action in [Move, RightDown, RightUp, LeftDown] {
                    play(action, x, y);
                }
            }
            RightDown | RightUp if self.right => play(Move, x, y),
            action => play(action, x, y),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// A program in which the right button has no effect while the left one is held, except on open
    /// cells.
    #[test]
    fn a_right_button_that_does_nothing_is_in_doubt_at_most(
        board in boards(9, 10),
        deeds in deeds(false, false),
    ) {
        let mut program = RightAlone::new(false);
        let game = recorded_by(&board, false, &deeds, |engine, event, shown| {
            program.plays(engine, event, shown);
        });
        let found = findings(&game);
        prop_assert!(!found.has("rmv.board-event"), "{found:?}");
        prop_assert!(!found.has("rmv.outcome"), "{found:?}");
    }

    /// A program that updates the cursor's position only on moves.
    #[test]
    fn a_cursor_that_is_where_it_moved_is_in_doubt_at_most(
        board in boards(9, 10),
        deeds in deeds(true, false),
    ) {
        let mut cursor = CursorOfMoves::default();
        let game = recorded(&board, false, &deeds, |_, event| cursor.sees(event));
        let found = findings(&game);
        prop_assert!(!found.has("rmv.board-event"), "{found:?}");
        prop_assert!(!found.has("rmv.outcome"), "{found:?}");
    }

    /// A program that differs in both ways, or in which the right button sets flags.
    #[test]
    fn readings_that_differ_in_several_ways_are_in_doubt_at_most(
        board in boards(9, 10),
        deeds in deeds(true, false),
        moves in any::<bool>(),
        flags in any::<bool>(),
    ) {
        let mut cursor = CursorOfMoves::default();
        let mut program = RightAlone::new(flags);
        let game = recorded_by(&board, false, &deeds, |engine, event, shown| {
            let event = if moves { cursor.sees(event) } else { event };
            program.plays(engine, event, shown);
        });
        let found = findings(&game);
        prop_assert!(!found.has("rmv.board-event"), "{found:?}");
        prop_assert!(!found.has("rmv.outcome"), "{found:?}");
    }

    /// A program that updates the cursor's position only on moves, also while the middle button is
    /// held, with or without an effect of that button.
    #[test]
    fn a_middle_button_that_acts_where_the_cursor_was_is_in_doubt_at_most(
        board in boards(9, 10),
        deeds in deeds(true, true),
        used in any::<bool>(),
    ) {
        let mut cursor = CursorOfMoves::default();
        let game = recorded(&board, false, &deeds, |_, event| {
            let event = cursor.sees(event);
            match event.action {
                MiddleDown | MiddleUp if !used => MouseEvent { action: Move, ..event },
                _ => event,
            }
        });
        let found = findings(&game);
        prop_assert!(!found.has("rmv.board-event"), "{found:?}");
        prop_assert!(!found.has("rmv.outcome"), "{found:?}");
    }

    /// Games by our own reading are never in doubt, whatever the mouse does.
    #[test]
    fn our_reading_is_never_in_doubt(board in boards(9, 10), deeds in deeds(true, false)) {
        let game = recorded(&board, false, &deeds, |_, event| event);
        prop_assert_eq!(replay(&game).divergence, None);
    }
}
