//! Decides which questions a mouse event raises, and when the recording has answered them.

use super::doubt::Doubt;
use super::judge::is_open;
use super::play::{Engine, Grip, Left, Right};
use super::question::Question;
use super::surface::Cover;
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
                self.is_elsewhere(event) || !self.is_uncovered(self.place_of(event))
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
        let jumps = !is_move && self.is_elsewhere(event);
        let before = open.filter(|question| question.jumped);
        let jumped = jumps || before.is_some();
        let elsewhere = match before {
            Some(before) => before.elsewhere,
            None => self.place.filter(|_| jumps),
        };
        let middle = matches!(
            event.action,
            MouseAction::MiddleDown | MouseAction::MiddleUp
        );
        let covered = |place| !self.is_uncovered(place);
        let chord = event.action == MouseAction::RightDown
            && self.left != Left::Up
            && self.right == Right::Up
            && (covered(self.place_of(event)) || jumped && covered(elsewhere));
        let doubt = if middle || doubt == Some(Doubt::MiddleButton) {
            Some(Doubt::MiddleButton)
        } else if chord || doubt == Some(Doubt::RightWhileLeft) {
            Some(Doubt::RightWhileLeft)
        } else {
            jumped.then_some(Doubt::ButtonElsewhere)
        };
        let asked = doubt.map(|doubt| Question {
            doubt,
            elsewhere,
            jumped,
            action: event.action,
        });
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
        match open.doubt {
            Doubt::RightWhileLeft if self.shows_chord(&open, shown) => {
                self.question = open.without_grip();
            }
            Doubt::ButtonElsewhere if self.shows_place(&open, shown) => self.question = None,
            _ => {}
        }
    }

    /// Whether events show that both buttons act together: each of them alone affects only the
    /// cell under the cursor, and what unfolds from it.
    fn shows_chord(&self, open: &Question, shown: &[BoardEvent]) -> bool {
        let is_beside = |event: &BoardEvent| {
            let at = self.surface.field().index(event.cell);
            at != self.place && !(open.jumped && at == open.elsewhere)
        };
        let presses = shown.iter().filter(|event| is_press(event.face));
        // The cells after the first one may have unfolded from it.
        let opens = shown.iter().find(|event| is_open(event.face));
        presses.chain(opens).any(is_beside)
    }

    /// Whether events show that the button acted where its event is: in the cursor's previous
    /// cell it would have given other events. Releasing a pressed cell looks the same in both.
    fn shows_place(&self, open: &Question, shown: &[BoardEvent]) -> bool {
        let any = |is: fn(Face) -> bool| shown.iter().any(|event| is(event.face));
        any(|face| face == Face::Flag) && self.place != open.elsewhere
            || any(is_press) && !self.presses_alike(open, shown)
            || any(is_open) && !self.opens_alike(open, shown)
    }

    /// Whether the button would press the same cells from the cursor's previous cell: both
    /// buttons do if the same cells around it are closed.
    fn presses_alike(&self, open: &Question, shown: &[BoardEvent]) -> bool {
        let presses = shown.iter().filter(|event| is_press(event.face)).copied();
        let by_press = matches!(open.action, MouseAction::LeftDown | MouseAction::RightDown);
        // Presses change no cover: the board is the one on which the button was pressed.
        let there = self.surface.presses(match (self.grip(), open.elsewhere) {
            (Grip::One, Some(at)) if by_press => vec![at],
            (Grip::Area, Some(at)) if by_press => {
                let around = neighbours(at, self.surface.field().stride());
                around.into_iter().chain([at]).collect()
            }
            _ => Vec::new(),
        });
        presses.eq(there)
    }

    /// Whether the button would open the same cells from the cursor's previous cell: a click
    /// opens that cell first, and a chord opens the cells that are pressed, wherever they are.
    fn opens_alike(&self, open: &Question, shown: &[BoardEvent]) -> bool {
        let Some(before) = open.elsewhere else {
            return false;
        };
        let is_chord = match open.action {
            MouseAction::LeftUp => self.right != Right::Up,
            action => action == MouseAction::RightUp,
        };
        let cell = self.surface.field().cell(before);
        let mut opened = shown.iter().filter(|event| is_open(event.face));
        let first = opened.clone().next();
        let was_closed = opened.any(|event| event.cell == cell);
        first.is_some_and(|event| event.cell == cell)
            || is_chord && !was_closed && self.surface.chords_at(before)
    }

    fn is_uncovered(&self, place: Option<usize>) -> bool {
        place.is_some_and(|at| self.surface.cover(at) == Cover::Open)
    }
}

const fn is_press(face: Face) -> bool {
    matches!(face, Face::Pressed | Face::PressedQuestion)
}
