//! Work that is done at once.

/// Does each piece of work on a thread of its own; gives what they give, in their order.
pub(crate) fn side_by_side<W, T>(works: impl Iterator<Item = W>) -> Vec<T>
where
    W: FnOnce() -> T + Send,
    T: Send,
{
    std::thread::scope(|scope| {
        let threads: Vec<_> = works.map(|work| scope.spawn(work)).collect();
        let results = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            // A simulation that panics is its author's: the panic goes on.
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect()
    })
}
