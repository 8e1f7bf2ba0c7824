//! Questions that stay open for several events: the effect of the next events depends on the
//! answer.

use super::doubt::Doubt;
use crate::MouseAction;

/// A [`Doubt`] that continues after the mouse event that raised it.
///
/// Two parts are independent of each other: what the held buttons do, and where the cursor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Question {
    /// What is in doubt: the effect of the buttons, or else only the position of the cursor.
    pub doubt: Doubt,
    /// The cursor's cell before a button event took it elsewhere. A program may use this cell
    /// until the cursor moves.
    pub elsewhere: Option<usize>,
    /// Whether such a button event came and no move followed it.
    pub jumped: bool,
    /// The action of the last mouse event.
    pub action: MouseAction,
}

impl Question {
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
