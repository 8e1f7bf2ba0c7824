//! Many cases: how many of them are run, over how many cores, and the choices by which they differ.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[cfg(feature = "script")]
use arbitrary::{Arbitrary, Unstructured};

/// The share of the cases that ordinary tests run: one in so many.
const SHARE: usize = 10;

/// True where all cases are to be run: the environment variable `GAMETAPE_EXHAUSTIVE` is set, as
/// `cargo xtask fuzz` sets it. Otherwise tests run one case in ten.
pub fn exhaustive() -> bool {
    std::env::var_os("GAMETAPE_EXHAUSTIVE").is_some()
}

/// One in ten of these cases, or all of them where [`exhaustive`]. Another `offset` gives other cases: ten
/// in a row give all.
pub fn some(cases: Range<usize>, offset: usize) -> impl Iterator<Item = usize> {
    let share = if exhaustive() { 1 } else { SHARE };
    cases.filter(move |case| (case + offset).is_multiple_of(share))
}

/// Runs cases on all cores and returns their results in order.
///
/// # Panics
/// Where a case panics, with its message.
pub fn on_all_cores<T: Send>(cases: usize, case: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let taken = taken.take_while(|&number| number < cases);
        taken.map(|number| (number, case(number))).collect()
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| -> Vec<_> { worker.join().unwrap_or_else(|p| resume_unwind(p)) })
            .collect()
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// `SplitMix64`: the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number, of 64 bits.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in so many times, on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A number of 0 to 1, without 1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 16_777_216.0
    }
}

/// Interprets any bytes as the requested values; after the end come zeros.
#[cfg(feature = "script")]
#[derive(Debug)]
pub struct Script<'a>(Unstructured<'a>);

#[cfg(feature = "script")]
impl<'a> Script<'a> {
    /// Begins with the first byte.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        Self(Unstructured::new(data))
    }

    /// Any value.
    pub fn word<T: Arbitrary<'a> + Default>(&mut self) -> T {
        self.0.arbitrary().unwrap_or_default()
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.word()
    }

    /// A number less than `end`, which is at most 256.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    /// True after the last byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that are left.
    #[must_use]
    pub fn rest(self) -> &'a [u8] {
        self.0.take_rest()
    }
}
