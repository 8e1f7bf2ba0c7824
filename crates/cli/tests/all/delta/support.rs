//! A small arena, recorded in every form.

use std::fs;

use gametape::capture::{Options, Writer};
use gametape::delta::{Encoder, Schema, Snapshot};
use gametape_samples::delta::Arena;

pub use crate::common::*;

/// Ships in the arena.
pub const SHIPS: u32 = 4;
/// Packets of the recordings, a tick each.
pub const TICKS: u32 = 40;
/// Between added keyframes.
pub const EVERY: u32 = 15;

/// The states of ticks 1 to [`TICKS`].
pub fn states() -> Vec<Snapshot> {
    let mut arena = Arena::new(SHIPS, 7);
    (1..=TICKS)
        .map(|_| {
            let mut state = Snapshot::new(&Arena::schema(), 0);
            arena.step();
            arena.state(&mut state).unwrap();
            state
        })
        .collect()
}

/// A full snapshot, and deltas that build on the tick before.
pub fn packets() -> Vec<Vec<u8>> {
    packets_of(&Arena::schema(), &states())
}

pub fn packets_of(schema: &Schema, states: &[Snapshot]) -> Vec<Vec<u8>> {
    let mut encoder = Encoder::new(schema);
    let mut before: Option<&Snapshot> = None;
    states
        .iter()
        .map(|state| {
            let mut packet = Vec::new();
            match before.replace(state) {
                Some(baseline) => encoder.delta(baseline, state, &mut packet).unwrap(),
                None => encoder.full(state, &mut packet).unwrap(),
            }
            packet
        })
        .collect()
}

/// A capture at 20 ticks a second.
pub fn capture(packets: &[Vec<u8>], options: Options) -> Vec<u8> {
    let options = Options {
        tick_ns: Some(50_000_000),
        ..options
    };
    let mut writer = Writer::new(Vec::new(), &Arena::schema(), options).unwrap();
    for packet in packets {
        writer.push(packet).unwrap();
    }
    writer.finish().unwrap()
}

pub fn with_keyframes() -> Options {
    Options {
        keyframe_every: Some(EVERY),
        ..Options::default()
    }
}

/// A capture of many small chunks.
pub fn chunked(packets: &[Vec<u8>]) -> Vec<u8> {
    let options = Options {
        chunk_bytes: 600,
        ..Options::default()
    };
    capture(packets, options)
}

pub fn schema_json() -> Vec<u8> {
    serde_json::to_vec(&Arena::schema()).unwrap()
}

/// A folder with one stream in every form: `run.mcap`, `run.delta` with `run.schema.json`, and
/// the folder `packets`.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let packets = packets();
    fs::write(path.join("run.mcap"), capture(&packets, with_keyframes())).unwrap();
    fs::write(path.join("run.delta"), packets.concat()).unwrap();
    fs::write(path.join("run.schema.json"), schema_json()).unwrap();
    fs::create_dir(path.join("packets")).unwrap();
    fs::write(path.join("packets/schema.json"), schema_json()).unwrap();
    for (packet, tick) in packets.iter().zip(1..) {
        let name = match tick {
            1 => "full_000001.bin".to_owned(),
            _ => format!("delta_{tick:06}_base_{:06}.bin", tick - 1),
        };
        fs::write(path.join("packets").join(name), packet).unwrap();
    }
    folder
}

/// A row of a state: its table, the entity, and the values in the order of their columns.
pub type StateRow = (String, u64, Vec<serde_json::Value>);

/// The state that `dump --state` printed, and its tick.
pub fn state_rows(out: &str) -> (Option<u64>, Vec<StateRow>) {
    let mut tick = None;
    let rows = out.lines().map(|line| {
        let serde_json::Value::Object(row) = json(line) else {
            panic!("{line}");
        };
        let now = row["tick"].as_u64();
        assert!(tick.is_none() || tick == now, "{line}");
        tick = now;
        let table = row["table"].as_str().unwrap().to_owned();
        let entity = row["entity"].as_u64().unwrap();
        let stamps = ["table", "step", "tick", "time_ms", "entity"];
        let values = row
            .into_iter()
            .filter(|(key, _)| !stamps.contains(&key.as_str()));
        (table, entity, values.map(|(_, value)| value).collect())
    });
    let rows = rows.collect();
    (tick, rows)
}
