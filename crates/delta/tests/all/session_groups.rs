//! Groups of entities that travel together.

use std::collections::BTreeMap;

use gametape_delta::{Audience, Sender, SenderOptions, Snapshot, Value, World};
use proptest::prelude::*;

use crate::session_audience::{Client, Seen, put, random, schema, world};
use crate::session_network::conditions;

/// Three entities are a group, and the fourth has none.
fn group_of(id: u32) -> Option<u32> {
    (!id.is_multiple_of(4)).then_some(id / 4)
}

/// Checks that there is a tick at which the members of each group were as they are shown, including
/// those that are not shown.
fn judge(client: &Client, population: u32) -> Result<(), TestCaseError> {
    let view = client.view();
    let nothing = BTreeMap::new();
    for group in 0..=population / 4 {
        let members = (0..population).filter(|id| group_of(*id) == Some(group));
        let is_so = |then: &BTreeMap<u32, Seen>| {
            let mut members = members.clone();
            members.all(|id| then.get(&id) == view.get(&id))
        };
        let is_so = is_so(&nothing) || client.past.values().rev().any(is_so);
        prop_assert!(is_so, "group {} never was as it is in {:?}", group, view);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever the network does, and whoever is born, dies, hides or changes his role: a group is
    /// shown as it was at one moment, and in the end as it is.
    #[test]
    fn a_group_is_shown_as_of_one_moment(
        seed: u64,
        conditions in conditions(),
        budget in 190..1200_usize,
        window in 2..80_usize,
        population in 4..24_u32,
        restarts: bool,
        births: bool,
    ) {
        let mut rng = random(seed);
        let options = SenderOptions { budget, window, ..SenderOptions::default() };
        let mut world = world();
        let mut state = Snapshot::new(&schema(), 0);
        let mut client = Client::new(options, conditions, seed);
        client.roles = (0..population).map(|id| (id, Audience::Owner)).collect();
        for tick in 1..=150 {
            for id in 0..population {
                match rng(24) {
                    0 if births => drop(state.remove(id)),
                    1 if births => drop(world.despawn(id)),
                    2 => drop(state.entry(id).remove(1 + rng(5) as u16)),
                    3..=9 => put(&mut state, id, 1 + rng(5) as u16, &mut rng),
                    _ => {}
                }
                world.group(id, group_of(id));
            }
            state.set_tick(tick);
            world.update(&state).unwrap();
            if births {
                client.turn(population, &mut rng);
            }
            client.step_judged(&mut world, |client| judge(client, population))?;
            if restarts && tick % 50 == 0 {
                client.receiver.reset();
                client.down.drop_flying();
            }
        }
        client.calm();
        for _ in 0..500 {
            if client.view() == client.now(&world) {
                break;
            }
            state.set_tick(state.tick() + 1);
            world.update(&state).unwrap();
            client.step_judged(&mut world, |client| judge(client, population))?;
        }
        prop_assert_eq!(client.view(), client.now(&world));
    }
}

/// One of three entities has changed, and then another one; nothing was acknowledged.
#[test]
fn what_is_under_way_travels_again_with_the_group() {
    let schema = schema();
    let mut world = World::new(&schema);
    let mut state = Snapshot::new(&schema, 1);
    for id in 1..=4 {
        state.entry(id).set(2, &[Value::VarUInt(0)]).unwrap();
        world.group(id, (id < 4).then_some(9));
    }
    let mut sender = Sender::new(&schema);
    let mut packet = Vec::new();
    let mut send = |changed: &[u32], state: &mut Snapshot| {
        for id in changed {
            let tick = Value::VarUInt(state.tick());
            state.entry(*id).set(2, &[tick]).unwrap();
        }
        world.update(state).unwrap();
        state.set_tick(state.tick() + 1);
        let sent = sender.encode(&mut world, &mut packet).unwrap();
        assert_eq!(sent.waiting, 0);
        sent.named
    };
    assert_eq!(send(&[], &mut state), 4);
    assert_eq!(send(&[1, 4], &mut state), 2);
    assert_eq!(send(&[2], &mut state), 2, "and the first again");
    assert_eq!(send(&[4], &mut state), 1);
    assert_eq!(send(&[3, 4], &mut state), 4);
    assert_eq!(send(&[], &mut state), 0);
}

#[test]
fn a_group_that_fits_into_no_packet_is_held_back() {
    let schema = schema();
    let mut world = World::new(&schema);
    let mut state = Snapshot::new(&schema, 1);
    for id in 1..=6 {
        let value = Value::VarUInt(u32::MAX);
        state.entry(id).set(2, &[value]).unwrap();
        world.group(id, (id < 5).then_some(9));
    }
    world.update(&state).unwrap();
    let options = SenderOptions {
        budget: 62,
        ..SenderOptions::default()
    };
    let mut sender = Sender::with_options(&schema, options);
    let mut packet = Vec::new();
    let sent = sender.encode(&mut world, &mut packet).unwrap();
    assert_eq!((sent.named, sent.waiting), (2, 4));
    let held_back = sent.held_back.unwrap();
    assert_eq!((held_back.entity, held_back.group), (1, Some(9)));
    let needed = held_back.needed;
    assert_eq!(
        held_back.to_string(),
        format!("group 9 of entity 1 alone needs {needed}, and 62 are allowed: bytes in a packet")
    );
    // With a larger budget it is there at once.
    sender.set_budget(needed);
    state.set_tick(2);
    world.update(&state).unwrap();
    let sent = sender.encode(&mut world, &mut packet).unwrap();
    assert_eq!((sent.named, sent.bytes), (4, needed));
}
