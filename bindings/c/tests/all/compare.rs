//! States and events of C beside those of the library.

use std::mem::MaybeUninit;

use gametape_c::*;
use gametape_delta as delta;

use crate::common::*;

/// Copies a state of the library with the functions of C.
pub fn fill(from: &delta::Snapshot, to: &mut Snapshot) {
    gametape_snapshot_clear(Some(to), None);
    gametape_snapshot_set_tick(Some(to), from.tick(), None);
    for entity in from.iter() {
        for part in entity.components() {
            let values: Vec<i64> = part.values().map(|value| value.as_i128() as i64).collect();
            assert_eq!(put(to, entity.id(), part.id(), &values), Status::Ok);
        }
    }
}

/// Reads a state with the functions of C, and compares it.
pub fn assert_same(expected: &delta::Snapshot, found: &Snapshot) {
    assert_eq!(gametape_snapshot_tick(Some(found)), expected.tick());
    let mut ids = MaybeUninit::uninit();
    let count = gametape_snapshot_entities(Some(found), Some(&mut ids));
    assert_eq!(count, expected.len());
    // SAFETY: the ids are valid until the state changes.
    let ids = match count {
        0 => &[],
        count => unsafe { std::slice::from_raw_parts(ids.assume_init(), count) },
    };
    assert_eq!(ids, expected.ids());
    for entity in expected.iter() {
        let (mut parts, mut count) = ([0; 64], MaybeUninit::uninit());
        let (into, id) = (parts.as_mut_ptr(), entity.id());
        // SAFETY: an array with its length.
        let status = unsafe {
            gametape_snapshot_components(Some(found), id, into, 64, Some(&mut count), None)
        };
        assert_eq!(status, Status::Ok);
        // SAFETY: it is set if there was no error.
        let parts = &parts[..unsafe { count.assume_init() }];
        assert!(
            entity
                .components()
                .map(|part| part.id())
                .eq(parts.iter().copied())
        );
        for part in entity.components() {
            let read = values(found, id, part.id()).unwrap();
            let fields = part.definition().fields.iter();
            for ((field, value), read) in fields.zip(part.values()).zip(&read) {
                assert_eq!(i128::from(read.integer), value.as_i128());
                let scale = match field.codec {
                    delta::Codec::FixedPoint { scale, .. } => f64::from(scale),
                    _ => 1.0,
                };
                assert!((read.real - value.as_i128() as f64 / scale).abs() < 1e-9);
            }
        }
    }
}

/// Compares events of C with the library's, of which there must not be more.
pub fn assert_events(expected: &[delta::ViewEvent], found: &[Event]) {
    assert_eq!(found.len(), expected.len());
    for (expected, found) in expected.iter().zip(found) {
        let (entity, component, fields) = (found.entity, found.component, found.fields);
        let read = match found.kind {
            EventKind::Spawned => delta::ViewEvent::Spawned { entity },
            EventKind::Despawned => delta::ViewEvent::Despawned { entity },
            EventKind::Gained => delta::ViewEvent::Gained { entity, component },
            EventKind::Lost => delta::ViewEvent::Lost { entity, component },
            EventKind::Changed => delta::ViewEvent::Changed {
                entity,
                component,
                fields,
            },
        };
        assert_eq!(read, *expected);
    }
}
