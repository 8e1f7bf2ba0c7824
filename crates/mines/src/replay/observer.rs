//! Who watches a game while it is replayed.

use crate::engine::Click;
use crate::{BoardEvent, MouseEvent};

/// Where an event stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub index: u32,
    /// Bytes from the start of the event log.
    pub position: usize,
}

/// Watches a game while it is replayed, so that one pass over the events serves all.
pub(crate) trait Observer {
    /// True where this observer has nothing to say about a mouse move that changes neither the
    /// board nor the buttons. Such moves are most of a recording; those that are quiet to
    /// everybody are told by [`Observer::quiet`] alone.
    fn is_quiet(&self, _last: &MouseEvent, _next: &MouseEvent) -> bool {
        true
    }

    /// A mouse move that is quiet to everybody: all that is ever told of it.
    fn quiet(&mut self, _next: &MouseEvent) {}

    /// A mouse event was played, `last` being the one before; the board did `shown`.
    fn mouse(
        &mut self,
        _at: Place,
        _last: Option<&MouseEvent>,
        _event: &MouseEvent,
        _click: Option<Click>,
        _shown: &[BoardEvent],
    ) {
    }

    /// The board events of the last mouse event are not those it was told with, but others.
    fn corrected(&mut self, _click: Option<Click>, _told: &[BoardEvent], _recorded: &[BoardEvent]) {
    }

    /// A timestamp event.
    fn timestamp(&mut self, _at: Place, _last: Option<&MouseEvent>, _value: u32) {}
}

impl Observer for () {}

impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline(always)]
    fn is_quiet(&self, last: &MouseEvent, next: &MouseEvent) -> bool {
        self.0.is_quiet(last, next) && self.1.is_quiet(last, next)
    }

    #[inline(always)]
    fn quiet(&mut self, next: &MouseEvent) {
        self.0.quiet(next);
        self.1.quiet(next);
    }

    fn mouse(
        &mut self,
        at: Place,
        last: Option<&MouseEvent>,
        event: &MouseEvent,
        click: Option<Click>,
        shown: &[BoardEvent],
    ) {
        self.0.mouse(at, last, event, click, shown);
        self.1.mouse(at, last, event, click, shown);
    }

    fn corrected(&mut self, click: Option<Click>, told: &[BoardEvent], recorded: &[BoardEvent]) {
        self.0.corrected(click, told, recorded);
        self.1.corrected(click, told, recorded);
    }

    fn timestamp(&mut self, at: Place, last: Option<&MouseEvent>, value: u32) {
        self.0.timestamp(at, last, value);
        self.1.timestamp(at, last, value);
    }
}

/// The way of the mouse.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Trail {
    pub events: u32,
    /// The sum of the distances from event to event, in pixels.
    pub path_px: f64,
}

impl Trail {
    #[inline(always)]
    pub fn follow(&mut self, last: &MouseEvent, next: &MouseEvent) {
        let (dx, dy) = (f64::from(next.x - last.x), f64::from(next.y - last.y));
        self.path_px += (dx * dx + dy * dy).sqrt();
        self.events += 1;
    }
}
