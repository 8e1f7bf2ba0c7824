//! The event log: decoding and encoding single events.

use std::borrow::Cow;
use std::convert::Infallible;

use super::error::WriteError;
use super::rule::Rule;
use crate::{
    BoardEvent, Buttons, Cell, Ending, Event, Face, MouseAction, MouseEvent, Outcome, Version,
};

/// v1 positions are relative to the client area; the board begins here (read off real files).
pub(crate) const V1_ORIGIN: (i32, i32) = (12, 56);
/// Times are 24-bit.
pub(crate) const MAX_TIME: u32 = 0xFF_FFFF;
/// The code of a reduced mouse move, v2 only.
const REDUCED: u8 = 28;

/// The mouse before its first event: what that is relative to never matters.
const NOWHERE: MouseEvent = MouseEvent {
    action: MouseAction::Move,
    time_ms: 0,
    buttons: Buttons::NONE,
    x: 0,
    y: 0,
    reduced: false,
};

/// What decoding needs to remember from one event to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventDecoder {
    version: Version,
    /// The last mouse event.
    last: MouseEvent,
    any_mouse: bool,
}

/// One step of decoding.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// An event of so many bytes.
    Event(Event, usize),
    /// The termination event; always 4 bytes.
    End(Ending),
    /// So many bytes are needed in all, fewer are there.
    Need(usize),
    /// No event can start here.
    Bad(Fault),
}

/// Takes events as they are decoded. A trait and not a closure, so that it can ask to be
/// inlined into each of the loops.
pub(crate) trait Sink: Sized {
    type Error;

    /// Takes an event, the place it stands at, and its index.
    fn event(self, event: Event, at: usize, index: u32) -> Result<Self, Self::Error>;
}

/// Folds events into a value.
struct Fold<B, F> {
    value: B,
    f: F,
}

impl<B, F: FnMut(B, Event) -> B> Sink for Fold<B, F> {
    type Error = Infallible;

    #[inline(always)]
    fn event(mut self, event: Event, _: usize, _: u32) -> Result<Self, Infallible> {
        Ok(Self {
            value: (self.f)(self.value, event),
            f: self.f,
        })
    }
}

/// What decoding as far as possible gives.
pub(crate) struct Run<S> {
    pub sink: S,
    /// Bytes that were decoded.
    pub at: usize,
    /// Events that were decoded.
    pub events: u32,
    /// Why there are no more; never [`Step::Event`].
    pub end: Step,
}

/// Why no event can start somewhere. Small and plain, because it stands in the hot loop's type;
/// [`Fault::rule`] has the words.
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
            Self::TimeRange(now) => Rule::TimeRange { now },
            Self::PositionRange(x, y) => Rule::PositionRange { x, y },
        }
    }
}

/// A mouse event in its long form.
#[inline(always)]
fn long_mouse<const V2: bool>(action: MouseAction, bytes: [u8; 9]) -> MouseEvent {
    // One load: time u24, buttons u8, x u16, y u16.
    let [_, fields @ ..] = bytes;
    let fields = u64::from_be_bytes(fields);
    let (x, y) = ((fields >> 16) as u16, fields as u16);
    let (x, y) = if V2 {
        (i32::from(x.cast_signed()), i32::from(y.cast_signed()))
    } else {
        (i32::from(x) - V1_ORIGIN.0, i32::from(y) - V1_ORIGIN.1)
    };
    MouseEvent {
        action,
        time_ms: (fields >> 40) as u32,
        buttons: Buttons((fields >> 32) as u8),
        x,
        y,
        reduced: false,
    }
}

/// A reduced mouse move behind `last`.
#[inline(always)]
fn reduced_move(last: &MouseEvent, [_, dt, dxy]: [u8; 3]) -> Result<MouseEvent, Fault> {
    let time_ms = last.time_ms + u32::from(dt);
    let x = last.x + i32::from(dxy.cast_signed() >> 4);
    let y = last.y + i32::from((dxy << 4).cast_signed() >> 4);
    if time_ms > MAX_TIME {
        return Err(Fault::TimeRange(time_ms));
    }
    if i16::try_from(x).is_err() || i16::try_from(y).is_err() {
        return Err(Fault::PositionRange(x, y));
    }
    Ok(MouseEvent {
        action: MouseAction::Move,
        time_ms,
        buttons: last.buttons,
        x,
        y,
        reduced: true,
    })
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
        // The order of the arms is that of how often they are met.
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

    /// Decodes from the start of `bytes` until no further event can be; gives each event to
    /// `sink`, whose error ends it at once.
    ///
    /// Equal to calling [`EventDecoder::step`] again and again, and faster: events come in runs
    /// of one kind, so that a loop a kind predicts better than one loop for all.
    #[inline(always)]
    pub(crate) fn run<const V2: bool, S: Sink>(
        &mut self,
        bytes: &[u8],
        mut sink: S,
    ) -> Result<Run<S>, S::Error> {
        let mut rest = bytes;
        let mut index = 0u32;
        loop {
            // In locals, the state stays in registers.
            let mut last = self.last;
            let before = rest.len();
            while let Some((&chunk, behind)) = rest.split_first_chunk::<9>()
                && let Some(action) = MouseAction::from_code(chunk[0])
            {
                last = long_mouse::<V2>(action, chunk);
                sink = sink.event(Event::Mouse(last), bytes.len() - rest.len(), index)?;
                rest = behind;
                index += 1;
            }
            self.any_mouse |= rest.len() != before;
            if V2 && self.any_mouse {
                while let Some((&chunk, behind)) = rest.split_first_chunk::<3>()
                    && chunk[0] == REDUCED
                    && let Ok(mouse) = reduced_move(&last, chunk)
                {
                    last = mouse;
                    sink = sink.event(Event::Mouse(last), bytes.len() - rest.len(), index)?;
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
                sink = sink.event(event, bytes.len() - rest.len(), index)?;
                rest = behind;
                index += 1;
            }
            if rest.len() == before {
                let at = bytes.len() - rest.len();
                match self.step_in::<V2>(rest) {
                    Step::Event(event, len) => {
                        sink = sink.event(event, at, index)?;
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
}

/// The events of a game in their stored form, without the termination event.
///
/// Every event in it has been checked to decode: iterating can't fail, and allocates nothing.
///
/// ```
/// use gametape_mines::{rmv::EventLog, Buttons, Event, MouseAction, MouseEvent, Version};
/// let mut log = EventLog::empty(Version::V2);
/// let mut event = MouseEvent {
///     action: MouseAction::LeftUp, time_ms: 0, buttons: Buttons::NONE, x: 60, y: 55, reduced: false,
/// };
/// log.push(Event::Mouse(event))?;
/// event.action = MouseAction::Move;
/// event.x += 3;
/// log.push_shortest(Event::Mouse(event))?;
/// assert_eq!(log.as_bytes().len(), 9 + 3);
/// assert_eq!(log.iter().count(), 2);
/// # Ok::<(), gametape_mines::rmv::WriteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EventLog<'a> {
    version: Version,
    bytes: Cow<'a, [u8]>,
    count: u32,
    offset: u64,
    last: EventDecoder,
}

/// Two logs are equal if they hold the same bytes; where they stood in a file is no matter.
impl PartialEq for EventLog<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version && self.bytes == other.bytes
    }
}

impl Eq for EventLog<'_> {}

impl<'a> EventLog<'a> {
    /// A log without events.
    #[must_use]
    pub const fn empty(version: Version) -> Self {
        Self {
            version,
            bytes: Cow::Borrowed(&[]),
            count: 0,
            offset: 0,
            last: EventDecoder::new(version),
        }
    }

    /// Bytes that a reader has stepped through; `last` is the decoder behind them.
    pub(crate) const fn checked(
        version: Version,
        bytes: Cow<'a, [u8]>,
        count: u32,
        offset: u64,
        last: EventDecoder,
    ) -> Self {
        Self {
            version,
            bytes,
            count,
            offset,
            last,
        }
    }

    /// The version the events are encoded for.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The events as stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of events.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.count
    }

    /// True where there is no event.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Where the first event stands in the file it was read from; 0 for a log that was built.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Time of the last mouse event in milliseconds, 0 without one.
    #[must_use]
    pub const fn last_time_ms(&self) -> u32 {
        self.last.time_ms()
    }

    /// The decoder behind the last event.
    pub(crate) const fn decoder(&self) -> &EventDecoder {
        &self.last
    }

    /// Gives every event to `sink`, with the place it stands at in the log and its index.
    #[inline(always)]
    pub(crate) fn give<S: Sink<Error = Infallible>>(&self, sink: S) -> S {
        let mut decoder = EventDecoder::new(self.version);
        let Ok(run) = match self.version {
            Version::V1 => decoder.run::<false, _>(&self.bytes, sink),
            Version::V2 => decoder.run::<true, _>(&self.bytes, sink),
        };
        run.sink
    }

    pub(crate) const fn set_offset(&mut self, offset: u64) {
        self.offset = offset;
    }

    /// The events in order.
    #[must_use]
    pub fn iter(&self) -> Events<'_> {
        Events {
            decoder: EventDecoder::new(self.version),
            bytes: &self.bytes,
            at: 0,
        }
    }

    /// Adds an event, in the form it asks for.
    pub fn push(&mut self, event: Event) -> Result<(), WriteError> {
        if let Event::Mouse(mouse) = event
            && mouse.time_ms < self.last.time_ms()
        {
            return Err(WriteError::TimeOrder {
                before: self.last.time_ms(),
                now: mouse.time_ms,
            });
        }
        self.append(event)
    }

    /// Adds an event that a reader has let pass, even if it goes back in time.
    pub(crate) fn append(&mut self, event: Event) -> Result<(), WriteError> {
        let bytes = match &mut self.bytes {
            Cow::Owned(bytes) => bytes,
            Cow::Borrowed(bytes) => {
                self.bytes = Cow::Owned(bytes.to_vec());
                self.bytes.to_mut()
            }
        };
        encode(&mut self.last, event, bytes)?;
        self.count += 1;
        Ok(())
    }

    /// Adds an event; a mouse move in the reduced form where the specification says a clone
    /// SHOULD write it: v2, same buttons, at most 255 ms later, −8 to 7 pixels on either axis.
    pub fn push_shortest(&mut self, mut event: Event) -> Result<(), WriteError> {
        if let Event::Mouse(mouse) = &mut event {
            mouse.reduced = reducible(&self.last, mouse);
        }
        self.push(event)
    }

    /// The same log, independent of the buffer it was read from.
    #[must_use]
    pub fn into_owned(self) -> EventLog<'static> {
        EventLog {
            version: self.version,
            bytes: Cow::Owned(self.bytes.into_owned()),
            count: self.count,
            offset: self.offset,
            last: self.last,
        }
    }
}

impl<'a> IntoIterator for &'a EventLog<'_> {
    type Item = Event;
    type IntoIter = Events<'a>;

    fn into_iter(self) -> Events<'a> {
        self.iter()
    }
}

/// Iterator over the events of a log.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    decoder: EventDecoder,
    bytes: &'a [u8],
    at: usize,
}

impl Events<'_> {
    /// Bytes of the log that lie before the next event.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    #[inline]
    fn next(&mut self) -> Option<Event> {
        match self.decoder.step(self.bytes.get(self.at..)?) {
            Step::Event(event, len) => {
                self.at += len;
                Some(event)
            }
            _ => None,
        }
    }

    fn fold<B, F: FnMut(B, Event) -> B>(mut self, init: B, f: F) -> B {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let fold = Fold { value: init, f };
        let Ok(run) = match self.decoder.version {
            Version::V1 => self.decoder.run::<false, _>(rest, fold),
            Version::V2 => self.decoder.run::<true, _>(rest, fold),
        };
        run.sink.value
    }
}

/// True where the specification says that `next` SHOULD be written as a reduced move.
pub(crate) fn reducible(last: &EventDecoder, next: &MouseEvent) -> bool {
    last.version == Version::V2
        && last.any_mouse
        && next.action == MouseAction::Move
        && is_short_step(&last.last, next)
}

/// The conditions of the specification for a reduced move, version and action aside.
pub(crate) fn is_short_step(last: &MouseEvent, next: &MouseEvent) -> bool {
    next.buttons == last.buttons
        && next.time_ms >= last.time_ms
        && next.time_ms - last.time_ms <= 255
        && (-8..=7).contains(&next.x.saturating_sub(last.x))
        && (-8..=7).contains(&next.y.saturating_sub(last.y))
}

/// Appends `event`; `last` is the state behind the events before it, and is moved on.
pub(crate) fn encode(
    last: &mut EventDecoder,
    event: Event,
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    match event {
        Event::Mouse(mouse) => {
            if mouse.time_ms > MAX_TIME {
                return Err(WriteError::TimeTooLong { ms: mouse.time_ms });
            }
            if mouse.reduced {
                if !reducible(last, &mouse) {
                    return Err(WriteError::NotReducible);
                }
                let dx = (mouse.x - last.last.x) as u8;
                let dy = (mouse.y - last.last.y) as u8;
                let dt = (mouse.time_ms - last.last.time_ms) as u8;
                check_position(last.version, mouse.x, mouse.y)?;
                out.extend_from_slice(&[REDUCED, dt, dx << 4 | dy & 15]);
            } else {
                let (x, y) = check_position(last.version, mouse.x, mouse.y)?;
                let [_, t0, t1, t2] = mouse.time_ms.to_be_bytes();
                let ([x0, x1], [y0, y1]) = (x.to_be_bytes(), y.to_be_bytes());
                let code = mouse.action.code();
                out.extend_from_slice(&[code, t0, t1, t2, mouse.buttons.0, x0, x1, y0, y1]);
            }
            last.last = mouse;
            last.any_mouse = true;
        }
        Event::Board(board) => {
            if let Face::Number(number @ 9..) = board.face {
                return Err(WriteError::Number { number });
            }
            out.extend_from_slice(&[board.face.code(), board.cell.col, board.cell.row]);
        }
        Event::Timestamp(value) => {
            if last.version != Version::V1 {
                return Err(WriteError::Timestamp);
            }
            out.push(0);
            out.extend_from_slice(&value.to_be_bytes());
        }
    }
    Ok(())
}

/// The stored form of a position, if the version can hold it.
fn check_position(version: Version, x: i32, y: i32) -> Result<(u16, u16), WriteError> {
    let stored = match version {
        Version::V1 => (
            u16::try_from(i64::from(x) + i64::from(V1_ORIGIN.0)).ok(),
            u16::try_from(i64::from(y) + i64::from(V1_ORIGIN.1)).ok(),
        ),
        Version::V2 => (
            i16::try_from(x).ok().map(i16::cast_unsigned),
            i16::try_from(y).ok().map(i16::cast_unsigned),
        ),
    };
    if let (Some(x), Some(y)) = stored {
        return Ok((x, y));
    }
    let (origin, least, most) = match version {
        Version::V1 => (V1_ORIGIN, 0, i32::from(u16::MAX)),
        Version::V2 => ((0, 0), i32::from(i16::MIN), i32::from(i16::MAX)),
    };
    Err(WriteError::PositionRange {
        x,
        y,
        min_x: least - origin.0,
        max_x: most - origin.0,
        min_y: least - origin.1,
        max_y: most - origin.1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mouse(action: MouseAction, time_ms: u32, x: i32, y: i32) -> MouseEvent {
        MouseEvent {
            action,
            time_ms,
            buttons: Buttons::NONE,
            x,
            y,
            reduced: false,
        }
    }

    /// The three conditions of the specification, each at its edge.
    #[test]
    fn moves_are_reduced_exactly_where_the_specification_says() {
        let cases = [
            ((255, 7, -8), true),
            ((256, 0, 0), false),
            ((0, 8, 0), false),
            ((0, 0, -9), false),
            ((0, -8, 7), true),
        ];
        for ((dt, dx, dy), expected) in cases {
            let mut log = EventLog::empty(Version::V2);
            log.push_shortest(Event::Mouse(mouse(MouseAction::LeftUp, 10, 50, 50)))
                .unwrap();
            let next = mouse(MouseAction::Move, 10 + dt, 50 + dx, 50 + dy);
            log.push_shortest(Event::Mouse(next)).unwrap();
            let Some(Event::Mouse(read)) = log.iter().last() else {
                panic!("a mouse event was written");
            };
            assert_eq!(read.reduced, expected, "{dt} ms, ({dx}, {dy})");
            assert_eq!(
                (read.time_ms, read.x, read.y),
                (next.time_ms, next.x, next.y)
            );
        }
        let mut pressed = mouse(MouseAction::Move, 10, 50, 50);
        pressed.buttons = Buttons::LEFT;
        let mut log = EventLog::empty(Version::V2);
        log.push_shortest(Event::Mouse(mouse(MouseAction::LeftUp, 10, 50, 50)))
            .unwrap();
        log.push_shortest(Event::Mouse(pressed)).unwrap();
        assert_eq!(log.as_bytes().len(), 18, "other buttons: the long form");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut log = EventLog::empty(Version::V1);
        let far = mouse(MouseAction::Move, 0, -13, 0);
        assert!(matches!(
            log.push(Event::Mouse(far)),
            Err(WriteError::PositionRange {
                min_x: -12,
                max_y: 65479,
                ..
            })
        ));
        let late = mouse(MouseAction::Move, 1 << 24, 0, 0);
        assert_eq!(
            log.push(Event::Mouse(late)),
            Err(WriteError::TimeTooLong { ms: 1 << 24 })
        );
        assert!(log.is_empty() && log.as_bytes().is_empty());
        let mut log = EventLog::empty(Version::V2);
        assert_eq!(log.push(Event::Timestamp(0)), Err(WriteError::Timestamp));
    }
}
