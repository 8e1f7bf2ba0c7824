//! Plays a recorded game through the engine and compares the recorded board events with the
//! engine's.

mod moves;
mod pass;
mod path;

pub(crate) use moves::{Moves, Sample};
pub use pass::replay;
pub(crate) use pass::replay_with;
pub(crate) use path::WAITING;

use crate::engine::{Click, Doubt, Status};
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

/// The position of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventIndex {
    pub index: u32,
    /// Bytes from the start of the event log.
    pub position: usize,
}

/// A mouse event that was played.
#[derive(Clone, Copy)]
pub(crate) struct PlayedEvent<'e> {
    pub at: EventIndex,
    /// The mouse event before it.
    pub last: Option<&'e MouseEvent>,
    pub event: &'e MouseEvent,
    /// The event that acts on the board now: this one, or the button event that brought this move.
    /// `None` for such a button event, which acts with its move.
    #[cfg_attr(not(feature = "tape"), allow(dead_code))] // Only the traces of a tape need it.
    pub acts: Option<&'e MouseEvent>,
    /// The click that it completed.
    pub click: Option<Click>,
    /// The resulting board events.
    pub shown: &'e [BoardEvent],
    /// Earlier mouse events that have not been measured yet.
    pub waiting: &'e Moves,
}

/// Watches a game while it is replayed, so that one pass over the events serves several purposes.
pub(crate) trait Observer {
    /// A mouse event was played. Most events of a recording are moves that change neither the board
    /// nor the buttons and that are short in distance and time. They are not reported here; they
    /// are only [measured](Observer::measure).
    fn mouse(&mut self, _step: &PlayedEvent<'_>) {}

    /// Mouse events have accumulated: each one is passed here once, in batches.
    fn measure(&mut self, _waiting: &Moves) {}

    /// The board events of the last mouse event are `recorded`, not `expected`, the ones that
    /// [`Observer::mouse`] received.
    fn corrected(
        &mut self,
        _click: Option<Click>,
        _expected: &[BoardEvent],
        _recorded: &[BoardEvent],
    ) {
    }

    /// A timestamp event.
    fn timestamp(&mut self, _at: EventIndex, _last: Option<&MouseEvent>, _value: u32) {}
}

impl Observer for () {}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn mouse(&mut self, step: &PlayedEvent<'_>) {
        self.0.mouse(step);
        self.1.mouse(step);
    }

    fn measure(&mut self, waiting: &Moves) {
        self.0.measure(waiting);
        self.1.measure(waiting);
    }

    fn corrected(
        &mut self,
        click: Option<Click>,
        expected: &[BoardEvent],
        recorded: &[BoardEvent],
    ) {
        self.0.corrected(click, expected, recorded);
        self.1.corrected(click, expected, recorded);
    }

    fn timestamp(&mut self, at: EventIndex, last: Option<&MouseEvent>, value: u32) {
        self.0.timestamp(at, last, value);
        self.1.timestamp(at, last, value);
    }
}
