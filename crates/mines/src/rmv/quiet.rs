//! Mouse moves that nobody has anything to say of: most of a recording, many in a row.
//!
//! They are looked at as one number each, that of the long form: time, buttons and place side by side.
//! What one move differs from the one before by is then a single subtraction, and so is the look at it.

use super::mouse::{REDUCED, V1_ORIGIN};
use crate::{MouseAction, MouseEvent, Version};

/// When and where a mouse event is, and which buttons are down: 24 bits of time, 8 of buttons, 16 for the
/// place from the left and 16 for that from the top, both counted from the [origin](Packed::origin).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Packed(u64);

/// Both halves of a place.
const fn both(half: u16) -> u64 {
    (half as u64) << 16 | half as u64
}

/// Steps of −32 to 31 pixels on either axis within 16 s have nothing else set, 32 being added to both;
/// nothing of the buttons changes, either.
const NEAR: u64 = !(both(31 * 2 + 1) | 0x3FFF << 40);
const NEAR_BIAS: u64 = both(32);
/// The highest bit of time and place. Where it stays, no step is so large that it looks like a small one.
const HIGHEST: u64 = 1 << 63 | both(0x8000);
/// The same for steps that fit into a reduced move.
const SHORT: u64 = !(both(15) | 0xFF << 40);
const SHORT_BIAS: u64 = both(8);

impl Packed {
    /// Where places are counted from: what a place of 0 pixels is. Version 1 stores it so; the places of
    /// version 2 have signs.
    pub const fn origin(version: Version) -> (u16, u16) {
        match version {
            Version::V1 => (V1_ORIGIN.0 as u16, V1_ORIGIN.1 as u16),
            Version::V2 => (0x8000, 0x8000),
        }
    }

    pub fn of(version: Version, event: &MouseEvent) -> Self {
        let (left, top) = Self::origin(version);
        // A recording holds no place beyond 16 bits.
        let x = (event.x as u16).wrapping_add(left);
        let y = (event.y as u16).wrapping_add(top);
        let buttons = u64::from(event.buttons.0);
        Self(u64::from(event.time_ms) << 40 | buttons << 32 | u64::from(x) << 16 | u64::from(y))
    }

    /// Pixels from the left and from the top.
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

    /// From the left.
    #[inline(always)]
    pub const fn x(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// From the top.
    #[inline(always)]
    pub const fn y(self) -> u16 {
        self.0 as u16
    }

    /// From the bytes of the long form.
    #[inline(always)]
    const fn long<const V2: bool>([_, bytes @ ..]: [u8; 9]) -> Self {
        let signs = if V2 { both(0x8000) } else { 0 };
        Self(u64::from_be_bytes(bytes) ^ signs)
    }

    /// A reduced move behind this event, in a log that has been checked.
    #[inline(always)]
    const fn reduced([_, dt, dxy]: [u8; 3], last: Self) -> Self {
        let step = ((dxy as u64 >> 4) << 16 | (dxy as u64 & 15)) ^ SHORT_BIAS;
        let later = last.0.wrapping_add((dt as u64) << 40);
        Self(later.wrapping_add(step).wrapping_sub(SHORT_BIAS))
    }

    /// Whether nobody has anything to say of the step to a long move: it is a short one, soon, with the
    /// same buttons, and could not have been a reduced one.
    #[inline(always)]
    const fn is_quiet<const V2: bool>(self, next: Self) -> bool {
        let by = next.0.wrapping_sub(self.0);
        let near = by.wrapping_add(NEAR_BIAS) & NEAR | (self.0 ^ next.0) & HIGHEST;
        near == 0 && !(V2 && by.wrapping_add(SHORT_BIAS) & SHORT == 0)
    }
}

/// The pixels of a square on which a button is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub left: i32,
    pub top: i32,
    pub size: u32,
}

impl Held {
    /// A place that is no more than a short step away.
    #[inline(always)]
    const fn contains(&self, (left, top): (u16, u16), at: Packed) -> bool {
        let left = (self.left as u16).wrapping_add(left);
        let top = (self.top as u16).wrapping_add(top);
        (at.x().wrapping_sub(left) as u32) < self.size
            && (at.y().wrapping_sub(top) as u32) < self.size
    }
}

/// Where times and places of moves are put: as many of the one as of the other.
pub(crate) struct Room<'m> {
    pub times: &'m mut [u32],
    /// From the left and from the top, counted from the [origin](Packed::origin).
    pub xs: &'m mut [u16],
    pub ys: &'m mut [u16],
}

/// What was stepped over.
pub(super) struct Skipped<'b> {
    pub count: usize,
    /// What is behind it.
    pub rest: &'b [u8],
    /// The last of it: as one number, which is put down and taken up again in one piece.
    pub last: Packed,
    /// That is a reduced move.
    pub reduced: bool,
}

/// Steps over quiet moves at the start of checked `bytes`, behind `last`: as many as there is room for in
/// `into`, where they are put; where a button is held, as long as they stay in that square.
pub(super) fn skip<'b>(
    version: Version,
    last: &MouseEvent,
    held: Option<Held>,
    bytes: &'b [u8],
    into: Room<'_>,
) -> Skipped<'b> {
    // Each a loop of its own, that has only what it needs.
    match (version, held) {
        (Version::V1, None) => run::<false>(last, |_| true, bytes, into),
        (Version::V2, None) => run::<true>(last, |_| true, bytes, into),
        (Version::V1, Some(held)) => {
            let origin = Packed::origin(version);
            run::<false>(last, |at| held.contains(origin, at), bytes, into)
        }
        (Version::V2, Some(held)) => {
            let origin = Packed::origin(version);
            run::<true>(last, |at| held.contains(origin, at), bytes, into)
        }
    }
}

#[inline(always)]
fn run<'b, const V2: bool>(
    first: &MouseEvent,
    stays: impl Fn(Packed) -> bool,
    bytes: &'b [u8],
    into: Room<'_>,
) -> Skipped<'b> {
    let Room { times, xs, ys } = into;
    let version = if V2 { Version::V2 } else { Version::V1 };
    let mut last = Packed::of(version, first);
    let mut rest = bytes;
    let mut reduced = first.reduced;
    let mut count = 0;
    loop {
        let mut room = Room {
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
                let next = Packed::long::<V2>(*chunk);
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
            // Of one form are all.
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

/// Puts what is made of each piece behind the one before, as long as something is, and it stays; gives the number.
#[inline(always)]
fn put<const N: usize>(
    pieces: &[[u8; N]],
    last: &mut Packed,
    next: impl Fn(&[u8; N], Packed) -> Option<Packed>,
    stays: impl Fn(Packed) -> bool,
    into: &mut Room<'_>,
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
        let Some(there) = next(piece, at).filter(|there| stays(*there)) else {
            break;
        };
        *time = there.time_ms();
        *x = there.x();
        *y = there.y();
        at = there;
        count += 1;
    }
    *last = at;
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rmv::encode::is_short_step;
    use crate::rmv::{EventLog, WriteError};
    use crate::{Buttons, Event};

    /// What is quiet, as one would write it down.
    fn is_quiet(last: &MouseEvent, next: &MouseEvent, version: Version) -> bool {
        let near = |a: i32, b: i32| (-32..=31).contains(&(b - a));
        let soon = next.time_ms.checked_sub(last.time_ms);
        let soon = soon.is_some_and(|ms| ms < 1 << 14);
        let could_be_short = version == Version::V2 && is_short_step(last, next);
        // Where a place changes its highest bit it is looked at more closely.
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

    /// Steps of every size, the bounds of all that is compared among them; now and then far away.
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

    /// A log of these steps, as far as it can hold them.
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
        fn what_is_stepped_over_is_quiet_and_nothing_quiet_is_left(
            version in prop::sample::select(vec![Version::V1, Version::V2]),
            start in prop::sample::select(vec![(0, 0), (100, 100), (20, 32_700), (32_700, 0)]),
            drawn in drawn(),
            held in prop::option::of(1..=255_u32),
            room in 1..40_usize,
        ) {
            let log = log(version, start, &drawn);
            let mut events = log.iter();
            while let Some(Event::Mouse(mut last)) = events.next() {
                // As the engine has it: the square that the event before is in.
                let size = held.unwrap_or(1) as i32;
                let square = |at: i32| at.div_euclid(size) * size;
                let (left, top) = (square(last.x), square(last.y));
                let held = held.map(|size| Held { left, top, size });
                let stays = |next: &MouseEvent| {
                    held.is_none() || square(next.x) == left && square(next.y) == top
                };
                let mut behind = events.clone();
                let mut times = vec![0; room];
                let (mut xs, mut ys) = (vec![0; room], vec![0; room]);
                let into = Room { times: &mut times, xs: &mut xs, ys: &mut ys };
                let count = events.skip_quiet(held, into);
                for ((time, x), y) in times.iter().zip(&xs).zip(&ys).take(count) {
                    let Some(Event::Mouse(next)) = behind.next() else {
                        panic!("more was stepped over than there is");
                    };
                    prop_assert!(is_quiet(&last, &next, version) && stays(&next), "{next:?}");
                    let packed = Packed::of(version, &next);
                    prop_assert_eq!((*time, *x, *y), (next.time_ms, packed.x(), packed.y()));
                    last = next;
                }
                // The decoder is where it would be had it looked at each.
                let rest: Vec<Event> = behind.clone().collect();
                prop_assert_eq!(events.clone().collect::<Vec<_>>(), rest);
                if let Some(Event::Mouse(next)) = behind.next() {
                    let quiet = is_quiet(&last, &next, version) && stays(&next);
                    prop_assert!(!quiet || count == room, "{last:?} {next:?}");
                }
            }
        }
    }
}
