//! Questions that stay open for several events: the effect of the next events depends on the
//! answer.

use super::doubt::Doubt;

/// A [`Doubt`] that continues after the mouse event that raised it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Question {
    pub doubt: Doubt,
    /// The cursor's square before a button event took it elsewhere. A program may use this square
    /// until the cursor moves.
    pub elsewhere: Option<usize>,
    /// Whether such a button event came and no move followed it.
    pub jumped: bool,
}

impl Question {
    /// The question that the middle button raises, also about the other buttons.
    pub const MIDDLE: Self = Self {
        doubt: Doubt::MiddleButton,
        elsewhere: None,
        jumped: false,
    };

    /// The part of the question that stays open when all buttons are up, or when their effect is
    /// known.
    pub fn without_grip(self) -> Option<Self> {
        self.jumped.then_some(Self {
            doubt: Doubt::ButtonElsewhere,
            ..self
        })
    }

    /// The part of the question that stays open after the cursor has moved.
    pub fn moved(self) -> Option<Self> {
        let by_grip = self.doubt != Doubt::ButtonElsewhere;
        by_grip.then_some(Self {
            elsewhere: None,
            jumped: false,
            ..self
        })
    }
}
