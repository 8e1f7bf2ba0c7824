//! Valid recordings pass the audit; faults are found.

use gametape_capture::{Options, Writer};
use gametape_core::Severity;
use gametape_core::table::Scan;
use gametape_core::tape::{Depth, Dump, Secrets, Verdict, Work};
use gametape_delta::{Codec, Component, Encoder, Field, Schema, Snapshot, Value};

use super::{Recording, assert_clean, audit, codes, dumped, none, opened};
use crate::common::{SHAPES, by_hand, capture_of, schema, small, stream};

#[test]
fn what_is_written_verifies_clean() {
    for (full_every, lag, keyframe_every) in SHAPES {
        let (packets, _) = stream(120, 6, full_every, lag);
        let options = Options {
            keyframe_every,
            ..small()
        };
        assert_clean(&capture_of(&packets, options));
    }
    let options = Options {
        keyframe_every: Some(10),
        ..Options::default()
    };
    let mut writer = Writer::new(Vec::new(), &schema(), options).unwrap();
    for state in &stream(40, 6, 100, 3).1 {
        writer.push_state(state, Some(7)).unwrap();
    }
    assert_clean(&writer.finish().unwrap());
}

#[test]
fn a_packet_that_builds_on_a_lost_one_is_found() {
    let (mut packets, states) = stream(5, 3, 100, 1);
    packets.remove(3);
    // A full snapshot of the previous tick, as requested by a receiver.
    let mut full = Vec::new();
    Encoder::new(&schema()).full(&states[1], &mut full).unwrap();
    packets.insert(2, full);
    let audit = audit(&capture_of(&packets, small()));
    assert_eq!(codes(&audit), ["delta.baseline-missing"]);
    assert_eq!(
        audit.findings[0].message(),
        "it builds on tick 4, which is not recorded before it"
    );
    assert_eq!(audit.findings[0].severity(), Severity::Error);
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
        let recording = opened(broken, "tape.mcap");
        if recording.audit().verdict() == Verdict::Pass {
            unseen.push(at);
        }
    }
    assert!(unseen.is_empty(), "{unseen:?} of {}", bytes.len());
}

/// The worst error would be to read less than there is without reporting it.
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
        let Ok(info) = recording
            .tape
            .describe(Depth::Whole, Secrets::Hide, &Work::default())
        else {
            continue;
        };
        if info.problem.is_some() {
            let converted = recording.convert("delta", &none());
            assert!(converted.is_err(), "byte {}, bit {}", at / 8, at % 8);
            continue;
        }
        let same = recording.diff(&whole);
        let said = format!("byte {}, bit {}: {same:?}", at / 8, at % 8);
        assert!(same.is_err() || same.unwrap().same, "{said}");
        assert_eq!(
            info.value.steps,
            Some(20),
            "byte {}, bit {}",
            at / 8,
            at % 8
        );
    }
}

#[test]
fn a_foreign_channel_in_a_capture_is_a_finding() {
    let (packets, _) = stream(3, 2, 8, 1);
    let messages: [(usize, u32, &[u8]); 4] = [
        (0, 1, &packets[0]),
        (3, 1, b"hello"),
        (1, 2, &packets[1]),
        // A tick that differs from the one in the message.
        (1, 4, &packets[2]),
    ];
    let bytes = by_hand(&messages);
    let found = audit(&bytes);
    assert_eq!(
        codes(&found),
        [
            "capture.sequence",
            "capture.log-time",
            "capture.metadata",
            "capture.foreign-channel"
        ]
    );
    assert_eq!(
        found.summary,
        "3 packets, all applied, 2 entities at tick 3"
    );
    assert_eq!(
        found.findings[0].message(),
        "the message has the sequence number 4, its packet tick 3"
    );
}

#[test]
fn an_added_keyframe_that_lies_is_found() {
    let (packets, states) = stream(10, 3, 100, 1);
    let mut lie = states[1].clone();
    lie.entity_mut(2)
        .unwrap()
        .set_value(1, 2, Value::UInt(1))
        .unwrap();
    let mut full = Vec::new();
    Encoder::new(&schema()).full(&lie, &mut full).unwrap();
    let messages: [(usize, u32, &[u8]); 3] =
        [(0, 1, &packets[0]), (1, 2, &packets[1]), (2, 2, &full)];
    let bytes = by_hand(&messages);
    // The second code: this file was made without our metadata.
    assert_eq!(
        codes(&audit(&bytes)),
        ["capture.keyframe", "capture.metadata"]
    );
    let recording = opened(bytes, "tape");
    let (kept, repaired) = recording.repair().unwrap();
    // Nothing of the stream is lost.
    assert!(repaired.actions[0].starts_with("the length of a tick is lost"));
    assert_eq!(
        repaired.actions[1],
        "left out a full snapshot that was added after packet 1: the stream does not have its state"
    );
    assert_eq!(
        repaired.actions.last().unwrap(),
        "kept 2 packets, up to tick 2"
    );
    assert_clean(&kept);
    assert_eq!(
        gametape_capture::read(&kept).unwrap().state_at(2).unwrap(),
        states[1]
    );
}

/// An added snapshot must have the tick of the packet before it; any other is not trusted.
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
        let (kept, repaired) = recording.repair().unwrap();
        assert_clean(&kept);
        assert!(!repaired.actions.is_empty());
        let capture = gametape_capture::read(&kept).unwrap();
        assert_eq!(&capture.state_at(u32::MAX).unwrap(), &states[4]);
    }
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
    let recording = Recording::of(packet, "tape.delta", &one);
    let audit = recording.audit();
    assert_eq!(codes(&audit), ["delta.padding"]);
    assert_eq!(audit.verdict(), Verdict::Warn);
    let (kept, repaired) = recording.repair().unwrap();
    assert!(!repaired.lossy);
    assert_eq!(kept, whole);
}

#[test]
fn empty_files_are_empty_recordings_or_none() {
    let file = opened(Vec::new(), "empty.delta");
    assert_eq!(file.info().unwrap().steps, Some(0));
    assert_eq!(file.audit().summary, "0 packets, nothing to apply");
    assert_eq!(
        file.tape
            .stats(&none(), &Work::default())
            .unwrap()
            .value
            .stats["ticks"],
        0
    );
    assert!(dumped(&file, &Dump::default()).is_empty());
    let state = file.tape.playback().unwrap().state(&Scan::table("ship"));
    assert!(state.unwrap().is_empty());

    assert_eq!(codes(&file.audit()), ["delta.empty"]);
    let capture = capture_of(&[], Options::default());
    assert_eq!(codes(&audit(&capture)), ["capture.empty"]);
    assert_eq!(opened(capture, "empty.mcap").info().unwrap().steps, Some(0));
    let nothing = opened(Vec::new(), "empty.mcap");
    assert_eq!(codes(&nothing.audit()), ["capture.magic"]);
}
