//! Code that the tests share.

use std::ffi::{CStr, CString, c_char};
use std::io::Write as _;
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr;

use gametape_c::*;
use gametape_delta as delta;

/// Says that something was not tested. Not with `eprintln!`, which tests that pass do not show.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

pub const SCHEMA: &str = r#"{"components":[
    {"id":1,"fields":[
        {"id":1,"codec":{"FixedPoint":{"min_q":-51200,"max_q":51200,"scale":100}}},
        {"id":2,"codec":{"UInt":{"bits":7}}}]},
    {"id":2,"fields":[{"id":1,"codec":"VarUInt"}]}]}"#;

pub fn schema_of(json: &str) -> Option<Box<Schema>> {
    // SAFETY: a text with its length.
    unsafe { gametape_schema_from_json(json.as_ptr().cast(), json.len(), None) }
}

pub fn schema() -> Box<Schema> {
    schema_of(SCHEMA).unwrap()
}

pub fn state(schema: &Schema, tick: u32) -> Box<Snapshot> {
    gametape_snapshot_new(Some(schema), tick, None).unwrap()
}

/// Sets a component, as the function does.
pub fn put(state: &mut Snapshot, entity: u32, component: u16, values: &[i64]) -> Status {
    let (data, count) = (values.as_ptr(), values.len());
    // SAFETY: an array with its length.
    unsafe { gametape_snapshot_put(Some(state), entity, component, data, count, None) }
}

/// The values of a component, as the function writes them.
pub fn values(state: &Snapshot, entity: u32, component: u16) -> Option<Vec<Value>> {
    let (mut count, none) = (MaybeUninit::uninit(), ptr::null_mut());
    // SAFETY: no array.
    let found = unsafe {
        gametape_snapshot_values(
            Some(state),
            entity,
            component,
            none,
            0,
            Some(&mut count),
            None,
        )
    };
    if found != Status::Ok {
        return None;
    }
    // SAFETY: it is set if there was no error.
    let count = unsafe { count.assume_init() };
    let mut values = Vec::with_capacity(count);
    let into = values.as_mut_ptr();
    // SAFETY: room for this many.
    let status = unsafe {
        gametape_snapshot_values(Some(state), entity, component, into, count, None, None)
    };
    assert_eq!(status, Status::Ok);
    // SAFETY: they are set if there was no error.
    unsafe { values.set_len(count) };
    Some(values)
}

pub fn update(world: &mut World, state: &Snapshot) -> Status {
    // SAFETY: a state that is not the world's.
    unsafe { gametape_world_update(Some(world), state, None) }
}

pub fn grid(
    schema: &Schema,
    component: u16,
    fields: &[u16],
    cell: f64,
    error: Option<&mut Error>,
) -> Option<Box<Grid>> {
    let (data, count) = (fields.as_ptr(), fields.len());
    // SAFETY: an array with its length.
    unsafe { gametape_grid_new(Some(schema), component, data, count, cell, error) }
}

/// The next packet of a sender.
pub fn encode(sender: &mut Sender, world: &mut World) -> Result<Sent, Status> {
    let (mut sent, context) = (MaybeUninit::uninit(), ptr::null_mut());
    // SAFETY: two handles, and no callback.
    match unsafe { gametape_sender_encode(sender, world, None, context, Some(&mut sent), None) } {
        // SAFETY: it is set if there was no error.
        Status::Ok => Ok(unsafe { sent.assume_init() }),
        status => Err(status),
    }
}

/// The bytes of a packet.
pub fn bytes(sent: &Sent) -> &[u8] {
    // SAFETY: the sender has not encoded since.
    unsafe { std::slice::from_raw_parts(sent.packet, sent.size) }
}

pub fn apply(receiver: &mut Receiver, packet: &[u8]) -> (Status, Received) {
    let (data, size) = (packet.as_ptr(), packet.len());
    let mut received = MaybeUninit::uninit();
    // SAFETY: an array with its length; the result is always set.
    unsafe {
        let status = gametape_receiver_apply(Some(receiver), data, size, Some(&mut received), None);
        (status, received.assume_init())
    }
}

pub fn feedback(sender: &mut Sender, bytes: &[u8]) -> Status {
    // SAFETY: an array with its length.
    unsafe { gametape_sender_feedback(Some(sender), bytes.as_ptr(), bytes.len(), None) }
}

pub fn view(receiver: &Receiver) -> &Snapshot {
    // SAFETY: the receiver does not change in this lifetime.
    unsafe { gametape_receiver_view(Some(receiver)).as_ref() }.unwrap()
}

pub fn receiver_events(receiver: &Receiver) -> &[Event] {
    let mut events = MaybeUninit::uninit();
    let count = gametape_receiver_events(Some(receiver), Some(&mut events));
    // SAFETY: the receiver does not change in this lifetime.
    unsafe { std::slice::from_raw_parts(events.assume_init(), count) }
}

pub fn playout_events(playout: &Playout) -> &[Event] {
    let mut events = MaybeUninit::uninit();
    let count = gametape_playout_events(Some(playout), Some(&mut events));
    // SAFETY: the playout does not change in this lifetime.
    unsafe { std::slice::from_raw_parts(events.assume_init(), count) }
}

/// Moves on, and returns the view.
pub fn advance(playout: &mut Playout, now_ns: u64) -> &Snapshot {
    // SAFETY: the playout does not change in this lifetime.
    unsafe { gametape_playout_advance(Some(playout), now_ns, None).as_ref() }.unwrap()
}

pub fn text(error: &Error) -> &str {
    // SAFETY: the text lives until the next call with this handle.
    let text: &CStr = unsafe { CStr::from_ptr(gametape_error_text(Some(error))) };
    text.to_str().unwrap()
}

pub fn path_of(path: &Path) -> CString {
    CString::new(path.to_str().unwrap()).unwrap()
}

pub fn create(
    path: *const c_char,
    options: CaptureOptions,
    error: &mut Error,
) -> Option<Box<CaptureWriter>> {
    // SAFETY: the tests give texts that end with NUL, or NULL.
    unsafe { gametape_capture_writer_create(path, Some(&schema()), Some(&options), Some(error)) }
}

pub fn open(path: &Path, error: &mut Error) -> Option<Box<Capture>> {
    // SAFETY: a text that ends with NUL.
    unsafe { gametape_capture_open(path_of(path).as_ptr(), Some(error)) }
}

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
