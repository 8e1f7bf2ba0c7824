//! The event log of a game.

use std::borrow::Cow;
use std::convert::Infallible;

use super::decode::{EventDecoder, MAX_TIME, REDUCED, Sink, V1_ORIGIN};
use super::error::WriteError;
use super::quiet::{self, MoveSlots};
use crate::cell::CellArea;
use crate::{BoardEvent, Event, Face, MouseAction, MouseEvent, Version};

/// The events of a game in their stored form, without the termination event.
///
/// Every event has been checked to decode, so iterating cannot fail. It allocates nothing.
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

/// Two logs are equal if their versions and bytes are equal; their offsets in a file do not matter.
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

    /// A log of bytes that a reader has decoded; `last` is the decoder after the last event.
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

    /// The version for which the events are encoded.
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

    /// True if the log has no events.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The offset of the first event in the file from which the log was read; 0 for a log that was
    /// built.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Time of the last mouse event in milliseconds, or 0 without one.
    #[must_use]
    pub const fn last_time_ms(&self) -> u32 {
        self.last.time_ms()
    }

    /// The decoder after the last event.
    pub(crate) const fn decoder(&self) -> &EventDecoder {
        &self.last
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

    /// The events from a place that an earlier iteration reached.
    #[cfg(feature = "tape")]
    pub(crate) fn iter_from(&self, place: EventPlace) -> Events<'_> {
        Events {
            decoder: place.decoder,
            bytes: &self.bytes,
            at: place.at,
        }
    }

    /// Adds an event, in its own form (reduced or not).
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

    /// Adds an event that a reader has accepted, even if it goes back in time.
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

    /// Adds an event. A mouse move gets the reduced form if the specification says that a clone
    /// SHOULD write it so: v2, the same buttons, at most 255 ms later, −8 to 7 pixels on either
    /// axis.
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

/// The state of an iteration, from which it can be continued later.
#[cfg(feature = "tape")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventPlace {
    decoder: EventDecoder,
    at: usize,
}

impl Events<'_> {
    /// The current state.
    #[cfg(feature = "tape")]
    pub(crate) const fn place(&self) -> EventPlace {
        EventPlace {
            decoder: self.decoder,
            at: self.at,
        }
    }

    /// The number of bytes of the log before the next event.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// The last mouse event, if there was one.
    pub(crate) fn last_mouse(&self) -> Option<MouseEvent> {
        self.decoder.last_mouse()
    }

    /// Returns the next event. It is inlined where it is used, so that the event stays in
    /// registers: the processor would have to wait for an event that is stored in parts and then
    /// loaded as a whole.
    #[inline(always)]
    pub(crate) fn step(&mut self) -> Option<Event> {
        let (event, len) = self.decoder.step_unchecked(self.bytes.get(self.at..)?)?;
        self.at += len;
        Some(event)
    }

    /// Skips board events as long as they equal those of `wanted`, and returns their number. Stops
    /// at a blast, which has two codes.
    pub(crate) fn skip_board(&mut self, wanted: &[BoardEvent]) -> usize {
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        let mut count = 0;
        for BoardEvent { cell, face } in wanted {
            match rest.split_first_chunk() {
                Some((&found, after))
                    if found == [face.code(), cell.col, cell.row] && *face != Face::Blast =>
                {
                    rest = after;
                    count += 1;
                }
                _ => break,
            }
        }
        self.at += 3 * count;
        count
    }

    /// Skips quiet moves and stores them in `into`, as many as fit. While a button is held, only
    /// moves within its cell are skipped. Returns their number.
    pub(crate) fn skip_quiet(&mut self, held: Option<CellArea>, into: MoveSlots<'_>) -> usize {
        let Some(last) = self.decoder.last_mouse() else {
            return 0;
        };
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let skipped = quiet::skip(self.decoder.version(), &last, held, rest, into);
        self.at += rest.len() - skipped.rest.len();
        if skipped.count > 0 {
            let at = skipped.last.pixels(self.decoder.version());
            let time_ms = skipped.last.time_ms();
            self.decoder.pass_move(time_ms, at, skipped.reduced);
        }
        skipped.count
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    #[inline]
    fn next(&mut self) -> Option<Event> {
        self.step()
    }

    fn fold<B, F: FnMut(B, Event) -> B>(mut self, init: B, f: F) -> B {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let fold = Fold { value: init, f };
        let Ok(run) = match self.decoder.version() {
            Version::V1 => self.decoder.run::<false, false, _>(rest, fold),
            Version::V2 => self.decoder.run::<true, false, _>(rest, fold),
        };
        run.sink.value
    }
}

/// Folds events into a value.
struct Fold<B, F> {
    value: B,
    f: F,
}

impl<B, F: FnMut(B, Event) -> B> Sink for Fold<B, F> {
    type Error = Infallible;

    #[inline(always)]
    fn event(mut self, event: Event, _: u32, _: usize, _: u32) -> Result<Self, Infallible> {
        Ok(Self {
            value: (self.f)(self.value, event),
            f: self.f,
        })
    }
}

/// True if, according to the specification, `next` SHOULD be written as a reduced move.
pub(crate) fn reducible(last: &EventDecoder, next: &MouseEvent) -> bool {
    last.version() == Version::V2
        && next.action == MouseAction::Move
        && last
            .last_mouse()
            .is_some_and(|last| is_short_step(&last, next))
}

/// The specification's conditions for a reduced move, except those on version and action.
pub(crate) fn is_short_step(last: &MouseEvent, next: &MouseEvent) -> bool {
    next.buttons == last.buttons
        && next.time_ms >= last.time_ms
        && next.time_ms - last.time_ms <= 255
        && (-8..=7).contains(&next.x.saturating_sub(last.x))
        && (-8..=7).contains(&next.y.saturating_sub(last.y))
}

/// Appends `event`; `last` is the state after the previous events and is updated.
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
                let Some(from) = last.last_mouse().filter(|_| reducible(last, &mouse)) else {
                    return Err(WriteError::NotReducible);
                };
                let dx = (mouse.x - from.x) as u8;
                let dy = (mouse.y - from.y) as u8;
                let dt = (mouse.time_ms - from.time_ms) as u8;
                check_position(last.version(), mouse.x, mouse.y)?;
                out.extend_from_slice(&[REDUCED, dt, dx << 4 | dy & 15]);
            } else {
                let (x, y) = check_position(last.version(), mouse.x, mouse.y)?;
                let [_, t0, t1, t2] = mouse.time_ms.to_be_bytes();
                let ([x0, x1], [y0, y1]) = (x.to_be_bytes(), y.to_be_bytes());
                let code = mouse.action.code();
                out.extend_from_slice(&[code, t0, t1, t2, mouse.buttons.0, x0, x1, y0, y1]);
            }
            last.pass(mouse);
        }
        Event::Board(board) => {
            if let Face::Number(number @ 9..) = board.face {
                return Err(WriteError::Number { number });
            }
            out.extend_from_slice(&[board.face.code(), board.cell.col, board.cell.row]);
        }
        Event::Timestamp(value) => {
            if last.version() != Version::V1 {
                return Err(WriteError::Timestamp);
            }
            out.push(0);
            out.extend_from_slice(&value.to_be_bytes());
        }
    }
    Ok(())
}

/// The stored form of a position, if the version can store it.
fn check_position(version: Version, x: i32, y: i32) -> Result<(u16, u16), WriteError> {
    let (left, top) = match version {
        Version::V1 => V1_ORIGIN,
        Version::V2 => (0, 0),
    };
    let stored = |at: i32, origin: i32| {
        let at = i16::try_from(i64::from(at) + i64::from(origin));
        at.ok().map(i16::cast_unsigned)
    };
    if let (Some(x), Some(y)) = (stored(x, left), stored(y, top)) {
        return Ok((x, y));
    }
    let (least, most) = (i32::from(i16::MIN), i32::from(i16::MAX));
    Err(WriteError::PositionRange {
        x,
        y,
        min_x: least - left,
        max_x: most - left,
        min_y: least - top,
        max_y: most - top,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Buttons, MouseAction};

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

    /// Tests the three conditions of the specification, each at its limit.
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
    fn events_that_do_not_fit_are_refused() {
        let mut log = EventLog::empty(Version::V1);
        let far = mouse(MouseAction::Move, 0, -32_781, 0);
        assert!(matches!(
            log.push(Event::Mouse(far)),
            Err(WriteError::PositionRange {
                min_x: -32_780,
                max_y: 32_711,
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
