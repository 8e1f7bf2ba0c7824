//! How far a recording may differ from the engine where there is a [`Doubt`].
//!
//! A leeway excuses only the board events of the mouse event that it belongs to, and only events
//! that some program could have produced from it ([`Judge`](super::Judge)).

use super::doubt::Doubt;
use super::play::{Engine, Grip, Left, Right};
use super::surface::Cover;
use crate::minefield::neighbours;
use crate::{ModeRules, MouseAction, MouseEvent};

/// The board events of the standard rules that a recording may leave out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Missing {
    /// None: the mode only adds events.
    Nothing,
    /// The events of question marks.
    Questions,
    /// All of them: the button may have no effect.
    All,
}

/// The state of the buttons before a mouse event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ButtonsBefore {
    left: Left,
    right: Right,
    middle: bool,
    first: bool,
    question: Option<Doubt>,
}

/// How far the board events of one mouse event may differ from the standard ones.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // Independent permissions, not a state.
pub(crate) struct Leeway {
    /// The reason.
    pub doubt: Doubt,
    /// The cell under the cursor, if it is on the board.
    pub(super) cursor: Option<usize>,
    /// Cells under and around the cursor may be pressed.
    pub(super) press: bool,
    /// The cell under the cursor may be pressed although it is pressed already: the right button
    /// makes a chord of a held left one.
    pub(super) press_again: bool,
    /// These cells may stay pressed.
    pub(super) hold: bool,
    /// The cell under the cursor may open.
    pub(super) click: bool,
    /// The cell under the cursor may open its neighbours, if as many flags are around it as its
    /// number says.
    pub(super) chord: bool,
    /// The cell under the cursor may get a flag, or lose one.
    pub(super) flag: bool,
    /// Opened cells may open their neighbours in turn, and so may the numbers beside new flags,
    /// if as many flags are around them as the numbers say.
    pub(super) opens_on: bool,
    /// Flags may be set beside the cell under the cursor and beside opened or flagged cells, if
    /// exactly as many closed cells are around a number as it says.
    pub(super) flags_on: bool,
    pub(super) missing: Missing,
}

impl Leeway {
    /// Adds what the mode permits.
    const fn in_mode(mut self, mode: ModeRules) -> Self {
        let opens = self.click || self.chord;
        self.opens_on = opens && mode.chords_go_on || self.flag && mode.flags_go_on;
        self.flags_on = mode.flags_go_on && (self.flag || opens && mode.chords_go_on);
        self
    }
}

impl Engine {
    /// Prepares for an event to which [`Self::leeway`] may apply.
    pub(crate) fn watch(&mut self, event: &MouseEvent, mode: ModeRules) -> Option<ButtonsBefore> {
        let question = self.ask(event);
        let wary =
            question.is_some() || self.surface.marks() || mode.chords_go_on || mode.flags_go_on;
        // Once the game is over nothing is in doubt.
        if self.is_over() || !wary {
            self.surface.unmark();
            return None;
        }
        self.surface.mark();
        Some(ButtonsBefore {
            left: self.left,
            right: self.right,
            middle: self.middle,
            first: !self.started,
            question,
        })
    }

    /// Ends the watch: the engine's result will not be taken back.
    pub(crate) fn trust(&mut self) {
        self.surface.unmark();
    }

    /// How far the recording may differ from the engine's result for the [watched](Self::watch)
    /// event; `None` if it may not differ.
    pub(crate) fn leeway(
        &self,
        before: ButtonsBefore,
        action: MouseAction,
        mode: ModeRules,
    ) -> Option<Leeway> {
        if let Some(doubt) = before.question {
            let leeway = self.leeway_of_grip(before, action, doubt);
            return Some(leeway.in_mode(mode));
        }
        let both = before.left == Left::Down && before.right != Right::Up;
        let hold = self.grip() != Grip::None;
        let proven = Leeway {
            doubt: Doubt::Recursion,
            cursor: self.place,
            // The cursor may have come here with the button down.
            press: hold || before.first || before.left == Left::Down,
            press_again: action == MouseAction::RightDown && before.left == Left::Down,
            hold,
            click: action == MouseAction::LeftUp
                && (before.left == Left::Down || before.first)
                && before.right == Right::Up,
            chord: both && matches!(action, MouseAction::LeftUp | MouseAction::RightUp),
            flag: action == MouseAction::RightDown && before.left != Left::Down,
            opens_on: false,
            flags_on: false,
            missing: Missing::Nothing,
        }
        .in_mode(mode);
        if self.meets_questions() {
            return Some(Leeway {
                doubt: Doubt::QuestionMarks,
                missing: Missing::Questions,
                ..proven
            });
        }
        (proven.opens_on || proven.flags_on).then_some(proven)
    }

    /// The readings that are possible for a middle button, and for a right button that is pressed
    /// while the left one is before.
    ///
    /// A middle button may press an area and chord when it is released, chord when it is pressed,
    /// or do nothing; meanwhile the other buttons may act as usual or do nothing. A right button
    /// pressed while the left one is held may turn the click into a chord, set a flag, or do
    /// nothing; then each of the two may act as it does alone.
    fn leeway_of_grip(&self, before: ButtonsBefore, action: MouseAction, doubt: Doubt) -> Leeway {
        let (left, right) = (
            !matches!(before.left, Left::Up),
            !matches!(before.right, Right::Up),
        );
        let hold = self.middle || !matches!(self.left, Left::Up);
        Leeway {
            doubt,
            cursor: self.place,
            press: hold || before.first || left || before.middle,
            press_again: action == MouseAction::RightDown && left,
            hold,
            click: matches!(action, MouseAction::LeftUp) && (left || before.first),
            chord: match action {
                MouseAction::MiddleDown => true,
                MouseAction::MiddleUp => before.middle,
                MouseAction::LeftUp => left && (right || before.middle),
                MouseAction::RightUp => right && (left || before.middle),
                _ => false,
            },
            flag: matches!(action, MouseAction::RightDown),
            opens_on: false,
            flags_on: false,
            missing: Missing::All,
        }
    }

    /// True if a question mark changed, or is under or around the cursor.
    fn meets_questions(&self) -> bool {
        let question = |at: usize| self.surface.cover(at) == Cover::Question;
        let near = self.place.is_some_and(|at| {
            let around = neighbours(at, self.surface.field().stride());
            question(at) || around.into_iter().any(question)
        });
        near || self.surface.changed_questions()
    }
}
