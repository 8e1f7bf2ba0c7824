//! Parallel work on many files: [`each`] runs it on several threads and hands out the results in order;
//! [`Cores`] shares the cores among the work.

use std::io;
use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::exit;

/// Works on each thing: [`gametape::each`], until the command is asked to [stop](exit::is_stop_asked).
///
/// # Errors
/// The error of `take`; then no more work is begun.
pub fn each<T: Send, R: Send>(
    things: Vec<T>,
    threads: usize,
    work: impl Fn(T) -> R + Sync,
    take: impl FnMut(Vec<R>) -> io::Result<()>,
) -> io::Result<()> {
    gametape::each(things, threads, exit::is_stop_asked, work, take)
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
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

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
