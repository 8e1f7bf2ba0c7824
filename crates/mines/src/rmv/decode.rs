//! Decoding of single events and of runs of events.

use super::rule::Rule;
use crate::{
    BoardEvent, Buttons, Cell, Ending, Event, Face, MouseAction, MouseEvent, Outcome, Version,
};

/// v1 positions are relative to the window's client area; the board begins at this position. They
/// are signed: while a button is held, the cursor may be left of the window. Both are found in real
/// files; the specification calls the positions of v1 unsigned.
pub(super) const V1_ORIGIN: (i32, i32) = (12, 56);
/// The largest time: times are 24-bit numbers.
pub(super) const MAX_TIME: u32 = 0xFF_FFFF;
/// The code of a reduced mouse move, v2 only.
pub(super) const REDUCED: u8 = 28;

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
pub(crate) enum Decoded {
    /// An event and its length in bytes.
    Event(Event, usize),
    /// The termination event; always 4 bytes.
    End(Ending),
    /// The event is incomplete: it needs this many bytes in total.
    Need(usize),
    /// No event can start here.
    Bad(BadEvent),
}

/// Receives events as they are decoded. This is a trait and not a closure so that its method can be
/// inlined into each of the loops.
pub(crate) trait Sink: Sized {
    type Error;

    /// Takes an event, the time of the mouse event before it, its position in bytes, and its index.
    fn event(self, event: Event, before: u32, at: usize, index: u32) -> Result<Self, Self::Error>;
}

/// The result of decoding as many events as possible.
pub(crate) struct DecodedRun<S> {
    pub sink: S,
    /// The number of bytes that were decoded.
    pub at: usize,
    /// The number of events that were decoded.
    pub events: u32,
    /// Why decoding stopped; never [`Decoded::Event`].
    pub end: Decoded,
}

/// Why the bytes are not an event. The type is small and plain because it is part of a type in the
/// hot loop; [`BadEvent::rule`] gives the message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BadEvent {
    Code(u8),
    ReducedFirst,
    TimeRange(u32),
    PositionRange(i32, i32),
}

impl BadEvent {
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

/// Decodes a mouse event in its long form.
#[inline(always)]
fn long_mouse<const V2: bool>(chunk: [u8; 9]) -> Option<MouseEvent> {
    let [code, fields @ ..] = chunk;
    let action = MouseAction::from_code(code)?;
    // A single load: time u24, buttons u8, x i16, y i16.
    let fields = u64::from_be_bytes(fields);
    let (x, y) = ((fields >> 16) as i16, fields as i16);
    let (left, top) = if V2 { (0, 0) } else { V1_ORIGIN };
    let (x, y) = (i32::from(x) - left, i32::from(y) - top);
    Some(MouseEvent {
        action,
        time_ms: (fields >> 40) as u32,
        buttons: Buttons((fields >> 32) as u8),
        x,
        y,
        reduced: false,
    })
}

/// Decodes a reduced mouse move after `last`. Without `CHECK`, it is known that time and position
/// stay in range.
#[inline(always)]
fn reduced_move<const CHECK: bool>(
    last: &MouseEvent,
    [_, dt, dxy]: [u8; 3],
) -> Result<MouseEvent, BadEvent> {
    let mouse = MouseEvent {
        action: MouseAction::Move,
        time_ms: last.time_ms + u32::from(dt),
        buttons: last.buttons,
        x: last.x + i32::from(dxy.cast_signed() >> 4),
        y: last.y + i32::from((dxy << 4).cast_signed() >> 4),
        reduced: true,
    };
    if CHECK {
        if mouse.time_ms > MAX_TIME {
            return Err(BadEvent::TimeRange(mouse.time_ms));
        }
        if i16::try_from(mouse.x).is_err() || i16::try_from(mouse.y).is_err() {
            return Err(BadEvent::PositionRange(mouse.x, mouse.y));
        }
    }
    Ok(mouse)
}

/// The number of reduced moves that certainly stay in range if there [is room](has_room).
const RUN: usize = 1 << 10;

/// Whether time and position are so far from the ends of their ranges that [`RUN`] reduced moves
/// cannot leave them.
fn has_room(last: &MouseEvent) -> bool {
    const FAR: i32 = i16::MAX as i32 - 8 * RUN as i32;
    const LATE: u32 = MAX_TIME - 255 * RUN as u32;
    last.time_ms < LATE && last.x.abs() < FAR && last.y.abs() < FAR
}

/// Decodes a board event.
#[inline(always)]
fn board_event([code, col, row]: [u8; 3]) -> Option<BoardEvent> {
    let (face, cell) = (Face::from_code(code)?, Cell { col, row });
    Some(BoardEvent { cell, face })
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
    pub(crate) fn step(&mut self, bytes: &[u8]) -> Decoded {
        match self.version {
            Version::V1 => self.step_in::<false, true>(bytes),
            Version::V2 => self.step_in::<true, true>(bytes),
        }
    }

    /// Like [`EventDecoder::step`], but for bytes that have been checked before. Also returns the
    /// length of the event.
    #[inline(always)]
    pub(super) fn step_unchecked(&mut self, bytes: &[u8]) -> Option<(Event, usize)> {
        let step = match self.version {
            Version::V1 => self.step_in::<false, false>(bytes),
            Version::V2 => self.step_in::<true, false>(bytes),
        };
        match step {
            Decoded::Event(event, len) => Some((event, len)),
            _ => None,
        }
    }

    /// Decodes the event at the start of `bytes`. Without `CHECK`, reduced moves are taken to be
    /// valid.
    #[inline(always)]
    fn step_in<const V2: bool, const CHECK: bool>(&mut self, bytes: &[u8]) -> Decoded {
        let Some(&code) = bytes.first() else {
            return Decoded::Need(1);
        };
        // The order of the arms follows their frequency.
        if V2 && code == REDUCED {
            let Some(&chunk) = bytes.first_chunk() else {
                return Decoded::Need(3);
            };
            if CHECK && !self.any_mouse {
                return Decoded::Bad(BadEvent::ReducedFirst);
            }
            return match reduced_move::<CHECK>(&self.last, chunk) {
                Ok(mouse) => {
                    self.last = mouse;
                    Decoded::Event(Event::Mouse(mouse), 3)
                }
                Err(fault) => Decoded::Bad(fault),
            };
        }
        if MouseAction::from_code(code).is_some() {
            let chunk = bytes.first_chunk();
            let Some(mouse) = chunk.and_then(|&chunk| long_mouse::<V2>(chunk)) else {
                return Decoded::Need(9);
            };
            self.pass(mouse);
            return Decoded::Event(Event::Mouse(mouse), 9);
        }
        if Face::from_code(code).is_some() {
            let Some(board) = bytes.first_chunk().and_then(|&chunk| board_event(chunk)) else {
                return Decoded::Need(3);
            };
            return Decoded::Event(Event::Board(board), 3);
        }
        if let Some(outcome) = Outcome::from_code(code) {
            let Some(&[_, t0, t1, t2]) = bytes.first_chunk::<4>() else {
                return Decoded::Need(4);
            };
            let time_ms = u32::from_be_bytes([0, t0, t1, t2]);
            return Decoded::End(Ending { outcome, time_ms });
        }
        if !V2 && code == 0 {
            let Some(&[_, a, b, c, d]) = bytes.first_chunk::<5>() else {
                return Decoded::Need(5);
            };
            return Decoded::Event(Event::Timestamp(u32::from_be_bytes([a, b, c, d])), 5);
        }
        Decoded::Bad(BadEvent::Code(code))
    }

    /// Decodes events from the start of `bytes` until no more can be decoded. Passes each event to
    /// `sink`, whose error ends the run at once.
    ///
    /// The result is the same as that of repeated calls of [`EventDecoder::step`] or, without
    /// `CHECK`, of [`EventDecoder::step_unchecked`], but this is faster: events come in runs of one
    /// kind, and the branches of one loop per kind are easier to predict.
    #[inline(always)]
    pub(crate) fn run<const V2: bool, const CHECK: bool, S: Sink>(
        &mut self,
        bytes: &[u8],
        mut sink: S,
    ) -> Result<DecodedRun<S>, S::Error> {
        let mut rest = bytes;
        let mut index = 0u32;
        loop {
            // The state is kept in locals so that it stays in registers.
            let mut last = self.last;
            let before = rest.len();
            while let Some((&chunk, after)) = rest.split_first_chunk()
                && let Some(mouse) = long_mouse::<V2>(chunk)
            {
                let at = bytes.len() - rest.len();
                sink = sink.event(Event::Mouse(mouse), last.time_ms, at, index)?;
                (last, rest) = (mouse, after);
                index += 1;
            }
            self.any_mouse |= rest.len() != before;
            if V2 && self.any_mouse {
                let mut unchecked = match CHECK {
                    false => usize::MAX,
                    true if has_room(&last) => RUN,
                    true => 0,
                };
                while let Some((&chunk, after)) = rest.split_first_chunk()
                    && chunk[0] == REDUCED
                {
                    let mouse = if unchecked > 0 {
                        unchecked -= 1;
                        reduced_move::<false>(&last, chunk)
                    } else {
                        reduced_move::<true>(&last, chunk)
                    };
                    let Ok(mouse) = mouse else {
                        break;
                    };
                    let at = bytes.len() - rest.len();
                    sink = sink.event(Event::Mouse(mouse), last.time_ms, at, index)?;
                    (last, rest) = (mouse, after);
                    index += 1;
                }
            }
            self.last = last;
            while let Some((&chunk, after)) = rest.split_first_chunk()
                && let Some(board) = board_event(chunk)
            {
                let at = bytes.len() - rest.len();
                sink = sink.event(Event::Board(board), last.time_ms, at, index)?;
                rest = after;
                index += 1;
            }
            if rest.len() == before {
                let at = bytes.len() - rest.len();
                match self.step_in::<V2, CHECK>(rest) {
                    Decoded::Event(event, len) => {
                        sink = sink.event(event, last.time_ms, at, index)?;
                        rest = rest.get(len..).unwrap_or_default();
                        index += 1;
                    }
                    end => {
                        return Ok(DecodedRun {
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    /// An event with the time of the mouse event before it, its position and its index.
    type Passed = (Event, u32, usize, u32);

    impl Sink for Vec<Passed> {
        type Error = Infallible;

        fn event(
            mut self,
            event: Event,
            before: u32,
            at: usize,
            index: u32,
        ) -> Result<Self, Infallible> {
            self.push((event, before, at, index));
            Ok(self)
        }
    }

    /// The reference: decodes one event after the other.
    fn steps(version: Version, bytes: &[u8]) -> (Vec<Passed>, EventDecoder, Decoded) {
        let mut decoder = EventDecoder::new(version);
        let (mut passed, mut at) = (Vec::new(), 0);
        loop {
            let before = decoder.time_ms();
            match decoder.step(&bytes[at..]) {
                Decoded::Event(event, len) => {
                    passed.push((event, before, at, passed.len() as u32));
                    at += len;
                }
                end => return (passed, decoder, end),
            }
        }
    }

    fn run<const V2: bool, const CHECK: bool>(
        version: Version,
        bytes: &[u8],
    ) -> (Vec<Passed>, EventDecoder, Decoded) {
        let mut decoder = EventDecoder::new(version);
        let Ok(run) = decoder.run::<V2, CHECK, _>(bytes, Vec::new());
        assert_eq!(run.events as usize, run.sink.len());
        (run.sink, decoder, run.end)
    }

    fn events(width: usize, codes: Vec<u8>, most: usize) -> impl Strategy<Value = Vec<u8>> {
        let small = prop_oneof![9 => 0..4_u8, 1 => any::<u8>()];
        let code = prop_oneof![20 => prop::sample::select(codes), 1 => any::<u8>()];
        let event = (code, prop::collection::vec(small, width - 1));
        let event = event.prop_map(|(code, rest)| [vec![code], rest].concat());
        prop::collection::vec(event, 0..most).prop_map(|events| events.concat())
    }

    /// A long move to a position and time around the limits of [`has_room`] and of the format.
    fn start() -> impl Strategy<Value = Vec<u8>> {
        let ends = [0, 24_574, 24_575, 32_767, -24_575, -24_574, -32_768_i32];
        let at = (prop::sample::select(ends.to_vec()), -9..9_i32);
        let at = at.prop_map(|(end, by)| (end + by).clamp(-32_768, 32_767) as i16);
        let late = MAX_TIME - 255 * RUN as u32;
        let time = prop::sample::select(vec![0, late - 1, late, MAX_TIME - 300, MAX_TIME]);
        (at.clone(), at, time).prop_map(|(x, y, time)| {
            let ([_, t0, t1, t2], x, y) = (time.to_be_bytes(), x.to_be_bytes(), y.to_be_bytes());
            vec![1, t0, t1, t2, 1, x[0], x[1], y[0], y[1]]
        })
    }

    proptest! {
        #[test]
        fn a_run_gives_the_events_of_single_steps(
            start in start(),
            parts in prop::collection::vec(
                prop_oneof![
                    events(9, vec![1, 1, 1, 2, 7], 30),
                    events(3, vec![REDUCED], 3 * RUN),
                    events(3, vec![9, 14, 18, 27], 9),
                    events(5, vec![0], 2),
                    events(4, vec![15, 16, 17], 2),
                ],
                0..6,
            ),
        ) {
            let bytes = [start, parts.concat()].concat();
            for version in [Version::V1, Version::V2] {
                let (wanted, last, end) = steps(version, &bytes);
                let found = match version {
                    Version::V1 => run::<false, true>(version, &bytes),
                    Version::V2 => run::<true, true>(version, &bytes),
                };
                prop_assert_eq!(&found.0, &wanted);
                prop_assert_eq!(format!("{:?}", (found.1, found.2)), format!("{:?}", (last, end)));

                // The same without checks, in the part that is valid.
                let at = match wanted.last() {
                    Some(&(event, _, at, _)) => at + match event {
                        Event::Mouse(mouse) if !mouse.reduced => 9,
                        Event::Mouse(_) | Event::Board(_) => 3,
                        Event::Timestamp(_) => 5,
                    },
                    None => 0,
                };
                let found = match version {
                    Version::V1 => run::<false, false>(version, &bytes[..at]),
                    Version::V2 => run::<true, false>(version, &bytes[..at]),
                };
                prop_assert_eq!(&found.0, &wanted);
                let mut decoder = EventDecoder::new(version);
                for &(event, _, at, _) in &wanted {
                    let step = decoder.step_unchecked(&bytes[at..]);
                    prop_assert_eq!(step.map(|(event, _)| event), Some(event));
                }
            }
        }
    }
}
