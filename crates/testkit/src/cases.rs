//! Many cases: how many of them are run, and over how many cores.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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
