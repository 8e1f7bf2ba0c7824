//! Decides which mouse events are in doubt, and when the recording has answered the question.

use super::doubt::Doubt;
use super::judge::is_open;
use super::play::{Engine, Left, Right};
use super::surface::Cover;
use crate::{BoardEvent, Face, MouseAction, MouseEvent};

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
