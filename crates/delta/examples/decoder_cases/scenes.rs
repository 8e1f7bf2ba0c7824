//! Random schemas and states, and packets that are a little wrong.

use gametape_delta::{Change, Codec, Component, Field, Schema, Snapshot, Value};
use proptest::prelude::*;

use crate::common::{Parts, Random, bounds, value};

pub fn threshold(field: &Field) -> i128 {
    match (field.codec, field.change) {
        (Codec::Bool, _) | (_, Change::Always) => 0,
        (_, Change::Threshold { threshold_q }) => threshold_q.into(),
    }
}

/// Returns a value of the field: often a bound, sometimes near `old`, at the threshold or next to
/// it.
pub fn some_value(field: &Field, old: Option<Value>, rng: &mut Random) -> Value {
    let (min, max) = bounds(field.codec);
    let t = threshold(field);
    let near = old.map_or(0, |old| old.as_i128());
    let number = match rng.below(if old.is_some() { 12 } else { 6 }) {
        0 => min,
        1 => max,
        2 => 0,
        3 => min + i128::from(rng.next() % 300),
        4 | 5 => min + i128::from(rng.next()) % (max - min + 1),
        6 => near + t,
        7 => near - t,
        8 => near + t + 1,
        9 => near - t - 1,
        _ => near,
    };
    value(field.codec, number.clamp(min, max))
}

fn codec() -> impl Strategy<Value = Codec> {
    // The oracle computes `max - min` and `min + code` in i64. Wider bounds overflow (a panic in a
    // debug build), so these end at ±(2^62 - 1) or on one side of zero.
    const FAR: i64 = (1 << 62) - 1;
    let bounds = prop_oneof![
        4 => (-2000..2000_i64, 0..5000_i64).prop_map(|(min, range)| (min, min + range)),
        1 => any::<i64>().prop_map(|at| (at >> 2, at >> 2)),
        2 => (-FAR..=FAR, -FAR..=FAR).prop_map(|(a, b)| (a.min(b), a.max(b))),
        1 => prop::sample::select(vec![(0, i64::MAX), (i64::MIN, -1), (-FAR, FAR), (0, 0)]),
    ];
    let bits = || prop_oneof![3 => 1..=64_u8, 1 => Just(1), 1 => Just(64), 1 => 57..=64_u8];
    prop_oneof![
        Just(Codec::Bool),
        bits().prop_map(|bits| Codec::UInt { bits }),
        // Not 63 bits: the oracle would subtract 2^63 as an i64, which overflows.
        bits().prop_map(|bits| Codec::SInt {
            bits: if bits == 63 { 62 } else { bits }
        }),
        Just(Codec::VarUInt),
        Just(Codec::VarSInt),
        (bounds, 1..=u32::MAX).prop_map(|((min_q, max_q), scale)| Codec::FixedPoint {
            min_q,
            max_q,
            scale
        }),
    ]
}

fn change(codec: Codec) -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => Just(Change::Always),
        2 => (0..40_u32).prop_map(|threshold_q| Change::Threshold { threshold_q }),
        1 => any::<u32>().prop_map(|threshold_q| Change::Threshold { threshold_q }),
    ]
    // The difference of two 64-bit SInt values may not fit an i64; with a threshold the oracle
    // overflows.
    .prop_map(move |change| match codec {
        Codec::SInt { bits: 64 } => Change::Always,
        _ => change,
    })
}

/// Returns different non-zero ids in no particular order: the step and 65,535 have no common
/// divisor.
fn id(at: usize, seed: u16) -> u16 {
    let step = 1_usize << (seed % 15);
    ((usize::from(seed) + at * step) % 65535 + 1) as u16
}

pub fn schemas() -> impl Strategy<Value = Schema> {
    let field =
        || codec().prop_flat_map(|codec| change(codec).prop_map(move |change| (codec, change)));
    let fields = |most| prop::collection::vec(field(), 0..=most);
    prop_oneof![
        8 => prop::collection::vec(fields(6), 0..=8),
        1 => prop::collection::vec(fields(1), 60..=64),
        1 => prop::collection::vec(prop::collection::vec(field(), 60..=64), 1..=3),
    ]
    .prop_flat_map(|components| (Just(components), any::<u16>()))
    .prop_map(|(components, seed)| {
        let components = components.into_iter().enumerate().map(|(at, fields)| {
            let seed = seed.wrapping_mul(at as u16 | 1);
            let fields = fields
                .into_iter()
                .enumerate()
                .map(|(at, (codec, change))| Field {
                    change,
                    ..Field::new(id(at, seed), codec)
                });
            Component::new(0, fields.collect::<Vec<_>>())
        });
        let with_ids = components.enumerate().map(|(at, mut component)| {
            component.id = id(at, seed);
            component
        });
        Schema::new(with_ids.collect::<Vec<_>>()).unwrap()
    })
}

fn set_component(state: &mut Snapshot, entity: u32, component: &Component, rng: &mut Random) {
    let values: Vec<_> = component
        .fields
        .iter()
        .map(|field| some_value(field, None, rng))
        .collect();
    state.entry(entity).set(component.id, &values).unwrap();
}

pub fn add_entity(state: &mut Snapshot, entity: u32, rng: &mut Random) {
    let schema = state.schema().clone();
    state.entry(entity);
    for component in schema.components() {
        if rng.one_in(2) {
            set_component(state, entity, component, rng);
        }
    }
}

pub fn make_state(schema: &Schema, tick: u32, seed: u64, most: usize) -> Snapshot {
    let mut rng = Random(seed);
    let mut state = Snapshot::new(schema, tick);
    for _ in 0..rng.below(most + 1) {
        let id = match rng.below(8) {
            0 => u32::MAX,
            1 => rng.next() as u32,
            _ => rng.next() as u32 % 40,
        };
        add_entity(&mut state, id, &mut rng);
    }
    state
}

/// Advances a state: values change, entities are created and destroyed and, if requested, so are
/// components.
pub fn step(state: &mut Snapshot, seed: u64, components_change: bool) {
    let mut rng = Random(seed);
    let schema = state.schema().clone();
    let before = state.ids().to_vec();
    for &id in &before {
        if rng.one_in(6) {
            state.remove(id);
            continue;
        }
        for component in schema.components() {
            let part = state.entity(id).unwrap().component(component.id);
            let old: Option<Vec<_>> = part.map(|part| part.values().collect());
            match old {
                Some(_) if components_change && rng.one_in(5) => {
                    state.entity_mut(id).unwrap().remove(component.id);
                }
                None if components_change && rng.one_in(5) => {
                    set_component(state, id, component, &mut rng);
                }
                Some(old) if !rng.one_in(3) => {
                    for (field, old) in component.fields.iter().zip(old) {
                        let new = some_value(field, Some(old), &mut rng);
                        let mut entity = state.entity_mut(id).unwrap();
                        entity.set_value(component.id, field.id, new).unwrap();
                    }
                }
                _ => {}
            }
        }
    }
    for _ in 0..rng.below(3) {
        let id = rng.next() as u32 % 50;
        // An entity that is destroyed and created again may have other components.
        if state.entity(id).is_none() && (components_change || !before.contains(&id)) {
            add_entity(state, id, &mut rng);
        }
    }
}

/// A schema, a state, and a later state.
#[derive(Debug)]
pub struct Scene {
    pub schema: Schema,
    pub from: Snapshot,
    pub to: Snapshot,
}

pub fn scenes(components_change: bool) -> impl Strategy<Value = Scene> {
    (schemas(), 1..u32::MAX, any::<[u64; 2]>()).prop_map(move |(schema, tick, seeds)| {
        let from = make_state(&schema, tick, seeds[0], 10);
        let mut to = from.clone();
        step(&mut to, seeds[1], components_change);
        to.set_tick(tick + 1 + seeds[1] as u32 % (u32::MAX - tick));
        Scene { schema, from, to }
    })
}

/// Changes a valid packet a little: a byte, the end, the order of its parts.
pub fn spoil(packet: &[u8], rng: &mut Random) -> Vec<u8> {
    let byte = |bytes: &mut Vec<u8>, from: usize, rng: &mut Random| {
        if bytes.len() <= from {
            return;
        }
        let at = from + rng.below(bytes.len() - from);
        match rng.below(8) {
            0 => bytes[at] = rng.next() as u8,
            1 => bytes[at] = bytes[at].wrapping_add(1),
            2 => bytes[at] = bytes[at].wrapping_sub(1),
            3 => bytes[at] = 0xff,
            4 => bytes.insert(at, rng.next() as u8),
            5 => drop(bytes.remove(at)),
            _ => bytes[at] ^= 1 << rng.below(8),
        }
    };
    let mut bytes = packet.to_vec();
    let mut parts = Parts::of(packet);
    let sections = parts.sections.len();
    match rng.below(10) {
        0 => bytes.truncate(rng.below(packet.len() + 1)),
        1 => byte(&mut bytes, 0, rng),
        2 | 3 => byte(&mut bytes, 28, rng),
        // The other changes keep the lengths correct, so that more than the framing is tested.
        4 if sections > 0 => {
            let at = rng.below(sections);
            let section = parts.sections[at].clone();
            parts.sections.push(section);
            return parts.build();
        }
        5 if sections > 1 => {
            parts.sections.swap(0, sections - 1);
            return parts.build();
        }
        6 if sections > 0 => {
            parts.sections[rng.below(sections)].0 = rng.below(5) as u8;
            return parts.build();
        }
        7 if sections > 0 => {
            let body = &mut parts.sections[rng.below(sections)].1;
            body.truncate(rng.below(body.len() + 1));
            return parts.build();
        }
        _ if sections > 0 => {
            byte(&mut parts.sections[rng.below(sections)].1, 0, rng);
            return parts.build();
        }
        _ => byte(&mut bytes, 0, rng),
    }
    bytes
}
