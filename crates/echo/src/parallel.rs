//! Parallel work: on all cores with the feature `parallel`, otherwise sequential.

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
/// per thread, or for a few items.
#[cfg(feature = "parallel")]
pub fn map<T: Sync, W, R: Send>(
    items: &[T],
    new: impl Fn() -> W + Sync + Send,
    each: impl Fn(&mut W, &T) -> R + Sync + Send,
) -> Vec<R> {
    use rayon::prelude::*;
    items.par_iter().map_init(new, each).collect()
}

/// The sequential version.
#[cfg(not(feature = "parallel"))]
pub fn map<T, W, R>(items: &[T], new: impl Fn() -> W, each: impl Fn(&mut W, &T) -> R) -> Vec<R> {
    let mut work = new();
    items.iter().map(|item| each(&mut work, item)).collect()
}

/// Returns the results of `each`, which consumes the items, in their order.
#[cfg(all(feature = "tape", feature = "parallel"))]
pub fn map_taken<T: Send, R: Send>(items: Vec<T>, each: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    use rayon::prelude::*;
    items.into_par_iter().map(each).collect()
}
