//! A small world, and how to play with it.

use std::fs;
use std::path::Path;

use gametape::murk::engine::World;
use gametape::murk::{Header, Simulation, State, Writer, read};
use snapbox::cmd::OutputAssert;

use crate::common::gametape;

/// A pond of three by four squares, in which ink spreads.
pub const POND: &str = r#"dt = 0.1

[space]
kind = "square4"
rows = 3
cols = 4
edge = "absorb"

[[field]]
name = "ink"
type = "scalar"
mutability = "sparse"

[[field]]
name = "spread"
type = "scalar"
mutability = "per_tick"

[[field]]
name = "shore"
type = "scalar"
mutability = "static"

[[propagator]]
kind = "scalar_diffusion"
input_field = "ink"
output_field = "spread"
coefficient = 0.5
"#;

/// The commands: two drops at one place, others elsewhere.
pub const DROPS: &str = r#"{"tick":1,"kind":"set_field","coord":[0,0],"field":"ink","value":1.5}
{"tick":3,"kind":"set_field","coord":[1,2],"field":"ink","value":4,"source_id":7}
{"tick":5,"kind":"set_field","coord":[2,3],"field":"ink","value":2}
{"tick":6,"kind":"set_field","coord":[1,2],"field":"ink","value":3,"source_id":8,"source_seq":1}
{"tick":8,"kind":"set_field","coord":[2,0],"field":"ink","value":9}
"#;

/// Ticks of the recordings.
pub const TICKS: u64 = 12;

/// A folder with the world `pond.toml`, its commands `drops.jsonl`, and their recording
/// `run.murk`.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("pond.toml"), POND).unwrap();
    fs::write(path.join("drops.jsonl"), DROPS).unwrap();
    record(path, "pond.toml", "drops.jsonl", "run.murk").success();
    folder
}

/// Records a world with commands.
pub fn record(folder: &Path, world: &str, commands: &str, out: &str) -> OutputAssert {
    let ticks = TICKS.to_string();
    gametape(
        folder,
        &[
            "record",
            "murk",
            "--world",
            world,
            "--commands",
            commands,
            "--ticks",
            &ticks,
            out,
        ],
    )
    .assert()
}

/// The offset of the first frame.
pub fn header_size(bytes: &[u8]) -> usize {
    let first = read(bytes).unwrap().frames().next();
    first.map_or(bytes.len(), |frame| frame.unwrap().offset as usize)
}

/// The recording with another header.
pub fn with_header(bytes: &[u8], change: impl FnOnce(&mut Header<'_>)) -> Vec<u8> {
    rewritten(bytes, change, |_, hash| hash)
}

/// The recording, in which the state at `tick` has one value with a flipped bit. Returns the value
/// as it was, and as it is recorded.
pub fn with_flipped_value(
    bytes: &[u8],
    tick: u64,
    field: u32,
    element: usize,
    bit: u32,
) -> (Vec<u8>, f32, f32) {
    let mut world = World::from_toml(POND).unwrap().build().unwrap();
    let replay = read(bytes).unwrap();
    for frame in replay.frames() {
        let frame = frame.unwrap();
        world.step(frame.tick, frame.commands()).unwrap();
        if frame.tick == tick {
            break;
        }
    }
    let state = State::of(&world, 3);
    let mut fields: Vec<Vec<f32>> = state.fields().map(<[f32]>::to_vec).collect();
    let value = &mut fields[field as usize][element];
    let was = *value;
    *value = f32::from_bits(value.to_bits() ^ 1 << bit);
    let is = *value;
    let wrong = gametape::murk::snapshot_hash(fields.iter().map(Vec::as_slice));
    let hash_at = |at, hash| if at == tick { wrong } else { hash };
    (rewritten(bytes, |_| (), hash_at), was, is)
}

/// The recording, with the hashes of another one of as many ticks.
pub fn with_hashes_of(bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let frames = read(other).unwrap().frames();
    let hashes: Vec<u64> = frames.map(|frame| frame.unwrap().snapshot_hash).collect();
    rewritten(bytes, |_| (), |tick, _| hashes[tick as usize - 1])
}

fn rewritten(
    bytes: &[u8],
    change: impl FnOnce(&mut Header<'_>),
    hash: impl Fn(u64, u64) -> u64,
) -> Vec<u8> {
    let replay = read(bytes).unwrap();
    let mut header = replay.header().clone();
    change(&mut header);
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    for frame in replay.frames() {
        let frame = frame.unwrap();
        let hash = hash(frame.tick, frame.snapshot_hash);
        writer.push(frame.tick, frame.commands(), hash).unwrap();
    }
    writer.finish().unwrap()
}
