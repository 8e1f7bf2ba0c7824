//! Encoder and decoder do not allocate once warm.

use gametape_delta::Value::{Bool, FixedPoint, UInt, VarSInt};
use gametape_delta::{Codec, Component, Decoder, Encoder, Field, Schema, Snapshot, settle};

use crate::allocations::count;

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
