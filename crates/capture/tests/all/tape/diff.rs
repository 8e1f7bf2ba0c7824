//! Differences between two recordings.

use gametape_capture::Options;
use gametape_core::surface::diff_tables;
use gametape_core::tape::{Diff, Work};
use gametape_delta::{Codec, Component, Encoder, Field, Schema, Snapshot, Value};
use proptest::prelude::*;

use super::{Recording, opened};
use crate::common::{capture_of, schema, small, stream, world};

fn diff(a: &[u8], b: &[u8]) -> Diff {
    opened(a.to_vec(), "a")
        .diff(&opened(b.to_vec(), "b"))
        .unwrap()
}

#[test]
fn missing_entities_ticks_and_other_schemas_are_named() {
    let (packets, states) = stream(10, 4, 100, 1);
    let a = packets.concat();
    let mut encoder = Encoder::new(&schema());
    let full = |encoder: &mut Encoder, state: &Snapshot| {
        let mut packet = Vec::new();
        encoder.full(state, &mut packet).unwrap();
        packet
    };
    let mut fewer = states[5].clone();
    let gone = fewer.ids()[1];
    fewer.remove(gone);
    let mut b = packets[..5].concat();
    b.extend(full(&mut encoder, &fewer));
    let found = diff(&a, &b);
    assert_eq!(
        found.first.as_deref(),
        Some(&*format!(
            "tick 6: entity {gone} is in the first and not in the second"
        ))
    );
    assert_eq!((found.step, found.tick), (Some(5), Some(6)));
    assert_eq!(found.more, 4, "and the second ends");
    let found = diff(&a, &capture_of(&packets[..7], small()));
    assert_eq!(
        found.first.as_deref(),
        Some("tick 8: the second recording has ended")
    );
    assert_eq!((found.step, found.tick, found.more), (Some(7), Some(8), 2));
    // The step is that of the recording that has the tick.
    let later = diff(&capture_of(&packets[..7], small()), &a);
    assert_eq!((later.step, later.tick), (Some(7), Some(8)));
    assert!(diff(&a, &capture_of(&packets, small())).same);
    let other = Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])]).unwrap();
    let packet = full(&mut Encoder::new(&other), &Snapshot::new(&other, 1));
    let b = Recording::of(packet, "b", &other);
    let found = opened(a, "a").diff(&b).unwrap();
    let first = found.first.unwrap();
    assert!(first.starts_with("the schemas differ, between the first (here) and the second (there): component 1, field 1 (x) is FixedPoint"), "{first}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// One value is changed in one state; the next delta restores it.
    #[test]
    fn diff_finds_the_one_value_that_was_changed(tick in 2..30_u32, entity in 0..6_usize, field in 1..=3_u16, captured: bool) {
        let states: Vec<Snapshot> = (1..=30).map(|tick| world(tick, 8)).collect();
        let mut changed = states.clone();
        let state = &mut changed[tick as usize - 1];
        let id = state.ids()[entity % state.len()];
        let old = state.entity(id).unwrap().value(1, field).unwrap();
        let new = match old {
            Value::Bool(value) => Value::Bool(!value),
            Value::UInt(value) => Value::UInt(value ^ 1),
            Value::FixedPoint(value) => Value::FixedPoint(if value == 0 { 1 } else { -value }),
            other => other,
        };
        state.entity_mut(id).unwrap().set_value(1, field, new).unwrap();
        let mut encoder = Encoder::new(&schema());
        let mut written = |states: &[Snapshot]| {
            let mut packets = vec![Vec::new()];
            encoder.full(&states[0], &mut packets[0]).unwrap();
            for pair in states.windows(2) {
                let mut packet = Vec::new();
                encoder.delta(&pair[0], &pair[1], &mut packet).unwrap();
                packets.push(packet);
            }
            packets
        };
        let a = written(&states).concat();
        let b = written(&changed);
        let b = if captured { capture_of(&b, small()) } else { b.concat() };
        let found = diff(&a, &b);
        prop_assert!(!found.same);
        prop_assert_eq!(found.tick, Some(u64::from(tick)));
        prop_assert_eq!(found.step, Some(u64::from(tick) - 1));
        prop_assert_eq!(found.more, 0);
        let details = &found.details;
        prop_assert_eq!(&details["entity"], id);
        prop_assert_eq!(&details["component"], 1);
        prop_assert_eq!(&details["field"], field);
        prop_assert_eq!(&details["values"], 1);
        let name = ["x", "yaw", "firing"][usize::from(field) - 1];
        prop_assert_eq!(
            found.first.unwrap(),
            format!("tick {tick}: entity {id}, component 1 (ship), field {field} ({name}) is {old} in the first, {new} in the second")
        );
    }
}

/// The tables do not decide whether two recordings are the same: an entity without components is in
/// none of them.
#[test]
fn an_entity_that_no_table_shows_is_a_difference() {
    let state = world(1, 4);
    let mut more = state.clone();
    more.insert(900).unwrap();
    let [a, b] = [&state, &more].map(|state| {
        let mut packet = Vec::new();
        Encoder::new(&schema()).full(state, &mut packet).unwrap();
        packet
    });
    let (a, b) = (opened(a, "a"), opened(b, "b"));
    let found = a.diff(&b).unwrap();
    assert_eq!(
        found.first.as_deref(),
        Some("tick 1: entity 900 is in the second and not in the first")
    );
    assert_eq!(found.details["missing_in"], "first");
    let tables = diff_tables([&a.tape, &b.tape], &Work::default())
        .unwrap()
        .value
        .tables;
    // Its packet is longer, as packets of one state can be.
    let tables: Vec<&str> = tables.iter().map(|table| &*table.table).collect();
    assert_eq!(tables, ["packets"]);
}

/// A redundant full snapshot changes no state.
#[test]
fn a_full_snapshot_beside_a_delta_is_no_difference() {
    let (mut packets, states) = stream(5, 3, 100, 1);
    let whole = capture_of(&packets, Options::default());
    let mut full = Vec::new();
    Encoder::new(&schema()).full(&states[2], &mut full).unwrap();
    packets.insert(3, full);
    let doubled = capture_of(&packets, Options::default());
    let (a, b) = (opened(whole, "a"), opened(doubled, "b"));
    let diff = a.diff(&b).unwrap();
    assert!(diff.same, "{:?}", diff.first);
}
