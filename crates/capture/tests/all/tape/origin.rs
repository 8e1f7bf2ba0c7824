//! Recordings of the origin implementation.

use std::fmt::Write as _;
use std::fs;

use gametape_core::At;
use gametape_core::table::{Owned, Scan};
use gametape_core::tape::{Dump, Verdict};
use gametape_delta::{Snapshot, Value};
use serde_json::Value as Json;

use super::{Recording, dumped, none, shared};

/// A state in the form that the origin prints.
fn as_the_origin_prints(state: &Snapshot) -> String {
    let mut text = String::new();
    for entity in state.iter() {
        for part in entity.components() {
            let values: Vec<Value> = part.values().collect();
            writeln!(text, "{} {} {values:?}", entity.id(), part.id()).unwrap();
        }
    }
    text
}

#[test]
fn the_origins_folder_opens_and_its_last_state_is_the_origins() {
    let Some(tapes) = shared("delta") else {
        return;
    };
    let recording = Recording::open(&tapes.join("demo12"));
    assert_eq!(recording.format.name(), "delta");
    let audit = recording.audit();
    assert_eq!(audit.verdict(), Verdict::Pass, "{:?}", audit.findings);
    assert_eq!(
        audit.summary,
        "60 packets, all applied, 12 entities at tick 60"
    );
    let state = recording.packets().packets().unwrap().state_at(60).unwrap();
    let expected = fs::read_to_string(tapes.join("demo12.final.txt")).unwrap();
    let (first, rest) = expected.split_once('\n').unwrap();
    assert_eq!(first, "tick 60 entities 12 packets 60");
    assert_eq!(as_the_origin_prints(&state).trim_end(), rest.trim_end());

    let info = recording.info().unwrap();
    // The summary that the origin wrote.
    let summary: Json =
        serde_json::from_slice(&fs::read(tapes.join("demo12/summary.json")).unwrap()).unwrap();
    assert_eq!(info.details["keyframes"], summary["full_count"]);
    assert_eq!(info.details["deltas"], summary["delta_count"]);
    let all = summary["full_bytes_total"].as_u64().unwrap()
        + summary["delta_bytes_total"].as_u64().unwrap();
    assert_eq!(info.details["packet_bytes"]["all"], all);

    let mut play = recording.tape.playback().unwrap();
    play.seek(At::Tick(60)).unwrap();
    let state = play.state(&Scan::table("component_1")).unwrap();
    assert_eq!(state.len(), 12);
    let values: Vec<Owned> = state.columns().iter().map(|c| c.get(0).into()).collect();
    let fixed =
        [310.03, -257.26, 225.6, 8.23, -6.19, 5.17].map(|x: f64| Owned::Float64(x.to_bits()));
    let rest = [
        Owned::Uint(1104),
        Owned::Bool(false),
        Owned::Bool(false),
        Owned::Bool(false),
    ];
    assert_eq!(values[0], Owned::Uint(1));
    assert_eq!(values[1..], [&fixed[..], &rest].concat());
    let one = Recording::open(&tapes.join("demo12/full_000001.bin"));
    assert_eq!(one.format.name(), "delta");
    assert_eq!(one.info().unwrap().steps, Some(1));
}

#[test]
fn the_origins_demo_goes_through_all_three_forms_byte_for_byte() {
    let Some(tapes) = shared("delta") else {
        return;
    };
    let folder = Recording::open(&tapes.join("demo12"));
    let (bytes, capture) = folder.convert("capture", &none()).unwrap();
    assert!(capture.losses.is_empty() && capture.beside.is_empty());
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("demo.mcap");
    fs::write(&path, bytes).unwrap();
    let capture = Recording::open(&path);
    assert_eq!(capture.format.name(), "capture");
    assert_eq!(capture.audit().verdict(), Verdict::Pass);

    let (bytes, back) = capture.convert("delta", &none()).unwrap();
    assert!(back.losses.is_empty(), "{:?}", back.losses);
    assert_eq!(bytes, *folder.tape.input().bytes().unwrap());
    let path = out.path().join("demo.delta");
    fs::write(&path, bytes).unwrap();
    for beside in &back.beside {
        fs::write(beside.path(&path), &beside.bytes).unwrap();
    }
    assert!(out.path().join("demo.schema.json").is_file());
    let delta = Recording::open(&path);
    for (a, b) in [(&folder, &capture), (&capture, &delta), (&delta, &folder)] {
        assert!(a.diff(b).unwrap().same);
    }
    assert_eq!(
        dumped(&folder, &Dump::default()),
        dumped(&capture, &Dump::default())
    );
    assert_eq!(dumped(&folder, &Dump::default()).len(), 60);
}
