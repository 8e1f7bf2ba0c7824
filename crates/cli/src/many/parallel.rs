//! Parallel work on many files: [`each`] runs it on several threads and hands out the results in order;
//! [`Cores`] shares the cores among the work.

use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, Thread};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::exit;

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
/// a time as are ready; it gets none if no result arrives for a moment. Once the command is asked to
/// [stop](exit::is_stop_asked), it gets all results so far.
///
/// The threads are not rayon's, since work may wait for rayon's threads.
///
/// # Errors
/// The error of `take`; then no more work is begun.
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
            let stops = exit::is_stop_asked();
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

/// The number of cores.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// All cores, each with a pool of one thread. Work on a file takes one core, or waits for one, which bounds
/// the memory. Work that waits for something else should not hold a core.
pub struct Cores {
    free: Mutex<Vec<Option<ThreadPool>>>,
    freed: Condvar,
    /// Locked by the work that uses all cores.
    all: Mutex<()>,
}

/// A core in use, returned when it is dropped.
struct Core<'c> {
    of: &'c Cores,
    pool: Option<ThreadPool>,
}

impl Cores {
    pub fn new() -> Self {
        let pool = |_| ThreadPoolBuilder::new().num_threads(1).build().ok();
        Self {
            free: Mutex::new((0..cores()).map(pool).collect()),
            freed: Condvar::new(),
            all: Mutex::new(()),
        }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Option<ThreadPool>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn core(&self) -> Core<'_> {
        let mut free = self.free();
        loop {
            if let Some(pool) = free.pop() {
                return Core { of: self, pool };
            }
            free = self
                .freed
                .wait(free)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Works on one core, once one is free. Large work uses all cores, unless other large work does.
    pub fn work<R: Send>(&self, large: bool, work: impl FnOnce() -> R + Send) -> R {
        let core = self.core();
        if large {
            let all = self.all.try_lock();
            if !matches!(all, Err(TryLockError::WouldBlock)) {
                return work();
            }
        }
        match &core.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl Drop for Core<'_> {
    fn drop(&mut self) {
        self.of.free().push(self.pool.take());
        self.of.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
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
        each((0..5000).collect(), 2, work, |numbers| {
            assert!(begun.load(Ordering::Relaxed) <= taken.len() + numbers.len() + 2 * AHEAD);
            taken.extend(numbers);
            Ok(())
        })
        .unwrap();
        assert_eq!(taken, (0..5000).collect::<Vec<usize>>());
    }

    #[test]
    fn an_error_of_take_ends_the_work() {
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

    #[test]
    fn no_more_work_at_once_than_there_are_cores() {
        let (all, working, most) = (Cores::new(), AtomicUsize::new(0), AtomicUsize::new(0));
        // Released once there is work on each core.
        let each = Barrier::new(cores());
        thread::scope(|scope| {
            for _ in 0..4 * cores() {
                scope.spawn(|| {
                    all.work(false, || {
                        assert_eq!(rayon::current_num_threads(), 1);
                        let now = working.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        each.wait();
                        working.fetch_sub(1, Ordering::SeqCst);
                    });
                });
            }
        });
        assert_eq!(most.into_inner(), cores());
    }

    #[test]
    fn large_work_uses_all_cores_unless_other_large_work_does() {
        let (all, threads) = (Cores::new(), rayon::current_num_threads());
        all.work(true, || {
            assert_eq!(rayon::current_num_threads(), threads);
            if cores() > 1 {
                thread::scope(|scope| {
                    scope.spawn(|| {
                        all.work(true, || assert_eq!(rayon::current_num_threads(), 1));
                    });
                });
            }
        });
    }

    #[test]
    fn a_panic_returns_the_core() {
        let all = Cores::new();
        for _ in 0..cores() {
            let work = AssertUnwindSafe(|| all.work(false, || panic!("of the work")));
            assert!(catch_unwind(work).is_err());
        }
        assert_eq!(all.work(false, || 1), 1);
    }
}
