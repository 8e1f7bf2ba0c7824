//! Counts allocations. While counting is off, an allocation costs one additional branch, on both
//! sides.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};

pub struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ON: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
/// The bytes allocated during counting that are still in use, and their maximum.
static HELD: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// The number of calls of the allocator, and the bytes that they requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocations {
    pub calls: u64,
    pub bytes: u64,
}

/// Counts the allocations of `work`. Use it in programs with a single thread: the allocations of
/// all threads are counted.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, Allocations) {
    CALLS.store(0, Relaxed);
    BYTES.store(0, Relaxed);
    ON.store(true, Relaxed);
    let result = work();
    ON.store(false, Relaxed);
    let allocations = Allocations {
        calls: CALLS.load(Relaxed),
        bytes: BYTES.load(Relaxed),
    };
    (result, allocations)
}

/// The most bytes that `work` has in use at any time, in addition to those before it. All threads
/// count together.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, i64) {
    HELD.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    let (result, _) = count(work);
    (result, PEAK.load(Relaxed))
}

#[inline]
fn note(bytes: usize, freed: usize) {
    if ON.load(Relaxed) {
        if bytes > 0 {
            CALLS.fetch_add(1, Relaxed);
            BYTES.fetch_add(bytes as u64, Relaxed);
        }
        let change = bytes as i64 - freed as i64;
        let held = HELD.fetch_add(change, Relaxed) + change;
        PEAK.fetch_max(held, Relaxed);
    }
}

// SAFETY: every call is passed to the system's allocator with the caller's own arguments.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        note(new_size, layout.size());
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }
}
