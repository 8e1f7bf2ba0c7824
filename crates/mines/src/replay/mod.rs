//! Plays a recorded game through the engine and compares the recorded board events with the
//! engine's.

mod moves;
mod observer;
mod pass;
mod path;

pub(crate) use moves::{Moves, Sample};
pub(crate) use observer::{EventIndex, Observer, PlayedEvent};
pub use pass::replay;
pub(crate) use pass::replay_with;
pub(crate) use path::WAITING;

use crate::engine::{Doubt, Status};
use crate::{BoardEvent, MouseEvent};

/// A board event on which the recording and the engine differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// Index of the event where the two differ: the recorded board event, or the event that follows
    /// where a board event is missing.
    pub event: u32,
    /// Bytes from the start of the event log.
    pub position: usize,
    /// Game time in milliseconds.
    pub time_ms: u32,
    /// The recorded board event; `None` if it is missing.
    pub recorded: Option<BoardEvent>,
    /// The board event by the rules; `None` if the recording has an extra one.
    pub expected: Option<BoardEvent>,
}

/// Mouse events whose board events differ from the standard rules but cannot be called wrong: see
/// [`Doubt`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubted {
    /// The first difference.
    pub first: Divergence,
    /// The reason for the doubt there.
    pub why: Doubt,
    /// The number of such mouse events, for any reason.
    pub times: u32,
}

/// The first button event of a kind, and the number of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ButtonEvents {
    /// Index of the first one.
    pub event: u32,
    /// Bytes from the start of the event log.
    pub position: usize,
    /// The first one.
    pub button: MouseEvent,
    /// The mouse event before it.
    pub before: MouseEvent,
    /// How many there are.
    pub times: u32,
}

/// The outcome of playing a recording through the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// The first difference between the recording and the standard rules, excused or not.
    pub divergence: Option<Divergence>,
    /// The first board event that no [`Doubt`] excuses. From here on the recording and the rules
    /// cannot be reconciled.
    pub fault: Option<Divergence>,
    /// Differences that a [`Doubt`] excuses. After each such mouse event the engine continues from
    /// the recorded board, and its rules apply again.
    pub doubted: Option<Doubted>,
    /// Buttons that went down or up at another pixel than the mouse event before, and brought the
    /// move there with them: it follows the button event, and the board events follow the move.
    pub moved: Option<ButtonEvents>,
    /// Buttons that went down or up at another pixel than the mouse event before, without a move.
    pub unmoved: Option<ButtonEvents>,
    /// The state of the game at the end, on the recorded board; after a [fault](Self::fault), by
    /// the rules.
    pub status: Status,
    /// Set if the recording stops before the board events of a mouse event are complete: the index
    /// of that mouse event.
    pub unmet_from: Option<u32>,
    /// The first mouse event after the game was over: index, position, event.
    pub after_end: Option<(u32, usize, MouseEvent)>,
}
