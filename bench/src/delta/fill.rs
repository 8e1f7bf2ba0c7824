//! Filling a state from a world, entity by entity and component by component.

use std::time::{Duration, Instant};

use gametape_delta::{Codec, Component, Field, Schema, Snapshot, Value};

const COMPONENTS: u16 = 4;

pub fn run(filter: &str) {
    let name = "delta-fill";
    if !name.contains(filter) {
        return;
    }
    println!("\n{name}: ns an entity of {COMPONENTS} components of three fields");
    println!(
        "{:<9} {:>17} {:>20} {:>26}",
        "entities", "entity by entity", "component by comp.", "the same, in random order"
    );
    for entities in [1000, 4000, 16_000] {
        let ascending: Vec<u32> = (0..entities).collect();
        // 7919 is prime, so every entity comes once.
        let mixed: Vec<u32> = (0..entities)
            .map(|at| (u64::from(at) * 7919 % u64::from(entities)) as u32)
            .collect();
        let per_entity = |time: Duration| time.as_secs_f64() * 1e9 / f64::from(entities);
        println!(
            "{entities:<9} {:>17.0} {:>20.0} {:>26.0}",
            per_entity(median(|state| {
                for id in &ascending {
                    for component in 1..=COMPONENTS {
                        set(state, *id, component);
                    }
                }
            })),
            per_entity(median(|state| by_component(state, &ascending, &ascending))),
            per_entity(median(|state| by_component(state, &ascending, &mixed))),
        );
    }
}

fn by_component(state: &mut Snapshot, first: &[u32], others: &[u32]) {
    for component in 1..=COMPONENTS {
        for id in if component == 1 { first } else { others } {
            set(state, *id, component);
        }
    }
}

fn set(state: &mut Snapshot, id: u32, component: u16) {
    let values = [0, 1, 2].map(|axis| Value::UInt(u64::from(id) + axis));
    state
        .entry(id)
        .set(component, &values)
        .expect("within bounds");
}

fn median(mut fill: impl FnMut(&mut Snapshot)) -> Duration {
    let field = |id| Field::new(id, Codec::UInt { bits: 20 });
    let component = |id| Component::new(id, [1, 2, 3].map(field));
    let components: Vec<_> = (1..=COMPONENTS).map(component).collect();
    let schema = Schema::new(components).expect("a sound schema");
    let mut state = Snapshot::new(&schema, 1);
    let mut times: Vec<_> = (0..9)
        .map(|_| {
            state.clear();
            let start = Instant::now();
            fill(&mut state);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}
