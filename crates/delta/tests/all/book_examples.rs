//! The examples of the chapters, copied exactly.

#![allow(
    clippy::float_cmp,
    clippy::unused_self,
    unused_qualifications,
    reason = "for short examples"
)]

use std::time::{Duration, Instant};

use gametape_delta::network::{Conditions, Trial};
use gametape_delta::{
    Area, Audience, Blend, Codec, Component, Decoder, Encoder, Feedback, Field, FixedPoint, Grid,
    Near, Playout, Receiver, Relevance, Schema, Sender, SenderOptions, Share, Snapshot, Value,
    ViewEvent, World, settle,
};
use gametape_samples::delta::Arena;

use crate::book::chapter;
use crate::common::published;

type Outcome = Result<(), Box<dyn std::error::Error>>;

struct Socket;

impl Socket {
    fn send(&self, _packet: &[u8]) {}
}

#[test]
fn sessions() -> Outcome {
    fn draw(_view: &Snapshot) {}
    let schema = Arena::schema();
    let (mut sender, mut receiver) = (Sender::new(&schema), Receiver::new(&schema));
    let (socket, bytes) = (Socket, [0; 13]);
    let mut packet = Vec::new();
    let mut state = Snapshot::new(&schema, 1);
    let mut world = World::new(&schema); // one for all clients
    // The server, on each tick:
    world.update(&state)?;
    // For each client:
    sender.encode(&mut world, &mut packet)?;
    socket.send(&packet);

    // The client, for each packet:
    match receiver.apply(&packet) {
        Ok(received) => socket.send(&received.ack.to_bytes()),
        // A packet that builds on what is not here asks for a full snapshot; one that breaks a rule
        // of the wire asks for nothing.
        Err(error) => {
            if let Some(feedback) = error.feedback() {
                socket.send(&feedback.to_bytes());
            }
        }
    }
    draw(receiver.view());

    // The server again, for whatever comes back:
    if let Some(feedback) = Feedback::from_bytes(&bytes) {
        sender.feedback(&feedback);
    }

    let (hidden, near) = (|id: u32| id == 7, |id: u32| id == 8);
    state.set_tick(2);
    world.update(&state)?;
    #[rustfmt::skip]
    sender.encode_visible(&mut world, |id| if hidden(id) { 0 } else if near(id) { 4 } else { 1 }, &mut packet)?;
    Ok(())
}

#[test]
fn bad_networks() -> Outcome {
    struct Game(Arena);
    impl Game {
        fn step(&mut self) {
            self.0.step();
        }
        fn state(&self, state: &mut Snapshot) -> Result<(), gametape_delta::ValueError> {
            self.0.state(state)
        }
    }
    let schema = Arena::schema();
    let (mut game, mut state) = (Game(Arena::new(60, 1)), Snapshot::new(&schema, 0));
    #[rustfmt::skip]
    let bad = Conditions { loss: 100, delay: 3, jitter: 2, ..Conditions::PERFECT }; // thousandths, ticks
    let mut trial = Trial::new(&schema, 7).both(bad);
    for _ in 0..600 {
        game.step();
        game.state(&mut state)?;
        trial.step(&state)?; // the error says what was shown that the game never had
    }
    trial.calm();
    assert!(trial.converges(&mut state, 100)?);
    Ok(())
}

#[test]
fn fixed_point() -> Outcome {
    let position = FixedPoint::new(-512.0, 512.0, 100);
    assert_eq!(position.quantise(1.005)?, 100); // 1.005 is 1.00499999999999989…
    assert_eq!(position.quantise(-0.025)?, -3);
    assert_eq!(position.value(100), 1.0);
    assert_eq!(position.max_error(), 0.005);
    assert!(position.quantise(512.01).is_err());
    Ok(())
}

#[test]
fn settling() -> Outcome {
    let (mut held, world) = (published::first(), published::third());
    let (mut encoder, decoder) = (Encoder::new(world.schema()), Decoder::new(world.schema()));
    let (mut packet, mut received) = (Vec::new(), Snapshot::new(world.schema(), 0));
    encoder.delta(&held, &world, &mut packet)?;
    let mut settled = world.clone();
    settle(&held, &mut settled);
    decoder.delta(&held, &packet, &mut received)?;
    assert_eq!(received, settled);
    held = settled; // not `world`: that is how errors would add up
    assert_ne!(held, world);
    Ok(())
}

#[cfg(feature = "derive")]
#[test]
fn deriving() -> Outcome {
    use gametape_delta::Replicate;

    #[derive(Replicate)]
    #[replicate(component = 1)]
    struct Ship {
        #[replicate(fixed(min = -512.0, max = 512.0, step = 0.01), threshold = 0.05)]
        position: [f32; 3],
        #[replicate(rotation(bits = 10))]
        facing: [f32; 4],
        #[replicate(bits = 7)]
        hull: u8,
        #[replicate(varint)]
        score: u32,
        landed: bool,
        #[replicate(skip)]
        trail: Vec<[f32; 3]>,
    }

    let ship = Ship {
        position: [1.0, 20.0, -300.004],
        facing: [0.0, 0.0, 0.0, 1.0],
        hull: 100,
        score: 70_000,
        landed: false,
        trail: vec![[0.0; 3]],
    };
    let schema = Schema::new([Ship::component()])?;
    let mut world = Snapshot::new(&schema, 1);
    world.put(7, &ship)?;
    let shown: Ship = world.get(7)?;
    assert_eq!(shown.position, [1.0, 20.0, -300.0]); // of -300.004
    assert_eq!(
        (shown.hull, shown.score, shown.landed),
        (100, 70_000, false)
    );
    assert_eq!((shown.facing, shown.trail.len()), (ship.facing, 0));
    Ok(())
}

#[cfg(all(feature = "derive", feature = "glam"))]
#[test]
fn deriving_parts() -> Outcome {
    use gametape_delta::{Replicate, ReplicateField};
    use glam::{Quat, Vec3};

    #[derive(ReplicateField)]
    struct Transform {
        #[replicate(fixed(min = -512.0, max = 512.0, step = 0.01))]
        translation: Vec3,
        #[replicate(rotation(bits = 10))]
        rotation: Quat,
    }

    #[derive(ReplicateField)]
    struct Health(#[replicate(range(min = 0, max = 150))] u8);

    #[derive(ReplicateField)]
    enum Order {
        Rest,
        Attack { target: u32 },
        GoTo(#[replicate(fixed(min = -512.0, max = 512.0, step = 0.5))] [f32; 2]),
    }

    #[derive(Replicate)]
    #[replicate(component = 1)]
    struct Soldier {
        place: Transform,
        health: Health,
        order: Order,
        #[replicate(angle(bits = 10))]
        aim: Option<f32>,
        carries: [Option<Health>; 2],
    }

    let mut world = Snapshot::new(&Schema::new([Soldier::component()])?, 1);
    let orders = [
        Order::Rest,
        Order::Attack { target: 9 },
        Order::GoTo([1.5, -2.0]),
    ];
    for order in orders {
        let soldier = Soldier {
            place: Transform {
                translation: Vec3::new(1.0, 20.0, -300.0),
                rotation: Quat::IDENTITY,
            },
            health: Health(90),
            order,
            aim: Some(0.0),
            carries: [None, Some(Health(3))],
        };
        world.put(7, &soldier)?;
        let shown: Soldier = world.get(7)?;
        assert_eq!(shown.place.translation, soldier.place.translation);
        assert_eq!(shown.place.rotation, soldier.place.rotation);
        assert_eq!((shown.health.0, shown.aim), (90, Some(0.0)));
        assert!(matches!(shown.carries, [None, Some(Health(3))]));
        assert!(match (shown.order, soldier.order) {
            (Order::Rest, Order::Rest) => true,
            (Order::Attack { target: a }, Order::Attack { target: b }) => a == b,
            (Order::GoTo(a), Order::GoTo(b)) => a == b,
            _ => false,
        });
    }
    Ok(())
}

#[cfg(feature = "derive")]
#[test]
fn a_module_for_a_type_of_another_crate() -> Outcome {
    use gametape_delta::Replicate;
    use std::time::Duration;

    mod millis {
        use super::*;
        use gametape_delta::{FieldList, ValueError, ValueReader, ValueWriter};
        use std::time::Duration;

        pub const FIELDS: usize = 1;

        pub fn fields() -> FieldList {
            Field::part(Codec::VarUInt).into()
        }

        pub fn write(value: &Duration, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
            let millis = u32::try_from(value.as_millis()).unwrap_or(u32::MAX);
            to.value(Value::VarUInt(millis))
        }

        pub fn read(from: &mut ValueReader<'_>) -> Result<Duration, ValueError> {
            Ok(Duration::from_millis(from.number()?))
        }
    }

    #[derive(Replicate)]
    #[replicate(component = 1)]
    struct Cooldown {
        #[replicate(with = millis)]
        left: Duration,
    }

    let mut world = Snapshot::new(&Schema::new([Cooldown::component()])?, 1);
    let left = Duration::from_millis(1500);
    world.put(7, &Cooldown { left })?;
    assert_eq!(world.get::<Cooldown>(7)?.left, left);
    Ok(())
}

/// All Rust examples of the chapters are in this file, so they compile and run.
#[test]
fn all_are_here() {
    // Imports may be elsewhere.
    let trimmed = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim().to_owned());
        lines
            .filter(|line| !line.is_empty() && !line.starts_with("use "))
            .collect()
    };
    let here = trimmed(include_str!("book_examples.rs"));
    let mut found = 0;
    for name in [
        "format.md",
        "schemas.md",
        "sessions.md",
        "games.md",
        "conformance.md",
    ] {
        let book = chapter(name);
        for block in book.split("```rust,ignore\n").skip(1) {
            let block = trimmed(block.split("```").next().unwrap());
            let is_here = here.windows(block.len()).any(|lines| lines == block);
            // The creation of a ship is between the struct and its use.
            let in_two = block.iter().position(|line| line == "}").is_some_and(|at| {
                let (head, tail) = block.split_at(at + 1);
                here.windows(head.len()).any(|lines| lines == head)
                    && here.windows(tail.len()).any(|lines| lines == tail)
            });
            assert!(is_here || in_two, "{name}: {}", block.join("\n"));
            found += 1;
        }
    }
    assert_eq!(found, 16);
}

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
