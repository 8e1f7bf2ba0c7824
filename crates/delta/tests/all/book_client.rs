//! The examples of the book for clients. A test in `book.rs` looks for them.

use std::time::{Duration, Instant};

use gametape_delta::{
    Blend, Codec, Component, Field, Playout, Receiver, Schema, Sender, Snapshot, Value, ViewEvent,
    World,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const SHIP: u16 = 1;
const HEADING: u16 = 2;

fn schema() -> Schema {
    let number = Codec::UInt { bits: 8 };
    let fields = [Field::new(1, number), Field::new(HEADING, number)];
    Schema::new([Component::new(SHIP, fields)]).unwrap()
}

/// Returns the packets of three ticks, in which a ship appears, moves and ends.
fn packets() -> Vec<Vec<u8>> {
    let (mut world, mut sender) = (World::new(&schema()), Sender::new(&schema()));
    let mut state = Snapshot::new(&schema(), 0);
    let mut packets = Vec::new();
    for tick in 1..=3 {
        state.set_tick(tick);
        let values = [Value::UInt(0), Value::UInt(tick.into())];
        state.entry(7).set(SHIP, &values).unwrap();
        if tick == 3 {
            state.remove(7);
        }
        world.update(&state).unwrap();
        let mut packet = Vec::new();
        sender.encode(&mut world, &mut packet).unwrap();
        packets.push(packet);
        sender.feedback(&gametape_delta::Feedback::Ack {
            tick,
            earlier: u64::MAX >> (64 - tick) >> 1,
        });
    }
    packets
}

#[derive(Default)]
struct Meshes(Vec<String>);

impl Meshes {
    fn add(&mut self, entity: u32) {
        self.0.push(format!("+{entity}"));
    }

    fn remove(&mut self, entity: u32) {
        self.0.push(format!("-{entity}"));
    }

    fn move_to(&mut self, entity: u32, fields: u64) {
        self.0.push(format!("{entity}: {fields:b}"));
    }
}

#[rustfmt::skip]
#[test]
fn events() -> Outcome {
    let mut receiver = Receiver::new(&schema());
    let mut meshes = Meshes::default();
    for packet in packets() {
        receiver.apply(&packet)?;
        for event in receiver.events() {
            match *event {
                ViewEvent::Spawned { entity } => meshes.add(entity),
                ViewEvent::Despawned { entity } => meshes.remove(entity),
                // Bit i of `fields` is for the i-th field of the component in the schema.
                ViewEvent::Changed { entity, component: SHIP, fields } => meshes.move_to(entity, fields),
                // `Gained` and `Lost`, for components.
                _ => {}
            }
        }
    }
    assert_eq!(meshes.0, ["+7", "7: 10", "-7"]);
    Ok(())
}

#[rustfmt::skip]
#[test]
fn even_motion() -> Outcome {
    let mut receiver = Receiver::new(&schema());
    let schema = schema();
    let started = Instant::now();
    let packet = packets().swap_remove(0);
    let mut pictures = Vec::new();
    let mut draw = |view: &Snapshot| pictures.push(view.len());
    let mut playout = Playout::new(&schema, 60); // ticks a second
    playout.blend(SHIP, HEADING, Blend::Turn)?; // angles; fixed-point numbers move on a line by themselves
    // For each packet:
    let received = receiver.apply(&packet)?;
    playout.take(&receiver, &received, started.elapsed());
    // For each picture:
    draw(playout.advance(started.elapsed()));
    // The ship is shown a tick later.
    draw(playout.advance(started.elapsed() + Duration::from_secs(1)));
    assert_eq!(pictures, [0, 1]);
    Ok(())
}
