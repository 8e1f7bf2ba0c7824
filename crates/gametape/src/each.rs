//! Parallel work on many recordings, whose results come in order.

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

/// The number of results that may wait for a slow one. It bounds the memory.
const AHEAD: usize = 256;
/// Results that arrive within this time are handed out together: waking up for each would take longer than
/// the work on a small recording.
const GATHER: Duration = Duration::from_millis(2);
/// If no result arrives for this long, `take` is called without results.
const QUIET: Duration = Duration::from_millis(100);

/// The panic of a thread that has no result.
type Panic = Box<dyn Any + Send>;

/// Things that wait for a worker.
struct Queue<T> {
    things: Mutex<Waiting<T>>,
    moved: Condvar,
    /// The thread that takes the results.
    taker: Thread,
}

struct Waiting<T> {
    things: std::iter::Enumerate<std::vec::IntoIter<T>>,
    /// The number of things that may be begun so far.
    most: usize,
    begun: usize,
}

impl<T> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, Waiting<T>> {
        self.things.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until another thing may be begun and returns it.
    fn next(&self) -> Option<(usize, T)> {
        let mut waiting = self.lock();
        while waiting.begun >= waiting.most {
            self.taker.unpark();
            waiting = self
                .moved
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let next = waiting.things.next()?;
        waiting.begun += 1;
        Some(next)
    }

    /// Notes the number of results taken.
    fn taken(&self, count: usize) {
        self.lock().most = count + AHEAD;
        self.moved.notify_all();
    }
}

/// Stops the queue when it is dropped.
struct Ending<'q, T>(&'q Queue<T>);

impl<T> Drop for Ending<'_, T> {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.things = Vec::new().into_iter().enumerate();
        waiting.most = usize::MAX;
        drop(waiting);
        self.0.moved.notify_all();
    }
}

/// Works on each thing, on this many threads. `take` gets the results in the order of the things, as many at
/// a time as are ready; it gets none if no result arrives for a moment. Once `stops` says so, it gets all results so
/// far, without those between them that are not there yet.
///
/// ```
/// let mut squares = Vec::new();
/// gametape::each(vec![3, 1, 2], 2, || false, |n| n * n, |ready| {
///     squares.extend(ready);
///     Ok(())
/// })?;
/// assert_eq!(squares, [9, 1, 4]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// The threads are not rayon's, since work may wait for rayon's threads.
///
/// # Errors
/// The error of `take`; then no more work is begun.
pub fn each<T: Send, R: Send>(
    things: Vec<T>,
    threads: usize,
    stops: impl Fn() -> bool,
    work: impl Fn(T) -> R + Sync,
    mut take: impl FnMut(Vec<R>) -> io::Result<()>,
) -> io::Result<()> {
    let count = things.len();
    if count < 2 {
        return things
            .into_iter()
            .try_for_each(|thing| take(vec![work(thing)]));
    }
    let queue = Queue {
        things: Mutex::new(Waiting {
            things: things.into_iter().enumerate(),
            most: AHEAD,
            begun: 0,
        }),
        moved: Condvar::new(),
        taker: thread::current(),
    };
    let help = |to: Sender<(usize, Result<R, Panic>)>| {
        while let Some((at, thing)) = queue.next() {
            let done = catch_unwind(AssertUnwindSafe(|| work(thing)));
            if to.send((at, done)).is_err() {
                return;
            }
        }
        drop(to);
        queue.taker.unpark();
    };
    let help = &help;
    thread::scope(|scope| {
        let ending = Ending(&queue);
        let (to, from) = channel();
        let helpers = (0..count.min(threads)).filter(|_| {
            let to = to.clone();
            let helper = thread::Builder::new().spawn_scoped(scope, move || help(to));
            helper.is_ok()
        });
        if helpers.count() == 0 {
            return Err(io::Error::other("no thread can be started"));
        }
        drop(to);
        let mut early: BTreeMap<usize, Result<R, Panic>> = BTreeMap::new();
        let mut next = 0;
        loop {
            match from.recv_timeout(QUIET) {
                Ok(done) => early.extend(std::iter::once(done).chain(from.try_iter())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let stops = stops();
            let mut ready = Vec::new();
            while let Some(done) = early
                .first_entry()
                .filter(|done| stops || *done.key() == next)
            {
                next = done.key() + 1;
                ready.push(done.remove().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            queue.taken(next);
            take(ready)?;
            thread::park_timeout(GATHER);
        }
        drop(ending);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_order_and_few_wait() {
        let begun = AtomicUsize::new(0);
        let mut taken = Vec::new();
        let work = |number: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            if number == 0 {
                thread::sleep(Duration::from_millis(50));
            }
            number
        };
        each(
            (0..5000).collect(),
            2,
            || false,
            work,
            |numbers| {
                assert!(begun.load(Ordering::Relaxed) <= taken.len() + numbers.len() + 2 * AHEAD);
                taken.extend(numbers);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!(taken, (0..5000).collect::<Vec<usize>>());
    }

    #[test]
    fn an_error_of_take_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let work = |_| begun.fetch_add(1, Ordering::Relaxed);
        let ended = each(
            (0..100_000).collect(),
            2,
            || false,
            work,
            |_| Err(io::ErrorKind::BrokenPipe.into()),
        );
        assert!(ended.is_err());
        assert!(begun.load(Ordering::Relaxed) < 50_000);
    }

    #[test]
    #[should_panic(expected = "at 700")]
    fn a_panic_goes_on_and_hangs_nothing() {
        let work = |number: usize| assert!(number != 700, "at {number}");
        each((0..5000).collect(), 2, || false, work, |_| Ok(())).unwrap();
    }
}
