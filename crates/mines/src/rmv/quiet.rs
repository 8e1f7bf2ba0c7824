//! Quiet mouse moves, about which no check has anything to report: most of a recording, many in a
//! row.
//!
//! Each one is treated as a single number, the one of the long form: time, buttons and position
//! side by side. So the difference between two moves takes a single subtraction, and checking it a
//! single comparison.

use super::decode::{REDUCED, V1_ORIGIN};
use crate::cell::CellArea;
use crate::{MouseAction, MouseEvent, Version};

/// Time, position and buttons of a mouse event: 24 bits of time, 8 of buttons, 16 for the distance
/// from the left and 16 for that from the top, both measured from the [origin](Packed::origin).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Packed(u64);

/// The same 16 bits for both coordinates of a position.
const fn both(half: u16) -> u64 {
    (half as u64) << 16 | half as u64
}

/// Bits that are 0 in the difference of two moves that are at most 16 s and −32 to 31 pixels apart
/// on either axis and have the same buttons. [`NEAR_BIAS`] adds 32 to both coordinates, so that
/// they are not negative.
const NEAR: u64 = !(both(31 * 2 + 1) | 0x3FFF << 40);
const NEAR_BIAS: u64 = both(32);
/// The highest bits of time and position. If they do not change, no large step can look like a
/// small one.
const HIGHEST: u64 = 1 << 63 | both(0x8000);
/// The same bits for steps that fit in a reduced move.
const SHORT: u64 = !(both(15) | 0xFF << 40);
const SHORT_BIAS: u64 = both(8);

impl Packed {
    /// The position that means 0 pixels. Positions are stored signed, and held here with the sign
    /// inverted, so that they have the order of numbers without a sign.
    pub const fn origin(version: Version) -> (u16, u16) {
        match version {
            Version::V1 => (0x8000 + V1_ORIGIN.0 as u16, 0x8000 + V1_ORIGIN.1 as u16),
            Version::V2 => (0x8000, 0x8000),
        }
    }

    pub fn of(version: Version, event: &MouseEvent) -> Self {
        let (left, top) = Self::origin(version);
        // A recording has no positions beyond 16 bits.
        let x = (event.x as u16).wrapping_add(left);
        let y = (event.y as u16).wrapping_add(top);
        let buttons = u64::from(event.buttons.0);
        Self(u64::from(event.time_ms) << 40 | buttons << 32 | u64::from(x) << 16 | u64::from(y))
    }

    /// The position in pixels from the left and from the top.
    #[inline(always)]
    pub fn pixels(self, version: Version) -> (i32, i32) {
        let (left, top) = Self::origin(version);
        let from = |at: u16, origin: u16| i32::from(at) - i32::from(origin);
        (from(self.x(), left), from(self.y(), top))
    }

    #[inline(always)]
    pub const fn time_ms(self) -> u32 {
        (self.0 >> 40) as u32
    }

    /// Distance from the left, measured from the origin.
    #[inline(always)]
    pub const fn x(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Distance from the top, measured from the origin.
    #[inline(always)]
    pub const fn y(self) -> u16 {
        self.0 as u16
    }

    /// Builds it from the bytes of the long form.
    #[inline(always)]
    const fn long([_, bytes @ ..]: [u8; 9]) -> Self {
        Self(u64::from_be_bytes(bytes) ^ both(0x8000))
    }

    /// Builds it from a reduced move after `last`, in a log that has been checked.
    #[inline(always)]
    const fn reduced([_, dt, dxy]: [u8; 3], last: Self) -> Self {
        let step = ((dxy as u64 >> 4) << 16 | (dxy as u64 & 15)) ^ SHORT_BIAS;
        let later = last.0.wrapping_add((dt as u64) << 40);
        Self(later.wrapping_add(step).wrapping_sub(SHORT_BIAS))
    }

    /// Whether the step from this event to a long move `next` is quiet: short in distance and time,
    /// with the same buttons, and not possible as a reduced move.
    #[inline(always)]
    const fn is_quiet<const V2: bool>(self, next: Self) -> bool {
        let by = next.0.wrapping_sub(self.0);
        let near = by.wrapping_add(NEAR_BIAS) & NEAR | (self.0 ^ next.0) & HIGHEST;
        near == 0 && !(V2 && by.wrapping_add(SHORT_BIAS) & SHORT == 0)
    }
}

/// Whether a cell contains a position that is at most a short step away. `origin` is the stored
/// position that means 0 pixels.
#[inline(always)]
const fn contains(cell: CellArea, origin: (u16, u16), at: Packed) -> bool {
    let left = (cell.left as u16).wrapping_add(origin.0);
    let top = (cell.top as u16).wrapping_add(origin.1);
    (at.x().wrapping_sub(left) as u32) < cell.size && (at.y().wrapping_sub(top) as u32) < cell.size
}

/// Free slots for the times and positions of moves. The three slices have the same length.
pub(crate) struct MoveSlots<'m> {
    pub times: &'m mut [u32],
    /// Distances from the left and from the top, measured from the [origin](Packed::origin).
    pub xs: &'m mut [u16],
    pub ys: &'m mut [u16],
}

/// The moves that were skipped.
pub(super) struct Skipped<'b> {
    pub count: usize,
    /// The bytes after them.
    pub rest: &'b [u8],
    /// The last of them, as one number that is stored and loaded as a whole.
    pub last: Packed,
    /// Whether the last one is a reduced move.
    pub reduced: bool,
}

/// Skips quiet moves after `last` at the start of checked `bytes`, and stores them in `into`, as
/// many as fit. While a button is held, only moves within its cell are skipped.
pub(super) fn skip<'b>(
    version: Version,
    last: &MouseEvent,
    held: Option<CellArea>,
    bytes: &'b [u8],
    into: MoveSlots<'_>,
) -> Skipped<'b> {
    // Each case gets a loop of its own that does only what is needed.
    match (version, held) {
        (Version::V1, None) => run::<false>(last, |_| true, bytes, into),
        (Version::V2, None) => run::<true>(last, |_| true, bytes, into),
        (Version::V1, Some(held)) => {
            let origin = Packed::origin(version);
            run::<false>(last, |at| contains(held, origin, at), bytes, into)
        }
        (Version::V2, Some(held)) => {
            let origin = Packed::origin(version);
            run::<true>(last, |at| contains(held, origin, at), bytes, into)
        }
    }
}

#[inline(always)]
fn run<'b, const V2: bool>(
    first: &MouseEvent,
    stays: impl Fn(Packed) -> bool,
    bytes: &'b [u8],
    into: MoveSlots<'_>,
) -> Skipped<'b> {
    let MoveSlots { times, xs, ys } = into;
    let version = if V2 { Version::V2 } else { Version::V1 };
    let mut last = Packed::of(version, first);
    let mut rest = bytes;
    let mut reduced = first.reduced;
    let mut count = 0;
    loop {
        let mut room = MoveSlots {
            times: times.get_mut(count..).unwrap_or_default(),
            xs: xs.get_mut(count..).unwrap_or_default(),
            ys: ys.get_mut(count..).unwrap_or_default(),
        };
        let (found, width) = if V2 && rest.first() == Some(&REDUCED) {
            let (chunks, _) = rest.as_chunks::<3>();
            let next = |chunk: &[u8; 3], last| {
                (chunk[0] == REDUCED).then(|| Packed::reduced(*chunk, last))
            };
            (put(chunks, &mut last, next, &stays, &mut room), 3)
        } else {
            let (chunks, _) = rest.as_chunks::<9>();
            let next = |chunk: &[u8; 9], last: Packed| {
                let next = Packed::long(*chunk);
                let is_move = chunk[0] == MouseAction::Move.code();
                (is_move && last.is_quiet::<V2>(next)).then_some(next)
            };
            (put(chunks, &mut last, next, &stays, &mut room), 9)
        };
        if found == 0 {
            break;
        }
        reduced = width == 3;
        count += found;
        rest = rest.get(found * width..).unwrap_or_default();
        if !V2 {
            // v1 has only the long form.
            break;
        }
    }
    Skipped {
        count,
        rest,
        last,
        reduced,
    }
}

/// Stores the event that `next` makes of each piece, until `next` returns `None` or the event does
/// not pass `stays`. Returns the number of events.
#[inline(always)]
fn put<const N: usize>(
    pieces: &[[u8; N]],
    last: &mut Packed,
    next: impl Fn(&[u8; N], Packed) -> Option<Packed>,
    stays: impl Fn(Packed) -> bool,
    into: &mut MoveSlots<'_>,
) -> usize {
    let most = pieces.len().min(into.times.len());
    let slots = (
        into.times.get_mut(..most),
        into.xs.get_mut(..most),
        into.ys.get_mut(..most),
    );
    let (Some(times), Some(xs), Some(ys)) = slots else {
        return 0;
    };
    let mut at = *last;
    let mut count = 0;
    for (((piece, time), x), y) in pieces.iter().zip(times).zip(xs).zip(ys) {
        let Some(moved) = next(piece, at).filter(|moved| stays(*moved)) else {
            break;
        };
        *time = moved.time_ms();
        *x = moved.x();
        *y = moved.y();
        at = moved;
        count += 1;
    }
    *last = at;
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rmv::events::is_short_step;
    use crate::rmv::{EventLog, WriteError};
    use crate::{Buttons, Event};

    /// The definition of a quiet move, written in a simple way.
    fn is_quiet(last: &MouseEvent, next: &MouseEvent, version: Version) -> bool {
        let near = |a: i32, b: i32| (-32..=31).contains(&(b - a));
        let soon = next.time_ms.checked_sub(last.time_ms);
        let soon = soon.is_some_and(|ms| ms < 1 << 14);
        let could_be_short = version == Version::V2 && is_short_step(last, next);
        // The fast check does not accept a step that changes the highest bit of time or position.
        let (left, top) = Packed::origin(version);
        let half = |at: i32, origin: u16| (at + i32::from(origin)) & 0x8000;
        let same_half = half(last.x, left) == half(next.x, left)
            && half(last.y, top) == half(next.y, top)
            && (last.time_ms ^ next.time_ms) >> 23 == 0;
        next.action == MouseAction::Move
            && next.buttons == last.buttons
            && (next.reduced || near(last.x, next.x) && near(last.y, next.y) && soon && same_half)
            && (next.reduced || !could_be_short)
    }

    /// Steps of every size, including the limits of all comparisons and, now and then, large
    /// distances.
    fn step() -> impl Strategy<Value = i32> {
        prop_oneof![
            8 => -9..=9,
            4 => -34..=34,
            1 => prop::sample::select(vec![-65_535, -65_505, -32_768, 32_767, 65_504, 65_535]),
            1 => -65_535..=65_535,
        ]
    }

    fn later() -> impl Strategy<Value = u32> {
        prop_oneof![
            8 => 0..300_u32,
            1 => 16_380..16_390_u32,
            1 => (1 << 23) - 20..(1 << 23) + 20_u32,
        ]
    }

    type Drawn = (u8, u8, (i32, i32), u32, bool);

    fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
        let action = prop_oneof![12 => Just(1), 1 => 1..=7_u8];
        let buttons = prop_oneof![12 => Just(1), 1 => 0..=255_u8];
        let one = (action, buttons, (step(), step()), later(), any::<bool>());
        prop::collection::vec(one, 1..60)
    }

    /// A log of these steps, leaving out those that it cannot store.
    fn log(version: Version, start: (i32, i32), drawn: &[Drawn]) -> EventLog<'static> {
        let mut log = EventLog::empty(version);
        let (mut x, mut y) = start;
        let mut time_ms = 0;
        for &(action, buttons, (dx, dy), ms, shortest) in drawn {
            let event = MouseEvent {
                action: MouseAction::from_code(action).unwrap_or(MouseAction::Move),
                time_ms: time_ms + ms,
                buttons: Buttons(buttons),
                x: x + dx,
                y: y + dy,
                reduced: false,
            };
            let pushed: Result<(), WriteError> = if shortest {
                log.push_shortest(Event::Mouse(event))
            } else {
                log.push(Event::Mouse(event))
            };
            if pushed.is_ok() {
                (x, y, time_ms) = (event.x, event.y, event.time_ms);
            }
        }
        log
    }

    proptest! {
        #[test]
        fn exactly_the_quiet_moves_are_skipped(
            version in prop::sample::select(vec![Version::V1, Version::V2]),
            start in prop::sample::select(vec![(0, 0), (100, 100), (20, 32_700), (32_700, 0)]),
            drawn in drawn(),
            held in prop::option::of(1..=255_u32),
            room in 1..40_usize,
        ) {
            let log = log(version, start, &drawn);
            let mut events = log.iter();
            while let Some(Event::Mouse(mut last)) = events.next() {
                // As in the engine: the cell of the previous event.
                let size = held.unwrap_or(1) as i32;
                let edge = |at: i32| at.div_euclid(size) * size;
                let (left, top) = (edge(last.x), edge(last.y));
                let held = held.map(|size| CellArea { left, top, size });
                let stays = |next: &MouseEvent| {
                    held.is_none() || edge(next.x) == left && edge(next.y) == top
                };
                let mut following = events.clone();
                let mut times = vec![0; room];
                let (mut xs, mut ys) = (vec![0; room], vec![0; room]);
                let into = MoveSlots { times: &mut times, xs: &mut xs, ys: &mut ys };
                let count = events.skip_quiet(held, into);
                for ((time, x), y) in times.iter().zip(&xs).zip(&ys).take(count) {
                    let Some(Event::Mouse(next)) = following.next() else {
                        panic!("more moves were skipped than there are");
                    };
                    prop_assert!(is_quiet(&last, &next, version) && stays(&next), "{next:?}");
                    let packed = Packed::of(version, &next);
                    prop_assert_eq!((*time, *x, *y), (next.time_ms, packed.x(), packed.y()));
                    last = next;
                }
                // The decoder is in the same state as if it had decoded each event.
                let rest: Vec<Event> = following.clone().collect();
                prop_assert_eq!(events.clone().collect::<Vec<_>>(), rest);
                if let Some(Event::Mouse(next)) = following.next() {
                    let quiet = is_quiet(&last, &next, version) && stays(&next);
                    prop_assert!(!quiet || count == room, "{last:?} {next:?}");
                }
            }
        }
    }
}
