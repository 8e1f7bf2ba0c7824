//! Random games with doubtful events: possible board events are excused, impossible ones are not.

use gametape_mines::{
    BoardEvent, Engine, Event, Face, Metrics, MouseAction, MouseEvent, property, replay,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::board::recorded;
use crate::common::{boards, findings, rewritten};

use MouseAction::{MiddleDown, MiddleUp, Move};

/// Actions and cells. The first action is a left release; cells may be one off the board.
fn deeds() -> impl Strategy<Value = Vec<(MouseAction, i32, i32)>> {
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

    /// A program without a middle button records events that it does not use.
    #[test]
    fn a_program_without_a_middle_button_is_in_doubt_at_most(
        board in boards(9, 10),
        deeds in deeds(),
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
        deeds in deeds(),
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
