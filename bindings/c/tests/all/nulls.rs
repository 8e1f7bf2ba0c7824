//! NULL for every pointer of every function: an error that names the pointer, or nothing.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use gametape_c::*;

use crate::common::{grid, schema, state, text};

/// Calls with NULL for one pointer that is needed, and asserts that the error names it.
macro_rules! names {
    ($error:ident: $($name:literal $call:expr;)*) => {
        $(
            // SAFETY: NULL is allowed everywhere.
            #[allow(unused_unsafe)]
            let _ = unsafe { $call };
            assert_eq!(
                (gametape_error_status(Some(&$error)), text(&$error)),
                (Status::Caller, concat!($name, " is NULL")),
                stringify!($call)
            );
        )*
    };
}

extern "C" fn unasked(_: *mut c_void, _: u32, _: f64, _: *mut u32) -> u32 {
    unreachable!("there is nothing to ask for");
}

#[test]
fn null_is_an_error_that_names_the_pointer() {
    let (schema, mut error) = (schema(), gametape_error_new().unwrap());
    let (mut a, b) = (state(&schema, 1), state(&schema, 2));
    let mut grid = grid(&schema, 1, &[1, 2], 1.0, None).unwrap();
    let schema = Some(&*schema);
    let mut world = gametape_world_new(schema, None).unwrap();
    let mut sender = gametape_sender_new(schema, None, None).unwrap();
    let area = Area::default();
    let mut receiver = gametape_receiver_new(schema, None, None).unwrap();
    let mut playout = gametape_playout_new(schema, 30, None, None).unwrap();
    names! { error:
        "json" gametape_schema_from_json(null(), 3, Some(&mut error));
        "schema" gametape_snapshot_new(None, 1, Some(&mut error));
        "schema" gametape_world_new(None, Some(&mut error));
        "schema" gametape_grid_new(None, 1, null(), 2, 1.0, Some(&mut error));
        "fields" gametape_grid_new(schema, 1, null(), 2, 1.0, Some(&mut error));
        "schema" gametape_sender_new(None, None, Some(&mut error));
        "schema" gametape_receiver_new(None, None, Some(&mut error));
        "schema" gametape_playout_new(None, 30, None, Some(&mut error));
        "path" gametape_capture_writer_create(null(), schema, None, Some(&mut error));
        "schema" gametape_capture_writer_create(c"x".as_ptr(), None, None, Some(&mut error));
        "path" gametape_capture_open(null(), Some(&mut error));

        "to" gametape_snapshot_copy(null_mut(), null(), Some(&mut error));
        "to" gametape_snapshot_copy(null_mut(), &raw const *b, Some(&mut error));
        "from" gametape_snapshot_copy(&raw mut *a, null(), Some(&mut error));
        "state" gametape_snapshot_clear(None, Some(&mut error));
        "state" gametape_snapshot_set_tick(None, 1, Some(&mut error));
        "state" gametape_snapshot_insert(None, 1, Some(&mut error));
        "state" gametape_snapshot_put(None, 1, 1, null(), 0, Some(&mut error));
        "values" gametape_snapshot_put(Some(&mut a), 1, 1, null(), 2, Some(&mut error));
        "state" gametape_snapshot_put_real(None, 1, 1, null(), 0, Some(&mut error));
        "values" gametape_snapshot_put_real(Some(&mut a), 1, 1, null(), 2, Some(&mut error));
        "state" gametape_snapshot_set(None, 1, 1, 1, 0, Some(&mut error));
        "state" gametape_snapshot_set_real(None, 1, 1, 1, 0.0, Some(&mut error));
        "state" gametape_snapshot_components(None, 1, null_mut(), 0, None, Some(&mut error));
        "state" gametape_snapshot_values(None, 1, 1, null_mut(), 0, None, Some(&mut error));

        "world" gametape_world_update(None, &raw const *b, Some(&mut error));
        "state" gametape_world_update(Some(&mut world), null(), Some(&mut error));
        "world" gametape_world_restrict(None, 1, 1, Some(&mut error));
        "world" gametape_world_group(None, 1, 1, Some(&mut error));
        "grid" gametape_grid_update(None, Some(&world), Some(&mut error));
        "world" gametape_grid_update(Some(&mut grid), None, Some(&mut error));
        "sent" gametape_sender_encode(
            &raw mut *sender, &raw mut *world, None, null_mut(), None, Some(&mut error)
        );
        "world" gametape_sender_encode(
            &raw mut *sender, null_mut(), None, null_mut(),
            Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "sender" gametape_sender_encode(
            null_mut(), &raw mut *world, None, null_mut(),
            Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "area" gametape_sender_encode_near(
            &raw mut *sender, &raw mut *world, &raw const *grid, null(), None, null_mut(),
            Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "sent" gametape_sender_encode_near(
            &raw mut *sender, &raw mut *world, &raw const *grid, &raw const area, None, null_mut(),
            None, Some(&mut error)
        );
        "sender" gametape_sender_encode_near(
            null_mut(), &raw mut *world, &raw const *grid, &raw const area, None, null_mut(),
            Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "world" gametape_sender_encode_near(
            &raw mut *sender, null_mut(), &raw const *grid, &raw const area, Some(unasked), null_mut(),
            Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "grid" gametape_sender_encode_near(
            &raw mut *sender, &raw mut *world, null(), &raw const area, None, null_mut(),
            Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "grid" gametape_sender_encode_near(
            &raw mut *sender, &raw mut *world, null(), &raw const area, Some(unasked), null_mut(),
            Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "sender" gametape_sender_totals(
            None, Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "totals" gametape_sender_totals(Some(&sender), None, Some(&mut error));
        "sender" gametape_sender_estimates(
            None, Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "estimates" gametape_sender_estimates(Some(&sender), None, Some(&mut error));
        "sender" gametape_sender_feedback(None, null(), 13, Some(&mut error));
        "feedback" gametape_sender_feedback(Some(&mut sender), null(), 13, Some(&mut error));
        "sender" gametape_sender_set_budget(None, 9, Some(&mut error));
        "sender" gametape_sender_resync(None, Some(&mut error));
        "received" gametape_receiver_apply(Some(&mut receiver), null(), 9, None, Some(&mut error));
        "receiver" gametape_receiver_apply(
            None, null(), 9, Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "packet" gametape_receiver_apply(
            Some(&mut receiver), null(), 9, Some(&mut std::mem::MaybeUninit::uninit()),
            Some(&mut error)
        );
        "receiver" gametape_receiver_reset(None, Some(&mut error));
        "playout" gametape_playout_blend(None, 1, 1, 0, Some(&mut error));
        "playout" gametape_playout_take(None, Some(&receiver), 0, Some(&mut error));
        "receiver" gametape_playout_take(Some(&mut playout), None, 0, Some(&mut error));
        "playout" gametape_playout_advance(None, 0, Some(&mut error));

        "writer" gametape_capture_writer_push(None, null(), 9, 0, Some(&mut error));
        "state" gametape_capture_writer_push_state(None, None, 0, Some(&mut error));
        "writer" gametape_capture_writer_push_state(None, Some(&b), 0, Some(&mut error));
        "writer" gametape_capture_writer_flush(None, Some(&mut error));
        "writer" gametape_capture_writer_finish(None, Some(&mut error));
        "packet" gametape_capture_next_packet(None, None, Some(&mut error));
        "capture" gametape_capture_next_packet(
            None, Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "state" gametape_capture_next_state(None, None, Some(&mut error));
        "capture" gametape_capture_next_state(
            None, Some(&mut std::mem::MaybeUninit::uninit()), Some(&mut error)
        );
        "state" gametape_capture_state_at(None, 1, None, Some(&mut error));
        "capture" gametape_capture_state_at(None, 1, Some(&mut a), Some(&mut error));
    }
    // None of it has changed anything.
    assert_eq!(gametape_snapshot_entities(Some(&a), None), 0);
    assert_eq!(gametape_snapshot_tick(Some(&a)), 1);
}

#[test]
fn functions_without_an_error_return_nothing_for_null() {
    let mut ids = std::mem::MaybeUninit::uninit();
    let mut events = std::mem::MaybeUninit::uninit();
    let mut timing = std::mem::MaybeUninit::uninit();
    assert_eq!(gametape_schema_hash(None), 0);
    assert_eq!(gametape_snapshot_tick(None), 0);
    assert_eq!(gametape_snapshot_entities(None, None), 0);
    assert_eq!(gametape_snapshot_entities(None, Some(&mut ids)), 0);
    // SAFETY: it is always set.
    assert!(unsafe { ids.assume_init() }.is_null());
    assert!(!gametape_snapshot_has(None, 1));
    assert!(!gametape_snapshot_has_component(None, 1, 1));
    assert!(!gametape_snapshot_same_entities(None, None));
    assert!(!gametape_snapshot_remove(None, 1));
    assert!(!gametape_snapshot_remove_component(None, 1, 1));
    assert!(!gametape_world_despawn(None, 1));
    assert!(gametape_world_state(None).is_null());
    assert_eq!(gametape_sender_memory(None), 0);
    assert!(gametape_sender_max_memory(None, 1) > 1200);
    assert!(gametape_receiver_view(None).is_null());
    assert_eq!(gametape_receiver_events(None, None), 0);
    assert_eq!(gametape_receiver_events(None, Some(&mut events)), 0);
    // SAFETY: it is always set.
    assert!(unsafe { events.assume_init() }.is_null());
    assert!(!gametape_receiver_confirmed(None, 1, None));
    assert!(gametape_playout_advance(None, 0, None).is_null());
    assert_eq!(gametape_playout_events(None, None), 0);
    assert!(!gametape_playout_tick(None, None));
    assert!(!gametape_playout_timing(None, 0, Some(&mut timing)));
    // SAFETY: it is always set.
    assert_eq!(unsafe { timing.assume_init() }, Timing::default());
    assert!(gametape_capture_schema(None).is_null());
    assert_eq!(gametape_error_status(None), Status::Ok);
    // SAFETY: the text of NULL is one.
    let text = unsafe { std::ffi::CStr::from_ptr(gametape_error_text(None)) };
    assert!(text.is_empty());
    gametape_error_free(None);
    gametape_schema_free(None);
    gametape_snapshot_free(None);
    gametape_world_free(None);
    gametape_grid_free(None);
    gametape_sender_free(None);
    gametape_receiver_free(None);
    gametape_playout_free(None);
    gametape_capture_writer_free(None);
    gametape_capture_free(None);
}

#[test]
fn the_tests_above_call_every_function_of_the_header() {
    let (header, here) = (
        include_str!("../../include/gametape.h"),
        include_str!("nulls.rs"),
    );
    let functions: Vec<&str> = header
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '('))
        .filter_map(|word| word.split_once('('))
        .map(|(name, _)| name)
        .filter(|name| name.starts_with("gametape_"))
        .collect();
    assert!(functions.len() > 40, "{functions:?}");
    for function in functions {
        assert!(
            here.contains(&format!("{function}(")),
            "{function} is not called"
        );
    }
}
