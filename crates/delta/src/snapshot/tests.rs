use super::*;
use crate::encode::Encoder;
use crate::schema::{Codec, Component, Field};
use crate::value::Value;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use proptest::prelude::*;

/// The values of each component of each entity.
type World = BTreeMap<u32, BTreeMap<u16, Vec<u64>>>;

/// Components of 0 to 3 fields.
fn schema() -> Schema {
    let field = |id| Field::new(id, Codec::UInt { bits: 8 });
    let component = |id: u16| Component::new(id, (1..id).map(field).collect::<Vec<_>>());
    Schema::new([1, 2, 3, 4].map(component)).unwrap()
}

fn values(values: &[u64]) -> Vec<Value> {
    values.iter().map(|value| Value::UInt(*value)).collect()
}

/// Fills a state entity by entity, in the order of ids and components.
fn in_order(world: &World) -> Snapshot {
    let mut state = Snapshot::new(&schema(), 1);
    for (id, components) in world {
        let mut entity = state.insert(*id).unwrap();
        for (component, codes) in components {
            entity.set(*component, &values(codes)).unwrap();
        }
    }
    state
}

fn full(state: &Snapshot) -> Vec<u8> {
    let mut packet = Vec::new();
    Encoder::new(state.schema())
        .full(state, &mut packet)
        .unwrap();
    packet
}

#[test]
fn a_state_filled_by_component_is_the_one_filled_by_entity() {
    let mut world = World::new();
    let mut state = Snapshot::new(&schema(), 1);
    for round in 0..3_u64 {
        state.clear();
        world.clear();
        for component in [3, 1, 4, 2] {
            // 7 is no divisor of 100, so every entity comes once.
            for at in 0..100_u32 {
                let id = at * 7 % 100;
                let codes = vec![u64::from(id) ^ round; usize::from(component) - 1];
                state.entry(id).set(component, &values(&codes)).unwrap();
                world.entry(id).or_default().insert(component, codes);
            }
        }
        assert_eq!(state, in_order(&world));
        assert_eq!(full(&state), full(&in_order(&world)));
    }
}

#[derive(Clone, Debug)]
enum Step {
    Set(u32, u16, u64),
    RemoveComponent(u32, u16),
    Remove(u32),
    Insert(u32),
    Retain(u32),
    Copy,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..24_u32, 1..5_u16, 0..256_u64).prop_map(|(id, c, v)| Step::Set(id, c, v)),
        2 => (0..24_u32, 1..5_u16).prop_map(|(id, c)| Step::RemoveComponent(id, c)),
        2 => (0..24_u32).prop_map(Step::Remove),
        2 => (0..24_u32).prop_map(Step::Insert),
        1 => (2..5_u32).prop_map(Step::Retain),
        1 => Just(Step::Copy),
    ]
}

proptest! {
    #[test]
    fn changes_in_any_order_give_the_same_state(steps in proptest::collection::vec(step(), 0..120)) {
        let mut world = World::new();
        let mut state = Snapshot::new(&schema(), 1);
        let mut copy = state.clone();
        for step in &steps {
            match *step {
                Step::Set(id, component, value) => {
                    let codes = vec![value; usize::from(component) - 1];
                    state.entry(id).set(component, &values(&codes)).unwrap();
                    world.entry(id).or_default().insert(component, codes);
                }
                Step::RemoveComponent(id, component) => {
                    let removed = state.entity_mut(id).is_some_and(|mut entity| entity.remove(component));
                    let known = world.get_mut(&id).and_then(|entity| entity.remove(&component));
                    prop_assert_eq!(removed, known.is_some());
                }
                Step::Remove(id) => prop_assert_eq!(state.remove(id), world.remove(&id).is_some()),
                Step::Insert(id) => {
                    prop_assert_eq!(state.insert(id).is_ok(), !world.contains_key(&id));
                    world.entry(id).or_default();
                }
                Step::Retain(part) => {
                    state.retain(|id| id % part != 0);
                    world.retain(|id, _| id % part != 0);
                }
                Step::Copy => {
                    copy.clone_from(&state);
                    core::mem::swap(&mut copy, &mut state);
                }
            }
            let expected = in_order(&world);
            prop_assert_eq!(&state, &expected);
            prop_assert_eq!(&expected, &state);
            prop_assert!(state.rows.is_compact());
        }
        prop_assert_eq!(full(&state), full(&in_order(&world)));
        // A delta between states of which one or none is in order.
        let mut later = state.clone();
        later.set_tick(2);
        for id in 0..24 {
            later.entry(id).set(2, &values(&[id.into()])).unwrap();
        }
        let (mut packet, mut of_copies) = (Vec::new(), Vec::new());
        let mut encoder = Encoder::new(state.schema());
        encoder.delta(&state, &later, &mut packet).unwrap();
        encoder.delta(&in_order(&world), &later.clone(), &mut of_copies).unwrap();
        prop_assert_eq!(packet, of_copies);
    }
}
