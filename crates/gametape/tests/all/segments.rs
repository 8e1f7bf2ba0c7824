//! Splits a recording of any format into segments: the content of its capture, cut at points where
//! decoding can start.

use gametape::capture::tape::{RecordKind, Segment, segments};
use gametape::capture::{Role, decoder};
use gametape::core::tape::{Options, Secrets, Work};
use gametape::delta::{Schema, Snapshot};
use gametape::{Recording, Stamp};

use crate::known::{long_match, samples};

type Record = (u8, Vec<u8>);

fn records(bytes: &[u8]) -> Vec<Record> {
    let (mut rest, mut found) = (bytes, Vec::new());
    while let [kind, a, b, c, d, behind @ ..] = rest {
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        let (record, next) = behind.split_at(length);
        found.push((*kind, record.to_vec()));
        rest = next;
    }
    assert!(rest.is_empty(), "half a record");
    found
}

/// Returns the content of a capture: packets, labels and events, each in order.
fn captured(bytes: &[u8]) -> [Vec<Vec<u8>>; 3] {
    let capture = gametape::capture::read(bytes).unwrap();
    let mut all = [const { Vec::new() }; 3];
    let mut cursor = capture.messages();
    while let Some(packet) = cursor.next_packet().unwrap() {
        let lane = match packet.role {
            Role::Keyframe | Role::Delta => 0,
            Role::Labels => 1,
            Role::Events => 2,
            Role::Added => continue,
        };
        all[lane].push(packet.bytes.to_vec());
    }
    all
}

/// Plays segments one after the other. Each full snapshot equals the state so far, and a segment is
/// complete without the earlier ones.
fn played(schema: &Schema, segments: &[Segment]) -> [Vec<Vec<u8>>; 2] {
    let decoder = decoder(schema);
    let mut before = Snapshot::new(schema, 0);
    let (mut packets, mut events) = (Vec::new(), Vec::new());
    let mut last: Option<Stamp> = None;
    for segment in segments {
        let mut state = Snapshot::new(schema, 0);
        let (mut of_stream, mut of_events) = (0, 0);
        for (at, (kind, bytes)) in records(&segment.records).into_iter().enumerate() {
            assert_eq!(
                at == 0,
                kind == RecordKind::Keyframe as u8 && state.tick() == 0
            );
            let begins = last.is_none() && at == 0;
            if kind == RecordKind::Keyframe as u8 {
                let mut full = Snapshot::new(schema, 0);
                decoder.full(&bytes, &mut full).unwrap();
                if !begins {
                    assert_eq!(full, if at == 0 { before.clone() } else { state });
                }
                state = full;
            } else if kind == RecordKind::Packet as u8 {
                let mut next = Snapshot::new(schema, 0);
                decoder.delta(&state, &bytes, &mut next).unwrap();
                state = next;
            } else if kind == RecordKind::Event as u8 {
                of_events += 1;
                events.push(bytes);
                continue;
            } else {
                assert_eq!(kind, RecordKind::Label as u8);
                continue;
            }
            if begins || kind == RecordKind::Packet as u8 {
                of_stream += 1;
                packets.push(bytes);
            }
        }
        assert_eq!((of_stream, of_events), (segment.packets, segment.events));
        if let Some(last) = last {
            assert_eq!(last, segment.from, "they lie end to end");
        }
        assert!(segment.from.step <= segment.to.step);
        last = Some(segment.to);
        before = state;
    }
    [packets, events]
}

#[test]
fn segments_of_every_format_hold_what_a_capture_holds() {
    let mut most = 0;
    for format in gametape::formats().iter() {
        let mut all = samples(format.name());
        if format.name() == "echoreplay" {
            all.push(long_match());
        }
        for bytes in all {
            let original = Recording::from_bytes(bytes, "a").unwrap();
            let made = original.convert("capture", &Options::new()).unwrap();
            let bytes = made.content.bytes().unwrap();
            let copy = Recording::from_bytes(bytes.clone(), "b").unwrap();
            let wanted = captured(&bytes);
            let [first, second] = [original.tape(), copy.tape()].map(|tape| {
                let mut cut = Vec::new();
                let mut keep = |segment| {
                    cut.push(segment);
                    Ok(())
                };
                let made =
                    segments(tape, Secrets::Hide, false, &mut keep, &Work::default()).unwrap();
                assert!(made.doubts.is_empty(), "{:?}", made.doubts);
                assert_eq!(made.outcome.losses, [""; 0]);
                let [packets, events] = played(&made.schema, &cut);
                let labels = records(&made.labels).into_iter();
                let labels: Vec<Vec<u8>> = labels.map(|(_, label)| label).collect();
                most = most.max(cut.len());
                (made.description, [packets, labels, events])
            });
            assert_eq!(first.1, wanted);
            // A conversion of the conversion: the same tables, without packets among them.
            assert_eq!(first.0, second.0);
            // The order of rows within a step does not matter, because numbers may be assigned in
            // another order.
            assert_eq!(first.1[1].len(), second.1[1].len());
            assert_eq!(first.1[2], second.1[2]);
        }
    }
    assert!(most > 3, "one of them is cut more than once");
}

/// Splits a recording as it grows, and returns the hash of its packets' schema.
fn growing(bytes: &[u8]) -> Option<(u64, Vec<Segment>)> {
    let tape = Recording::from_bytes(bytes.to_vec(), "a").ok()?;
    let mut cut = Vec::new();
    let mut keep = |segment| {
        cut.push(segment);
        Ok(())
    };
    let made = segments(
        tape.tape(),
        Secrets::Hide,
        true,
        &mut keep,
        &Work::default(),
    );
    let schema = made.ok()?.schema;
    played(&schema, &cut);
    Some((schema.hash(), cut))
}

#[test]
fn what_grows_keeps_its_schema_and_all_segments_but_the_last() {
    let text = long_match();
    let lines = Recording::from_bytes(text.clone(), "a").unwrap();
    let butter = lines.convert("butter", &Options::new()).unwrap();
    let game = samples("rmv").into_iter().max_by_key(Vec::len).unwrap();
    let replay = gametape::murk::doc_example();
    for bytes in [text, butter.content.bytes().unwrap(), game, replay] {
        let mut before: Option<(u64, Vec<Segment>)> = None;
        let mut grew = 0;
        for tenth in 1..=10 {
            let Some(now) = growing(&bytes[..bytes.len() * tenth / 10]) else {
                continue;
            };
            if let Some((schema, cut)) = before {
                assert_eq!(schema, now.0, "{tenth} tenths");
                let whole = cut.len().saturating_sub(1);
                for (at, (old, new)) in cut.iter().zip(&now.1).take(whole).enumerate() {
                    assert!(old == new, "segment {at} at {tenth} tenths");
                }
                assert!(whole <= now.1.len());
                grew += 1;
            }
            before = Some(now);
        }
        assert!(grew > 2, "it can be read while it grows");
    }
}
