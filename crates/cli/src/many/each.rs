//! Work on many things at once, given out in their order.

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use super::stop;

/// Results that may wait for one that takes long: memory is bounded by them.
const AHEAD: usize = 256;
/// Results that come within such a time are given out together: to be woken for each takes longer than
/// many a recording does.
const GATHER: Duration = Duration::from_millis(2);
/// Where nothing comes for so long, that is told, too.
const QUIET: Duration = Duration::from_millis(100);

/// Why there is no result: whoever worked on it panicked.
type Panic = Box<dyn Any + Send>;

/// Things that wait for somebody to work on them.
struct Queue<T> {
    things: Mutex<Waiting<T>>,
    moved: Condvar,
    /// Who takes the results.
    taker: Thread,
}

struct Waiting<T> {
    things: std::iter::Enumerate<std::vec::IntoIter<T>>,
    /// How many may have been begun.
    most: usize,
    begun: usize,
}

impl<T> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, Waiting<T>> {
        self.things.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next thing, once it may be begun.
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

    /// So many results were taken.
    fn taken(&self, count: usize) {
        self.lock().most = count + AHEAD;
        self.moved.notify_all();
    }
}

/// Nothing more is begun when it goes, however that comes.
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

/// Does work on each thing, on so many threads; `take` gets what comes of it in the order of the things, as
/// many as are there at a time: none where it has heard nothing for a moment. Once it is to
/// [stop](stop::is_asked) it gets all that is there.
///
/// The threads are none of rayon's: work may wait for threads of its own that use those.
///
/// # Errors
/// What `take` says: then nothing more is begun.
pub fn each<T: Send, R: Send>(
    things: Vec<T>,
    threads: usize,
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
            let stops = stop::is_asked();
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
    use std::time::Duration;

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
        each((0..5000).collect(), 2, work, |numbers| {
            assert!(begun.load(Ordering::Relaxed) <= taken.len() + numbers.len() + 2 * AHEAD);
            taken.extend(numbers);
            Ok(())
        })
        .unwrap();
        assert_eq!(taken, (0..5000).collect::<Vec<usize>>());
    }

    #[test]
    fn who_takes_no_more_ends_it() {
        let begun = AtomicUsize::new(0);
        let work = |_| begun.fetch_add(1, Ordering::Relaxed);
        let ended = each((0..100_000).collect(), 2, work, |_| {
            Err(io::ErrorKind::BrokenPipe.into())
        });
        assert!(ended.is_err());
        assert!(begun.load(Ordering::Relaxed) < 50_000);
    }

    #[test]
    #[should_panic(expected = "at 700")]
    fn a_panic_goes_on_and_hangs_nothing() {
        let work = |number: usize| assert!(number != 700, "at {number}");
        each((0..5000).collect(), 2, work, |_| Ok(())).unwrap();
    }
}
