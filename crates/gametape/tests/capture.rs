//! Recordings of the snapshot/delta wire: captures, files of packets, folders.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use gametape::capture::{
    Capture, CaptureError, CaptureWriter, DeltaFile, Ending, Options, Packets, Role,
};
use gametape::delta::wire::Header;
use gametape::delta::{
    Codec, Component, Encoder, EntityMut, Field, Kind, Limits, Schema, Snapshot, Value,
};
use gametape::{Audit, Convert, Diff, Dump, Error, Format, Recording, Severity, Verdict};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

// --- material ---------------------------------------------------------------------------------

fn schema() -> Schema {
    Schema::new([
        Component::new(
            1,
            [
                Field::new(
                    1,
                    Codec::FixedPoint {
                        min_q: -5000,
                        max_q: 5000,
                        scale: 100,
                    },
                )
                .named("x"),
                Field::new(2, Codec::UInt { bits: 12 }).named("yaw"),
                Field::new(3, Codec::Bool).named("firing"),
            ],
        )
        .named("ship"),
        Component::new(2, [Field::new(1, Codec::VarSInt)]),
    ])
    .unwrap()
}

/// A world that moves, grows and shrinks, made from numbers alone.
fn world(tick: u32, entities: u32) -> Snapshot {
    let mut state = Snapshot::new(&schema(), tick);
    for id in 1..=entities {
        // Every entity is gone for a while now and then.
        if (tick / 7 + id).is_multiple_of(11) {
            continue;
        }
        let mut entity = state.insert(id).unwrap();
        let x = i64::from((tick * 37 + id * 101) % 10_000) - 5000;
        let ship = [
            Value::FixedPoint(x),
            Value::UInt(u64::from((tick * id) % 4096)),
            Value::Bool((tick + id).is_multiple_of(5)),
        ];
        entity.set(1, &ship).unwrap();
        if id.is_multiple_of(3) {
            gun(&mut entity, i32::try_from(tick).unwrap() * -3);
        }
    }
    state
}

fn gun(entity: &mut EntityMut<'_>, value: i32) {
    entity.set(2, &[Value::VarSInt(value)]).unwrap();
}

/// A stream of packets: full at tick 1 and every `full_every` ticks, deltas built on the state
/// `lag` ticks ago (as acknowledged by a receiver), and what the state is at each tick.
fn stream(ticks: u32, entities: u32, full_every: u32, lag: u32) -> (Vec<Vec<u8>>, Vec<Snapshot>) {
    let mut encoder = Encoder::new(&schema()).limits(Limits::NONE);
    let states: Vec<Snapshot> = (1..=ticks).map(|tick| world(tick, entities)).collect();
    let packets = states.iter().map(|state| {
        let mut packet = Vec::new();
        let tick = state.tick();
        if tick == 1 || (tick - 1).is_multiple_of(full_every) {
            encoder.full(state, &mut packet).unwrap();
        } else {
            let baseline = tick.saturating_sub(lag).max(1);
            let baseline = &states[baseline as usize - 1];
            encoder.delta(baseline, state, &mut packet).unwrap();
        }
        packet
    });
    (packets.collect(), states.clone())
}

fn capture_of(packets: &[Vec<u8>], options: Options) -> Vec<u8> {
    let mut writer = CaptureWriter::new(Vec::new(), &schema(), options).unwrap();
    for packet in packets {
        let pushed = writer.push(packet).unwrap();
        assert_eq!(pushed.problem, None);
    }
    writer.finish().unwrap()
}

fn small() -> Options {
    Options {
        chunk_bytes: 400,
        ..Options::default()
    }
}

fn opened(bytes: Vec<u8>, name: &str) -> Recording {
    Recording::from_bytes(bytes, name)
        .unwrap()
        .with_schema(schema())
}

fn audit(bytes: &[u8]) -> Audit {
    opened(bytes.to_vec(), "tape").audit().unwrap()
}

fn codes(audit: &Audit) -> Vec<&'static str> {
    audit.findings.iter().map(|finding| finding.code).collect()
}

/// Without a fault; it may be that nothing is left.
fn clean(audit: &Audit) -> bool {
    audit.verdict() == Verdict::Pass
        || matches!(codes(audit)[..], ["capture.empty" | "delta.empty"])
}

fn assert_clean(bytes: &[u8]) {
    let audit = audit(bytes);
    assert_eq!(audit.verdict(), Verdict::Pass, "{:#?}", audit.findings);
}

fn dumped(recording: &Recording, dump: Dump) -> Vec<Json> {
    let mut out = Vec::new();
    let partial = recording.dump_with(&dump, &mut out).unwrap().unwrap();
    assert!(partial.problem.is_none(), "{:?}", partial.problem);
    String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The packets of a recording, in a row.
fn bytes_of(packets: &Packets<'_>) -> Vec<u8> {
    let mut all = Vec::new();
    let mut cursor = packets.cursor();
    while let Some(packet) = cursor.next_packet().unwrap() {
        if packet.role != Role::Added {
            all.extend_from_slice(packet.bytes);
        }
    }
    all
}

fn tapes() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes/delta");
    if root.is_dir() {
        return Some(root);
    }
    eprintln!("SKIPPED: {} is not there", root.display());
    None
}

// --- the origin's demo ------------------------------------------------------------------------

/// A state as the origin prints it.
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
    let Some(tapes) = tapes() else { return };
    let recording = Recording::open(tapes.join("demo12")).unwrap();
    assert_eq!(recording.format(), Format::Delta);
    let audit = recording.audit().unwrap();
    assert_eq!(audit.verdict(), Verdict::Pass, "{:?}", audit.findings);
    assert_eq!(
        audit.summary,
        "60 packets, all applied, 12 entities at tick 60"
    );
    let state = recording.packets().unwrap().state_at(60).unwrap();
    let expected = fs::read_to_string(tapes.join("demo12.final.txt")).unwrap();
    let (first, rest) = expected.split_once('\n').unwrap();
    assert_eq!(first, "tick 60 entities 12 packets 60");
    assert_eq!(as_the_origin_prints(&state).trim_end(), rest.trim_end());

    let info = recording.info().unwrap();
    // What the origin's own summary says.
    let summary: Json =
        serde_json::from_slice(&fs::read(tapes.join("demo12/summary.json")).unwrap()).unwrap();
    assert_eq!(info.details["full"], summary["full_count"]);
    assert_eq!(info.details["deltas"], summary["delta_count"]);
    let all = summary["full_bytes_total"].as_u64().unwrap()
        + summary["delta_bytes_total"].as_u64().unwrap();
    assert_eq!(info.details["packet_bytes"]["all"], all);

    let lines = dumped(
        &recording,
        Dump {
            tick: Some(60),
            state: true,
            ..Dump::default()
        },
    );
    assert_eq!(lines.len(), 12);
    assert_eq!(
        lines[0],
        json!({"tick":60,"entity":1,"components":{"1":[31003,-25726,22560,823,-619,517,1104,false,false,false]}})
    );
    let found: Vec<_> = gametape::find(&tapes)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert!(
        found
            .iter()
            .any(|found| found.path == tapes.join("demo12") && !found.named)
    );
    assert!(
        found
            .iter()
            .all(|found| found.path.parent() == Some(&tapes)),
        "{found:?}"
    );
    let one = Recording::open(tapes.join("demo12/full_000001.bin")).unwrap();
    assert_eq!(one.format(), Format::Delta);
    assert_eq!(one.info().unwrap().frames, Some(1));
}

#[test]
fn the_origins_demo_goes_through_all_three_forms_byte_for_byte() {
    let Some(tapes) = tapes() else { return };
    let folder = Recording::open(tapes.join("demo12")).unwrap();
    let wish = Convert::default();
    let capture = folder.convert(Format::Capture, &wish).unwrap();
    assert!(capture.losses.is_empty() && capture.beside.is_empty());
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("demo.mcap");
    fs::write(&path, capture.content.bytes().unwrap()).unwrap();
    let capture = Recording::open(&path).unwrap();
    assert_eq!(capture.format(), Format::Capture);
    assert_eq!(capture.audit().unwrap().verdict(), Verdict::Pass);

    let back = capture.convert(Format::Delta, &wish).unwrap();
    assert!(back.losses.is_empty(), "{:?}", back.losses);
    assert_eq!(&*back.content.bytes().unwrap(), folder.bytes());
    let path = out.path().join("demo.delta");
    fs::write(&path, back.content.bytes().unwrap()).unwrap();
    for beside in &back.beside {
        beside.write(&path).unwrap();
    }
    assert!(out.path().join("demo.schema.json").is_file());
    let delta = Recording::open(&path).unwrap();
    for (a, b) in [(&folder, &capture), (&capture, &delta), (&delta, &folder)] {
        assert!(a.diff(b, &gametape::Check::default()).unwrap().same);
    }
    assert_eq!(
        dumped(&folder, Dump::default()),
        dumped(&capture, Dump::default())
    );
    assert_eq!(dumped(&folder, Dump::default()).len(), 60);
}

// --- seeking ----------------------------------------------------------------------------------

fn assert_seeks(packets: &Packets<'_>, states: &[Snapshot]) {
    for state in states {
        assert_eq!(&packets.state_at(state.tick()).unwrap(), state);
    }
    let last = states.last().unwrap();
    assert_eq!(&packets.state_at(u32::MAX).unwrap(), last);
    let error = packets.state_at(0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no state at tick 0: the first full snapshot is of tick 1"
    );
}

#[test]
fn every_tick_is_reached_with_sparse_keyframes_and_with_lagging_baselines() {
    for (full_every, lag, keyframe_every) in [
        (1000, 1, None),
        (1000, 1, Some(10)),
        (16, 1, None),
        (1000, 7, Some(10)),
        (30, 7, Some(10)),
        (1000, 10, Some(10)),
    ] {
        let (packets, states) = stream(120, 6, full_every, lag);
        let options = Options {
            keyframe_every,
            ..small()
        };
        let bytes = capture_of(&packets, options);
        assert_clean(&bytes);
        let capture = Capture::open(&bytes).unwrap();
        assert_eq!(capture.ending(), Ending::Whole);
        let added = capture
            .keyframes()
            .iter()
            .filter(|keyframe| keyframe.added)
            .count();
        assert_eq!(added > 0, keyframe_every.is_some());
        let whole = Packets::Capture(Box::new(capture));
        assert_seeks(&whole, &states);
        assert_eq!(
            bytes_of(&whole),
            packets.concat(),
            "byte for byte, without what was added"
        );

        // The same where the recorder was killed: no index.
        let cut = Capture::open(&bytes[..bytes.len() - 40]).unwrap();
        let still = cut
            .keyframes()
            .iter()
            .filter(|keyframe| keyframe.added)
            .count();
        assert_eq!(still, added);
        assert_seeks(&Packets::Capture(Box::new(cut)), &states);
        let file = packets.concat();
        assert_seeks(&Packets::Delta(DeltaFile::new(&file, schema())), &states);
    }
}

#[test]
fn seeking_unpacks_from_the_nearest_keyframe_on() {
    for lag in [1, 4, 10] {
        let (packets, states) = stream(400, 10, 1000, lag);
        let options = Options {
            keyframe_every: Some(20),
            ..small()
        };
        let mut bytes = capture_of(&packets, options);
        // A third of the chunks, from the second on, are made unreadable.
        let zstd = b"\x28\xb5\x2f\xfd";
        let starts: Vec<usize> = (0..bytes.len() - 4)
            .filter(|at| bytes[*at..].starts_with(zstd))
            .collect();
        for at in &starts[1..starts.len() / 3] {
            bytes[at + 14] ^= 0xff;
        }
        let capture = Capture::open(&bytes).unwrap();
        // Ticks from the middle on don't need them, however far back their deltas build.
        for state in &states[200..] {
            assert_eq!(&capture.state_at(state.tick()).unwrap(), state, "{lag}");
        }
        assert!(capture.state_at(40).is_err());
    }
}

#[test]
fn a_state_whose_baseline_is_not_recorded_is_an_error_and_never_another_state() {
    let (mut packets, states) = stream(40, 4, 20, 1);
    packets.remove(9); // tick 10
    let file = packets.concat();
    let bytes = capture_of(&packets, small());
    for packets in [
        Packets::Delta(DeltaFile::new(&file, schema())),
        Packets::Capture(Box::new(Capture::open(&bytes).unwrap())),
    ] {
        for state in &states {
            let found = packets.state_at(state.tick());
            match state.tick() {
                // The latest tick that is recorded is the one before.
                10 => assert_eq!(found.unwrap().tick(), 9),
                11..=20 => {
                    let error = found.unwrap_err();
                    assert!(
                        matches!(error, CaptureError::Unreachable { baseline: 10, .. }),
                        "{error}"
                    );
                }
                _ => assert_eq!(&found.unwrap(), state),
            }
        }
    }
}

// --- crashes and damage -----------------------------------------------------------------------

#[test]
fn a_capture_that_was_cut_anywhere_opens_up_to_its_last_whole_chunk() {
    let (packets, states) = stream(60, 5, 25, 1);
    let bytes = capture_of(&packets, small());
    let whole = Capture::open(&bytes).unwrap();
    assert_eq!(whole.ending(), Ending::Whole);
    let mut before = 0;
    let mut opened_from = None;
    for cut in 0..bytes.len() {
        let part = &bytes[..cut];
        let capture = match Capture::open(part) {
            Ok(capture) => capture,
            Err(error) => {
                assert!(opened_from.is_none(), "cut at {cut}: {error}");
                continue;
            }
        };
        opened_from.get_or_insert(cut);
        assert_ne!(capture.ending(), Ending::Whole, "cut at {cut}");
        let packets_of = Packets::Capture(Box::new(capture));
        let found = bytes_of(&packets_of);
        assert!(packets.concat().starts_with(&found));
        assert!(
            found.len() >= before,
            "cut at {cut}: what could be read stays readable"
        );
        if found.len() > before {
            before = found.len();
            let last = dump_last_tick(&packets_of);
            let state = packets_of.state_at(u32::MAX).unwrap();
            assert_eq!(state, states[last as usize - 1]);
        }
    }
    // The header and the facts take less than a kilobyte; the rest is chunks and their index.
    assert!(opened_from.unwrap() < 1200, "{opened_from:?}");
    assert_eq!(
        before,
        packets.concat().len(),
        "the index is not needed for any packet"
    );
}

fn dump_last_tick(packets: &Packets<'_>) -> u32 {
    let mut cursor = packets.cursor();
    let mut last = 0;
    while let Some(packet) = cursor.next_packet().unwrap() {
        last = Header::read(packet.bytes).unwrap().0.tick;
    }
    last
}

#[test]
fn a_recorder_that_is_killed_has_flushed_what_it_said_it_had() {
    struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
    impl std::io::Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let file = std::sync::Arc::default();
    let (packets, states) = stream(30, 5, 100, 1);
    let mut writer = CaptureWriter::new(
        Shared(std::sync::Arc::clone(&file)),
        &schema(),
        Options::default(),
    )
    .unwrap();
    for packet in &packets {
        writer.push(packet).unwrap();
    }
    writer.flush().unwrap();
    let killed: Vec<u8> = file.lock().unwrap().clone();
    std::mem::forget(writer);
    let capture = Capture::open(&killed).unwrap();
    assert_eq!(capture.ending(), Ending::NoSummary);
    assert_eq!(&capture.state_at(30).unwrap(), states.last().unwrap());
    let audit = audit(&killed);
    assert_eq!(codes(&audit), ["capture.no-summary"]);
    assert_eq!(audit.verdict(), Verdict::Warn);
    let repaired = opened(killed, "tape")
        .repair()
        .unwrap()
        .content
        .bytes()
        .unwrap()
        .into_owned();
    assert_clean(&repaired);
}

#[test]
fn repair_of_cut_and_damaged_captures_verifies_clean() {
    let (packets, _) = stream(80, 5, 15, 1);
    let options = Options {
        keyframe_every: Some(5),
        ..small()
    };
    let bytes = capture_of(&packets, options);
    let (mut losses, mut exact) = (0, 0);
    for step in (600..bytes.len()).step_by(113) {
        for cut in [true, false] {
            let mut broken = bytes.clone();
            if cut {
                broken.truncate(step);
            } else {
                broken[step] ^= 0x10;
            }
            let Ok(recording) = Recording::from_bytes(broken, "tape.mcap") else {
                continue;
            };
            let readable = match recording.packets() {
                Ok(packets) if cut => bytes_of(&packets).len(),
                _ => 0,
            };
            let repaired = match recording.repair() {
                Ok(repaired) => repaired,
                // What says what the file is can be lost.
                Err(error) => {
                    assert!(step < 1200, "byte {step}: {error}");
                    continue;
                }
            };
            losses += u32::from(repaired.lossy);
            let kept =
                Recording::from_bytes(repaired.content.bytes().unwrap().to_vec(), "tape.mcap")
                    .unwrap();
            let audit = kept.audit().unwrap();
            assert!(
                clean(&audit),
                "byte {step}, {cut}: {:?} {:?}",
                audit.findings,
                repaired.actions
            );
            let kept = bytes_of(&kept.packets().unwrap()).len();
            if cut {
                // Nothing of what is whole is lost; what was cut off nobody knows.
                assert_eq!(kept, readable, "cut at byte {step}: {:?}", repaired.actions);
                // Nor is anything, where only the index is cut off.
                let all = kept == packets.concat().len();
                assert!(!(all && repaired.lossy), "{:?}", repaired.actions);
                continue;
            }
            let less = kept < packets.concat().len();
            // A chunk that can't be read may have held nothing but definitions: nobody knows.
            assert!(
                repaired.lossy || !less,
                "byte {step}: {:?}",
                repaired.actions
            );
            exact += u32::from(repaired.lossy == less);
        }
    }
    assert!(losses > 20 && exact > 20, "{losses} {exact}");
}

#[test]
fn repair_of_a_damaged_file_of_packets_keeps_what_can_be_applied() {
    let (packets, _) = stream(60, 5, 12, 1);
    let bytes = packets.concat();
    let starts: Vec<usize> = packets
        .iter()
        .scan(0, |at, packet| {
            *at += packet.len();
            Some(*at - packet.len())
        })
        .collect();
    // The length of packet 20 is damaged: packets 20 to 23 can't be applied, tick 25 is full.
    for (at, value, dropped) in [
        (starts[20] + 24, 0xff, 4),
        (starts[20], 0, 3),
        (starts[30] + 16, 0xff, 6),
    ] {
        let mut broken = bytes.clone();
        broken[at] ^= value;
        if value == 0 {
            // Half a packet is gone.
            broken.drain(at..at + packets[20].len() / 2);
        }
        let recording = opened(broken, "tape.delta");
        assert_eq!(recording.audit().unwrap().verdict(), Verdict::Fail);
        let repaired = recording.repair().unwrap();
        assert!(repaired.lossy);
        assert_eq!(repaired.beside.len(), 1);
        let kept = opened(repaired.content.bytes().unwrap().to_vec(), "tape.delta");
        assert_eq!(kept.audit().unwrap().verdict(), Verdict::Pass);
        let frames = kept.info().unwrap().frames.unwrap();
        assert!(
            60 - frames <= dropped + 1,
            "{} dropped: {:?}",
            60 - frames,
            repaired.actions
        );
    }
}

#[test]
fn a_flipped_byte_is_always_found_in_a_capture_and_never_panics() {
    let (packets, _) = stream(20, 3, 8, 1);
    let bytes = capture_of(
        &packets,
        Options {
            keyframe_every: Some(3),
            ..small()
        },
    );
    assert_clean(&bytes);
    let mut unseen = Vec::new();
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 1 << (at % 8);
        let Ok(recording) = Recording::from_bytes(broken, "tape.mcap") else {
            continue;
        };
        let audit = recording.with_schema(schema()).audit();
        let verdict = audit.map_or(Verdict::Fail, |audit| audit.verdict());
        if verdict == Verdict::Pass {
            unseen.push(at);
        }
    }
    assert!(unseen.is_empty(), "{unseen:?} of {}", bytes.len());
}

/// Reading less than there is, and not saying so, would be the worst.
#[test]
fn a_flipped_bit_never_makes_a_capture_shorter_in_silence() {
    let (packets, _) = stream(20, 3, 8, 1);
    let options = Options {
        keyframe_every: Some(3),
        ..small()
    };
    let bytes = capture_of(&packets, options);
    let whole = opened(bytes.clone(), "whole.mcap");
    for at in (0..bytes.len() * 8).step_by(13) {
        let mut broken = bytes.clone();
        broken[at / 8] ^= 1 << (at % 8);
        let recording = opened(broken, "tape.mcap");
        let Ok(info) = recording.info_with(gametape::Secrets::Hide) else {
            continue;
        };
        if info.problem.is_some() {
            let converted = recording.convert(Format::Delta, &Convert::default());
            assert!(converted.is_err(), "byte {}, bit {}", at / 8, at % 8);
            continue;
        }
        let same = recording.diff(&whole, &gametape::Check::default());
        let said = format!("byte {}, bit {}: {same:?}", at / 8, at % 8);
        assert!(same.is_err() || same.unwrap().same, "{said}");
        assert_eq!(
            info.value.frames,
            Some(20),
            "byte {}, bit {}",
            at / 8,
            at % 8
        );
    }
}

#[test]
fn a_chunk_that_claims_too_much_is_refused_before_anything_is_allocated() {
    let (packets, _) = stream(5, 3, 8, 1);
    let mut bytes = capture_of(&packets, small());
    let at = (0..bytes.len())
        .find(|at| bytes[*at..].starts_with(b"\x04\0\0\0zstd"))
        .unwrap();
    // The unpacked size stands before the checksum.
    bytes[at - 12..at - 4].copy_from_slice(&(4_u64 << 30).to_le_bytes());
    let recording = Recording::from_bytes(bytes, "tape.mcap").unwrap();
    let audit = recording.audit().unwrap();
    let limit = audit
        .findings
        .iter()
        .find(|finding| finding.code == "capture.limit")
        .unwrap();
    assert_eq!(
        limit.message,
        "the chunk claims 4294967296 bytes when unpacked, the limit is 268435456"
    );
}

// --- what is not ours -------------------------------------------------------------------------

#[test]
fn captures_of_others_are_refused_with_their_profile() {
    let mut writer = mcap::WriteOptions::new()
        .profile("ros2")
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    let channel = writer
        .add_channel(0, "/imu", "cdr", &std::collections::BTreeMap::new())
        .unwrap();
    let header = mcap::records::MessageHeader {
        channel_id: channel,
        sequence: 1,
        log_time: 5,
        publish_time: 5,
    };
    writer.write_to_known_channel(&header, &[1, 2, 3]).unwrap();
    writer.finish().unwrap();
    let bytes = writer.into_inner().into_inner();
    let recording = Recording::from_bytes(bytes, "imu.mcap").unwrap();
    let error = recording.info().unwrap_err();
    assert_eq!(
        error.to_string(),
        "imu.mcap: an MCAP file, but no capture: its profile is \"ros2\", that of captures is \"gametape\""
    );
    assert_eq!(error.code(), "capture.foreign");
}

#[test]
fn a_foreign_channel_in_a_capture_is_a_finding() {
    let (packets, _) = stream(3, 2, 8, 1);
    let json = serde_json::to_vec(&schema()).unwrap();
    let mut writer = mcap::WriteOptions::new()
        .profile("gametape")
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    let none = std::collections::BTreeMap::new();
    let id = writer
        .add_schema("gametape.Snapshot", "gametape.schema+json", &json)
        .unwrap();
    let keyframes = writer
        .add_channel(id, "keyframes", "snapshot-delta-v0", &none)
        .unwrap();
    let deltas = writer
        .add_channel(id, "deltas", "snapshot-delta-v0", &none)
        .unwrap();
    let chat = writer.add_channel(0, "chat", "text", &none).unwrap();
    for (channel, tick, data) in [
        (keyframes, 1, packets[0].as_slice()),
        (chat, 1, b"hello"),
        (deltas, 2, &packets[1]),
        // A tick that its message does not have.
        (deltas, 4, &packets[2]),
    ] {
        let time = u64::from(tick) * 1_000_000;
        let header = mcap::records::MessageHeader {
            channel_id: channel,
            sequence: tick,
            log_time: time,
            publish_time: time,
        };
        writer.write_to_known_channel(&header, data).unwrap();
    }
    writer.finish().unwrap();
    let bytes = writer.into_inner().into_inner();
    let found = audit(&bytes);
    assert_eq!(
        codes(&found),
        [
            "capture.foreign-message",
            "capture.sequence",
            "capture.log-time",
            "capture.metadata"
        ]
    );
    assert_eq!(
        found.summary,
        "3 packets, all applied, 2 entities at tick 3"
    );
    assert_eq!(
        found.findings[1].message,
        "the message has the sequence number 4, its packet tick 3"
    );
}

#[test]
fn a_schema_that_is_missing_or_another_is_explained() {
    let (packets, _) = stream(3, 2, 8, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.delta");
    fs::write(&path, packets.concat()).unwrap();
    let message = |path: &Path| match Recording::open(path).unwrap().info() {
        Err(error @ Error::Schema { .. }) => error
            .to_string()
            .replace(&format!("{}/", folder.path().display()), ""),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        message(&path),
        "run.delta: the schema of its packets is missing: neither run.schema.json nor schema.json is there"
    );
    let other = Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])]).unwrap();
    fs::write(
        folder.path().join("run.schema.json"),
        serde_json::to_vec(&other).unwrap(),
    )
    .unwrap();
    assert_eq!(
        message(&path),
        format!(
            "run.delta: its packets are of schema {:016x}, run.schema.json is schema 32f5a224657bee15",
            schema().hash()
        )
    );
    fs::write(
        folder.path().join("schema.json"),
        serde_json::to_vec(&schema()).unwrap(),
    )
    .unwrap();
    let explained = message(&path);
    assert!(explained.contains("schema.json is the right one. Between the first and the second: component 1, field 1 (x) is Bool here and FixedPoint -5000 to 5000 at scale 100 there; component 1, field 2 (yaw) is added"), "{explained}");
    fs::remove_file(folder.path().join("run.schema.json")).unwrap();
    assert_eq!(
        Recording::open(&path).unwrap().info().unwrap().frames,
        Some(3)
    );
    fs::write(folder.path().join("run.schema.json"), b"{").unwrap();
    assert!(message(&path).starts_with("run.schema.json: not a schema: EOF while parsing"));
}

#[test]
fn messages_outside_of_chunks_and_chunks_outside_of_the_index_are_not_passed_over() {
    let (packets, states) = stream(5, 3, 100, 1);
    let json = serde_json::to_vec(&schema()).unwrap();
    let write = |options: mcap::WriteOptions| {
        let mut writer = options
            .profile("gametape")
            .create(std::io::Cursor::new(Vec::new()))
            .unwrap();
        let none = std::collections::BTreeMap::new();
        let id = writer
            .add_schema("gametape.Snapshot", "gametape.schema+json", &json)
            .unwrap();
        let channels = ["keyframes", "deltas"].map(|topic| {
            writer
                .add_channel(id, topic, "snapshot-delta-v0", &none)
                .unwrap()
        });
        for (tick, packet) in (1..).zip(&packets) {
            let time = u64::from(tick) * 1_000_000;
            let header = mcap::records::MessageHeader {
                channel_id: channels[usize::from(tick > 1)],
                sequence: tick,
                log_time: time,
                publish_time: time,
            };
            writer.write_to_known_channel(&header, packet).unwrap();
        }
        writer.finish().unwrap();
        writer.into_inner().into_inner()
    };
    let loose = opened(
        write(mcap::WriteOptions::new().use_chunks(false)),
        "loose.mcap",
    );
    let problem = loose
        .info_with(gametape::Secrets::Hide)
        .unwrap()
        .problem
        .unwrap();
    assert_eq!(
        problem.to_string(),
        "loose.mcap: 5 messages are outside of chunks, where captures have none: they are not read"
    );
    assert!(codes(&loose.audit().unwrap()).contains(&"capture.loose-message"));
    assert!(loose.convert(Format::Delta, &Convert::default()).is_err());

    let bytes = write(mcap::WriteOptions::new().emit_chunk_indexes(false));
    let capture = Capture::open(&bytes).unwrap();
    assert_eq!(&capture.state_at(5).unwrap(), states.last().unwrap());
    assert_eq!(
        audit(&bytes).summary,
        "5 packets, all applied, 3 entities at tick 5"
    );
}

#[test]
fn a_folder_of_packets_is_one_recording_wherever_it_is_found() {
    let (packets, states) = stream(12, 3, 6, 2);
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("runs/first");
    fs::create_dir_all(&folder).unwrap();
    fs::write(root.path().join("runs/other.delta"), b"").unwrap();
    for (packet, state) in packets.iter().zip(&states) {
        let header = Header::read(packet).unwrap().0;
        let name = match header.baseline() {
            None => format!("full_{:06}.bin", state.tick()),
            Some(baseline) => format!("delta_{:06}_base_{baseline:06}.bin", state.tick()),
        };
        fs::write(folder.join(name), packet).unwrap();
    }
    // Without a schema it is one recording all the same, and that is its one fault.
    let error = Recording::open(&folder).unwrap().info().unwrap_err();
    assert!(matches!(error, Error::Schema { .. }), "{error}");
    assert!(
        error.to_string().ends_with("schema.json is not there"),
        "{error}"
    );
    fs::write(
        folder.join("schema.json"),
        serde_json::to_vec(&schema()).unwrap(),
    )
    .unwrap();
    let found: Vec<_> = gametape::find(root.path())
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let paths: Vec<_> = found.iter().map(|found| found.path.clone()).collect();
    assert_eq!(
        paths,
        [folder.clone(), root.path().join("runs/other.delta")]
    );
    assert!(gametape::find(&folder)[0].as_ref().unwrap().named);

    let recording = Recording::open(&folder).unwrap();
    assert_eq!(recording.bytes(), packets.concat());
    assert_seeks(&recording.packets().unwrap(), &states);
    assert_eq!(recording.audit().unwrap().verdict(), Verdict::Pass);
    fs::rename(
        folder.join("delta_000012_base_000010.bin"),
        folder.join("delta_000012_base_000011.bin"),
    )
    .unwrap();
    let audit = Recording::open(&folder).unwrap().audit().unwrap();
    assert_eq!(codes(&audit), ["delta.file-name"]);
    assert_eq!(
        audit.findings[0].message,
        "delta_000012_base_000011.bin holds a delta of tick 12 on tick 10, its name says a delta of tick 12 on tick 11"
    );
}

#[test]
fn a_chunk_that_unpacks_to_more_than_it_claims_is_refused() {
    let (packets, _) = stream(40, 3, 8, 1);
    let mut bytes = capture_of(&packets, Options::default());
    let at = (0..bytes.len())
        .find(|at| bytes[*at..].starts_with(b"\x04\0\0\0zstd"))
        .unwrap();
    bytes[at - 12..at - 4].copy_from_slice(&100_u64.to_le_bytes());
    let found = Recording::from_bytes(bytes, "tape.mcap")
        .unwrap()
        .audit()
        .unwrap();
    let unpack = found
        .findings
        .iter()
        .find(|finding| finding.code == "capture.unpack")
        .unwrap();
    assert_eq!(
        unpack.message,
        "the chunk can't be unpacked: it holds more than the 100 bytes it claims"
    );
}

#[test]
fn empty_files_are_empty_recordings_or_none() {
    let file = opened(Vec::new(), "empty.delta");
    assert_eq!(file.info().unwrap().frames, Some(0));
    assert_eq!(file.audit().unwrap().summary, "0 packets, nothing to apply");
    assert_eq!(file.stats().unwrap().value["ticks"], 0);
    assert!(dumped(&file, Dump::default()).is_empty());
    let error = file
        .dump_with(
            &Dump {
                tick: None,
                state: true,
                ..Dump::default()
            },
            &mut Vec::new(),
        )
        .unwrap()
        .unwrap_err();
    assert_eq!(
        error.message(),
        "there is no state: the recording has no full snapshot"
    );

    assert_eq!(codes(&file.audit().unwrap()), ["delta.empty"]);
    let capture = capture_of(&[], Options::default());
    assert_eq!(codes(&audit(&capture)), ["capture.empty"]);
    assert_eq!(
        opened(capture, "empty.mcap").info().unwrap().frames,
        Some(0)
    );
    let nothing = opened(Vec::new(), "empty.mcap");
    assert_eq!(codes(&nothing.audit().unwrap()), ["capture.magic"]);
}

// --- writing ----------------------------------------------------------------------------------

#[test]
fn states_are_recorded_as_deltas_one_on_the_other() {
    let (_, states) = stream(40, 6, 100, 3);
    let options = Options {
        keyframe_every: Some(10),
        ..Options::default()
    };
    let mut writer = CaptureWriter::new(Vec::new(), &schema(), options).unwrap();
    let mut held: Option<Snapshot> = None;
    let mut kept = Vec::new();
    for state in &states {
        writer.push_state(state, Some(7)).unwrap();
        // Within their thresholds values stay as they were.
        let mut state = state.clone();
        if let Some(held) = &held {
            gametape::delta::settle(held, &mut state);
        }
        kept.push(state.clone());
        held = Some(state);
    }
    let again = writer.push_state(&states[0], None).unwrap_err();
    assert!(matches!(again, CaptureError::TickOrder { .. }), "{again}");
    let other = Snapshot::new(&Schema::empty(), 1000);
    let other = writer.push_state(&other, None).unwrap_err();
    assert!(matches!(other, CaptureError::BadPacket(_)), "{other}");
    let bytes = writer.finish().unwrap();
    assert_clean(&bytes);
    let capture = Capture::open(&bytes).unwrap();
    assert!(capture.keyframes().len() >= 3);
    for state in &kept {
        assert_eq!(&capture.state_at(state.tick()).unwrap(), state);
    }
}

#[test]
fn the_writer_refuses_what_does_not_belong_and_goes_on() {
    let (packets, states) = stream(6, 3, 100, 1);
    let mut writer = CaptureWriter::new(
        Vec::new(),
        &schema(),
        Options {
            keyframe_every: Some(2),
            ..small()
        },
    )
    .unwrap();
    writer.push(&packets[0]).unwrap();
    writer.push(&packets[1]).unwrap();
    let code = |result: Result<_, CaptureError>| {
        result
            .map(|_: gametape::capture::Pushed| ())
            .unwrap_err()
            .code()
    };
    assert_eq!(code(writer.push(&packets[0])), "capture.tick-order");
    assert_eq!(code(writer.push(&packets[1])), "capture.tick-order");
    assert_eq!(code(writer.push(&packets[2][..20])), "delta.header");
    assert_eq!(code(writer.push(&packets[2][..40])), "delta.payload-length");
    let other = Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])]).unwrap();
    let mut foreign = Vec::new();
    Encoder::new(&other)
        .full(&Snapshot::new(&other, 9), &mut foreign)
        .unwrap();
    assert_eq!(code(writer.push(&foreign)), "delta.schema-hash");
    // A full snapshot of the last tick: a receiver asked for it.
    let mut full = Vec::new();
    Encoder::new(&schema()).full(&states[1], &mut full).unwrap();
    writer.push(&full).unwrap();
    writer.push(&packets[2]).unwrap();
    // A packet was lost: what builds on it is kept, and said to be of no use here.
    let lost = writer.push(&packets[4]).unwrap();
    assert_eq!(lost.problem.unwrap().code(), "delta.baseline-missing");
    let bytes = writer.finish().unwrap();
    let audit = audit(&bytes);
    assert_eq!(codes(&audit), ["delta.baseline-missing"]);
    assert_eq!(
        audit.findings[0].message,
        "it builds on tick 4, which is not recorded before it"
    );
    assert_eq!(audit.findings[0].severity, Severity::Error);
    let capture = Capture::open(&bytes).unwrap();
    assert_eq!(&capture.state_at(3).unwrap(), &states[2]);
    assert!(
        CaptureWriter::new(
            Vec::new(),
            &schema(),
            Options {
                tick_ns: Some(0),
                ..small()
            }
        )
        .is_err()
    );
}

#[test]
fn an_added_keyframe_that_lies_is_found() {
    let (packets, states) = stream(10, 3, 100, 1);
    let bytes = capture_of(
        &packets,
        Options {
            keyframe_every: Some(4),
            chunk_bytes: 1 << 20,
            ..Options::default()
        },
    );
    let capture = Capture::open(&bytes).unwrap();
    assert_eq!(
        capture
            .keyframes()
            .iter()
            .map(|k| (k.tick, k.added))
            .collect::<Vec<_>>(),
        [(1, false), (5, true), (9, true)]
    );
    // The same, by hand, with another state in the added snapshot.
    let json = serde_json::to_vec(&schema()).unwrap();
    let mut writer = mcap::WriteOptions::new()
        .profile("gametape")
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    let none = std::collections::BTreeMap::new();
    let id = writer
        .add_schema("gametape.Snapshot", "gametape.schema+json", &json)
        .unwrap();
    let channels = ["keyframes", "deltas", "keyframes/added"].map(|topic| {
        writer
            .add_channel(id, topic, "snapshot-delta-v0", &none)
            .unwrap()
    });
    let mut write = |role: usize, tick: u32, data: &[u8]| {
        let time = u64::from(tick) * 1_000_000;
        let header = mcap::records::MessageHeader {
            channel_id: channels[role],
            sequence: tick,
            log_time: time,
            publish_time: time,
        };
        writer.write_to_known_channel(&header, data).unwrap();
    };
    write(0, 1, &packets[0]);
    write(1, 2, &packets[1]);
    let mut lie = states[1].clone();
    lie.entity_mut(2)
        .unwrap()
        .set_value(1, 2, Value::UInt(1))
        .unwrap();
    let mut full = Vec::new();
    Encoder::new(&schema()).full(&lie, &mut full).unwrap();
    write(2, 2, &full);
    writer.finish().unwrap();
    let bytes = writer.into_inner().into_inner();
    // The other one: this file was made without our metadata.
    assert_eq!(
        codes(&audit(&bytes)),
        ["capture.keyframe", "capture.metadata"]
    );
    let recording = opened(bytes, "tape");
    let repaired = recording.repair().unwrap();
    // Of the stream nothing is lost.
    assert!(repaired.actions[0].starts_with("the length of a tick is lost"));
    assert_eq!(
        repaired.actions.last().unwrap(),
        "kept 2 packets, up to tick 2"
    );
    assert_clean(&repaired.content.bytes().unwrap());
    assert_eq!(
        Capture::open(&repaired.content.bytes().unwrap())
            .unwrap()
            .state_at(2)
            .unwrap(),
        states[1]
    );
}

#[test]
fn times_and_tick_length_are_kept_and_told_as_lost_where_they_are() {
    let (packets, _) = stream(4, 2, 100, 1);
    let options = Options {
        tick_ns: Some(16_666_667),
        ..small()
    };
    let mut writer = CaptureWriter::new(Vec::new(), &schema(), options).unwrap();
    for (packet, time) in packets.iter().zip(1_700_000_000_000_000_000..) {
        writer.push_at(packet, time).unwrap();
    }
    let recording = opened(writer.finish().unwrap(), "tape.mcap");
    let info = recording.info().unwrap();
    assert_eq!(info.duration_ms, Some(50));
    let converted = recording
        .convert(Format::Delta, &Convert::default())
        .unwrap();
    assert_eq!(
        converted.losses,
        [
            "the length of a tick, 16666667 ns",
            "when packets were recorded (4 times)"
        ]
    );
    // Rewritten with added keyframes, both stay.
    let wish = Convert {
        keyframe_every: Some(2),
        ..Convert::default()
    };
    let again = recording.convert(Format::Capture, &wish).unwrap();
    assert!(again.losses.is_empty());
    let bytes = again.content.bytes().unwrap();
    let capture = Capture::open(&bytes).unwrap();
    assert_eq!(capture.tick_ns(), Some(16_666_667));
    let mut cursor = capture.packets();
    let times = cursor.next_packet().unwrap().unwrap().times.unwrap();
    assert_eq!(
        (times.log_time, times.publish_time),
        (16_666_667, 1_700_000_000_000_000_000)
    );
    assert_eq!(
        recording
            .header(gametape::Secrets::Hide)
            .unwrap()
            .value
            .frames,
        Some(4)
    );
}

#[test]
fn another_mcap_reader_sees_the_same_messages() {
    let (packets, _) = stream(50, 5, 20, 1);
    let bytes = capture_of(
        &packets,
        Options {
            keyframe_every: Some(7),
            ..small()
        },
    );
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    assert!(summary.chunk_indexes.len() > 3);
    let mut seen = Vec::new();
    let mut added = 0;
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let message = message.unwrap();
        assert_eq!(message.channel.message_encoding, "snapshot-delta-v0");
        assert_eq!(
            message.channel.schema.as_ref().unwrap().name,
            "gametape.Snapshot"
        );
        if message.channel.topic == "keyframes/added" {
            added += 1;
        } else {
            seen.push(message.data.to_vec());
        }
    }
    assert_eq!(seen, packets);
    assert!(added > 2);
}

// --- memory -----------------------------------------------------------------------------------

#[test]
fn states_that_all_stay_needed_are_let_go_at_a_limit() {
    // Every state is built on once more at the end.
    let mut encoder = Encoder::new(&schema());
    let states: Vec<Snapshot> = (1..=200).map(|tick| world(tick, 20)).collect();
    let mut bytes = Vec::new();
    let mut packet = Vec::new();
    for (at, state) in states.iter().enumerate() {
        if at == 0 {
            encoder.full(state, &mut packet).unwrap();
        } else {
            encoder.delta(&states[at - 1], state, &mut packet).unwrap();
        }
        bytes.extend_from_slice(&packet);
    }
    for (at, tick) in (201..).take(199).enumerate() {
        encoder
            .delta(&states[at], &world(tick, 20), &mut packet)
            .unwrap();
        bytes.extend_from_slice(&packet);
    }
    let packets = Packets::Delta(DeltaFile::new(&bytes, schema()));
    let run = |limit| {
        let mut replay = packets.replay().max_state_bytes(limit);
        let mut cursor = packets.cursor();
        let (mut applied, mut too_many) = (0, 0);
        while let Some(packet) = cursor.next_packet().unwrap() {
            match replay.apply(&packet) {
                Ok(_) => applied += 1,
                Err(CaptureError::TooManyStates { .. }) => too_many += 1,
                Err(other) => panic!("{other}"),
            }
        }
        (applied, too_many)
    };
    assert_eq!(run(gametape::capture::MAX_STATE_BYTES), (399, 0));
    let (applied, too_many) = run(30_000);
    assert_eq!(applied + too_many, 399);
    assert!(too_many > 100);
}

// --- figures ----------------------------------------------------------------------------------

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
    // Bytes in eighths are exact: counted in bits.
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
    let wish = Convert {
        tick_ns: Some(50_000_000),
        ..Convert::default()
    };
    let capture = recording.convert(Format::Capture, &wish).unwrap();
    let stats = opened(capture.content.bytes().unwrap().to_vec(), "tape.mcap")
        .stats()
        .unwrap()
        .value;
    assert_eq!(stats["ticks"], 30);
    assert_eq!(stats["seconds"], 1.5);
    assert_eq!(
        stats["bytes_per_second"],
        packets.concat().len() as f64 / 1.5
    );
    assert_eq!(
        stats["entities_min"],
        states.iter().map(Snapshot::len).min().unwrap()
    );
    assert_eq!(
        stats["entities_max"],
        states.iter().map(Snapshot::len).max().unwrap()
    );
    let lines = dumped(&recording, Dump::default());
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
        assert_eq!(stats[key], named(section), "{section}");
        assert!(named(section) > 0);
    }
    assert_eq!(lines[0]["kind"], "full");
    assert_eq!(lines[1]["baseline"], 1);
}

#[test]
fn padding_that_is_not_zero_is_a_warning_and_repair_mends_it_without_loss() {
    let one = Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])]).unwrap();
    let mut state = Snapshot::new(&one, 1);
    state
        .insert(1)
        .unwrap()
        .set(1, &[Value::Bool(true)])
        .unwrap();
    let mut packet = Vec::new();
    Encoder::new(&one).full(&state, &mut packet).unwrap();
    let whole = packet.clone();
    *packet.last_mut().unwrap() |= 1;
    let recording = Recording::from_bytes(packet, "tape.delta")
        .unwrap()
        .with_schema(one);
    let audit = recording.audit().unwrap();
    assert_eq!(codes(&audit), ["delta.padding"]);
    assert_eq!(audit.verdict(), Verdict::Warn);
    let repaired = recording.repair().unwrap();
    assert!(!repaired.lossy);
    assert_eq!(&*repaired.content.bytes().unwrap(), whole);
}

// --- differences ------------------------------------------------------------------------------

fn diff(a: &[u8], b: &[u8]) -> Diff {
    opened(a.to_vec(), "a")
        .diff(&opened(b.to_vec(), "b"), &gametape::Check::default())
        .unwrap()
}

#[test]
fn missing_entities_ticks_and_other_schemas_are_named() {
    let (packets, states) = stream(10, 4, 100, 1);
    let a = packets.concat();
    let mut encoder = Encoder::new(&schema());
    let full = |encoder: &mut Encoder, state: &Snapshot| {
        let mut packet = Vec::new();
        encoder.full(state, &mut packet).unwrap();
        packet
    };
    let mut fewer = states[5].clone();
    let gone = fewer.ids()[1];
    fewer.remove(gone);
    let mut b = packets[..5].concat();
    b.extend(full(&mut encoder, &fewer));
    let found = diff(&a, &b);
    assert_eq!(
        found.first.as_deref(),
        Some(&*format!(
            "tick 6: entity {gone} is in the first and not in the second"
        ))
    );
    assert_eq!(found.more, 4, "and the second ends");
    let found = diff(&a, &capture_of(&packets[..7], small()));
    assert_eq!(
        found.first.as_deref(),
        Some("tick 8: the second recording has ended")
    );
    assert_eq!((found.tick, found.more), (Some(8), 2));
    assert!(diff(&a, &capture_of(&packets, small())).same);
    let other = Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])]).unwrap();
    let b = Recording::from_bytes(
        full(&mut Encoder::new(&other), &Snapshot::new(&other, 1)),
        "b",
    )
    .unwrap()
    .with_schema(other);
    let found = opened(a, "a")
        .diff(&b, &gametape::Check::default())
        .unwrap();
    let first = found.first.unwrap();
    assert!(first.starts_with("the schemas differ, between the first (here) and the second (there): component 1, field 1 (x) is FixedPoint"), "{first}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// One value is changed in one state; the delta behind it sets it right again.
    #[test]
    fn diff_finds_the_one_value_that_was_changed(tick in 2..30_u32, entity in 0..6_usize, field in 1..=3_u16, captured: bool) {
        let states: Vec<Snapshot> = (1..=30).map(|tick| world(tick, 8)).collect();
        let mut changed = states.clone();
        let state = &mut changed[tick as usize - 1];
        let id = state.ids()[entity % state.len()];
        let old = state.entity(id).unwrap().value(1, field).unwrap();
        let new = match old {
            Value::Bool(value) => Value::Bool(!value),
            Value::UInt(value) => Value::UInt(value ^ 1),
            Value::FixedPoint(value) => Value::FixedPoint(if value == 0 { 1 } else { -value }),
            other => other,
        };
        state.entity_mut(id).unwrap().set_value(1, field, new).unwrap();
        let mut encoder = Encoder::new(&schema());
        let mut written = |states: &[Snapshot]| {
            let mut packets = vec![Vec::new()];
            encoder.full(&states[0], &mut packets[0]).unwrap();
            for pair in states.windows(2) {
                let mut packet = Vec::new();
                encoder.delta(&pair[0], &pair[1], &mut packet).unwrap();
                packets.push(packet);
            }
            packets
        };
        let a = written(&states).concat();
        let b = written(&changed);
        let b = if captured { capture_of(&b, small()) } else { b.concat() };
        let found = diff(&a, &b);
        prop_assert!(!found.same);
        prop_assert_eq!(found.tick, Some(u64::from(tick)));
        prop_assert_eq!(found.more, 0);
        let details = &found.details;
        prop_assert_eq!(&details["entity"], id);
        prop_assert_eq!(&details["component"], 1);
        prop_assert_eq!(&details["field"], field);
        prop_assert_eq!(&details["values"], 1);
        let name = ["x", "yaw", "firing"][usize::from(field) - 1];
        prop_assert_eq!(
            found.first.unwrap(),
            format!("tick {tick}: entity {id}, component 1 (ship), field {field} ({name}) is {old} in the first, {new} in the second")
        );
    }

    #[test]
    fn streams_of_any_shape_survive_all_forms(ticks in 1..60_u32, entities in 0..12_u32, full_every in 1..50_u32, lag in 1..12_u32, every in 1..20_u32) {
        let (packets, states) = stream(ticks, entities, full_every, lag);
        let bytes = capture_of(&packets, Options { keyframe_every: Some(every), ..small() });
        assert_clean(&bytes);
        let recording = opened(bytes, "tape.mcap");
        let delta = recording.convert(Format::Delta, &Convert::default()).unwrap();
        prop_assert_eq!(&*delta.content.bytes().unwrap(), packets.concat());
        let all = recording.packets().unwrap();
        let target = &states[states.len() / 2];
        prop_assert_eq!(&all.state_at(target.tick()).unwrap(), target);
    }

    /// Whatever is done with it.
    #[test]
    fn damaged_captures_never_panic_and_are_repaired_clean(flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6), cut: proptest::sample::Index) {
        let (packets, _) = stream(25, 4, 9, 2);
        let mut bytes = capture_of(&packets, Options { keyframe_every: Some(3), ..small() });
        for (at, value) in &flips {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        if cut.index(3) == 0 {
            bytes.truncate(cut.index(bytes.len()) + 1);
        }
        let recording = opened(bytes, "tape.mcap");
        recording.audit().ok();
        recording.info().ok();
        recording.header(gametape::Secrets::Hide).ok();
        recording.stats().ok();
        recording.dump(&mut Vec::new()).unwrap().ok();
        recording.convert(Format::Delta, &Convert::default()).ok();
        recording.diff(&recording, &gametape::Check::default()).ok();
        if let Ok(packets) = recording.packets() {
            for tick in 0..27 {
                packets.state_at(tick).ok();
            }
        }
        if let Ok(repaired) = recording.repair() {
            let kept = opened(repaired.content.bytes().unwrap().to_vec(), "tape.mcap");
            let audit = kept.audit().unwrap();
            prop_assert!(clean(&audit), "{:?} {:?}", audit.findings, repaired.actions);
        }
    }

    /// What a damaged capture says is never wrong: a state is the one there was, or an error.
    #[test]
    fn a_damaged_capture_never_gives_another_state(at: proptest::sample::Index, value in 1..=255_u8, lag in 1..4_u32) {
        let (packets, states) = stream(40, 4, 15, lag);
        let mut bytes = capture_of(&packets, Options { keyframe_every: Some(6), ..small() });
        let at = at.index(bytes.len());
        bytes[at] ^= value;
        if let Ok(capture) = Capture::open(&bytes) {
            for state in &states {
                if let Ok(found) = capture.state_at(state.tick()) {
                    prop_assert_eq!(&found, &states[found.tick() as usize - 1]);
                }
            }
        }
    }

    #[test]
    fn damaged_files_of_packets_never_panic_and_are_repaired_clean(flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6), cut: proptest::sample::Index) {
        let (packets, _) = stream(25, 4, 9, 2);
        let mut bytes = packets.concat();
        for (at, value) in &flips {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        let recording = opened(bytes, "tape.delta");
        recording.audit().ok();
        let _ = recording.info();
        if let Ok(repaired) = recording.repair() {
            let kept = opened(repaired.content.bytes().unwrap().to_vec(), "tape.delta");
            let audit = kept.audit().unwrap();
            prop_assert!(clean(&audit), "{:?}", audit.findings);
        }
    }
}

// --- migration --------------------------------------------------------------------------------

#[test]
fn a_recording_is_migrated_state_by_state() {
    let (packets, states) = stream(40, 8, 15, 4);
    let recording = opened(packets.concat(), "tape.delta");
    // Finer positions with a threshold, yaw narrowed to what is there, the gun removed, armour added.
    let new = Schema::new([
        Component::new(5, [Field::new(1, Codec::Bool)]),
        Component::new(
            1,
            [
                Field::new(3, Codec::UInt { bits: 2 }),
                Field::new(
                    1,
                    Codec::FixedPoint {
                        min_q: -60_000,
                        max_q: 60_000,
                        scale: 1000,
                    },
                )
                .threshold(50_000),
                Field::new(7, Codec::UInt { bits: 7 }),
                Field::new(2, Codec::VarUInt),
            ],
        ),
    ])
    .unwrap();
    let wish = Convert {
        schema: Some(new.clone()),
        ..Convert::default()
    };
    for to in [Format::Capture, Format::Delta] {
        let converted = recording.convert(to, &wish).unwrap();
        assert_eq!(converted.losses, ["component 2"]);
        let migrated = Recording::from_bytes(converted.content.bytes().unwrap().to_vec(), "tape")
            .unwrap()
            .with_schema(new.clone());
        assert_eq!(migrated.format(), to);
        let audit = migrated.audit().unwrap();
        assert_eq!(audit.verdict(), Verdict::Pass, "{:?}", audit.findings);
        let packets = migrated.packets().unwrap();
        for state in &states {
            let found = packets.state_at(state.tick()).unwrap();
            assert_eq!(found.ids(), state.ids());
            for (a, b) in state.iter().zip(found.iter()) {
                let number = |entity: &gametape::delta::Entity<'_>, field| {
                    entity.value(1, field).unwrap().as_i128()
                };
                // A threshold does not make it inexact.
                assert_eq!(number(&b, 1), number(&a, 1) * 10);
                assert_eq!(number(&b, 2), number(&a, 2));
                assert_eq!(number(&b, 3), number(&a, 3));
                assert_eq!(number(&b, 7), 0);
            }
        }
        assert_eq!(
            migrated.info().unwrap().details["full"],
            recording.info().unwrap().details["full"]
        );
    }
    let narrow =
        Schema::new([Component::new(1, [Field::new(2, Codec::UInt { bits: 3 })])]).unwrap();
    let wish = Convert {
        schema: Some(narrow),
        ..Convert::default()
    };
    let error = recording.convert(Format::Delta, &wish).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("tape.delta: the recording can't be carried over to the schema: tick 1: entity 8, component 1, field 2: 8 does not fit UInt of 3 bits, which holds 0 to 7"), "{message}");
}

/// A redundant full snapshot changes no state.
#[test]
fn a_full_snapshot_beside_a_delta_is_no_difference() {
    let (mut packets, states) = stream(5, 3, 100, 1);
    let whole = capture_of(&packets, Options::default());
    let mut full = Vec::new();
    Encoder::new(&schema()).full(&states[2], &mut full).unwrap();
    packets.insert(3, full);
    let doubled = capture_of(&packets, Options::default());
    let (a, b) = (opened(whole, "a"), opened(doubled, "b"));
    let diff = a.diff(&b, &gametape::Check::default()).unwrap();
    assert!(diff.same, "{:?}", diff.first);
}

/// A few bytes of a packet may stand for much of a state: bounded before anything is allocated.
#[test]
fn a_state_far_larger_than_its_packet_is_refused() {
    let nothing = Codec::FixedPoint {
        min_q: 1,
        max_q: 1,
        scale: 1,
    };
    let component = |id: u16| {
        let fields: Vec<_> = (1..=64).map(|id| Field::new(id, nothing)).collect();
        Component::new(id, fields)
    };
    let components: Vec<_> = (1..=64).map(component).collect();
    let schema = Schema::new(components).unwrap();
    // A section of 40,000 entities, of which the count alone is there.
    let section = [1, 6 * 4, 0xc0, 0xb8, 0x02];
    let header = Header {
        kind: Kind::Full,
        schema_hash: schema.hash(),
        tick: 1,
    };
    let mut packet = header.to_bytes(26).to_vec();
    packet.extend(section);
    packet.resize(28 + 26, 0);
    let file = Recording::from_bytes(packet, "tape.delta")
        .unwrap()
        .with_schema(schema);
    let audit = file.audit().unwrap();
    assert_eq!(codes(&audit), ["delta.limit"], "{:?}", audit.findings);
}

/// A capture by another program: messages with the number of their channel (0 keyframes, 1 deltas,
/// 2 added) and their tick.
fn by_hand(messages: &[(usize, u32, &[u8])]) -> Vec<u8> {
    let mut writer = mcap::WriteOptions::new()
        .profile("gametape")
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    let none = std::collections::BTreeMap::new();
    let json = serde_json::to_vec(&schema()).unwrap();
    let id = writer
        .add_schema("gametape.Snapshot", "gametape.schema+json", &json)
        .unwrap();
    let channels = ["keyframes", "deltas", "keyframes/added"].map(|topic| {
        writer
            .add_channel(id, topic, "snapshot-delta-v0", &none)
            .unwrap()
    });
    for &(channel, tick, data) in messages {
        let header = mcap::records::MessageHeader {
            channel_id: channels[channel],
            sequence: tick,
            log_time: u64::from(tick) * 1_000_000,
            publish_time: u64::from(tick) * 1_000_000,
        };
        writer.write_to_known_channel(&header, data).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

/// What was added is of a tick of the stream, the one before it: no other is believed.
#[test]
fn added_keyframes_of_other_ticks_are_found_and_left_out() {
    let (packets, states) = stream(5, 3, 100, 1);
    let ticks: Vec<u32> = states.iter().map(Snapshot::tick).collect();
    let mut later = states[4].clone();
    later.set_tick(ticks[4] + 500);
    later.entry(900_000);
    for (state, behind) in [(&later, 5), (&states[1], 4)] {
        let mut full = Vec::new();
        Encoder::new(&schema()).full(state, &mut full).unwrap();
        let mut messages: Vec<(usize, u32, &[u8])> = packets
            .iter()
            .zip(&ticks)
            .enumerate()
            .map(|(at, (packet, tick))| (usize::from(at > 0), *tick, &packet[..]))
            .collect();
        messages.insert(behind, (2, state.tick(), &full));
        let bytes = by_hand(&messages);
        let found = audit(&bytes);
        assert!(
            codes(&found).contains(&"capture.keyframe"),
            "{:?}",
            found.findings
        );
        assert!(
            !codes(&found).contains(&"delta.baseline-missing"),
            "{:?}",
            found.findings
        );
        let recording = opened(bytes, "tape");
        let repaired = recording.repair().unwrap();
        assert_clean(&repaired.content.bytes().unwrap());
        let bytes = repaired.content.bytes().unwrap();
        let capture = Capture::open(&bytes).unwrap();
        assert_eq!(&capture.state_at(u32::MAX).unwrap(), &states[4]);
    }
}
