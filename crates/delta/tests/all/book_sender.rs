//! The examples of the chapter on sessions that are about senders, copied exactly.

use gametape_delta::{
    Audience, Codec, Component, Field, Relevance, Schema, Sender, Snapshot, Value, World,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const CARDS: u16 = 2;

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
