//! Writes the results of this decoder, to compare decoders in other languages with it:
//!
//! `cargo run -p gametape-delta --example decoder_cases -- FOLDER`
//!
//! - `spoilt.jsonl`: the conformance cases and random packets, each corrupted in many ways. A line
//!   with `schema` starts a scene: the state that the following packets are applied to, and the
//!   limits. All other lines are packets with their results: `strict`, and `lenient` if that
//!   differs.
//! - `numbers.jsonl`: quantised values, and the bits of the real numbers that they represent.
//! - `schemas.jsonl`: texts, and the hash of the schema in each; `null` if it is not a valid
//!   schema.
//! - `arena.jsonl`: a thousand ships over many ticks: packets, and a hash of the state after each.
//!
//! Everything is made from fixed seeds, so each run writes the same.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use gametape_delta::{
    Codec, Decoder, Encoder, FixedPoint, Limits, ReadOptions, Schema, SmallestThree, Snapshot,
};
use gametape_samples::delta::Arena;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};

use common::{Random, decode, hex, state_from_json, state_to_json, unhex};
use scenes::{Scene, scenes, schemas, spoil};

#[path = "../../tests/all/common/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    clippy::wildcard_imports,
    reason = "the tests use the rest"
)]
mod common;
mod scenes;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The number of random scenes, and of corruptions of each of their packets.
const SCENES: usize = 150;
const SPOILT: usize = 40;
/// The number of bit flips in a delta with many components.
const FLIPPED: usize = 100;
/// The number of further corruptions of a conformance case, after each of its bits and lengths.
const SPOILT_CASES: usize = 30;
const SCHEMAS: usize = 300;
const SHIPS: u32 = 1000;
const TICKS: usize = 100;

fn main() -> Outcome {
    let folder = std::env::args_os().nth(1).ok_or("a folder is missing")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let write = |name: &str, make: fn(&mut Out) -> Outcome| -> Outcome {
        let path = folder.join(name);
        let mut out = Out(BufWriter::new(File::create(&path)?));
        make(&mut out)?;
        Ok(out.0.flush()?)
    };
    write("spoilt.jsonl", spoilt)?;
    write("numbers.jsonl", numbers)?;
    write("schemas.jsonl", texts)?;
    write("arena.jsonl", arena)
}

struct Out(BufWriter<File>);

impl Out {
    fn line(&mut self, line: &Json) -> Outcome {
        Ok(writeln!(self.0, "{line}")?)
    }
}

/// The packets of one schema that are applied to one state.
struct Stage<'a> {
    schema: Schema,
    baseline: Option<&'a Snapshot>,
    limits: Limits,
}

impl Stage<'_> {
    fn begin(&self, out: &mut Out) -> Outcome {
        let limits = self.limits;
        out.line(&json!({
            "schema": self.schema,
            "schema_hash": format!("{:016x}", self.schema.hash()),
            "baseline": self.baseline.map(state_to_json),
            "limits": {
                "packetBytes": limits.max_packet_bytes,
                "sections": limits.max_sections,
                "sectionBytes": limits.max_section_bytes,
                "creates": limits.max_entities_create,
                "updates": limits.max_entities_update,
                "destroys": limits.max_entities_destroy,
                "components": limits.max_components,
                "fields": limits.max_fields,
                "entities": limits.max_entities,
            },
        }))
    }

    fn packet(&self, packet: &[u8], out: &mut Out) -> Outcome {
        let strict = self.verdict(packet, ReadOptions::strict());
        let lenient = self.verdict(packet, ReadOptions::lenient());
        let mut line = json!({ "packet": hex(packet) });
        if lenient != strict {
            line["lenient"] = lenient;
        }
        line["strict"] = strict;
        out.line(&line)
    }

    fn verdict(&self, packet: &[u8], options: ReadOptions) -> Json {
        let decoder = Decoder::with_options(&self.schema, options.limits(self.limits));
        let mut state = Snapshot::new(&self.schema, 0);
        match decode(&decoder, self.baseline, packet, &mut state) {
            Ok(()) => json!({ "state": state_to_json(&state) }),
            Err(error) => json!({
                "error": error.code(),
                "offset": error.offset(),
                "text": error.to_string(),
            }),
        }
    }
}

fn spoilt(out: &mut Out) -> Outcome {
    let mut rng = Random(1);
    spoilt_cases(&mut rng, out)?;
    let mut runner = TestRunner::deterministic();
    for round in 0..SCENES {
        // In scenes where components are added and removed, deltas of many components have almost
        // no UPDATE section.
        let scene = scenes(round % 2 == 0)
            .new_tree(&mut runner)
            .map_err(|r| r.to_string())?
            .current();
        spoilt_scene(&scene, &mut rng, out)?;
    }
    Ok(())
}

/// Each conformance case: unchanged, with each of its bits flipped, cut at each byte, with bytes
/// appended, and corrupted with correct lengths.
fn spoilt_cases(rng: &mut Random, out: &mut Out) -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    for file in ["full.json", "delta.json", "errors.json"] {
        let cases: Vec<Json> = serde_json::from_str(&fs::read_to_string(folder.join(file))?)?;
        for case in cases {
            let schema: Schema = serde_json::from_value(case["schema"].clone())?;
            let baseline = &case["baseline"];
            let baseline = (!baseline.is_null()).then(|| state_from_json(&schema, baseline));
            let stage = Stage {
                schema,
                baseline: baseline.as_ref(),
                limits: Limits::DEFAULT,
            };
            let packet = unhex(case["packet"].as_str().ok_or("a case without a packet")?);
            stage.begin(out)?;
            stage.packet(&packet, out)?;
            for bit in 0..packet.len() * 8 {
                let mut spoilt = packet.clone();
                spoilt[bit / 8] ^= 1 << (bit % 8);
                stage.packet(&spoilt, out)?;
            }
            for length in 0..packet.len() {
                stage.packet(&packet[..length], out)?;
                stage.packet(&with_length(&packet[..length]), out)?;
            }
            for byte in [0, 1, 2, 3, 0x80, 0xff] {
                let longer = [packet.as_slice(), &[byte]].concat();
                stage.packet(&longer, out)?;
                stage.packet(&with_length(&longer), out)?;
            }
            // A packet can be taken apart only if its framing is valid.
            let decoder = Decoder::new(&stage.schema);
            for _ in 0..SPOILT_CASES {
                if decoder.header(&packet).is_ok() {
                    stage.packet(&spoil(&packet, rng), out)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the packet with the length of its payload corrected.
fn with_length(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    let payload = packet.len().saturating_sub(28) as u32;
    if let Some(slot) = packet.get_mut(24..28) {
        slot.copy_from_slice(&payload.to_le_bytes());
    }
    packet
}

/// Writes a full snapshot and a delta of a random schema, intact and corrupted, with various limits.
fn spoilt_scene(scene: &Scene, rng: &mut Random, out: &mut Out) -> Outcome {
    let Scene { schema, from, to } = scene;
    let (mut full, mut delta) = (Vec::new(), Vec::new());
    let mut encoder = Encoder::new(schema).limits(Limits::NONE);
    encoder.full(from, &mut full)?;
    encoder.delta(from, to, &mut delta)?;
    for (baseline, packet) in [(None, &full), (Some(from), &delta)] {
        for limits in [Limits::DEFAULT, some_limits(rng)] {
            let stage = Stage {
                schema: schema.clone(),
                baseline,
                limits,
            };
            stage.begin(out)?;
            stage.packet(packet, out)?;
            // Tight limits refuse almost everything.
            let times = if limits == Limits::DEFAULT { SPOILT } else { 4 };
            for _ in 0..times {
                stage.packet(&spoil(packet, rng), out)?;
            }
            // A mask of two words needs extra tests: its second word is easily read wrongly, but
            // rarely corrupted.
            if baseline.is_some() && schema.components().len() > 32 && times == SPOILT {
                for _ in 0..FLIPPED {
                    let mut spoilt = packet.clone();
                    let bit = 28 * 8 + rng.below((packet.len() - 28).max(1) * 8);
                    if let Some(byte) = spoilt.get_mut(bit / 8) {
                        *byte ^= 1 << (bit % 8);
                    }
                    stage.packet(&spoilt, out)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns limits of which one or two are tight.
fn some_limits(rng: &mut Random) -> Limits {
    let mut limits = Limits::DEFAULT;
    for _ in 0..2 {
        let (slot, most) = match rng.below(9) {
            0 => (&mut limits.max_packet_bytes, 200),
            1 => (&mut limits.max_sections, 3),
            2 => (&mut limits.max_section_bytes, 100),
            3 => (&mut limits.max_entities_create, 5),
            4 => (&mut limits.max_entities_update, 5),
            5 => (&mut limits.max_entities_destroy, 2),
            6 => (&mut limits.max_components, 8),
            7 => (&mut limits.max_fields, 6),
            _ => (&mut limits.max_entities, 8),
        };
        *slot = rng.below(most + 1);
    }
    limits
}

fn numbers(out: &mut Out) -> Outcome {
    let mut rng = Random(2);
    for round in 0..4000 {
        let scale = (rng.next() as u32 >> rng.below(32)).max(1);
        let quantised = match round {
            0 => i64::MIN,
            1 => i64::MAX,
            _ => rng.next() as i64 >> rng.below(64),
        };
        let codec = Codec::FixedPoint {
            min_q: i64::MIN,
            max_q: i64::MAX,
            scale,
        };
        let fixed = FixedPoint::of(codec).ok_or("no fixed point")?;
        out.line(&json!({
            "quantised": quantised.to_string(),
            "scale": scale,
            "bits": format!("{:016x}", fixed.value(quantised).to_bits()),
        }))?;
    }
    for bits in 2..=24 {
        let rotation = SmallestThree::new(bits);
        let steps = (1 << bits) - 2;
        for round in 0..400 {
            let mut part = || match rng.below(6) {
                0 => 0,
                1 => steps,
                2 => steps / 2,
                // A value beyond the last step.
                3 if round < 20 => steps + 1,
                _ => rng.next() % (steps + 1),
            };
            let values = [round % 4, part(), part(), part()];
            out.line(&rotation_line(rotation, bits, values))?;
        }
        // Values of real rotations, whose components are never all large.
        for _ in 0..400 {
            let mut part = || (rng.next() as f64 / u64::MAX as f64 - 0.5) as f32;
            let values = rotation.quantise([part(), part(), part(), part()])?;
            out.line(&rotation_line(rotation, bits, values))?;
        }
    }
    Ok(())
}

fn rotation_line(rotation: SmallestThree, bits: u8, values: [u64; 4]) -> Json {
    let floats = rotation.value(values);
    let floats = floats.map(|part| format!("{:08x}", part.to_bits()));
    json!({ "rotation": bits, "values": values, "bits": floats })
}

/// Schemas, and texts that are almost schemas.
fn texts(out: &mut Out) -> Outcome {
    let mut rng = Random(3);
    let mut runner = TestRunner::deterministic();
    for _ in 0..SCHEMAS {
        let schema = schemas()
            .new_tree(&mut runner)
            .map_err(|r| r.to_string())?
            .current();
        let text = serde_json::to_string(&schema)?;
        text_line(&text, out)?;
        for _ in 0..6 {
            text_line(&spoilt_text(&text, &mut rng), out)?;
        }
    }
    Ok(())
}

fn text_line(text: &str, out: &mut Out) -> Outcome {
    let schema: Option<Schema> = serde_json::from_str(text).ok();
    let hash = schema.map(|schema| format!("{:016x}", schema.hash()));
    out.line(&json!({ "text": text, "hash": hash }))
}

/// Replaces a number or a word in a text.
fn spoilt_text(text: &str, rng: &mut Random) -> String {
    const WORDS: [(&str, &str); 12] = [
        ("\"change\":", "\"changes\":"),
        ("\"scale\":", "\"unit\":1,\"scale\":"),
        ("\"bits\":", "\"name\":\"\",\"bits\":"),
        ("\"threshold_q\":", "\"threshold\":"),
        ("\"Bool\"", "\"Boolean\""),
        ("\"Always\"", "\"Never\""),
        ("\"VarUInt\"", "{\"VarUInt\":{}}"),
        ("\"VarSInt\"", "{\"VarSInt\":null}"),
        ("\"Always\"", "{\"Always\":null}"),
        ("\"Always\"", "null"),
        ("\"id\":1,", "\"id\":1,\"name\":\"\\u0000x\","),
        ("\"id\":", "\"name\":null,\"id\":"),
    ];
    const NUMBERS: [&str; 14] = [
        "0",
        "1",
        "64",
        "65",
        "255",
        "256",
        "65535",
        "65536",
        "4294967295",
        "4294967296",
        "-1",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
    ];
    if rng.one_in(2) {
        let (from, to) = WORDS[rng.below(WORDS.len())];
        return text.replacen(from, to, 1);
    }
    let is_number = |(at, _): &(usize, &str)| {
        text[at + 1..].starts_with(|c: char| c == '-' || c.is_ascii_digit())
    };
    let numbers: Vec<usize> = text
        .match_indices(':')
        .filter(is_number)
        .map(|(at, _)| at + 1)
        .collect();
    if numbers.is_empty() {
        return text.replacen('[', "{", 1);
    }
    let at = numbers[rng.below(numbers.len())];
    let rest = &text[at..];
    let end = rest.find([',', '}']).unwrap_or(rest.len());
    let number = NUMBERS[rng.below(NUMBERS.len())];
    format!("{}{number}{}", &text[..at], &rest[end..])
}

/// Writes the schema, then a full snapshot, then deltas with the previous state as baseline.
fn arena(out: &mut Out) -> Outcome {
    let schema = Arena::schema();
    out.line(&json!({ "schema": schema }))?;
    let mut world = Arena::new(SHIPS, 1);
    let mut encoder = Encoder::new(&schema).limits(Limits::NONE);
    let mut held: Option<Snapshot> = None;
    let mut packet = Vec::new();
    for _ in 0..TICKS {
        let mut state = Snapshot::new(&schema, 0);
        world.step();
        world.state(&mut state)?;
        match &held {
            None => encoder.full(&state, &mut packet)?,
            Some(held) => encoder.delta(held, &state, &mut packet)?,
        }
        let hash = blake3::hash(state_text(&state).as_bytes());
        out.line(&json!({ "packet": hex(&packet), "hash": hash.to_hex().as_str() }))?;
        held = Some(state);
    }
    Ok(())
}

/// Formats each component of each entity as a line: `id component: value value …`.
fn state_text(state: &Snapshot) -> String {
    let mut text = format!("tick {}\n", state.tick());
    for entity in state.iter() {
        for part in entity.components() {
            let values = part.values().map(|value| format!(" {value}"));
            text += &[&entity.id().to_string(), " ", &part.id().to_string(), ":"].concat();
            text.extend(values);
            text.push('\n');
        }
    }
    text
}
