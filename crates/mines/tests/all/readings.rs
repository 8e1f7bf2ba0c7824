//! Where the engine follows our own reading of the rules, which no recording proves, other readings
//! are excused, and nothing more; nor is anything impossible, in random games.

use gametape_mines::engine::Doubt;
use gametape_mines::rmv::Severity;
use gametape_mines::{
    BoardEvent, Cell, Engine, Event, Face, Metrics, MouseAction, MouseEvent, Outcome, property,
    replay,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::board::{Recording, recorded, recorded_by};
use crate::common::{boards, findings, rewritten};

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

/// What a chord shows on a closed cell is known: no other reading is excused.
#[test]
fn a_right_press_makes_a_chord_of_a_held_left_button() {
    let area = "pressed30 pressed50 pressed31 pressed41 pressed51 pressed40";
    assert_eq!(held().gives(RightDown, 4, 0), area);
    for other in [
        "flag40",
        "closed40 flag40",
        "",
        "closed40",
        "pressed30 pressed50 pressed31 pressed41 pressed51",
        "closed40 pressed30 pressed50 pressed31 pressed41 pressed51 pressed40",
    ] {
        let mut game = held();
        game.says(RightDown, 4, 0, other);
        let (found, replayed) = game.left();
        assert!(found.has("rmv.board-event"), "{other}: {found:?}");
        assert_eq!(replayed.doubted, None, "{other}");
    }
    // Each cell is pressed once afterwards, and the neighbours are released first.
    let mut game = held();
    game.plays(RightDown, 4, 0);
    assert_eq!(
        game.gives(Move, 7, 2),
        "closed30 closed50 closed31 closed41 closed51 closed40 \
         pressed61 pressed71 pressed62 pressed72"
    );
}

/// A chord that ended with the right button has left the left one without an effect.
fn ended_chord() -> Recording {
    let mut game = Recording::new(&WIDE);
    game.plays(LeftUp, 2, 0).flags(3, 0).plays(Move, 2, 0);
    game.plays(LeftDown, 2, 0)
        .plays(RightDown, 2, 0)
        .plays(RightUp, 2, 0);
    game
}

#[test]
fn the_right_button_makes_a_chord_once_more_while_the_left_one_is_held() {
    let mut game = ended_chord();
    assert_eq!(game.gives(Move, 5, 1), "", "the left button alone");
    let mut game = ended_chord();
    game.plays(Move, 5, 1);
    let area = "pressed40 pressed50 pressed60 pressed41 pressed61 pressed42 pressed52 pressed62 \
                pressed51";
    assert_eq!(game.gives(RightDown, 5, 1), area);
    let mut game = ended_chord();
    game.plays(Move, 5, 1).plays(RightDown, 5, 1);
    assert_eq!(
        game.gives(Move, 7, 0),
        "closed40 closed50 closed60 closed41 closed61 closed42 closed52 closed62 closed51 \
         pressed60 pressed61 pressed71 pressed70"
    );
    // The first release fires, whichever button it is, if number and flags agree.
    for release in [LeftUp, RightUp] {
        let mut game = Recording::new(&["*..", "...", "..."]);
        game.plays(LeftUp, 1, 0);
        // One flag too many: the chord opens nothing.
        game.flags(0, 0).flags(0, 1).plays(Move, 1, 0);
        game.plays(LeftDown, 1, 0).plays(RightDown, 1, 0);
        game.plays(RightUp, 1, 0).plays(Move, 1, 1);
        game.plays(RightDown, 1, 1);
        assert_eq!(game.gives(release, 1, 1).matches("closed").count(), 6);
        let clicks = Metrics::of(&game.game(Outcome::Other)).clicks;
        assert_eq!((clicks.left, clicks.right, clicks.double), (1, 2, 2));
    }
}

/// Where no recording shows whether the buttons are a chord, other readings are excused.
#[test]
fn a_chord_that_no_recording_shows_is_our_reading() {
    let beside = |right: &str, back: &str, up: &str| {
        let mut game = held();
        game.plays(Move, 4, -1).says(RightDown, 4, -1, right);
        game.says(Move, 4, 0, back).says(RightUp, 4, 0, up);
        game
    };
    let area = "pressed30 pressed50 pressed31 pressed41 pressed51 pressed40";
    let released = "closed30 closed50 closed31 closed41 closed51 closed40";
    let by_the_rules = beside("", area, released);
    assert_eq!(by_the_rules.left().1.divergence, None);
    // The right button had no effect, so the left one still presses its cell.
    let mut alone = beside("", "pressed40", "");
    alone.says(LeftUp, 4, 0, "open_140");
    // A flag, which the next right press would take off.
    let on_flag = |right: &str| {
        let mut game = ended_chord();
        game.plays(Move, 3, 0).says(RightDown, 3, 0, right);
        game
    };
    for (name, mut game) in [
        ("alone", alone),
        ("flag taken off", on_flag("closed30")),
        ("no effect on a flag", on_flag("")),
    ] {
        let (found, replayed) = game.left();
        assert_eq!(replayed.fault, None, "{name}: {found:?}");
        assert_eq!(
            replayed.doubted.unwrap().why,
            Doubt::RightWhileLeft,
            "{name}"
        );
        assert_eq!(found.worst(), Some(Severity::Warning), "{name}: {found:?}");
        let sentence = found
            .iter()
            .find(|f| f.code() == "rmv.board-event-unproven");
        let sentence = sentence.unwrap().message();
        assert!(sentence.contains("is our reading"), "{sentence}");
        // With all buttons up, the normal rules apply.
        game.plays(RightUp, 4, 0).plays(LeftUp, 4, 0);
        game.says(LeftDown, 5, 2, "pressed52")
            .says(LeftUp, 5, 2, "");
        assert!(game.left().0.has("rmv.board-event"), "{name}");
    }
    for right in ["open_140", "flag50", "closed20", "open_030", "open_blast30"] {
        assert!(on_flag(right).left().0.has("rmv.board-event"), "{right}");
    }
    // Once a recording agrees, the question is answered.
    let mut game = beside("", area, released);
    game.says(LeftUp, 4, 0, "open_140");
    let (found, replayed) = game.left();
    assert!(found.has("rmv.board-event") && replayed.doubted.is_none());
}

/// A button acts in the cell of its event, wherever the cursor was before.
#[test]
fn a_button_acts_where_its_event_is() {
    let beside = || {
        let mut game = Recording::new(&WIDE);
        game.plays(LeftUp, 2, 0).plays(Move, 1, 0);
        game.jumps();
        game
    };
    let mut game = beside();
    game.plays(LeftDown, 4, 0).plays(LeftUp, 5, 0);
    let (found, replayed) = game.left();
    assert_eq!(replayed.divergence, None, "{found:?}");
    assert_eq!(replayed.unmoved.unwrap().times, 2);
    assert_eq!(found.worst(), Some(Severity::Warning));
    assert!(found.has("rmv.button-place"), "{found:?}");
    for (down, shown) in [
        (LeftDown, "pressed10"),
        (RightDown, "flag10"),
        (LeftDown, ""),
    ] {
        let mut game = beside();
        game.says(down, 4, 0, shown);
        assert!(game.left().0.has("rmv.board-event"), "{shown}");
    }
}

/// Actions that a hand can do: moves, and buttons that are pressed and released in turn.
fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    vec((0u8..4, -1i32..10, -1i32..10, 0u8..3), 1..120).prop_map(|deeds| {
        let (mut left, mut right) = (false, false);
        let (mut col, mut row) = (0, 0);
        let mut all = vec![(LeftUp, 0, 0)];
        for (what, to_col, to_row, stay) in deeds {
            if stay == 0 || what == 0 {
                (col, row) = (to_col, to_row);
            }
            let action = match what {
                0 => Move,
                1 | 2 => {
                    left = !left;
                    if left { LeftDown } else { LeftUp }
                }
                _ => {
                    right = !right;
                    if right { RightDown } else { RightUp }
                }
            };
            all.push((action, col, row));
        }
        all
    })
}

/// A program in which the right button is no part of a chord while the left one is held, except
/// where recordings prove that it is.
#[allow(clippy::struct_excessive_bools)] // Independent facts, not a state.
struct RightAlone {
    left: bool,
    /// Whether a chord ended with the right button, and the left one is still held.
    dead: bool,
    /// Whether the right button is held and is no part of a chord.
    right: bool,
    /// Whether it takes off flags all the same.
    flags: bool,
}

impl RightAlone {
    const fn new(flags: bool) -> Self {
        Self {
            left: true,
            dead: false,
            right: false,
            flags,
        }
    }

    fn is_proven(&self, engine: &Engine, event: &MouseEvent) -> bool {
        let (col, row) = event.cell(16);
        let cell = u8::try_from(col).ok().zip(u8::try_from(row).ok());
        match cell.and_then(|(col, row)| engine.face(Cell::new(col, row))) {
            None => false,
            Some(Face::Flag) => !self.dead,
            Some(_) => true,
        }
    }

    fn plays(&mut self, engine: &mut Engine, event: MouseEvent, shown: &mut Vec<BoardEvent>) {
        let MouseEvent { action, x, y, .. } = event;
        if action == RightDown {
            self.right = self.left && !self.is_proven(engine, &event);
        }
        let mut play = |action, x, y| {
            let played = MouseEvent {
                action,
                x,
                y,
                ..event
            };
            engine.apply(&played, shown);
        };
        match action {
            RightDown if self.right && self.flags && self.dead => {
                // The left button, which has no effect, is released beside the board.
                for action in [Move, LeftUp] {
                    play(action, -99, -99);
                }
                for action in [Move, RightDown, RightUp] {
                    play(action, x, y);
                }
            }
            RightDown | RightUp if self.right => play(Move, x, y),
            action => play(action, x, y),
        }
        match action {
            LeftDown | LeftUp => (self.left, self.dead) = (action == LeftDown, false),
            RightDown if !self.right => self.dead = false,
            RightUp => self.dead |= self.left && !self.right,
            _ => {}
        }
    }
}

/// Actions and cells. The first action is a left release; cells may be one off the board.
fn any_deeds() -> impl Strategy<Value = Vec<Deed>> {
    vec((1u8..=7, -1i32..10, -1i32..10, 0u8..3), 1..120).prop_map(|deeds| {
        let (mut col, mut row) = (0, 0);
        let deeds = deeds.into_iter().enumerate();
        deeds
            .map(|(n, (action, to_col, to_row, stay))| {
                if stay == 0 {
                    (col, row) = (to_col, to_row);
                }
                let action = MouseAction::from_code(if n == 0 { 3 } else { action });
                (action.unwrap(), col, row)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_right_button_that_acts_alone_where_nothing_is_proven_is_in_doubt_at_most(
        board in boards(9, 10),
        deeds in deeds(),
        flags in any::<bool>(),
    ) {
        let mut program = RightAlone::new(flags);
        let game = recorded_by(&board, false, &deeds, |engine, event, shown| {
            program.plays(engine, event, shown);
        });
        let found = findings(&game);
        prop_assert!(!found.has("rmv.board-event"), "{found:?}");
        prop_assert!(!found.has("rmv.outcome"), "{found:?}");
    }

    /// Games by our own reading are never in doubt, whatever the mouse does.
    #[test]
    fn our_reading_is_never_in_doubt(board in boards(9, 10), deeds in deeds()) {
        let game = recorded(&board, false, &deeds, |_, event| event);
        prop_assert_eq!(replay(&game).divergence, None);
    }

    /// A program without a middle button records events that it does not use.
    #[test]
    fn a_program_without_a_middle_button_is_in_doubt_at_most(
        board in boards(9, 10),
        deeds in any_deeds(),
    ) {
        let unused = |action| match action {
            MiddleDown | MiddleUp => Move,
            action => action,
        };
        let seen = |_: &Engine, event: MouseEvent| MouseEvent {
            action: unused(event.action),
            ..event
        };
        let game = recorded(&board, false, &deeds, seen);
        let replayed = replay(&game);
        prop_assert_eq!(replayed.fault, None);
        let findings = findings(&game);
        prop_assert!(!findings.has("rmv.outcome"), "{findings:?}");
        // The statistics are those of the same game without doubtful events.
        let plain: Vec<_> = deeds.iter().map(|&(n, x, y)| (unused(n), x, y)).collect();
        let plain = Metrics::of(&recorded(&board, false, &plain, seen));
        let clicks = Metrics::of(&game).clicks;
        prop_assert_eq!(clicks.opened, plain.clicks.opened);
        prop_assert_eq!(clicks.solved_bbbv, plain.clicks.solved_bbbv);
        prop_assert_eq!(clicks.flags, plain.clicks.flags);
        prop_assert_eq!(clicks.misflags, plain.clicks.misflags);
    }

    /// In every doubt, a cell never shows another number, opens twice or opens out of
    /// reach, and flags are set only under the cursor.
    #[test]
    fn no_doubt_excuses_the_impossible(
        board in boards(9, 10),
        deeds in any_deeds(),
        marks in any::<bool>(),
        pick in any::<prop::sample::Index>(),
        how in 0u8..5,
        mode in 0u8..14,
    ) {
        let mut game = recorded(&board, marks, &deeds, |_, event| event);
        game.properties.to_mut()[property::MODE] = mode;
        prop_assert_eq!(replay(&game).divergence, None);
        let mut events: Vec<Event> = game.events.iter().collect();
        let opened: Vec<usize> = (0..events.len())
            .filter(|&at| {
                matches!(events[at], Event::Board(BoardEvent { face: Face::Number(_), .. }))
            })
            .collect();
        if opened.is_empty() {
            return Ok(());
        }
        let at = opened[pick.index(opened.len())];
        let Event::Board(event) = events[at] else {
            return Ok(());
        };
        let Face::Number(number) = event.face else {
            return Ok(());
        };
        let with = |face| Event::Board(BoardEvent { face, ..event });
        match how {
            0 => events[at] = with(Face::Number((number + 1) % 9)),
            1 => events[at] = with(Face::Blast),
            2 => events.insert(at + 1, with(Face::Number(number))),
            3 => events.insert(at + 1, with(Face::Flag)),
            // Make a hole in an opening.
            _ => {
                let is_board = |event: &&Event| matches!(event, Event::Board(_));
                let before = events[..at].iter().rev().take_while(is_board);
                let after = events[at + 1..].iter().take_while(is_board);
                let mut group = before.chain(after);
                let near = |a: u8, b: u8| a.abs_diff(b) <= 1;
                let zero = |other: &Event| {
                    matches!(other, Event::Board(BoardEvent { cell, face: Face::Number(0) })
                        if near(cell.col, event.cell.col) && near(cell.row, event.cell.row))
                };
                let blast = |other: &Event| {
                    matches!(other, Event::Board(BoardEvent { face: Face::Blast, .. }))
                };
                // Question marks may stay closed, and so may cells after a mine.
                if marks || group.clone().any(blast) || !group.any(zero) {
                    return Ok(());
                }
                events.remove(at);
            }
        }
        let replayed = replay(&rewritten(&game, events));
        prop_assert!(replayed.divergence.is_some());
        prop_assert!(replayed.fault.is_some(), "{event:?}, {how}: {replayed:?}");
    }
}
