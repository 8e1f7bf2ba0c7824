//! The calls of each tick allocate nothing once warm. Allocations are counted per thread, so that tests running at
//! the same time do not matter.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;

use gametape_c::*;

use crate::common::*;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: each call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counter any more.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's guarantees also hold for the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

extern "C" fn relevance(_: *mut c_void, entity: u32, _: f64, audience: *mut u32) -> u32 {
    // SAFETY: it points to a number.
    unsafe { audience.write(entity % 3) };
    1 + entity % 4
}

#[test]
fn a_session_allocates_nothing_once_warm() {
    let schema = schema();
    let mut error = gametape_error_new().unwrap();
    let mut ships = state(&schema, 1);
    let mut world = gametape_world_new(Some(&schema), None).unwrap();
    gametape_world_restrict(Some(&mut world), 2, Audience::Owner as u32, None);
    let mut grid = grid(&schema, 1, &[1, 2], 100.0, None).unwrap();
    let area = Area {
        enter: 1000.0,
        ..Area::default()
    };
    let mut sender = gametape_sender_new(Some(&schema), None, None).unwrap();
    let mut receiver = gametape_receiver_new(Some(&schema), None, None).unwrap();
    let mut playout = gametape_playout_new(Some(&schema), 30, None, None).unwrap();
    let mut seen = 0;
    let mut tick = |tick: u32, error: &mut Error| {
        gametape_snapshot_clear(Some(&mut ships), Some(error));
        gametape_snapshot_set_tick(Some(&mut ships), tick, Some(error));
        for id in 1..=200 {
            put(
                &mut ships,
                id,
                1,
                &[i64::from(tick * id % 50_000), i64::from(tick % 100)],
            );
            gametape_world_group(Some(&mut world), id, id / 150, Some(error));
        }
        update(&mut world, &ships);
        gametape_grid_update(Some(&mut grid), Some(&world), Some(error));
        let mut sent = MaybeUninit::uninit();
        let (from, log, context) = (&raw mut *sender, &raw mut *world, std::ptr::null_mut());
        let (ask, into, why) = (Some(relevance as _), Some(&mut sent), Some(&mut *error));
        // SAFETY: handles and a callback.
        let status = unsafe {
            if tick.is_multiple_of(2) {
                gametape_sender_encode(from, log, ask, context, into, why)
            } else {
                let (near, area) = (&raw const *grid, &raw const area);
                gametape_sender_encode_near(from, log, near, area, ask, context, into, why)
            }
        };
        assert_eq!(status, Status::Ok);
        // SAFETY: it is set if there was no error.
        let (_, received) = apply(&mut receiver, bytes(&unsafe { sent.assume_init() }));
        feedback(&mut sender, &received.feedback);
        seen += receiver_events(&receiver).len();
        let now = u64::from(tick) * 33_333_333;
        gametape_playout_take(Some(&mut playout), Some(&receiver), now, Some(error));
        advance(&mut playout, now);
        seen += playout_events(&playout).len();
        // An error with its text, too.
        gametape_snapshot_set(Some(&mut ships), 1, 1, 2, 128, Some(error));
        assert_eq!(gametape_error_status(Some(error)), Status::Caller);
    };
    (1..=100).for_each(|at| tick(at, &mut error));
    let before = COUNT.get();
    (101..=400).for_each(|at| tick(at, &mut error));
    assert_eq!(COUNT.get() - before, 0);
    assert!(seen > 400);
}
