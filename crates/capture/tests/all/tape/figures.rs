//! Statistics of bytes and events.

use gametape_capture::Options;
use gametape_core::tape::{Dump, OptionValue, Work};
use gametape_delta::Snapshot;
use serde_json::Value as Json;

use super::{dumped, none, opened};
use crate::common::{capture_of, small, stream};

#[test]
fn every_byte_goes_somewhere_once() {
    let (packets, _) = stream(30, 8, 10, 3);
    let bytes = capture_of(
        &packets,
        Options {
            keyframe_every: Some(4),
            ..small()
        },
    );
    let info = opened(bytes, "tape.mcap").info().unwrap();
    let all = packets.concat().len() as u64;
    assert_eq!(info.details["packet_bytes"]["all"], all);
    // Bytes in eighths are exact, because bits are counted.
    let bits = |entry: &Json| (entry["bytes"].as_f64().unwrap() * 8.0) as u64;
    let list = |key: &str| info.details[key].as_array().unwrap().clone();
    let sum = |key: &str| -> u64 { list(key).iter().map(bits).sum() };
    assert_eq!(sum("bytes_by_kind"), all * 8);
    let headers = packets.len() as u64 * 28 * 8;
    assert_eq!(sum("bytes_by_section") + headers, all * 8);
    let kinds = list("bytes_by_kind");
    let kind = |what: &str| bits(kinds.iter().find(|entry| entry["what"] == what).unwrap());
    assert_eq!(kind("headers"), headers);
    assert_eq!(
        sum("bytes_by_component"),
        kind("field masks") + kind("values")
    );
    assert_eq!(sum("bytes_by_field"), kind("values"));
    let text = info.to_string();
    assert!(text.contains("ship") && text.contains("headers"), "{text}");
}

#[test]
fn statistics_count_what_happens() {
    let (packets, states) = stream(30, 8, 100, 1);
    let recording = opened(packets.concat(), "tape.delta");
    let wish = none().with("tick-rate", OptionValue::Number(20.0));
    let (capture, _) = recording.convert("capture", &wish).unwrap();
    let stats = opened(capture, "tape.mcap")
        .tape
        .stats(&none(), &Work::default())
        .unwrap()
        .value;
    assert_eq!(stats.stats["ticks"], 30);
    assert_eq!(stats.stats["duration_ms"], 1450);
    assert_eq!(
        stats.stats["bytes_per_s"],
        packets.concat().len() as f64 / 1.5
    );
    assert_eq!(
        stats.stats["entities_min"],
        states.iter().map(Snapshot::len).min().unwrap()
    );
    assert_eq!(
        stats.stats["entities_max"],
        states.iter().map(Snapshot::len).max().unwrap()
    );
    let lines = dumped(&recording, &Dump::default());
    let named = |section: &str| -> usize {
        lines
            .iter()
            .flat_map(|line| line["sections"].as_array().unwrap())
            .filter(|entry| entry["section"] == section)
            .map(|entry| entry["entities"].as_array().unwrap().len())
            .sum()
    };
    for (key, section) in [
        ("creates", "create"),
        ("destroys", "destroy"),
        ("updates", "update"),
    ] {
        assert_eq!(stats.stats[key], named(section), "{section}");
        assert!(named(section) > 0);
    }
    assert_eq!(lines[0]["kind"], "full");
    assert_eq!(lines[1]["baseline"], 1);
}

#[test]
fn of_a_damaged_recording_what_could_be_applied_counts() {
    let (packets, states) = stream(30, 8, 100, 1);
    let stats = |packets: &[Vec<u8>]| {
        let recording = opened(packets.concat(), "tape.delta");
        recording.tape.stats(&none(), &Work::default()).unwrap()
    };
    let whole = stats(&packets);
    assert!(whole.problem.is_none());
    // The payload of packet 10 has a section of an unknown kind, so no later packet can be applied.
    let mut broken = packets.clone();
    broken[10][28] = 0xFF;
    let damaged = stats(&broken);
    assert!(damaged.problem.is_some());
    let bytes = packets[..10].concat().len();
    let entities: usize = states[..10].iter().map(Snapshot::len).sum();
    assert_eq!(damaged.value.stats["ticks"], 30);
    assert_eq!(
        damaged.value.stats["bytes_per_entity_tick"],
        bytes as f64 / entities as f64
    );
    // All other packets can still be decoded.
    let updates = damaged.value.stats["updates"].as_f64().unwrap();
    assert!(updates < whole.value.stats["updates"].as_f64().unwrap());
    assert_eq!(damaged.value.stats["updates_per_tick"], updates / 29.0);
}
