//! Decoding of single events and of runs of events.

use super::mouse::{MAX_TIME, REDUCED, long_mouse};
use super::ordered;
use super::rule::Rule;
use crate::{
    BoardEvent, Buttons, Cell, Ending, Event, Face, MouseAction, MouseEvent, Outcome, Version,
};

/// The mouse before its first event. Its values are never used.
const NOWHERE: MouseEvent = MouseEvent {
    action: MouseAction::Move,
    time_ms: 0,
    buttons: Buttons::NONE,
    x: 0,
    y: 0,
    reduced: false,
};

/// The state that decoding keeps from one event to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventDecoder {
    version: Version,
    /// The last mouse event.
    last: MouseEvent,
    any_mouse: bool,
}

/// The result of decoding one event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// An event and its length in bytes.
    Event(Event, usize),
    /// The termination event; always 4 bytes.
    End(Ending),
    /// The event is incomplete: it needs this many bytes in total.
    Need(usize),
    /// No event can start here.
    Bad(Fault),
}

/// Receives events as they are decoded. This is a trait and not a closure so that its method can be
/// inlined into each of the loops.
pub(crate) trait Sink: Sized {
    type Error;
    /// Whether mouse events in order of time are skipped where possible, instead of being passed to
    /// [`Sink::event`].
    const SKIPS_ORDERED: bool = false;

    /// Takes an event, the time of the mouse event before it, its position in bytes, and its index.
    fn event(self, event: Event, before: u32, at: usize, index: u32) -> Result<Self, Self::Error>;
}

/// The result of decoding as many events as possible.
pub(crate) struct Run<S> {
    pub sink: S,
    /// The number of bytes that were decoded.
    pub at: usize,
    /// The number of events that were decoded.
    pub events: u32,
    /// Why decoding stopped; never [`Step::Event`].
    pub end: Step,
}

/// Why the bytes are not an event. The type is small and plain because it is part of a type in the
/// hot loop; [`Fault::rule`] gives the message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    Code(u8),
    ReducedFirst,
    TimeRange(u32),
    PositionRange(i32, i32),
}

impl Fault {
    #[cold]
    pub(crate) const fn rule(self, version: Version) -> Rule {
        match self {
            Self::Code(code) => Rule::EventCode { code, version },
            Self::ReducedFirst => Rule::ReducedFirst,
            Self::TimeRange(now_ms) => Rule::TimeRange { now_ms },
            Self::PositionRange(x, y) => Rule::PositionRange { x, y },
        }
    }
}

/// Decodes a reduced mouse move after `last`.
#[inline(always)]
fn reduced_move(last: &MouseEvent, chunk: [u8; 3]) -> Result<MouseEvent, Fault> {
    let mouse = sound_reduced_move(last, chunk);
    if mouse.time_ms > MAX_TIME {
        return Err(Fault::TimeRange(mouse.time_ms));
    }
    if i16::try_from(mouse.x).is_err() || i16::try_from(mouse.y).is_err() {
        return Err(Fault::PositionRange(mouse.x, mouse.y));
    }
    Ok(mouse)
}

/// Decodes a reduced mouse move after `last`, from a log that has been checked.
#[inline(always)]
fn sound_reduced_move(last: &MouseEvent, [_, dt, dxy]: [u8; 3]) -> MouseEvent {
    MouseEvent {
        action: MouseAction::Move,
        time_ms: last.time_ms + u32::from(dt),
        buttons: last.buttons,
        x: last.x + i32::from(dxy.cast_signed() >> 4),
        y: last.y + i32::from((dxy << 4).cast_signed() >> 4),
        reduced: true,
    }
}

impl EventDecoder {
    pub(crate) const fn new(version: Version) -> Self {
        Self {
            version,
            last: NOWHERE,
            any_mouse: false,
        }
    }

    pub(crate) const fn version(&self) -> Version {
        self.version
    }

    /// Time of the last mouse event.
    pub(crate) const fn time_ms(&self) -> u32 {
        self.last.time_ms
    }

    /// The last mouse event, if there was one.
    pub(super) fn last_mouse(&self) -> Option<MouseEvent> {
        self.any_mouse.then_some(self.last)
    }

    /// Continues after a mouse event.
    pub(super) const fn pass(&mut self, mouse: MouseEvent) {
        self.last = mouse;
        self.any_mouse = true;
    }

    /// Continues after a move that did not change the buttons.
    #[inline(always)]
    pub(super) const fn pass_move(&mut self, time_ms: u32, (x, y): (i32, i32), reduced: bool) {
        self.last = MouseEvent {
            action: MouseAction::Move,
            time_ms,
            buttons: self.last.buttons,
            x,
            y,
            reduced,
        };
    }

    /// Decodes the event at the start of `bytes`.
    #[inline]
    pub(crate) fn step(&mut self, bytes: &[u8]) -> Step {
        match self.version {
            Version::V1 => self.step_in::<false>(bytes),
            Version::V2 => self.step_in::<true>(bytes),
        }
    }

    #[inline(always)]
    fn step_in<const V2: bool>(&mut self, bytes: &[u8]) -> Step {
        let Some(&code) = bytes.first() else {
            return Step::Need(1);
        };
        // The order of the arms follows their frequency.
        if V2 && code == REDUCED {
            let Some(&chunk) = bytes.first_chunk::<3>() else {
                return Step::Need(3);
            };
            if !self.any_mouse {
                return Step::Bad(Fault::ReducedFirst);
            }
            return match reduced_move(&self.last, chunk) {
                Ok(mouse) => {
                    self.last = mouse;
                    Step::Event(Event::Mouse(mouse), 3)
                }
                Err(fault) => Step::Bad(fault),
            };
        }
        if let Some(action) = MouseAction::from_code(code) {
            let Some(&chunk) = bytes.first_chunk::<9>() else {
                return Step::Need(9);
            };
            self.last = long_mouse::<V2>(action, chunk);
            self.any_mouse = true;
            return Step::Event(Event::Mouse(self.last), 9);
        }
        if let Some(face) = Face::from_code(code) {
            let Some(&[_, col, row]) = bytes.first_chunk::<3>() else {
                return Step::Need(3);
            };
            let cell = Cell { col, row };
            return Step::Event(Event::Board(BoardEvent { cell, face }), 3);
        }
        if let Some(outcome) = Outcome::from_code(code) {
            let Some(&[_, t0, t1, t2]) = bytes.first_chunk::<4>() else {
                return Step::Need(4);
            };
            let time_ms = u32::from_be_bytes([0, t0, t1, t2]);
            return Step::End(Ending { outcome, time_ms });
        }
        if !V2 && code == 0 {
            let Some(&[_, a, b, c, d]) = bytes.first_chunk::<5>() else {
                return Step::Need(5);
            };
            return Step::Event(Event::Timestamp(u32::from_be_bytes([a, b, c, d])), 5);
        }
        Step::Bad(Fault::Code(code))
    }

    /// Decodes events from the start of `bytes` until no more can be decoded. Passes each event to
    /// `sink`, whose error ends the run at once.
    ///
    /// The result is the same as that of repeated calls of [`EventDecoder::step`], but this is
    /// faster: events come in runs of one kind, and the branches of one loop per kind are easier to
    /// predict.
    #[inline(always)]
    pub(crate) fn run<const V2: bool, S: Sink>(
        &mut self,
        bytes: &[u8],
        mut sink: S,
    ) -> Result<Run<S>, S::Error> {
        let mut rest = bytes;
        let mut index = 0u32;
        loop {
            // The state is kept in locals so that it stays in registers.
            let mut last = self.last;
            let before = rest.len();
            if S::SKIPS_ORDERED {
                let (count, end) = ordered::long::<V2>(rest, last);
                rest = rest.get(9 * count..).unwrap_or_default();
                index += count as u32;
                last = end;
            }
            while let Some((&chunk, behind)) = rest.split_first_chunk::<9>()
                && let Some(action) = MouseAction::from_code(chunk[0])
            {
                let before = last.time_ms;
                last = long_mouse::<V2>(action, chunk);
                let at = bytes.len() - rest.len();
                sink = sink.event(Event::Mouse(last), before, at, index)?;
                rest = behind;
                index += 1;
            }
            self.any_mouse |= rest.len() != before;
            if V2 && self.any_mouse {
                if S::SKIPS_ORDERED {
                    let (count, end) = ordered::reduced(rest, last);
                    rest = rest.get(3 * count..).unwrap_or_default();
                    index += count as u32;
                    last = end;
                }
                while let Some((&chunk, behind)) = rest.split_first_chunk::<3>()
                    && chunk[0] == REDUCED
                    && let Ok(mouse) = reduced_move(&last, chunk)
                {
                    let before = last.time_ms;
                    last = mouse;
                    let at = bytes.len() - rest.len();
                    sink = sink.event(Event::Mouse(last), before, at, index)?;
                    rest = behind;
                    index += 1;
                }
            }
            self.last = last;
            while let Some((&[code, col, row], behind)) = rest.split_first_chunk::<3>()
                && let Some(face) = Face::from_code(code)
            {
                let cell = Cell { col, row };
                let event = Event::Board(BoardEvent { cell, face });
                sink = sink.event(event, last.time_ms, bytes.len() - rest.len(), index)?;
                rest = behind;
                index += 1;
            }
            if rest.len() == before {
                let at = bytes.len() - rest.len();
                match self.step_in::<V2>(rest) {
                    Step::Event(event, len) => {
                        sink = sink.event(event, last.time_ms, at, index)?;
                        rest = rest.get(len..).unwrap_or_default();
                        index += 1;
                    }
                    end => {
                        return Ok(Run {
                            sink,
                            at,
                            events: index,
                            end,
                        });
                    }
                }
            }
        }
    }

    /// Decodes the event at the start of `bytes`, which have been checked before, so that only the
    /// kind of event has to be found. Also returns the length of the event.
    #[inline(always)]
    pub(super) fn sound_step(&mut self, bytes: &[u8]) -> Option<(Event, usize)> {
        if let Some(&chunk) = bytes.first_chunk()
            && let Some(action) = MouseAction::from_code(chunk[0])
        {
            // Decode from the chunk instead of reading back the event that was just stored in
            // parts: the processor would have to wait for the store.
            let mouse = match self.version {
                Version::V1 => long_mouse::<false>(action, chunk),
                Version::V2 => long_mouse::<true>(action, chunk),
            };
            self.pass(mouse);
            return Some((Event::Mouse(mouse), 9));
        }
        if let Some(&chunk) = bytes.first_chunk()
            && chunk[0] != 0
        {
            let [code, col, row] = chunk;
            if code == REDUCED {
                let mouse = sound_reduced_move(&self.last, chunk);
                self.pass(mouse);
                return Some((Event::Mouse(mouse), 3));
            }
            let (face, cell) = (Face::from_code(code)?, Cell { col, row });
            return Some((Event::Board(BoardEvent { cell, face }), 3));
        }
        let &[_, a, b, c, d] = bytes.first_chunk()?;
        Some((Event::Timestamp(u32::from_be_bytes([a, b, c, d])), 5))
    }
}
