//! Checks the codes and figures in the book's chapters on the wire.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

use crate::allocations;
use crate::common::{Oracle, form, oracle, published, unhex};
use gametape_delta::network::{Conditions, Trial};
use gametape_delta::{
    Codec, Component, Encoder, Field, FixedPoint, Mode, Receiver, Rule, Schema, Sender,
    SenderOptions, SmallestThree, Snapshot, Value, World, settle,
};
use gametape_samples::delta::Arena;

fn path(name: &str) -> PathBuf {
    let book = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/delta");
    book.join(name)
}

pub fn chapter(name: &str) -> String {
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
