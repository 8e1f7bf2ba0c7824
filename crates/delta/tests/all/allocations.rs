//! Encoder, decoder and sessions do not allocate once warm. Allocations are counted per thread, so
//! that tests running at the same time do not matter.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use gametape_delta::Value::{Bool, FixedPoint, UInt, VarSInt};
use gametape_delta::{
    Codec, Component, Decoder, Encoder, Field, Playout, Receiver, ReceiverOptions, Schema, Sender,
    SenderOptions, Snapshot, World, settle,
};
use gametape_samples::delta::Arena;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
}

/// Returns the number of allocations of this thread.
pub fn count() -> u64 {
    COUNT.get()
}

/// Returns the number of bytes that this thread has allocated and not freed.
pub fn held() -> i64 {
    HELD.get()
}

fn taken(allocations: u64, bytes: i64) {
    // A thread that ends frees memory after these counters are gone.
    let _ = COUNT.try_with(|count| count.set(count.get() + allocations));
    let _ = HELD.try_with(|held| held.set(held.get() + bytes));
}

// SAFETY: each call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(1, layout.size() as i64);
        // SAFETY: the caller's guarantees also hold for the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        taken(1, new_size as i64 - layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        taken(0, -(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const POPULATION: u32 = 300;
const WARM_UP: u32 = 8;
const TICKS: u32 = 1_000;

/// Sets the values of entity `id` at `tick`. In the first ticks, values are as long on the wire as
/// possible and all entities are replaced, so that buffers grow to their full size.
fn place(state: &mut Snapshot, id: u32, tick: u32) {
    let t = i64::from(tick * 37 + id * 101);
    let far = if tick < 4 { i32::MIN } else { 0 };
    let body = [
        FixedPoint(t * 13 % 100_000 - 50_000),
        FixedPoint(t * 7 % 100_000 - 50_000),
        VarSInt(far + (t % 70_000) as i32),
    ];
    let flags = [UInt(t as u64 % 4096), Bool(t % 3 == 0)];
    state
        .entry(id)
        .set(1, &body)
        .unwrap()
        .set(2, &flags)
        .unwrap();
}

#[test]
fn a_thousand_ticks_allocate_nothing() {
    let fixed = Codec::FixedPoint {
        min_q: -50_000,
        max_q: 50_000,
        scale: 100,
    };
    let body = [
        Field::new(1, fixed).threshold(3),
        Field::new(2, fixed),
        Field::new(3, Codec::VarSInt),
    ];
    let flags = [
        Field::new(1, Codec::UInt { bits: 12 }),
        Field::new(2, Codec::Bool),
    ];
    let schema = Schema::new([Component::new(1, body), Component::new(2, flags)]).unwrap();
    let mut encoder = Encoder::new(&schema);
    let decoder = Decoder::new(&schema);
    let new = || Snapshot::new(&schema, 0);
    let (mut truth, mut settled, mut whole) = (new(), new(), new());
    // The receiver's state and the next one, whose memory is reused alternately.
    let (mut held, mut next) = (new(), new());
    let (mut delta, mut full) = (Vec::new(), Vec::new());

    let mut first_id = 0;
    let (mut allocations, mut replacements) = (0, 0);
    for tick in 1..=WARM_UP + TICKS {
        // The oldest few are replaced by new ones; at first, all are.
        let replaced = if tick < 4 { POPULATION } else { tick % 4 };
        for id in first_id..first_id + replaced {
            truth.remove(id);
        }
        first_id += replaced;
        truth.set_tick(tick);
        for id in first_id..first_id + POPULATION {
            place(&mut truth, id, tick);
        }
        let before = count();
        encoder.full(&truth, &mut full).unwrap();
        decoder.full(&full, &mut whole).unwrap();
        if tick == 1 {
            held.clone_from(&whole);
        } else {
            encoder.delta(&held, &truth, &mut delta).unwrap();
            decoder.delta(&held, &delta, &mut next).unwrap();
            settled.clone_from(&truth);
            settle(&held, &mut settled);
            std::mem::swap(&mut held, &mut next);
        }
        if tick > WARM_UP {
            allocations += count() - before;
            replacements += replaced;
        }
        assert_eq!(whole, truth);
        assert!(tick == 1 || held == settled);
        assert_eq!(held.len(), POPULATION as usize);
    }
    assert_eq!(allocations, 0);
    assert_eq!(replacements, TICKS / 4 * 6);
    // Check that the allocator counts.
    let before = count();
    drop(std::hint::black_box(vec![0; 100]));
    assert_eq!(count(), before + 1);
}

#[test]
fn sessions_allocate_nothing_once_warm() {
    let schema = Arena::schema();
    let options = SenderOptions {
        window: 16,
        ..SenderOptions::default()
    };
    let mut sender = Sender::with_options(&schema, options);
    let window = options.window;
    let options = ReceiverOptions {
        window,
        ..ReceiverOptions::default()
    };
    let mut receiver = Receiver::with_options(&schema, options);
    let mut arena = Arena::new(300, 1);
    let (mut world, mut state) = (World::new(&schema), Snapshot::new(&schema, 0));
    let mut playout = Playout::new(&schema, 30);
    let mut packet = Vec::new();
    let mut ack = None;
    let mut at_start = 0;
    for tick in 1..=4000_u32 {
        arena.step();
        arena.state(&mut state).unwrap();
        if tick == 2000 {
            at_start = count();
        }
        world.update(&state).unwrap();
        sender.encode(&mut world, &mut packet).unwrap();
        if let Some(ack) = ack.take() {
            sender.feedback(&ack);
        }
        // Losses follow a pattern with all distances to a baseline, up to the whole window.
        if tick % 7 != 0 && tick % 100 < 90 {
            let received = receiver.apply(&packet).unwrap();
            ack = Some(received.ack);
            let now = Duration::from_secs(tick.into()) / 30;
            playout.take(&receiver, &received, now);
            let view = playout.advance(now);
            assert!(tick < 100 || !view.is_empty());
        }
    }
    // Although the number of entities changes, buffers have reached their full size.
    let during = count() - at_start;
    assert!(during == 0, "{during} allocations in 2,000 ticks");
}
