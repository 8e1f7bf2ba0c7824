//! Everything that is written to a capture is in it; invalid packets are refused.

use crate::common::{capture_of, schema, small, stream};
use gametape_capture::{CaptureError, Ending, Feed, Options, Pushed, Reader, Writer};
use gametape_core::feed::Fed;
use gametape_delta::{Codec, Component, Encoder, Field, Schema, Snapshot, settle};

#[test]
fn states_are_recorded_as_deltas_one_on_the_other() {
    let (_, states) = stream(40, 6, 100, 3);
    let options = Options {
        keyframe_every: Some(10),
        ..Options::default()
    };
    let mut writer = Writer::new(Vec::new(), &schema(), options).unwrap();
    let mut held: Option<Snapshot> = None;
    let mut kept = Vec::new();
    for state in &states {
        writer.push_state(state, Some(7)).unwrap();
        // Values within their thresholds keep their old value.
        let mut state = state.clone();
        if let Some(held) = &held {
            settle(held, &mut state);
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
    let capture = gametape_capture::read(&bytes).unwrap();
    assert!(capture.keyframes().unwrap().len() >= 3);
    for state in &kept {
        assert_eq!(&capture.state_at(state.tick()).unwrap(), state);
    }
}

#[test]
fn the_writer_refuses_what_does_not_belong_and_goes_on() {
    let (packets, states) = stream(6, 3, 100, 1);
    let mut writer = Writer::new(
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
    let code = |result: Result<_, CaptureError>| result.map(|_: Pushed| ()).unwrap_err().code();
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
    // A full snapshot of the last tick, as requested by a receiver.
    let mut full = Vec::new();
    Encoder::new(&schema()).full(&states[1], &mut full).unwrap();
    writer.push(&full).unwrap();
    writer.push(&packets[2]).unwrap();
    // A packet was lost: a packet that builds on it is recorded, and reported as not applicable.
    let lost = writer.push(&packets[4]).unwrap();
    assert_eq!(lost.problem.unwrap().code(), "delta.baseline-missing");
    let bytes = writer.finish().unwrap();
    let capture = gametape_capture::read(&bytes).unwrap();
    assert_eq!(&capture.state_at(3).unwrap(), &states[2]);
    assert!(
        Writer::new(
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
    let mut writer = Writer::new(
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
    let capture = gametape_capture::read(&killed).unwrap();
    assert_eq!(capture.ending(), Ending::NoSummary);
    assert_eq!(&capture.state_at(30).unwrap(), states.last().unwrap());
}

#[test]
fn a_feed_knows_what_the_first_chunk_says() {
    let options = Options {
        tick_ns: Some(50_000_000),
        ..small()
    };
    let bytes = capture_of(&stream(20, 3, 8, 1).0, options);
    let mut feed = Feed::new();
    assert_eq!(feed.schema(), None);
    feed.push(&bytes);
    assert!(matches!(feed.next_packet(), Ok(Fed::Item(_))));
    assert_eq!(feed.schema().map(Schema::hash), Some(schema().hash()));
    assert_eq!(feed.tick_ns(), Some(50_000_000));
    let error = Reader::new(&b"no capture"[..]).next_packet().map(drop);
    assert_eq!(
        error.unwrap_err().to_string(),
        "byte 0: the file does not start as an MCAP file does"
    );
}
