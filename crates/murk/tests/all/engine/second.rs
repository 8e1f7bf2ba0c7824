//! The engine agrees with a second simulator of its worlds, to the last bit of the states and on
//! the writer of each value.

use std::collections::HashSet;

use gametape_murk::{CommandBuf, Envelope, Simulation, read};
use proptest::prelude::*;

use crate::common::plain::{Lasts, Rule, Space, World, Writer, generate};
use crate::common::set;

fn bits(simulation: &impl Simulation, field: u32) -> Vec<u32> {
    let values = simulation.field(field).unwrap_or_default();
    values.iter().map(|value| value.to_bits()).collect()
}

fn agree(world: &World, seed: u64) {
    let log = generate::log(world, seed, 20);
    let (mut plain, mut engine) = (world.start(), world.engine().build().unwrap());
    for (tick, commands) in (1..).zip(&log) {
        let commands = commands.as_commands();
        let stepped = plain.step(tick, commands).is_ok();
        assert_eq!(engine.step(tick, commands).is_ok(), stepped, "tick {tick}");
        for field in 0..world.fields.len() as u32 {
            assert_eq!(
                bits(&engine, field),
                bits(&plain, field),
                "tick {tick}, field {field}\n{}",
                world.toml()
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_and_the_second_simulator_agree(seed in any::<u64>(), log in any::<u64>()) {
        agree(&generate::world(seed), log);
    }

    #[test]
    fn they_agree_on_ticks_that_fail(seed in any::<u64>(), log in any::<u64>()) {
        agree(&generate::failing(seed), log);
    }
}

/// `reward` reads values of its own tick, but only those that earlier propagators wrote. Like every
/// propagator, it sees the values of commands a tick later.
#[test]
fn what_commands_write_is_seen_a_tick_later_by_reward_too() {
    let emission = Rule::Emission {
        presence: 1,
        field: 0,
        intensity: 2.0,
        set: true,
    };
    let reward = Rule::Reward {
        bonus: 1.0,
        cost: 0.5,
    };
    let rewards = |rules: Vec<Rule>| {
        let world = World {
            dt: 1.0,
            queue: 1024,
            space: Space::Ring(3),
            // Heat, its source, agents, an unused field, and the reward.
            fields: [
                Lasts::OneTick,
                Lasts::On,
                Lasts::On,
                Lasts::On,
                Lasts::OneTick,
            ]
            .map(|lasts| (lasts, 1))
            .to_vec(),
            rules,
        };
        let mut first = CommandBuf::new();
        for field in [1, 2] {
            let set = set(&[0], field, 1.0);
            first.push(&Envelope::default(), &set).unwrap();
        }
        let mut engine = world.engine().build().unwrap();
        [first, CommandBuf::new(), CommandBuf::new()].map(|commands| {
            engine.step(0, commands.as_commands()).unwrap();
            engine.field(4).unwrap()[0]
        })
    };
    let bits = |values: [f32; 3]| values.map(f32::to_bits);
    // The agent is set in the first tick, and seen in the second. The heat of the second tick is
    // written before the reward, or after it.
    let after = rewards(vec![emission.clone(), reward.clone()]);
    assert_eq!(bits(after), bits([0.0, 2.5, 2.5]));
    assert_eq!(bits(rewards(vec![reward, emission])), bits([0.0, 0.5, 2.5]));
}

/// The generator makes everything that the tests above need; otherwise they would prove little.
#[test]
fn every_kind_of_rule_and_of_writer_is_generated() {
    let (mut rules, mut writers) = (HashSet::new(), HashSet::new());
    for seed in 0..300 {
        let world = generate::world(seed);
        let bytes = world.record(&generate::log(&world, seed, 12));
        assert_eq!(read(&bytes).unwrap().frames().count(), 12);
        let mut plain = world.start();
        for (tick, commands) in (1..).zip(&generate::log(&world, seed, 12)) {
            plain.step(tick, commands.as_commands()).unwrap();
        }
        for (number, &(lasts, components)) in (0..).zip(&world.fields) {
            let rule = world.rules.iter().find(|rule| rule.output() == number);
            rules.insert(rule.map(std::mem::discriminant));
            for element in 0..plain.field(number as u32).unwrap().len() {
                let writer = std::mem::discriminant(&plain.writer(number as u32, element));
                writers.insert((format!("{lasts:?}"), components, rule.is_some(), writer));
            }
        }
    }
    let none = std::mem::discriminant(&Writer::Nobody);
    assert_eq!(rules.len(), 7, "six rules, and none");
    for (lasts, ruled, count) in [
        ("Never", false, 1),
        ("OneTick", false, 2),
        ("On", false, 2),
        ("OneTick", true, 2),
    ] {
        for components in [1, 2] {
            let of = writers
                .iter()
                .filter(|(l, c, r, _)| (l.as_str(), *c, *r) == (lasts, components, ruled));
            let found: Vec<_> = of.collect();
            assert_eq!(found.len(), count, "{lasts} {components} {ruled}");
            assert!(found.iter().any(|(_, _, _, writer)| *writer == none));
        }
    }
}
