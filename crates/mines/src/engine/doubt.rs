//! The parts of the rules that are not published: which mouse events they put in doubt, and when the recording has
//! answered the question.

use super::judge::is_open;
use super::play::{Engine, Left, Right};
use super::surface::Cover;
use crate::{BoardEvent, Face, MouseAction, MouseEvent};

/// Why a recording may differ from the standard rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Doubt {
    /// The middle button is used, or it was used and other buttons have been held since.
    MiddleButton,
    /// Question marks are pressed, or would be opened.
    QuestionMarks,
    /// A chord opened a mine, and then more of its cells.
    LostChord,
    /// A chord or a flag continues by itself, as the game's mode allows.
    Recursion,
    /// The right button was pressed while the left one was held, with the cursor beside the board,
    /// or on a flag after a chord that the right button had ended.
    RightWhileLeft,
}

impl Doubt {
    /// `middle_button`, `question_marks`, `lost_chord`, `recursion` or `right_while_left`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MiddleButton => "middle_button",
            Self::QuestionMarks => "question_marks",
            Self::LostChord => "lost_chord",
            Self::Recursion => "recursion",
            Self::RightWhileLeft => "right_while_left",
        }
    }

    /// The unpublished rule, as half a sentence.
    #[must_use]
    pub const fn why(self) -> &'static str {
        match self {
            Self::MiddleButton => "the specification leaves the middle button open",
            Self::QuestionMarks => "no public recording shows question marks",
            Self::LostChord => "the order in which a lost chord opens its cells is not published",
            Self::Recursion => "how far chords and flags of this mode continue is not published",
            Self::RightWhileLeft => {
                "that the right button turns a held left button into a chord there is our reading, \
                 and no public recording shows it"
            }
        }
    }
}

impl Engine {
    /// True if the effect of the next events depends on an unpublished rule.
    #[inline]
    pub(crate) const fn has_open_question(&self) -> bool {
        self.question.is_some()
    }

    /// Whether the effect of a mouse event depends on an unpublished rule.
    pub(crate) fn raises_question(&self, event: &MouseEvent) -> bool {
        match event.action {
            MouseAction::MiddleDown | MouseAction::MiddleUp => true,
            MouseAction::RightDown => self.is_unproven_chord(event),
            _ => false,
        }
    }

    /// Whether a right press makes a chord with the held left button where no recording shows one:
    /// beside the board, and on a flag if an earlier chord has ended the left button's effect.
    fn is_unproven_chord(&self, event: &MouseEvent) -> bool {
        if self.left == Left::Up || self.right != Right::Up {
            return false;
        }
        match self.place_of(event) {
            None => true,
            Some(at) => self.left == Left::Dead && self.surface.cover(at) == Cover::Flag,
        }
    }

    /// The question that applies to an event, raised by this event or by an earlier one. It stays
    /// open after the event for as long as it matters.
    pub(super) fn ask(&mut self, event: &MouseEvent) -> Option<Doubt> {
        let is_middle = matches!(
            event.action,
            MouseAction::MiddleDown | MouseAction::MiddleUp
        );
        let is_chord = event.action == MouseAction::RightDown && self.is_unproven_chord(event);
        if is_middle {
            self.question = Some(Doubt::MiddleButton);
        } else if is_chord && self.question.is_none() {
            self.question = Some(Doubt::RightWhileLeft);
        }
        self.question
    }

    /// The recorded board events agree with the engine's events for the last mouse event, `shown`.
    /// This answers the question if no other reading of the rules gives the same events.
    pub(crate) fn confirm(&mut self, shown: &[BoardEvent]) {
        if self.question == Some(Doubt::RightWhileLeft) && self.shows_chord(shown) {
            self.question = None;
        }
    }

    /// Whether events show that both buttons act together: each of them alone affects only the
    /// cell under the cursor, and what unfolds from it.
    fn shows_chord(&self, shown: &[BoardEvent]) -> bool {
        let is_beside = |event: &BoardEvent| self.surface.field().index(event.cell) != self.place;
        let presses = shown.iter().filter(|event| is_press(event.face));
        // The cells after the first one may have unfolded from it.
        let opens = shown.iter().find(|event| is_open(event.face));
        presses.chain(opens).any(is_beside)
    }
}

const fn is_press(face: Face) -> bool {
    matches!(face, Face::Pressed | Face::PressedQuestion)
}
