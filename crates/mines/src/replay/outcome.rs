//! What comes of playing a recording through the engine.

use crate::engine::{Doubt, Status};
use crate::{BoardEvent, MouseEvent};

/// A board event that the engine does not give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// Index of the event where the two part: the recorded board event, or whatever stands
    /// where the missing one should be.
    pub event: u32,
    /// Bytes from the start of the event log.
    pub position: usize,
    /// Game time in milliseconds.
    pub time_ms: u32,
    /// What the recording says; `None` where it lacks an event.
    pub recorded: Option<BoardEvent>,
    /// What the rules give; `None` where the recording has an event too many.
    pub expected: Option<BoardEvent>,
}

/// Mouse events whose board events differ from the standard rules' in a way that nobody can
/// call wrong: see [`Doubt`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doubted {
    /// The first difference.
    pub first: Divergence,
    /// What is in doubt there.
    pub why: Doubt,
    /// How many mouse events there are of this kind, for whatever reason.
    pub times: u32,
}

/// Where board events were recorded one mouse event late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lag {
    /// Index of the first late event.
    pub event: u32,
    /// Bytes from the start of the event log.
    pub position: usize,
    /// Game time in milliseconds.
    pub time_ms: u32,
    /// How often it happened.
    pub times: u32,
}

/// The outcome of playing a recording through the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// Where the recording first differs from the standard rules, with or without an excuse.
    pub divergence: Option<Divergence>,
    /// Where recording and rules part for good: the first board event that no [`Doubt`] excuses.
    pub fault: Option<Divergence>,
    /// What a [`Doubt`] excuses. Behind each such mouse event the engine goes on from what the
    /// recording says, and its rules hold again.
    pub doubted: Option<Doubted>,
    /// Where the recording lags behind by one mouse event.
    pub lag: Option<Lag>,
    /// How far the game came on the recorded board; from a [fault](Self::fault) on, by the
    /// rules.
    pub status: Status,
    /// Where the recording stops in the middle of what a mouse event does: the index of that
    /// mouse event (of the one before, where the recording lags).
    pub unmet_from: Option<u32>,
    /// The first mouse event after the game was over: index, position, event.
    pub after_end: Option<(u32, usize, MouseEvent)>,
}
