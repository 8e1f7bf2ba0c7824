//! Decides which questions a mouse event raises, and when the recording has answered them.

use super::doubt::Doubt;
use super::play::{Engine, Left, Right};
use super::question::Question;
use super::squares::Cover;
use crate::minefield::neighbours;
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
            MouseAction::Move => false,
            MouseAction::MiddleDown | MouseAction::MiddleUp => true,
            MouseAction::RightDown if self.left != Left::Up && self.right == Right::Up => {
                self.is_elsewhere(event) || !self.is_open(self.place_of(event))
            }
            _ => self.is_elsewhere(event),
        }
    }

    /// The question that applies to an event, raised by this event or by an earlier one. It stays
    /// open after the event for as long as it matters.
    pub(super) fn ask(&mut self, event: &MouseEvent) -> Option<Question> {
        let open = self.question;
        let doubt = open.map(|question| question.doubt);
        let is_move = event.action == MouseAction::Move;
        let middle = matches!(
            event.action,
            MouseAction::MiddleDown | MouseAction::MiddleUp
        );
        let chord = event.action == MouseAction::RightDown
            && self.left != Left::Up
            && self.right == Right::Up
            && !self.is_open(self.place_of(event));
        let jumps = !is_move && self.is_elsewhere(event);
        let asked = if middle || doubt == Some(Doubt::MiddleButton) {
            Some(Question::MIDDLE)
        } else if jumps || chord {
            let chord = chord || doubt == Some(Doubt::RightWhileLeft);
            let before = open.filter(|question| question.jumped);
            Some(Question {
                doubt: if chord {
                    Doubt::RightWhileLeft
                } else {
                    Doubt::ButtonElsewhere
                },
                elsewhere: match before {
                    Some(before) => before.elsewhere,
                    None => self.place.filter(|_| jumps),
                },
                jumped: jumps || before.is_some(),
            })
        } else {
            open
        };
        self.question = if is_move {
            asked.and_then(Question::moved)
        } else {
            asked
        };
        asked
    }

    /// The recorded board events agree with the engine's events for the last mouse event, `shown`.
    /// This answers the question if no other reading of the rules gives the same events.
    pub(crate) fn confirm(&mut self, shown: &[BoardEvent]) {
        let Some(open) = self.question else {
            return;
        };
        let Question {
            doubt, elsewhere, ..
        } = open;
        let stride = self.squares.field().stride();
        let is_near = |place: usize, at| place == at || neighbours(place, stride).contains(&at);
        let answers = |event: &BoardEvent| {
            let at = self.squares.field().index(event.cell);
            match (doubt, event.face) {
                // Releasing a pressed square looks the same in every reading.
                (_, Face::Closed | Face::Question) | (Doubt::MiddleButton, _) => false,
                (Doubt::RightWhileLeft, Face::Flag) => true,
                // A single square under the cursor is also what the left button alone affects.
                (Doubt::RightWhileLeft, _) => at != self.place,
                _ => {
                    let old = elsewhere.zip(at);
                    at == self.place || !old.is_some_and(|(old, at)| is_near(old, at))
                }
            }
        };
        if shown.iter().any(answers) {
            self.question = match doubt {
                Doubt::ButtonElsewhere => None,
                _ => open.without_grip(),
            };
        }
    }

    fn is_open(&self, place: Option<usize>) -> bool {
        place.is_some_and(|at| self.squares.cover(at) == Cover::Open)
    }
}
