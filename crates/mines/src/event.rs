//! The events of a game: what the player did with the mouse and how the board reacted.

use std::fmt;

use gametape_core::Time;

use crate::Cell;

/// Converts a game time in milliseconds, the unit of recordings, to a [`Time`].
pub(crate) const fn game_time(ms: u32) -> Time {
    Time::from_ms(ms as i64)
}

/// One event of a recorded game, in the order of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The player did something with the mouse.
    Mouse(MouseEvent),
    /// A cell changed what it displays.
    Board(BoardEvent),
    /// A new wall-clock time, found in very old v1 recordings. Always 0 if present (specification,
    /// "`timestampchange_event_type`").
    Timestamp(u32),
}

/// An action of the mouse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MouseAction {
    /// Code 1, and code 28 where [`MouseEvent::reduced`] is set.
    Move = 1,
    /// Code 2.
    LeftDown = 2,
    /// Code 3.
    LeftUp = 3,
    /// Code 4.
    RightDown = 4,
    /// Code 5.
    RightUp = 5,
    /// Code 6.
    MiddleDown = 6,
    /// Code 7.
    MiddleUp = 7,
}

impl MouseAction {
    /// The event code, 1 to 7.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The action of an event code from 1 to 7.
    #[must_use]
    #[inline]
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::Move,
            2 => Self::LeftDown,
            3 => Self::LeftUp,
            4 => Self::RightDown,
            5 => Self::RightUp,
            6 => Self::MiddleDown,
            7 => Self::MiddleUp,
            _ => return None,
        })
    }

    /// The name in the specification: `move`, `lmb_down`, …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::LeftDown => "lmb_down",
            Self::LeftUp => "lmb_up",
            Self::RightDown => "rmb_down",
            Self::RightUp => "rmb_up",
            Self::MiddleDown => "mmb_down",
            Self::MiddleUp => "mmb_up",
        }
    }
}

/// The mouse buttons that are down after an event (`nFlags`).
///
/// Bit 0 is the left button and bit 1 the right one, as observed in real files; bit 2 is the middle
/// one by analogy. Other bits are kept unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Buttons(pub u8);

impl Buttons {
    /// No button.
    pub const NONE: Self = Self(0);
    /// The left button.
    pub const LEFT: Self = Self(1);
    /// The right button.
    pub const RIGHT: Self = Self(2);
    /// The middle button.
    pub const MIDDLE: Self = Self(4);

    /// True where the left button is down.
    #[must_use]
    pub const fn left(self) -> bool {
        self.0 & 1 != 0
    }

    /// True where the right button is down.
    #[must_use]
    pub const fn right(self) -> bool {
        self.0 & 2 != 0
    }

    /// True where the middle button is down.
    #[must_use]
    pub const fn middle(self) -> bool {
        self.0 & 4 != 0
    }

    /// The buttons after `action`, if these were down before it.
    #[must_use]
    pub const fn after(self, action: MouseAction) -> Self {
        Self(match action {
            MouseAction::Move => self.0,
            MouseAction::LeftDown => self.0 | 1,
            MouseAction::LeftUp => self.0 & !1,
            MouseAction::RightDown => self.0 | 2,
            MouseAction::RightUp => self.0 & !2,
            MouseAction::MiddleDown => self.0 | 4,
            MouseAction::MiddleUp => self.0 & !4,
        })
    }
}

/// A mouse action with its time, its position and the buttons that are down after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MouseEvent {
    /// The action.
    pub action: MouseAction,
    /// Game time in milliseconds; below 2²⁴.
    pub time_ms: u32,
    /// The buttons that are down after the event.
    pub buttons: Buttons,
    /// Pixels from the left edge of the board; negative to the left of it.
    pub x: i32,
    /// Pixels from the top edge of the board; negative above it.
    pub y: i32,
    /// Stored as a reduced mouse move (code 28, v2 only).
    pub reduced: bool,
}

impl MouseEvent {
    /// The cell under the cursor on a board without edges: `floor(px / cell_size)`.
    #[must_use]
    pub const fn cell(&self, cell_size: u8) -> (i32, i32) {
        let size = if cell_size == 0 { 1 } else { cell_size as i32 };
        (self.x.div_euclid(size), self.y.div_euclid(size))
    }
}

/// A cell changed what it displays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BoardEvent {
    /// The cell.
    pub cell: Cell,
    /// The face that it displays from now on.
    pub face: Face,
}

/// `cell (3, 4) shows 2`.
impl fmt::Display for BoardEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cell {} shows {}", self.cell, self.face)
    }
}

/// An optional board event; `None` displays as "nothing more".
pub(crate) struct Shown(pub Option<BoardEvent>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(event) => event.fmt(f),
            None => f.write_str("nothing more"),
        }
    }
}

/// The face of a cell, as the board displays it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Face {
    /// Code 9: closed, held down with the mouse.
    Pressed,
    /// Code 10: a question mark, held down with the mouse.
    PressedQuestion,
    /// Code 11.
    Closed,
    /// Code 12: a question mark.
    Question,
    /// Code 13.
    Flag,
    /// Code 14: opened without a number; "works as `open_blast`".
    Open,
    /// Codes 18 to 26: opened, with the number of mines around it, 0 to 8.
    Number(u8),
    /// Code 27: the mine that ended the game.
    Blast,
}

impl Face {
    /// The event code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Pressed => 9,
            Self::PressedQuestion => 10,
            Self::Closed => 11,
            Self::Question => 12,
            Self::Flag => 13,
            Self::Open => 14,
            Self::Number(n) => 18 + if n > 8 { 8 } else { n },
            Self::Blast => 27,
        }
    }

    /// The face of an event code from 9 to 14 or 18 to 27.
    #[must_use]
    #[inline]
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            9 => Self::Pressed,
            10 => Self::PressedQuestion,
            11 => Self::Closed,
            12 => Self::Question,
            13 => Self::Flag,
            14 => Self::Open,
            18..=26 => Self::Number(code - 18),
            27 => Self::Blast,
            _ => return None,
        })
    }

    /// The name in the specification: `pressed`, `flag`, `open_3`, …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pressed => "pressed",
            Self::PressedQuestion => "pressed_qm",
            Self::Closed => "closed",
            Self::Question => "qm",
            Self::Flag => "flag",
            Self::Open => "open",
            Self::Number(0) => "open_0",
            Self::Number(1) => "open_1",
            Self::Number(2) => "open_2",
            Self::Number(3) => "open_3",
            Self::Number(4) => "open_4",
            Self::Number(5) => "open_5",
            Self::Number(6) => "open_6",
            Self::Number(7) => "open_7",
            Self::Number(_) => "open_8",
            Self::Blast => "open_blast",
        }
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pressed => f.write_str("pressed"),
            Self::PressedQuestion => f.write_str("a pressed question mark"),
            Self::Closed => f.write_str("closed"),
            Self::Question => f.write_str("a question mark"),
            Self::Flag => f.write_str("a flag"),
            Self::Open => f.write_str("opened"),
            Self::Number(n) => write!(f, "{n}"),
            Self::Blast => f.write_str("the blast"),
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Code 15: a mine was opened.
    Blast,
    /// Code 16: every safe cell is open.
    Win,
    /// Code 17: neither; the player left the game.
    Other,
}

impl Outcome {
    /// The event code, 15 to 17.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Blast => 15,
            Self::Win => 16,
            Self::Other => 17,
        }
    }

    /// The outcome of an event code from 15 to 17.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            15 => Self::Blast,
            16 => Self::Win,
            17 => Self::Other,
            _ => return None,
        })
    }

    /// `blast`, `win` or `other`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blast => "blast",
            Self::Win => "win",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The termination event: the outcome of the game and its total time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ending {
    /// The outcome.
    pub outcome: Outcome,
    /// Milliseconds since the game started; below 2²⁴.
    pub time_ms: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_meanings_are_inverse_and_disjoint() {
        let mut seen = 0;
        for code in 0..=255u8 {
            let kinds = [
                MouseAction::from_code(code).map(MouseAction::code),
                Face::from_code(code).map(Face::code),
                Outcome::from_code(code).map(Outcome::code),
            ];
            for back in kinds.into_iter().flatten() {
                assert_eq!(back, code);
                seen += 1;
            }
        }
        // Codes 1..=7, 9..=14 and 18..=27, and 15..=17: the specification's table without 0, 8
        // and 28.
        assert_eq!(seen, 7 + 16 + 3);
    }

    #[test]
    fn cells_left_of_the_board_are_negative() {
        let event = MouseEvent {
            action: MouseAction::Move,
            time_ms: 0,
            buttons: Buttons::NONE,
            x: -1,
            y: 31,
            reduced: false,
        };
        assert_eq!(event.cell(16), (-1, 1));
    }
}
