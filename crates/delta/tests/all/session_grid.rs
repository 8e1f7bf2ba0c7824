//! The interest grid, against distances to all entities.

use std::collections::BTreeSet;

use gametape_delta::{
    Area, Audience, Codec, Component, Feedback, Field, Grid, Near, Relevance, Schema, SendError,
    Sender, SenderOptions, Snapshot, Value, World,
};
use proptest::prelude::*;

use crate::allocations::count;
use crate::session_audience::random;

const SCALE: u32 = 4;

fn schema() -> Schema {
    let fixed = Codec::FixedPoint {
        min_q: -4000,
        max_q: 4000,
        scale: SCALE,
    };
    let axis = |id| Field::new(id, fixed);
    Schema::new([
        Component::new(1, [Field::new(1, Codec::VarUInt)]),
        Component::new(
            2,
            [
                axis(1),
                Field::new(9, Codec::Bool),
                axis(2),
                Field::new(3, Codec::SInt { bits: 12 }),
            ],
        ),
    ])
    .unwrap()
}

fn place(state: &mut Snapshot, id: u32, [x, y, z]: [i64; 3]) {
    let [x, y] = [x, y].map(Value::FixedPoint);
    let values = [x, Value::Bool(true), y, Value::SInt(z)];
    state.entry(id).set(2, &values).unwrap();
}

/// The square of the distance of an entity from the centre.
fn apart(state: &Snapshot, id: u32, axes: usize, centre: [f64; 3]) -> f64 {
    let part = state.entity(id).and_then(|entity| entity.component(2));
    part.map_or(0.0, |part| {
        let number = |field| part.value(field).unwrap().as_i128() as f64;
        let scale = f64::from(SCALE);
        let place = [number(1) / scale, number(2) / scale, number(3)];
        let squares = place.iter().zip(centre).map(|(a, b)| (a - b) * (a - b));
        squares.take(axes).sum()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A sender with a grid writes the same packets as one that looks at all distances.
    #[test]
    fn a_grid_finds_those_that_are_near(
        seed: u64,
        axes in 2..=3_usize,
        cell in prop_oneof![0.1..3.0_f64, 3.0..500.0_f64, Just(1e9)],
        enter in prop_oneof![0.0..100.0_f64, 0.0..3000.0_f64],
        wider in prop_oneof![Just(0.0), -5.0..50.0_f64],
        population in 1..150_u32,
        spread in 1..1000_u32,
    ) {
        let mut rng = random(seed);
        let schema = schema();
        let mut world = World::new(&schema);
        let mut state = Snapshot::new(&schema, 0);
        let mut grid = Grid::new(&schema, 2, &[1, 2, 3][..axes], cell).unwrap();
        let options = SenderOptions { window: 8, ..SenderOptions::default() };
        let [mut near, mut all] = [(); 2].map(|()| Sender::with_options(&schema, options));
        let mut seen = BTreeSet::new();
        let (mut packet, mut expected, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for tick in 1..=30 {
            let mut axis = || i64::from(rng(2 * spread)) - i64::from(spread);
            let centre = [(); 3].map(|()| axis() as f64 / 4.0);
            for id in 0..population {
                let at = [(); 3].map(|()| axis());
                match axis().rem_euclid(20) {
                    0 => drop(state.remove(id)),
                    1 => drop(state.entry(id).remove(2)),
                    2..=8 => place(&mut state, id, at),
                    9 => drop(state.entry(id).set(1, &[Value::VarUInt(tick)]).unwrap()),
                    10 => drop(world.despawn(id)),
                    _ => {}
                }
            }
            state.set_tick(tick);
            world.update(&state).unwrap();
            grid.update(&world);
            let area = Area { centre, enter, leave: enter + wider };
            grid.near(&world, centre, area.leave, &mut found).unwrap();
            let reach = area.leave.max(0.0).powi(2);
            let ids = world.state().ids().iter();
            let distances = ids.map(|id| (*id, apart(&state, *id, axes, centre)));
            let expected_near: Vec<_> = distances.filter(|(_, squared)| *squared <= reach).collect();
            let pair = |near: &Near| (near.id, near.distance_squared);
            prop_assert_eq!(found.iter().map(pair).collect::<Vec<_>>(), expected_near);
            let weight = |id: u32| u32::from(!(id + tick).is_multiple_of(7)) * (1 + id % 3);
            let sent = near.encode_near(&mut world, &grid, &area, |near| weight(near.id), &mut packet)?;
            let before = std::mem::take(&mut seen);
            let relevance = |id| {
                let is_seen = before.contains(&id);
                let reach = if is_seen { area.leave.max(enter) } else { enter };
                let squared = apart(&state, id, axes, centre);
                let weight = if squared <= reach * reach { weight(id) } else { 0 };
                if weight > 0 {
                    seen.insert(id);
                }
                weight
            };
            let all_sent = all.encode_visible(&mut world, relevance, &mut expected)?;
            prop_assert_eq!((sent, &packet), (all_sent, &expected), "tick {}", tick);
            // Feedback comes for half of the packets; the window stalls, and sessions restart.
            if tick % 2 == 0 && tick < 20 {
                let ack = Feedback::Ack { tick: sent.tick, earlier: 0 };
                prop_assert_eq!(near.feedback(&ack), all.feedback(&ack));
            }
            if tick % 13 == 0 {
                near.resync();
                all.resync();
            }
            if sent.stalled {
                seen = before;
            }
        }
    }
}

#[test]
fn a_grid_says_what_is_wrong() {
    let schema = schema();
    let error = |component, fields: &[u16], cell| {
        let grid = Grid::new(&schema, component, fields, cell);
        grid.unwrap_err().to_string()
    };
    assert_eq!(error(3, &[1, 2], 1.0), "the schema has no component 3");
    assert_eq!(error(2, &[1, 7], 1.0), "component 2 has no field 7");
    assert_eq!(
        error(2, &[1, 9], 1.0),
        "field 9 of component 2 is no number"
    );
    assert_eq!(error(2, &[1], 1.0), "a position has 2 or 3 fields, not 1");
    assert_eq!(
        error(2, &[1, 2], 0.0),
        "a cell has a size above 0, 0 was given"
    );
    assert!(Grid::new(&schema, 2, &[1, 2], f64::NAN).is_err());

    // It must be of the newest state.
    let mut world = World::new(&schema);
    let mut grid = Grid::new(&schema, 2, &[1, 2], 1.0).unwrap();
    let mut state = Snapshot::new(&schema, 1);
    place(&mut state, 7, [4, 8, 0]);
    place(&mut state, 8, [4, 8, 0]);
    world.update(&state).unwrap();
    let mut sender = Sender::new(&schema);
    let area = Area {
        centre: [1.0, 2.0, f64::NAN],
        enter: 0.0,
        leave: 0.0,
    };
    let mut found = Vec::new();
    let mut send = |world: &mut World, grid: &Grid| {
        let sent = sender.encode_near(
            world,
            grid,
            &area,
            |near: Near| {
                found.push(near);
                1
            },
            &mut Vec::new(),
        );
        sent.map(|sent| sent.named)
    };
    assert_eq!(send(&mut world, &grid), Err(SendError::StaleGrid));
    let near = grid.near(&world, area.centre, 1.0, &mut Vec::new());
    assert_eq!(near, Err(SendError::StaleGrid));
    grid.update(&world);
    world.despawn(8);
    assert_eq!(send(&mut world, &grid), Err(SendError::StaleGrid));
    grid.update(&world);
    assert_eq!(send(&mut world, &grid), Ok(1));
    let distance_squared = 0.0;
    assert_eq!(
        found,
        [Near {
            id: 7,
            distance_squared
        }]
    );
    for (centre, enter) in [
        ([f64::NAN, 0.0, 0.0], 1.0),
        ([0.0, f64::INFINITY, 0.0], 1.0),
        ([0.0; 3], f64::NAN),
    ] {
        let area = Area {
            centre,
            enter,
            leave: 2.0,
        };
        let mut sender = Sender::new(&schema);
        let sent = sender.encode_near(&mut world, &grid, &area, |_| 1, &mut Vec::new());
        assert_eq!(sent, Err(SendError::Nowhere));
    }
    let other = Schema::new([Component::new(
        2,
        [1, 2].map(|id| Field::new(id, Codec::VarUInt)),
    )]);
    let other = Grid::new(&other.unwrap(), 2, &[1, 2], 1.0).unwrap();
    assert!(matches!(
        Sender::new(&schema).encode_near(&mut world, &other, &area, |_| 1, &mut Vec::new()),
        Err(SendError::Encode(_))
    ));
}

/// Players who walk, each with a card that only he sees, and a weapon that travels with him.
#[test]
fn senders_with_all_they_can_do_allocate_nothing_once_warm() {
    let schema = schema();
    let mut world = World::new(&schema);
    world.restrict(1, Audience::Owner).unwrap();
    let mut grid = Grid::new(&schema, 2, &[1, 2], 10.0).unwrap();
    let mut state = Snapshot::new(&schema, 0);
    let options = SenderOptions {
        window: 8,
        min_budget: Some(300),
        ..SenderOptions::default()
    };
    let mut senders: Vec<_> = (0..4)
        .map(|_| Sender::with_options(&schema, options))
        .collect();
    let mut packet = Vec::new();
    for id in 0..200 {
        world.group(id, Some(id / 2));
    }
    let is_lost = |tick: u32| tick.is_multiple_of(5) || tick % 100 > 90;
    let mut at_start = 0;
    for tick in 1..=1200_u32 {
        if tick == 700 {
            at_start = count();
        }
        state.set_tick(tick);
        for id in 0..200 {
            let step = (tick + id * 16) % 400;
            let x = i64::from(step.min(400 - step)) * 4;
            place(&mut state, id, [x, i64::from(id % 20) * 4, 0]);
            let card = Value::VarUInt((1 << 28) + tick / 7);
            state.entry(id).set(1, &[card]).unwrap();
        }
        world.update(&state).unwrap();
        grid.update(&world);
        for (own, sender) in (0..).zip(&mut senders) {
            let area = Area {
                centre: [100.0, f64::from(own), 0.0],
                enter: 40.0,
                leave: 45.0,
            };
            let relevance = |near: Near| Relevance {
                weight: 1,
                audience: if near.id % 4 == own {
                    Audience::Owner
                } else {
                    Audience::All
                },
            };
            let sent = sender
                .encode_near(&mut world, &grid, &area, relevance, &mut packet)
                .unwrap();
            assert!(tick < 10 || sent.stalled || sent.named > 0);
            if !is_lost(tick) {
                let bits = (0..64).filter(|bit| tick > bit + 1 && !is_lost(tick - 1 - bit));
                let earlier = bits.fold(0, |bits, bit| bits | 1 << bit);
                sender.feedback(&Feedback::Ack {
                    tick: sent.tick,
                    earlier,
                });
            }
        }
    }
    let during = count() - at_start;
    assert!(during == 0, "{during} allocations in 500 ticks");
    let lost: u64 = senders.iter().map(|sender| sender.totals().lost).sum();
    assert!(lost > 0);
}
