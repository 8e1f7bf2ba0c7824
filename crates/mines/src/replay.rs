//! Plays a recorded game through the engine, and compares what the recording says happened.

use crate::engine::{Click, Engine, Status};
use crate::rmv::Events;
use crate::{BoardEvent, Event, Face, Game, MouseEvent};

/// The first board event that the engine does not give.
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
    /// A mine was open already: the order in which the rest of a lost chord opens is not
    /// proven by real files.
    pub after_blast: bool,
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
    /// Where recording and rules part for good.
    pub divergence: Option<Divergence>,
    /// Where the recording lags behind by one mouse event.
    pub lag: Option<Lag>,
    /// How far the game came by the rules.
    pub status: Status,
    /// Where the recording stops in the middle of what a mouse event does: the index of that
    /// mouse event (of the one before, where the recording lags).
    pub unmet_from: Option<u32>,
    /// The first mouse event after the game was over: index, position, event.
    pub after_end: Option<(u32, usize, MouseEvent)>,
}

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
    /// everybody are not shown to anybody.
    fn is_quiet(&self, _last: &MouseEvent, _next: &MouseEvent) -> bool {
        true
    }

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

    /// A timestamp event.
    fn timestamp(&mut self, _at: Place, _last: Option<&MouseEvent>, _value: u32) {}
}

impl Observer for () {}

impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline(always)]
    fn is_quiet(&self, last: &MouseEvent, next: &MouseEvent) -> bool {
        self.0.is_quiet(last, next) && self.1.is_quiet(last, next)
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
    fn follow(&mut self, last: &MouseEvent, next: &MouseEvent) {
        let (dx, dy) = (f64::from(next.x - last.x), f64::from(next.y - last.y));
        self.path_px += (dx * dx + dy * dy).sqrt();
        self.events += 1;
    }
}

/// Plays a recording through the engine.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// let game = gametape_mines::rmv::read(&bytes)?;
/// assert_eq!(gametape_mines::replay(&game).divergence, None);
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[must_use]
pub fn replay(game: &Game<'_>) -> Replayed {
    replay_with(game, Engine::of(game), &mut ()).0
}

/// What the engine gave and the recording has yet to say.
struct Expectation {
    /// Expected events: those left over from the mouse event before, then those of the last.
    events: Vec<BoardEvent>,
    /// How many of them are left over.
    late: usize,
    /// How many were met.
    met: usize,
    /// A mine has been met.
    blast: bool,
    /// Index of the mouse event that the first of them comes from.
    from: u32,
}

/// Replays a game on `engine`, which is at its start.
pub(crate) fn replay_with(
    game: &Game<'_>,
    engine: Engine,
    observer: &mut impl Observer,
) -> (Replayed, Trail) {
    let mut pass = Pass {
        engine,
        observer,
        expected: Expectation {
            // Few openings show more squares than this at once.
            events: Vec::with_capacity(64),
            late: 0,
            met: 0,
            blast: false,
            from: 0,
        },
        divergence: None,
        lag: None,
        after_end: None,
        time_ms: 0,
        trail: Trail::default(),
    };
    let mut events = game.events.iter();
    let mut index = 0;
    loop {
        index += pass.skip_quiet(&mut events);
        let position = events.position();
        let last = events.last_mouse();
        let Some(event) = events.next() else {
            break;
        };
        let at = Place { index, position };
        index += 1;
        match event {
            Event::Mouse(mouse) => {
                pass.mouse(at, last.as_ref(), &mouse);
                index += pass.skip_expected(&mut events);
            }
            Event::Board(recorded) => pass.board(at, recorded),
            Event::Timestamp(value) => pass.observer.timestamp(at, last.as_ref(), value),
        }
    }
    let unmet = pass.divergence.is_none() && pass.expected.met < pass.expected.events.len();
    let unmet_from = unmet.then_some(pass.expected.from);
    if game.ending.is_some() && pass.divergence.is_none() {
        let end = Place {
            index: game.events.len(),
            position: game.events.as_bytes().len(),
        };
        pass.divergence = pass
            .expected
            .turn(true)
            .map(|missing| pass.diverges(end, None, Some(missing)));
    }
    let replayed = Replayed {
        divergence: pass.divergence,
        lag: pass.lag,
        status: pass.engine.status(),
        unmet_from,
        after_end: pass.after_end,
    };
    (replayed, pass.trail)
}

/// One pass over the events of a game.
struct Pass<'o, O> {
    engine: Engine,
    observer: &'o mut O,
    expected: Expectation,
    divergence: Option<Divergence>,
    lag: Option<Lag>,
    after_end: Option<(u32, usize, MouseEvent)>,
    /// Time of the last mouse event.
    time_ms: u32,
    trail: Trail,
}

impl<O: Observer> Pass<'_, O> {
    fn diverges(
        &self,
        at: Place,
        recorded: Option<BoardEvent>,
        expected: Option<BoardEvent>,
    ) -> Divergence {
        Divergence {
            event: at.index,
            position: at.position,
            time_ms: self.time_ms,
            recorded,
            expected,
            after_blast: self.expected.blast,
        }
    }

    /// Steps over the moves that come next and are quiet to everybody; gives their number.
    #[inline(always)]
    fn skip_quiet(&mut self, events: &mut Events<'_>) -> u32 {
        if !self.expected.events.is_empty() || self.engine.is_over() {
            return 0;
        }
        let skipped = skip_quiet(events, &mut self.engine, self.observer, &mut self.trail);
        self.time_ms = events.last_mouse().map_or(0, |last| last.time_ms);
        skipped
    }

    /// Steps over the board events that the last mouse event makes; gives their number. Nearly
    /// always the recording has them all, at once and in order.
    fn skip_expected(&mut self, events: &mut Events<'_>) -> u32 {
        if self.divergence.is_some() || self.expected.late != 0 {
            return 0;
        }
        let met = events.skip_board(&self.expected.events);
        self.expected.met = met;
        if self.engine.is_over() {
            let shown = self.expected.events.iter().take(met);
            self.expected.blast |= shown.into_iter().any(|event| event.face == Face::Blast);
        }
        if met == self.expected.events.len() {
            self.expected.clear();
        }
        met as u32
    }

    fn mouse(&mut self, at: Place, last: Option<&MouseEvent>, mouse: &MouseEvent) {
        if !self.expected.events.is_empty() {
            self.turn(at, mouse.time_ms);
        }
        self.time_ms = mouse.time_ms;
        if self.engine.is_over() && self.after_end.is_none() {
            self.after_end = Some((at.index, at.position, *mouse));
        }
        let before = self.expected.events.len();
        if before == 0 {
            self.expected.from = at.index;
        }
        let click = self.engine.apply(mouse, &mut self.expected.events);
        let shown = self.expected.events.get(before..).unwrap_or_default();
        self.observer.mouse(at, last, mouse, click, shown);
        match last {
            Some(last) => self.trail.follow(last, mouse),
            None => self.trail.events += 1,
        }
    }

    /// The next mouse event comes while something is expected, or has been.
    fn turn(&mut self, at: Place, time_ms: u32) {
        self.time_ms = time_ms;
        if self.divergence.is_some() {
            self.expected.clear();
        } else if let Some(missing) = self.expected.turn(false) {
            self.divergence = Some(self.diverges(at, None, Some(missing)));
        }
    }

    fn board(&mut self, at: Place, recorded: BoardEvent) {
        if self.divergence.is_some() {
            return;
        }
        let expected = &mut self.expected;
        let wanted = expected.events.get(expected.met).copied();
        if !wanted.is_some_and(|wanted| same(wanted, recorded)) {
            self.divergence = Some(self.diverges(at, Some(recorded), wanted));
            return;
        }
        let late = expected.met < expected.late;
        expected.met += 1;
        expected.blast |= recorded.face == Face::Blast;
        if late {
            let lag = self.lag.get_or_insert(Lag {
                event: at.index,
                position: at.position,
                time_ms: self.time_ms,
                times: 0,
            });
            lag.times += u32::from(expected.met == expected.late);
        }
    }
}

/// Steps over the moves that come next and are quiet to everybody; gives their number.
// Most of the time of a replay is spent here: alone, the loop has all registers to itself.
#[inline(never)]
fn skip_quiet(
    events: &mut Events<'_>,
    engine: &mut Engine,
    observer: &impl Observer,
    trail: &mut Trail,
) -> u32 {
    let mut way = *trail;
    let skipped = events.skip_moves(|last, next| {
        let quiet = observer.is_quiet(last, next) && engine.hover(next);
        if quiet {
            way.follow(last, next);
        }
        quiet
    });
    *trail = way;
    skipped
}

/// Code 14 "works as `open_blast`" (specification, "`board_event_type`").
fn same(wanted: BoardEvent, recorded: BoardEvent) -> bool {
    wanted == recorded
        || (wanted.cell == recorded.cell
            && wanted.face == Face::Blast
            && recorded.face == Face::Open)
}

impl Expectation {
    /// The next mouse event comes (or the end): what is left of the events before may be one
    /// mouse event late, but not two. Gives the event that is missing for good.
    fn turn(&mut self, end: bool) -> Option<BoardEvent> {
        let missing = self.events.get(self.met).copied();
        if missing.is_none() {
            self.clear();
            return None;
        }
        if self.met < self.late || end {
            return missing;
        }
        self.events.drain(..self.met);
        self.late = self.events.len();
        self.met = 0;
        None
    }

    fn clear(&mut self) {
        self.events.clear();
        self.late = 0;
        self.met = 0;
    }
}
