//! The interface for code that watches a game while it is replayed.

use super::moves::Moves;
use crate::engine::Click;
use crate::{BoardEvent, MouseEvent};

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
