//! The milliseconds between consecutive waiting mouse events, one byte each, counted 32 at a time.

use crate::replay::{Moves, WAITING};

/// Longer gaps are cut to this length before they are compared with others.
const LONGEST_MS: u32 = 20;
/// Gaps up to this length are short: the reports of a 125 Hz mouse are further apart.
const SHORT_MS: u8 = 6;
/// Gaps up to this length, except 0, do not occur on the tick of Windows.
const FINE_MS: u8 = 14;
/// The number of gaps that are counted together. On a clock with millisecond resolution, some gaps
/// of every part are fine ones.
pub(super) const PART: usize = 32;
/// Marks a gap that is left out: larger than any gap, but 0 in sums.
const NONE: u8 = 0x80;

/// The gap before each of the waiting mouse events.
pub(super) struct Gaps {
    /// After the last gap, the array is filled with [`NONE`].
    gaps: [u8; WAITING + PART],
    len: usize,
}

/// The number of gaps of some kinds, and their sums.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Counts {
    /// Gaps of 0 ms.
    pub zeros: u8,
    /// Gaps of 1 ms.
    pub ones: u8,
    /// Short gaps, including those of 0 ms.
    pub shorts: u8,
    /// Fine gaps, which do not occur on the tick of Windows, and gaps of 0 ms.
    pub fine: u8,
    pub sum: u16,
    pub squares: u16,
}

/// Sums over gaps and their successors, to compute a correlation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Linked {
    pub gaps: u8,
    /// The number of gaps that have a successor.
    pub pairs: u8,
    pub sum: u16,
    pub squares: u16,
    /// The sum of the products of each gap with its successor.
    pub products: u16,
}

impl Gaps {
    pub fn of(moves: &Moves) -> Self {
        let times = moves.times();
        let mut gaps = [NONE; WAITING + PART];
        // A gap back in time becomes the longest one.
        let gap = |a: u32, b: u32| b.wrapping_sub(a).min(LONGEST_MS) as u8;
        let pairs = times.iter().zip(times.get(1..).unwrap_or_default());
        for (slot, (&a, &b)) in gaps.iter_mut().skip(1).zip(pairs) {
            *slot = gap(a, b);
        }
        if let (Some(slot), Some(&first)) = (gaps.first_mut(), times.first()) {
            *slot = gap(moves.before_ms().unwrap_or(first), first);
        }
        Self {
            gaps,
            len: times.len(),
        }
    }

    /// The counts of each part, and the number of gaps in it.
    pub fn counts(&self) -> impl Iterator<Item = (usize, Counts)> {
        let (parts, _) = self.gaps.as_chunks::<PART>();
        let lens = (0..self.len).step_by(PART).map(|at| self.len - at);
        let lens = lens.map(|left| left.min(PART));
        lens.zip(parts.iter().map(count))
    }

    /// Leaves a gap out of [`Gaps::linked`].
    pub fn leave_out(&mut self, at: usize) {
        if let Some(gap) = self.gaps.get_mut(at) {
            *gap = NONE;
        }
    }

    /// The sums over the gaps of each part and their successors.
    pub fn linked(&self) -> impl Iterator<Item = Linked> {
        let (parts, _) = self.gaps.as_chunks::<PART>();
        let (next, _) = self.gaps.get(1..).unwrap_or_default().as_chunks::<PART>();
        let parts = parts.iter().zip(next).take(self.len.div_ceil(PART));
        parts.map(|(part, next)| link(part, next))
    }
}

// These loops have a known length and small types, so that the compiler counts 16 gaps at a time
// and adds eight of the sums. A single loop would process eight at a time for everything.
#[inline(always)]
fn count(part: &[u8; PART]) -> Counts {
    let mut counts = Counts::default();
    for &gap in part {
        counts.zeros += u8::from(gap == 0);
        counts.ones += u8::from(gap == 1);
        counts.shorts += u8::from(gap <= SHORT_MS);
        counts.fine += u8::from(gap <= FINE_MS);
    }
    for &gap in part {
        let ms = u16::from(gap & !NONE);
        counts.sum += ms;
        counts.squares += ms * ms;
    }
    counts
}

#[inline(always)]
fn link(part: &[u8; PART], next: &[u8; PART]) -> Linked {
    let mut linked = Linked::default();
    for (&gap, &next) in part.iter().zip(next) {
        linked.gaps += u8::from(gap < NONE);
        linked.pairs += u8::from(gap | next < NONE);
    }
    for (&gap, &next) in part.iter().zip(next) {
        let (ms, next_ms) = (u16::from(gap & !NONE), u16::from(next & !NONE));
        linked.sum += ms;
        linked.squares += ms * ms;
        linked.products += ms * next_ms;
    }
    linked
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Buttons, MouseAction, MouseEvent, Version};

    proptest! {
        /// The sums over all parts are equal to those computed gap by gap.
        #[test]
        fn gaps_are_counted_and_linked_as_one_by_one(
            ms in prop::collection::vec(prop_oneof![0..24_i32, 0..3_i32, -40..400_i32], 0..=WAITING),
            left_out in prop::collection::vec(0..WAITING, 0..20),
        ) {
            let mut moves = Moves::new(Version::V1);
            let mut time = 30_000;
            let mut simple = Vec::new();
            for (at, ms) in ms.into_iter().enumerate() {
                time += ms;
                moves.push(&MouseEvent {
                    action: MouseAction::Move,
                    time_ms: time as u32,
                    buttons: Buttons::NONE,
                    x: 0,
                    y: 0,
                    reduced: false,
                });
                simple.push(if at == 0 { 0 } else if ms < 0 { 20 } else { ms.min(20) as u32 });
            }
            let mut gaps = Gaps::of(&moves);
            let counts: Vec<(usize, Counts)> = gaps.counts().collect();
            prop_assert_eq!(counts.len(), simple.len().div_ceil(PART));
            for (part, (len, counts)) in simple.chunks(PART).zip(counts) {
                let of = |is: &dyn Fn(u32) -> bool| part.iter().filter(|&&ms| is(ms)).count() as u8;
                prop_assert_eq!(len, part.len());
                prop_assert_eq!(counts, Counts {
                    zeros: of(&|ms| ms == 0),
                    ones: of(&|ms| ms == 1),
                    shorts: of(&|ms| ms <= 6),
                    fine: of(&|ms| ms <= 14),
                    sum: part.iter().sum::<u32>() as u16,
                    squares: part.iter().map(|ms| ms * ms).sum::<u32>() as u16,
                });
            }

            let mut kept: Vec<Option<u32>> = simple.into_iter().map(Some).collect();
            for at in left_out {
                gaps.leave_out(at);
                if let Some(gap) = kept.get_mut(at) {
                    *gap = None;
                }
            }
            let mut sums = [0; 5];
            for linked in gaps.linked() {
                let Linked { gaps, pairs, sum, squares, products } = linked;
                let each = [gaps.into(), pairs.into(), sum, squares, products];
                for (total, value) in sums.iter_mut().zip(each) {
                    *total += u32::from(value);
                }
            }
            let ms = || kept.iter().flatten();
            let pairs = || kept.windows(2).filter_map(|pair| Some((pair[0]?, pair[1]?)));
            prop_assert_eq!(sums, [
                ms().count() as u32,
                pairs().count() as u32,
                ms().sum(),
                ms().map(|ms| ms * ms).sum(),
                pairs().map(|(a, b)| a * b).sum(),
            ]);
        }
    }
}
