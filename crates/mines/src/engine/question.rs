//! Questions that stay open for a while: what the next events do depends on the answer.

use super::doubt::Doubt;

/// A [`Doubt`] that outlasts the mouse event that raised it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Question {
    pub doubt: Doubt,
    /// Where the cursor was before a button event took it elsewhere: a program may take that for
    /// its place until it moves.
    pub elsewhere: Option<usize>,
    /// Such an event came, and no move since.
    pub jumped: bool,
}

impl Question {
    /// What the other buttons do beside the middle one.
    pub const MIDDLE: Self = Self {
        doubt: Doubt::MiddleButton,
        elsewhere: None,
        jumped: false,
    };

    /// What is left of it when all buttons are up, or when it is known what they do.
    pub fn without_grip(self) -> Option<Self> {
        self.jumped.then_some(Self {
            doubt: Doubt::ButtonElsewhere,
            ..self
        })
    }

    /// What is left of it when the cursor has moved.
    pub fn moved(self) -> Option<Self> {
        let by_grip = self.doubt != Doubt::ButtonElsewhere;
        by_grip.then_some(Self {
            elsewhere: None,
            jumped: false,
            ..self
        })
    }
}
