//! Migrating a stream to another schema.

use crate::common::{narrow_schema, next_schema, schema, small, stream};
use gametape_capture::{CaptureError, DeltaFile, Migrated, Packets, Role, Writer, migrate};
use gametape_delta::Entity;

fn full(packets: &Packets<'_>) -> usize {
    let mut cursor = packets.cursor();
    let roles = std::iter::from_fn(|| cursor.next_packet().unwrap().map(|packet| packet.role));
    roles.filter(|role| *role == Role::Keyframe).count()
}

#[test]
fn a_recording_is_migrated_state_by_state() {
    let (packets, states) = stream(40, 8, 15, 4);
    let file = packets.concat();
    let packets = Packets::Delta(DeltaFile::new(&file, schema()));
    let mut writer = Writer::new(Vec::new(), &next_schema(), small()).unwrap();
    let mut bare = Vec::new();
    let done = migrate(&packets, &next_schema(), |packet| {
        assert_eq!(packet.times, None);
        bare.extend_from_slice(packet.bytes);
        writer.push(packet.bytes).map(|_| ())
    });
    let expected = Migrated {
        packets: 40,
        losses: vec!["component 2".to_owned()],
    };
    assert_eq!(done.unwrap(), expected);
    let capture = writer.finish().unwrap();
    for migrated in [
        Packets::Capture(Box::new(gametape_capture::read(&capture).unwrap())),
        Packets::Delta(DeltaFile::new(&bare, next_schema())),
    ] {
        for state in &states {
            let found = migrated.state_at(state.tick()).unwrap();
            assert_eq!(found.ids(), state.ids());
            for (a, b) in state.iter().zip(found.iter()) {
                let number = |entity: &Entity<'_>, field| entity.value(1, field).unwrap().as_i128();
                // The result is exact in spite of the threshold.
                assert_eq!(number(&b, 1), number(&a, 1) * 10);
                assert_eq!(number(&b, 2), number(&a, 2));
                assert_eq!(number(&b, 3), number(&a, 3));
                assert_eq!(number(&b, 7), 0);
            }
        }
        assert_eq!(full(&migrated), full(&packets));
    }
}

#[test]
fn a_value_that_does_not_fit_is_named() {
    let file = stream(40, 8, 15, 4).0.concat();
    let packets = Packets::Delta(DeltaFile::new(&file, schema()));
    let error = migrate(&packets, &narrow_schema(), |_| Ok::<_, CaptureError>(())).unwrap_err();
    assert_eq!(error.code(), "capture.migrate");
    let message = error.to_string();
    assert!(message.starts_with("the recording can't be carried over to the schema: tick 1: entity 8, component 1, field 2: 8 does not fit UInt of 3 bits, which holds 0 to 7"), "{message}");
}
