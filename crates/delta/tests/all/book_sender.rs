//! The examples of the chapter on sessions that are about senders, copied exactly.

use gametape_delta::{
    Area, Audience, Codec, Component, Decoder, Field, Grid, Near, Relevance, Schema, Sender,
    SenderOptions, Share, Snapshot, Value, World,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const CARDS: u16 = 2;
const POSITION: u16 = 1;
const X: u16 = 1;
const Y: u16 = 2;

#[test]
#[rustfmt::skip]
fn audiences() -> Outcome {
    let bits = |bits| [Field::new(1, Codec::UInt { bits })];
    let schema = Schema::new([Component::new(1, bits(7)), Component::new(CARDS, bits(12))])?;
    let mut world = World::new(&schema);
    world.restrict(CARDS, Audience::Owner)?; // before the first state

    let mut state = Snapshot::new(&schema, 1);
    state.entry(7).set(CARDS, &[Value::UInt(1234)])?;
    world.update(&state)?;
    let (mut sender, mut packet) = (Sender::new(&schema), Vec::new());
    let player = 7;
    let audience = |id| if id == player { Audience::Owner } else { Audience::All };
    sender.encode_visible(&mut world, |id| Relevance { weight: 1, audience: audience(id) }, &mut packet)?;
    Ok(())
}

#[test]
fn groups() {
    let schema = Schema::new([Component::new(1, [])]).unwrap();
    let mut world = World::new(&schema);
    let (player, weapon, squad) = (7, 8, 1);
    world.group(player, Some(squad));
    world.group(weapon, Some(squad));
    world.group(weapon, None); // he dropped it
}

#[test]
#[rustfmt::skip]
fn grids_budgets_and_counters() -> Outcome {
    let schema = Schema::new([Component::new(POSITION, [X, Y].map(|id| Field::new(id, Codec::VarSInt)))])?;
    let mut world = World::new(&schema);
    let mut state = Snapshot::new(&schema, 1);
    for id in 0..100 {
        state.entry(id).set(POSITION, &[Value::VarSInt(id as i32), Value::VarSInt(0)])?;
    }
    let (player, mut packet) = ([0.0; 3], Vec::new());
    let options = SenderOptions { min_budget: Some(200), ..SenderOptions::default() };
    let mut sender = Sender::with_options(&schema, options);
    let mut grid = Grid::new(&schema, POSITION, &[X, Y], 30.0)?; // cells of 30 metres

    // On each tick:
    world.update(&state)?;
    grid.update(&world);
    // For each client:
    let area = Area { centre: player, enter: 60.0, leave: 65.0 };
    let weight = |near: Near| if near.distance_squared < 400.0 { 4 } else { 1 };
    sender.encode_near(&mut world, &grid, &area, weight, &mut packet)?;

    let (decoder, mut bits) = (Decoder::new(&schema), [0]);
    decoder.shares(&packet, |share, size| {
        if let Share::Component { component, .. } = share {
            bits[component] += size;
        }
    })?;
    // 61 entities: a mask of two bits, and two numbers of a byte, padded to whole bytes each.
    assert!(bits[0] > 61 * 18, "{bits:?}");
    Ok(())
}

#[test]
fn the_bound_on_memory_is_that_of_the_book() {
    assert_eq!(SenderOptions::default().max_memory(1000) / 1000, 228);
}
