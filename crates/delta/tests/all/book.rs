//! Checks the codes, figures and examples in the book's chapters on the wire.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

use crate::allocations;
use crate::common::{Oracle, form, oracle, published, unhex};
use gametape_delta::network::{Conditions, Trial};
use gametape_delta::{
    Codec, Component, Decoder, Encoder, Feedback, Field, FixedPoint, Mode, Receiver, Rule, Schema,
    Sender, SenderOptions, SmallestThree, Snapshot, Value, World, settle,
};
use gametape_samples::delta::Arena;

fn path(name: &str) -> PathBuf {
    let book = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/delta");
    book.join(name)
}

fn chapter(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

/// Returns the text from a heading to the next heading of the same level.
fn section<'a>(chapter: &'a str, heading: &str) -> &'a str {
    let (_, rest) = chapter.split_once(&format!("\n{heading}\n")).unwrap();
    let (level, _) = heading.split_once(' ').unwrap();
    rest.split(&format!("\n{level} ")).next().unwrap()
}

#[test]
fn every_rule_is_in_the_book() {
    let page = chapter("findings.md");
    let listed = section(&page, "## Packets");
    let right = gametape_core::findings_page(listed, Rule::ALL)
        .unwrap_or_else(|wrong| panic!("{}", wrong.join("\n")));
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(path("findings.md"), page.replace(listed, &right)).unwrap();
    } else {
        assert_eq!(listed, right, "GAMETAPE_BLESS=1 writes it anew");
    }
}

#[test]
fn the_bytes_of_the_example_are_those_of_the_encoder() {
    let book = chapter("format.md");
    let hex: String = section(&book, "### An example")
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .flat_map(|(bytes, _)| bytes.chars().filter(|c| *c != ' '))
        .collect();
    let mut packet = Vec::new();
    let mut encoder = Encoder::new(&published::schema());
    encoder
        .delta(&published::first(), &published::third(), &mut packet)
        .unwrap();
    assert_eq!(unhex(&hex), packet);
    // The bits next to the bytes, if they are given.
    let lines = section(&book, "### An example").lines();
    for line in lines.filter_map(|line| line.strip_prefix("| `")) {
        let (bytes, rest) = line.split_once("` | ").unwrap();
        let bits: String = rest.split(" |").next().unwrap().replace(' ', "");
        let bytes = unhex(&bytes.replace(' ', ""));
        let of_bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
        assert!(bits.starts_with('|') || bits == of_bytes.concat(), "{line}");
    }
}

#[test]
fn the_schemas_of_the_book_are_schemas() {
    let book = chapter("format.md");
    let json = section(&book, "## The schema as JSON");
    let json = json.split("```json").nth(1).unwrap();
    let json = json.split("```").next().unwrap();
    let schema: Schema = serde_json::from_str(json).unwrap();
    // The origin can read it, including names.
    let theirs: crate::common::sdec_schema::Schema = serde_json::from_str(json).unwrap();
    assert_eq!(
        crate::common::sdec_schema::schema_hash(&theirs),
        schema.hash()
    );

    let hull = |bits| Field::new(2, Codec::UInt { bits }).named("hull");
    let x = Field::new(1, Codec::Bool);
    let ours = Schema::new([Component::new(1, [x.clone(), hull(7)])]).unwrap();
    let shield = Field::new(3, Codec::VarUInt).named("shield");
    let theirs = Schema::new([Component::new(1, [x, hull(8), shield])]).unwrap();
    let differences = ours.differences(&theirs);
    let differences: Vec<_> = differences.iter().map(ToString::to_string).collect();
    let text = format!("```text\n{}\n```", differences.join("\n"));
    assert!(chapter("schemas.md").contains(&text), "{text}");
}

#[test]
fn the_angles_of_the_book_are_right() {
    let book = chapter("schemas.md");
    for bits in 6..=16 {
        let rotation = SmallestThree::new(bits);
        let row = format!(
            "| {bits} | {} | {:.4}° | ",
            2 + 3 * bits,
            rotation.max_angle().to_degrees()
        );
        let (_, worst) = book.split_once(&row).expect(&row);
        let worst: f64 = worst.split_once('°').unwrap().0.parse().unwrap();
        assert!(worst.to_radians() < rotation.max_angle());
        // A few rotations are enough to show that the figure is plausible.
        let mut rng = crate::common::Random(bits.into());
        let mut seen = 0.0_f64;
        for _ in 0..20_000 {
            let q = [(); 4].map(|()| rng.below(2_000_001) as f32 / 1e6 - 1.0);
            let length = q.iter().map(|p| f64::from(*p).powi(2)).sum::<f64>().sqrt();
            if length < 0.1 {
                continue;
            }
            let back = rotation.value(rotation.quantise(q).unwrap());
            let chord = [1.0, -1.0].map(|sign| {
                let parts = q.iter().zip(back);
                let parts =
                    parts.map(|(a, b)| (f64::from(*a) / length - sign * f64::from(b)).powi(2));
                parts.sum::<f64>().sqrt()
            });
            seen = seen.max(4.0 * (chord[0].min(chord[1]) / 2.0).asin());
        }
        let seen = seen.to_degrees();
        assert!(
            seen > 0.75 * worst && seen < 1.1 * worst,
            "{bits}: {seen} {worst}"
        );
    }
}

#[test]
fn the_table_of_the_drift_is_right() {
    let book = chapter("schemas.md");
    let fixed = FixedPoint::new(-10.0, 10.0, 100).codec();
    let schema = Schema::new([Component::new(1, [Field::new(1, fixed).threshold(5)])]).unwrap();
    let truth = |tick: u32| {
        let mut state = Snapshot::new(&schema, tick);
        let value = Value::FixedPoint(i64::from(tick - 1) * 5);
        state.entry(1).set(1, &[value]).unwrap();
        state
    };
    let value = |state: &Snapshot| state.entity(1).unwrap().value(1, 1).unwrap();
    let oracle = Oracle::unlimited(&schema);
    let mut theirs = form::state(&truth(1));
    let mut held = truth(1);
    for tick in 1..=11 {
        if tick > 1 {
            let packet = oracle.encode_delta(&truth(tick - 1), &truth(tick)).unwrap();
            theirs = oracle.decode(Some(&theirs), &packet).unwrap();
            let mut settled = truth(tick);
            settle(&held, &mut settled);
            held = settled;
        }
        let row = format!(
            "| {tick} | {} | {} | {} |\n",
            value(&truth(tick)),
            value(&form::back(&schema, &theirs)),
            value(&held)
        );
        assert!(book.contains(&row) || (6..11).contains(&tick), "{row}");
    }
}

/// The errors of the origin that the chapter on the format lists and no other test shows.
#[test]
fn the_origin_errs_where_the_book_says_so() {
    let schema = published::one_bool();
    let theirs = Oracle::with_default_limits(&schema);
    let bit = |tick: u32, on| {
        let mut state = Snapshot::new(&schema, tick);
        state.entry(1).set(1, &[Value::Bool(on)]).unwrap();
        state
    };
    // Deltas with a baseline of tick 0.
    let packet = theirs.encode_delta(&bit(0, false), &bit(1, true)).unwrap();
    assert!(
        theirs
            .decode(Some(&form::state(&bit(0, false))), &packet)
            .is_err()
    );
    let mut ours = Vec::new();
    let mut encoder = Encoder::new(&schema);
    assert!(
        encoder
            .delta(&bit(0, false), &bit(1, true), &mut ours)
            .is_err()
    );
    // A duplicate component.
    let mut twice = form::state(&bit(1, true));
    let component = twice.entities[0].components[0].clone();
    twice.entities[0].components.push(component);
    let mut packet = vec![0; 4096];
    oracle::encode_full_snapshot(
        &theirs.schema,
        twice.tick,
        &twice.entities,
        &theirs.limits,
        &mut packet,
    )
    .unwrap();
    // A section that its encoder writes and its decoder refuses.
    let fields: Vec<_> = (1..=8)
        .map(|id| Field::new(id, Codec::UInt { bits: 64 }))
        .collect();
    let wide = Schema::new([Component::new(1, fields)]).unwrap();
    let mut state = Snapshot::new(&wide, 1);
    for id in 0..600 {
        state.entry(id).set(1, &[Value::UInt(7); 8]).unwrap();
    }
    let theirs = Oracle::with_default_limits(&wide);
    let packet = theirs.encode_full(&state).unwrap();
    assert!((32_768..65_536).contains(&packet.len()));
    assert!(theirs.decode(None, &packet).is_err());
    assert!(Encoder::new(&wide).full(&state, &mut ours).is_err());
}

/// Adds the bytes that `run` allocates and keeps.
fn held<T>(sum: &mut i64, run: impl FnOnce() -> T) -> T {
    let before = allocations::held();
    let result = run();
    *sum += allocations::held() - before;
    result
}

#[derive(Default)]
struct Figures {
    world: i64,
    sender: i64,
    receiver: i64,
    bytes: f64,
    named: f64,
    age: f64,
    oldest: u32,
    all_seen: Option<u32>,
}

/// 300 ships, with feedback that is three packets late and stops at a tick.
fn arena(feedback_until: u32, ticks: u32) -> Figures {
    let schema = Arena::schema();
    let mut figures = Figures::default();
    let mut sender = held(&mut figures.sender, || Sender::new(&schema));
    let mut receiver = held(&mut figures.receiver, || Receiver::new(&schema));
    let mut arena = Arena::new(300, 1);
    let (mut world, mut state) = (World::new(&schema), Snapshot::new(&schema, 0));
    let (mut packet, mut late) = (Vec::with_capacity(1 << 16), VecDeque::new());
    let (mut packets, mut seen) = (0, 0);
    let mut before: Vec<u32> = Vec::new();
    let mut gone: BTreeSet<u32> = BTreeSet::new();
    for tick in 1..=ticks {
        arena.step();
        arena.state(&mut state).unwrap();
        held(&mut figures.world, || world.update(&state)).unwrap();
        let sent = held(&mut figures.sender, || {
            sender.encode(&mut world, &mut packet)
        });
        let sent = sent.unwrap();
        let received = held(&mut figures.receiver, || receiver.apply(&packet)).unwrap();
        late.push_back(received.ack);
        if late.len() > 3 {
            let ack = late.pop_front().unwrap();
            if tick < feedback_until {
                held(&mut figures.sender, || sender.feedback(&ack));
            }
        }
        // A destroyed ship reappears with another id.
        let ids = receiver.view().ids();
        let back: Vec<_> = ids.iter().filter(|id| gone.contains(*id)).collect();
        assert!(
            back.is_empty(),
            "tick {tick}: {back:?} were gone, and are back"
        );
        gone.extend(before.iter().filter(|id| ids.binary_search(id).is_err()));
        before.clear();
        before.extend_from_slice(ids);
        if figures.all_seen.is_none() && receiver.view().len() == state.len() {
            figures.all_seen = Some(tick);
        }
        if tick <= 100 {
            continue;
        }
        packets += 1;
        figures.bytes += sent.bytes as f64;
        figures.named += sent.named as f64;
        for ship in receiver.view().ids() {
            let age = tick - receiver.confirmed(*ship).unwrap().at;
            seen += 1;
            figures.age += f64::from(age);
            figures.oldest = figures.oldest.max(age);
        }
    }
    figures.bytes /= f64::from(packets);
    figures.named /= f64::from(packets);
    figures.age /= f64::from(seen);
    figures
}

/// Returns the number between these words of a chapter.
fn figure(book: &str, before: &str, after: &str) -> f64 {
    let book = book.replace('\n', " ");
    let (_, rest) = book.split_once(before).expect(before);
    let (number, _) = rest.split_once(after).expect(after);
    number.replace(',', "").parse().expect(number)
}

/// Figures are compared roughly, so that a slightly better sender does not make the book wrong.
#[test]
fn the_figures_of_sessions_are_right() {
    let book = chapter("sessions.md");
    let healthy = arena(u32::MAX, 1000);
    let silent = arena(400, 1000);
    let megabytes = |bytes: i64| bytes as f64 / 1e6;
    #[rustfmt::skip] // A figure a line.
    let figures = [
        ("| bytes of a packet | ", " on", healthy.bytes, 0.02),
        ("| ships named in a packet | ", " |", healthy.named, 0.1),
        ("values in the view | ", " ticks", healthy.age, 0.2),
        ("ticks on average, ", " at most", healthy.oldest.into(), 0.3),
        ("for the first time | ", " ticks", healthy.all_seen.unwrap().into(), 0.2),
        ("The world takes ", " MB", megabytes(healthy.world), 0.3),
        ("under way: ", " KB", healthy.sender as f64 / 1e3, 0.3),
        ("it stays at ", " KB", silent.sender as f64 / 1e3, 0.3),
        ("Here it takes ", " MB", megabytes(healthy.receiver), 0.3),
        ("stops, the receiver takes ", " MB with", megabytes(silent.receiver), 0.3),
    ];
    let mut wrong = Vec::new();
    for (before, after, measured, tolerance) in figures {
        let written = figure(&book, before, after);
        if (written - measured).abs() > tolerance * measured {
            wrong.push(format!(
                "{before}: the book says {written}, it is {measured}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The mean and the greatest age of entities, in ticks.
#[derive(Default)]
struct Ages {
    sum: f64,
    count: f64,
    most: u32,
}

impl Ages {
    fn add(&mut self, age: u32) {
        self.sum += f64::from(age);
        self.count += 1.0;
        self.most = self.most.max(age);
    }
}

/// A session like the demo's: 300 ships, a tenth of the packets lost each way, two ticks on the way. Returns the
/// ages in the view, in strict and in merged mode.
fn ages(seed: u64) -> [Ages; 2] {
    let conditions = Conditions {
        loss: 100,
        delay: 2,
        ..Conditions::PERFECT
    };
    let schema = Arena::schema();
    [Mode::Strict, Mode::Merged].map(|mode| {
        let options = SenderOptions {
            mode,
            ..SenderOptions::default()
        };
        let mut trial = Trial::new(&schema, seed).options(options).both(conditions);
        let (mut arena, mut state) = (Arena::new(300, seed), Snapshot::new(&schema, 0));
        let mut ages = Ages::default();
        for tick in 1..=600 {
            arena.step();
            arena.state(&mut state).unwrap();
            let before = trial.applied();
            trial.step(&state).unwrap();
            let view = trial.receiver().view();
            if trial.applied() > before && tick > 100 {
                for id in view.ids() {
                    ages.add(view.tick() - trial.receiver().confirmed(*id).unwrap().at);
                }
            }
        }
        ages
    })
}

/// Both pages that say how old entities are say the same, and it is so.
#[test]
fn the_ages_of_the_book_are_right() {
    let said = |page: &str| -> Vec<[f64; 3]> {
        let words: Vec<&str> = page.split_whitespace().collect();
        let words = words.join(" ");
        let between = " ticks old on average and up to ";
        let parts: Vec<&str> = words.split(between).collect();
        let number = |word: Option<&str>| -> f64 {
            let word = word.unwrap().trim_end_matches(['.', ',', ';']);
            word.parse().expect(word)
        };
        let pair = |pair: &[&str]| {
            let mut before = pair[0].rsplit(' ');
            let high = number(before.next());
            assert_eq!(before.next(), Some("to"));
            let low = number(before.next());
            [low, high, number(pair[1].split(' ').next())]
        };
        parts.windows(2).map(pair).collect()
    };
    let here = said(&chapter("captures.md"));
    assert_eq!(here, said(&chapter("../limits.md")));
    let runs: Vec<[Ages; 2]> = (1..=6).map(ages).collect();
    assert_eq!(here.len(), 2);
    for (kind, said) in here.into_iter().enumerate() {
        let means = runs.iter().map(|run| run[kind].sum / run[kind].count);
        let (low, high) = means.fold((f64::MAX, 0.0_f64), |(low, high), mean| {
            (low.min(mean), high.max(mean))
        });
        let most = runs.iter().map(|run| run[kind].most).max().unwrap();
        let found = [low, high, f64::from(most)];
        for ((said, found), tolerance) in said.into_iter().zip(found).zip([0.1, 0.1, 0.3]) {
            assert!(
                (said - found).abs() <= tolerance * found,
                "the book says {said}, it is {found:.1}: {low:.1} to {high:.1} and up to {most}"
            );
        }
    }
}

mod examples {
    //! The examples of the chapters, copied exactly.

    #![allow(clippy::float_cmp, clippy::unused_self, reason = "for short examples")]

    use super::*;

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

    /// All Rust examples of the chapters are in these files, so they compile and run.
    #[test]
    fn all_are_here() {
        // Imports may be elsewhere.
        let trimmed = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.trim().to_owned());
            lines
                .filter(|line| !line.is_empty() && !line.starts_with("use "))
                .collect()
        };
        let files = [
            include_str!("book.rs"),
            include_str!("book_client.rs"),
            include_str!("book_sender.rs"),
        ];
        let here = trimmed(&files.concat());
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
}
