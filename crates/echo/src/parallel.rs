//! Parallel work: on all cores with the feature `parallel`, otherwise sequential.

#[cfg(feature = "parallel")]
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of items worked on at once.
#[cfg(feature = "parallel")]
pub fn at_once() -> usize {
    rayon::current_num_threads()
}

/// One at a time.
#[cfg(not(feature = "parallel"))]
pub const fn at_once() -> usize {
    1
}

/// Returns the results of `each` in the order of the items. `each` may use a value that `new` creates once
/// per thread.
#[cfg(feature = "parallel")]
pub fn map<T: Sync, W: Send, R: Send>(
    items: &[T],
    new: impl Fn() -> W + Sync,
    each: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let idle: Mutex<Vec<W>> = Mutex::default();
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::default()).collect();
    for_each(items.len(), &|at| {
        let (Some(item), Some(result)) = (items.get(at), results.get(at)) else {
            return;
        };
        let waiting = lock(&idle).pop();
        let mut work = waiting.unwrap_or_else(&new);
        *lock(result) = Some(each(&mut work, item));
        lock(&idle).push(work);
    });
    let results = results.into_iter();
    results.filter_map(|result| lock(&result).take()).collect()
}

/// Calls `each` with all numbers below `count`. It is a trait object so that rayon is compiled once, and not
/// for each caller: that was 7 % of the crate's code.
#[cfg(feature = "parallel")]
fn for_each(count: usize, each: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;
    (0..count).into_par_iter().for_each(each);
}

#[cfg(feature = "parallel")]
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sequential version.
#[cfg(not(feature = "parallel"))]
pub fn map<T, W, R>(items: &[T], new: impl Fn() -> W, each: impl Fn(&mut W, &T) -> R) -> Vec<R> {
    let mut work = new();
    items.iter().map(|item| each(&mut work, item)).collect()
}
