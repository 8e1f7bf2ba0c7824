//! How far a recording may differ from the engine where there is a [`Doubt`].
//!
//! Each excuses the board events of the very mouse event it speaks of, and only those that some
//! program could have made of it ([`Judge`](super::Judge)).

use super::doubt::Doubt;
use super::play::{Engine, Grip, Left, Right};
use super::question::Question;
use super::squares::Cover;
use crate::minefield::neighbours;
use crate::{ModeRules, MouseAction, MouseEvent};

/// What of the standard rules' board events a recording may leave out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Missing {
    /// Nothing of it: the mode adds to it.
    Nothing,
    /// What they make of question marks.
    Questions,
    /// All of it: the button may do nothing.
    All,
}

/// The buttons before a mouse event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    left: Left,
    right: Right,
    middle: bool,
    first: bool,
    question: Option<Question>,
}

/// How far the board events of one mouse event may differ from the standard ones.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // Independent permissions, not a state.
pub(crate) struct Leeway {
    /// Why.
    pub doubt: Doubt,
    /// The square under the cursor, if it is on the board.
    pub(super) cursor: Option<usize>,
    /// The square where the cursor was, and a program may think that it still is.
    pub(super) elsewhere: Option<usize>,
    /// Squares under and around the cursor may be pressed.
    pub(super) press: bool,
    /// They may stay so.
    pub(super) hold: bool,
    /// The square under the cursor may open.
    pub(super) click: bool,
    /// The square under the cursor may open its neighbours, if its flags are as many as it says.
    pub(super) chord: bool,
    /// The square under the cursor may get a flag, or lose one.
    pub(super) flag: bool,
    /// What was opened may open its neighbours in turn, and what was flagged those of the numbers
    /// beside it, where flags are as many as the numbers say.
    pub(super) opens_on: bool,
    /// Flags may be set beside the square under the cursor, and beside what was opened or
    /// flagged, where the closed squares are as many as the numbers say.
    pub(super) flags_on: bool,
    pub(super) missing: Missing,
}

impl Leeway {
    /// With what the mode adds.
    const fn in_mode(mut self, mode: ModeRules) -> Self {
        let opens = self.click || self.chord;
        self.opens_on = opens && mode.chords_go_on || self.flag && mode.flags_go_on;
        self.flags_on = mode.flags_go_on && (self.flag || opens && mode.chords_go_on);
        self
    }
}

impl Engine {
    /// Prepares for an event that [`Self::leeway`] may have to say something about.
    pub(crate) fn watch(&mut self, event: &MouseEvent, mode: ModeRules) -> Option<Held> {
        let question = self.ask(event);
        let wary =
            question.is_some() || self.squares.marks() || mode.chords_go_on || mode.flags_go_on;
        // Once the game is over there is nothing left to doubt.
        if self.is_over() || !wary {
            self.squares.unmark();
            return None;
        }
        self.squares.mark();
        Some(Held {
            left: self.left,
            right: self.right,
            middle: self.middle,
            first: !self.started,
            question,
        })
    }

    /// Nothing of what the engine was watched for will be taken back.
    pub(crate) fn trust(&mut self) {
        self.squares.unmark();
    }

    /// How far the recording may differ from what the engine gave for the event it was
    /// [watched](Self::watch) for; `None` where it may not.
    pub(crate) fn leeway(
        &self,
        held: Held,
        action: MouseAction,
        mode: ModeRules,
    ) -> Option<Leeway> {
        let doubt = held.question.map(|question| question.doubt);
        if let Some(doubt @ (Doubt::MiddleButton | Doubt::RightWhileLeft)) = doubt {
            let leeway = self.leeway_of_grip(held, action, doubt);
            return Some(leeway.in_mode(mode));
        }
        let both = held.left == Left::Down && held.right != Right::Up;
        let hold = self.grip() != Grip::None;
        let proven = Leeway {
            doubt: Doubt::Recursion,
            cursor: self.place,
            elsewhere: None,
            // The cursor may have come here with the button down.
            press: hold || held.first || held.left == Left::Down,
            hold,
            click: action == MouseAction::LeftUp
                && (held.left == Left::Down || held.first)
                && held.right == Right::Up,
            chord: both && matches!(action, MouseAction::LeftUp | MouseAction::RightUp),
            flag: action == MouseAction::RightDown && held.left != Left::Down,
            opens_on: false,
            flags_on: false,
            missing: Missing::Nothing,
        }
        .in_mode(mode);
        if let Some(Question {
            doubt, elsewhere, ..
        }) = held.question
        {
            return Some(Leeway {
                doubt,
                elsewhere,
                missing: Missing::All,
                ..proven
            });
        }
        if self.meets_questions() {
            return Some(Leeway {
                doubt: Doubt::QuestionMarks,
                missing: Missing::Questions,
                ..proven
            });
        }
        (proven.opens_on || proven.flags_on).then_some(proven)
    }

    /// A middle button may press an area and chord as it goes up, chord as it goes down, or do
    /// nothing; the other buttons may do beside it what they do without it, or nothing. A right
    /// button on a held left one may make a chord of it, flag, or do nothing; then either of them
    /// may do what it does alone.
    fn leeway_of_grip(&self, held: Held, action: MouseAction, doubt: Doubt) -> Leeway {
        let (left, right) = (
            !matches!(held.left, Left::Up),
            !matches!(held.right, Right::Up),
        );
        let hold = self.middle || !matches!(self.left, Left::Up);
        Leeway {
            doubt,
            cursor: self.place,
            elsewhere: held.question.and_then(|question| question.elsewhere),
            press: hold || held.first || left || held.middle,
            hold,
            click: matches!(action, MouseAction::LeftUp) && (left || held.first),
            chord: match action {
                MouseAction::MiddleDown => true,
                MouseAction::MiddleUp => held.middle,
                MouseAction::LeftUp => left && (right || held.middle),
                MouseAction::RightUp => right && (left || held.middle),
                _ => false,
            },
            flag: matches!(action, MouseAction::RightDown),
            opens_on: false,
            flags_on: false,
            missing: Missing::All,
        }
    }

    /// True where a question mark changed, or is under or around the cursor.
    fn meets_questions(&self) -> bool {
        let question = |at: usize| self.squares.cover(at) == Cover::Question;
        let near = self.place.is_some_and(|at| {
            let around = neighbours(at, self.squares.field().stride());
            question(at) || around.into_iter().any(question)
        });
        near || self.squares.changed_questions()
    }
}
