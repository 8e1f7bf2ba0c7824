//! Once it has warmed up, a reader allocates nothing per frame, and a writer next to nothing.
//!
//! This test has a program of its own, because the allocator counts for the whole process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use gametape_echo::butter::{self, Compression, Options};
use gametape_echo::{Frame, Game};
use gametape_samples::echo::{Match, MatchOptions};

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations() -> u64 {
    COUNT.with(Cell::get)
}

#[test]
fn reading_a_frame_allocates_nothing() {
    for seed in 0..6 {
        let frames: Vec<Frame> = Match::new(MatchOptions {
            seed,
            game: if seed == 3 { Game::Combat } else { Game::Arena },
            frames: Some(3000),
            bones: seed % 2 == 1,
            pauses: true,
            joins: false,
            players_per_team: 5,
            ..MatchOptions::default()
        })
        .collect();
        let options = Options {
            keyframe_interval: 3000,
            compression: Compression::None,
        };
        let bytes = butter::write(&frames, options).unwrap();
        let file = butter::read(&bytes).unwrap();
        let mut reader = file.frames();
        let (mut count, mut before, mut most) = (0, 0, 0);
        while reader.next_frame().unwrap().is_some() {
            let now = allocations();
            // The first frames of each chunk allocate.
            if count > 2 && !reader.is_keyframe() {
                most = most.max(now - before);
            }
            count += 1;
            before = allocations();
        }
        assert_eq!(count, 3000);
        // Names of a goal that are too long to be stored inline.
        assert!(most <= 2, "seed {seed}: {most} allocations for a frame");
    }
}
