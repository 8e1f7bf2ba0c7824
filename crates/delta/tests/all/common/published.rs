//! The vectors published with the notes on the specification.

use gametape_delta::Value::{Bool, FixedPoint, SInt, UInt, VarSInt, VarUInt};
use gametape_delta::{Codec, Component, Field, Schema, Snapshot};

pub const HASH: u64 = 0x6ceb_7ed0_c1d5_257d;
pub const FULL: &str = "43454453000001007d25d5c1d07eeb6c01000000000000001d000000011b0301000000be01e802000000f80727ac0203000009000000b80000";
pub const DELTA: &str = "43454453000002007d25d5c1d07eeb6c03000000010000002500000002050109000000010c0105000000fc01870000fa00030e020100000094040200000060ad02";

/// The hash of the schema with one bool.
pub const ONE_BOOL_HASH: u64 = 0x32f5_a224_657b_ee15;

pub fn one_bool() -> Schema {
    Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])]).unwrap()
}

pub fn schema() -> Schema {
    let fixed = Codec::FixedPoint {
        min_q: -1000,
        max_q: 1000,
        scale: 100,
    };
    Schema::new([
        Component::new(
            1,
            [
                Field::new(1, Codec::Bool),
                Field::new(2, Codec::UInt { bits: 10 }),
                Field::new(3, Codec::SInt { bits: 5 }),
            ],
        ),
        Component::new(
            2,
            [
                Field::new(1, Codec::VarUInt),
                Field::new(2, Codec::VarSInt),
                Field::new(3, fixed).threshold(5),
            ],
        ),
    ])
    .unwrap()
}

/// Tick 1: the state in [`FULL`].
pub fn first() -> Snapshot {
    let mut state = Snapshot::new(&schema(), 1);
    let c1 = [Bool(true), UInt(513), SInt(-3)];
    state.entry(1).set(1, &c1).unwrap();
    let c1 = [Bool(false), UInt(7), SInt(4)];
    let c2 = [VarUInt(300), VarSInt(-2), FixedPoint(-1000)];
    state.entry(2).set(2, &c2).unwrap().set(1, &c1).unwrap();
    let c1 = [Bool(false), UInt(0), SInt(0)];
    state.entry(9).set(1, &c1).unwrap();
    state
}

/// Tick 3: the source of [`DELTA`]. The fixed-point value changes by less than its threshold.
pub fn third() -> Snapshot {
    let mut state = first();
    state.set_tick(3);
    state.remove(9);
    let c1 = [Bool(true), UInt(1), SInt(-16)];
    let c2 = [VarUInt(0), VarSInt(0), FixedPoint(1000)];
    state.entry(5).set(1, &c1).unwrap().set(2, &c2).unwrap();
    state.entry(1).set_value(1, 2, UInt(514)).unwrap();
    let mut second = state.entry(2);
    second.set_value(2, 1, VarUInt(301)).unwrap();
    second.set_value(2, 3, FixedPoint(-995)).unwrap();
    state
}
