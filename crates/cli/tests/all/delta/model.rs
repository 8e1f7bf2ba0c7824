//! Streams held to what they were made of: their states, their bytes, and each of their bits.

use std::fs;
use std::path::{Path, PathBuf};

use gametape::delta::{Codec, Field, Value as Wire};
use gametape_samples::delta::Arena;
use serde_json::{Value, json};

use super::support::{
    self, StateRow, TICKS, capture, fine, folder, gametape, packets, state_rows, states,
    with_keyframes,
};

#[test]
fn inspect_as_json_has_every_bit_once() {
    let folder = folder();
    let path = folder.path();
    let packets = packets();
    let bytes: usize = packets.iter().map(Vec::len).sum();
    for (name, format, added) in [
        ("run.mcap", "capture", 2),
        ("run.delta", "delta", 0),
        ("packets", "delta", 0),
    ] {
        let info: Value =
            serde_json::from_str(&fine(path, &format!("inspect --json {name}"))).unwrap();
        assert_eq!(info["path"], name);
        assert_eq!(info["format"], format);
        assert_eq!(info["steps"], TICKS);
        let details = &info["details"];
        assert_eq!(details["keyframes"], 1 + added);
        assert_eq!(details["deltas"], TICKS - 1);
        assert_eq!(details["added_keyframes"], added);
        assert_eq!(details["packet_bytes"]["all"], bytes);
        let sum = |list: &Value| -> f64 {
            let list = list.as_array().unwrap();
            list.iter()
                .map(|entry| entry["bytes"].as_f64().unwrap())
                .sum()
        };
        // By what they are, all bytes; by section, all but the headers.
        assert!((sum(&details["bytes_by_kind"]) - bytes as f64).abs() < 1e-9);
        let headers = 28.0 * f64::from(TICKS);
        assert!((sum(&details["bytes_by_section"]) + headers - bytes as f64).abs() < 1e-9);
        // By field, what "values" are; with the masks, what components are.
        let values = &details["bytes_by_kind"][6];
        assert_eq!(values["what"], "values");
        assert!((sum(&details["bytes_by_field"]) - values["bytes"].as_f64().unwrap()).abs() < 1e-9);
        let masks = &details["bytes_by_kind"][5];
        assert_eq!(masks["what"], "field masks");
        let both = sum(&json!([values, masks]));
        assert!((sum(&details["bytes_by_component"]) - both).abs() < 1e-9);
    }
}

#[test]
fn dump_state_has_a_row_a_component_of_each_entity() {
    let folder = folder();
    let path = folder.path();
    let schema = Arena::schema();
    for (args, tick) in [
        ("", TICKS),
        (" --at tick:1", 1),
        (" --at tick:17", 17),
        (" --at tick:31", 31),
    ] {
        let state = &states()[tick as usize - 1];
        let mut expected = Vec::new();
        for component in schema.components() {
            for entity in state.iter() {
                let Some(part) = entity.component(component.id) else {
                    continue;
                };
                let value = |(value, field): (Wire, &Field)| match (value, field.codec) {
                    (Wire::FixedPoint(value), Codec::FixedPoint { scale, .. }) => {
                        json!(value as f64 / f64::from(scale))
                    }
                    (value, _) => json!(value),
                };
                let values = part.values().zip(&component.fields).map(value);
                let table = component.name.clone().unwrap();
                expected.push((table, u64::from(entity.id()), values.collect()));
            }
        }
        for name in ["run.mcap", "run.delta", "packets"] {
            let (at, rows) = state_rows(&fine(path, &format!("dump --state{args} {name}")));
            assert_eq!(at, Some(u64::from(tick)), "{name}{args}");
            let as_floats = |rows: &[StateRow]| -> Vec<_> {
                let float = |value: &Value| value.as_f64().map_or(value.clone(), Value::from);
                let rows = rows.iter();
                rows.map(|(table, entity, values)| {
                    let values: Vec<Value> = values.iter().map(float).collect();
                    (table.clone(), *entity, values)
                })
                .collect()
            };
            assert_eq!(as_floats(&rows), as_floats(&expected), "{name}{args}");
        }
    }
}

/// Any bit of a capture: nothing that is wrong passes, and nothing is lost in silence.
#[test]
fn a_flipped_bit_is_found() {
    let folder = folder();
    let path = folder.path();
    let capture = capture(&packets(), with_keyframes());
    let mut random = 9_u64;
    for _ in 0..16 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let at = (random >> 33) as usize % capture.len();
        let bit = random >> 30 & 7;
        let mut bytes = capture.clone();
        bytes[at] ^= 1 << bit;
        fs::write(path.join("bad.mcap"), &bytes).unwrap();
        let run = gametape(path, &["verify", "bad.mcap"]).assert();
        let code = run.get_output().status.code().unwrap();
        assert!([1, 2].contains(&code), "byte {at}, bit {bit} passes");
        let run = gametape(path, &["repair", "--replace", "bad.mcap", "good.mcap"]).assert();
        let output = run.get_output();
        let code = output.status.code().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        if code == 2 {
            assert_eq!(printed.lines().count(), 1, "{printed}");
            continue;
        }
        let verified = fine(path, "verify good.mcap");
        assert!(verified.starts_with("pass "), "byte {at}: {printed}");
        let diff = gametape(path, &["diff", "run.mcap", "good.mcap"]).assert();
        let same = diff.get_output().status.code() == Some(0);
        // Such as the names of a schema, which no state depends on.
        let doubtful = printed.starts_with("kept, but may be altered: ");
        assert_eq!(
            code,
            if same && !doubtful { 0 } else { 3 },
            "byte {at}, bit {bit}: {printed}"
        );
    }
}

/// Recordings of the origin of the wire, where they are at hand.
fn tapes() -> Option<PathBuf> {
    let tapes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes/delta");
    if !tapes.is_dir() {
        eprintln!("SKIPPED: the origin's recordings are not beside the repository");
        return None;
    }
    Some(tapes.canonicalize().unwrap())
}

#[test]
fn the_last_state_is_the_origins() {
    let Some(tapes) = tapes() else { return };
    let final_state = fs::read_to_string(tapes.join("demo12.final.txt")).unwrap();
    let mut lines = final_state.lines();
    assert_eq!(lines.next(), Some("tick 60 entities 12 packets 60"));
    let mut expected = Vec::new();
    for line in lines {
        // 1 1 [FixedPoint(31003), UInt(1104), Bool(false)]
        let (id, rest) = line.split_once(' ').unwrap();
        let (component, values) = rest.split_once(' ').unwrap();
        let values = values.trim_matches(['[', ']']).split(", ").map(|value| {
            let (kind, value) = value.trim_end_matches(')').split_once('(').unwrap();
            match kind {
                // All have a scale of 100.
                "FixedPoint" => json!(value.parse::<f64>().unwrap() / 100.0),
                _ => support::json(value),
            }
        });
        let table = format!("component_{component}");
        expected.push((table, id.parse().unwrap(), values.collect()));
    }
    let state = |folder: &Path, args: &str| {
        let (tick, rows) = state_rows(&fine(folder, &format!("dump --state {args}")));
        assert_eq!(tick, Some(60));
        rows
    };
    assert_eq!(expected.len(), 12);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fine(
        path,
        &format!(
            "convert {} demo12.mcap --keyframe-every 25",
            tapes.join("demo12").display()
        ),
    );
    fine(path, "convert demo12.mcap demo12.delta");
    for name in ["demo12.mcap", "demo12.delta"] {
        assert_eq!(state(path, name), expected);
    }
    assert_eq!(state(&tapes, "demo12"), expected);
    assert_eq!(state(&tapes, "--at tick:60 demo12"), expected);
    // Byte for byte.
    let mut files: Vec<PathBuf> = fs::read_dir(tapes.join("demo12"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bin"))
        .collect();
    let tick = |path: &PathBuf| -> u32 {
        let name = path.file_stem().unwrap().to_str().unwrap();
        name.split('_').nth(1).unwrap().parse().unwrap()
    };
    files.sort_by_key(tick);
    let bytes: Vec<u8> = files
        .iter()
        .flat_map(|path| fs::read(path).unwrap())
        .collect();
    assert_eq!(fs::read(path.join("demo12.delta")).unwrap(), bytes);
    let schema =
        |path: PathBuf| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    assert_eq!(
        schema(path.join("demo12.schema.json")),
        schema(tapes.join("demo12/schema.json"))
    );
}
