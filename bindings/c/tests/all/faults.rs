//! Wrong calls, hostile bytes, and callbacks that answer what is none: each gets an error of its class.
//! Callbacks may use the handles of the call.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use gametape_c::*;

use crate::common::*;

#[test]
fn schemas_that_are_none() {
    let mut error = gametape_error_new().unwrap();
    for (json, expected) in [
        (&b"{\"components\":[}"[..], "the schema can't be read: "),
        (
            b"{\"components\":[{\"id\":0,\"fields\":[]}]}",
            "a component has the id 0",
        ),
        (b"\xff\xfe", "json is not in UTF-8"),
        (b"", "the schema can't be read: "),
    ] {
        // SAFETY: an array with its length.
        let schema = unsafe {
            gametape_schema_from_json(json.as_ptr().cast(), json.len(), Some(&mut error))
        };
        assert!(schema.is_none());
        assert_eq!(gametape_error_status(Some(&error)), Status::Caller);
        assert!(text(&error).contains(expected), "{}", text(&error));
    }
}

#[test]
fn a_negative_length_is_no_length() {
    let (schema, mut error) = (schema(), gametape_error_new().unwrap());
    let mut receiver = gametape_receiver_new(Some(&schema), None, None).unwrap();
    let mut received = MaybeUninit::uninit();
    let byte = 0_u8;
    // SAFETY: nothing is read, because no array is that long.
    let status = unsafe {
        gametape_receiver_apply(
            Some(&mut receiver),
            &raw const byte,
            usize::MAX,
            Some(&mut received),
            Some(&mut error),
        )
    };
    assert_eq!(status, Status::Caller);
    assert!(text(&error).starts_with("packet has 18446744073709551615 elements"));
}

#[test]
fn playouts_that_cannot_be() {
    let (schema, mut error) = (schema(), gametape_error_new().unwrap());
    assert!(gametape_playout_new(Some(&schema), 0, None, Some(&mut error)).is_none());
    assert_eq!(text(&error), "0 ticks a second: a playout needs 1 at least");
    let mut playout = gametape_playout_new(Some(&schema), 30, None, None).unwrap();
    let turn = Blend::Turn as u32;
    for (component, field, blend, expected) in [
        (1, 1, 3, "blend 3 is not defined"),
        (9, 1, 0, "the schema has no component 9"),
        (1, 9, 0, "component 1 has no field 9"),
        (1, 1, turn, "UInt"),
    ] {
        let ours = Some(&mut *playout);
        let status = gametape_playout_blend(ours, component, field, blend, Some(&mut error));
        assert_eq!(status, Status::Caller);
        assert!(text(&error).contains(expected), "{}", text(&error));
    }
    let other = schema_of("{\"components\":[]}").unwrap();
    let receiver = gametape_receiver_new(Some(&other), None, None).unwrap();
    let status = gametape_playout_take(Some(&mut playout), Some(&receiver), 0, Some(&mut error));
    assert_eq!(status, Status::Caller);
    assert!(text(&error).starts_with("the receiver has schema "));
}

type Call<'a> = &'a dyn Fn(&mut Receiver) -> Status;

#[test]
fn after_an_error_there_are_no_events_and_nothing_to_take() {
    let schema = schema();
    let mut ship = state(&schema, 1);
    put(&mut ship, 7, 1, &[150, 100]);
    let mut world = gametape_world_new(Some(&schema), None).unwrap();
    update(&mut world, &ship);
    let mut sender = gametape_sender_new(Some(&schema), None, None).unwrap();
    let packet = bytes(&encode(&mut sender, &mut world).unwrap()).to_vec();
    let mut receiver = gametape_receiver_new(Some(&schema), None, None).unwrap();
    let mut playout = gametape_playout_new(Some(&schema), 30, None, None).unwrap();
    let no_packet = |receiver: &mut Receiver| {
        let (null, mut received) = (ptr::null(), MaybeUninit::uninit());
        // SAFETY: NULL is allowed everywhere.
        unsafe { gametape_receiver_apply(Some(receiver), null, 9, Some(&mut received), None) }
    };
    let reset = |receiver: &mut Receiver| gametape_receiver_reset(Some(receiver), None);
    let damaged = |receiver: &mut Receiver| {
        let (status, received) = apply(receiver, &packet[..20]);
        assert_eq!(received.feedback_size, 0);
        status
    };
    let cases: [(Call, _); 3] = [
        (&no_packet, Status::Caller),
        (&damaged, Status::Data),
        (&reset, Status::Ok),
    ];
    for (call, expected) in cases {
        gametape_receiver_reset(Some(&mut receiver), None);
        assert_eq!(apply(&mut receiver, &packet).0, Status::Ok);
        assert_eq!(receiver_events(&receiver)[0].entity, 7);
        assert_eq!(call(&mut receiver), expected);
        assert_eq!(receiver_events(&receiver), []);
        gametape_playout_take(Some(&mut playout), Some(&receiver), 0, None);
        assert!(!gametape_playout_timing(Some(&playout), 0, None));
    }
    assert_eq!(apply(&mut receiver, &packet).0, Status::Ok);
    gametape_playout_take(Some(&mut playout), Some(&receiver), 0, None);
    assert!(gametape_playout_timing(Some(&playout), 0, None));
}

#[test]
fn room_that_is_too_small_is_left_alone() {
    let schema = schema();
    let (mut ship, mut error) = (state(&schema, 1), gametape_error_new().unwrap());
    put(&mut ship, 7, 1, &[150, 100]);
    let mut one = Value {
        integer: -1,
        real: -1.0,
        kind: Kind::Bool,
    };
    let into = &raw mut one;
    // SAFETY: room for one.
    let status =
        unsafe { gametape_snapshot_values(Some(&ship), 7, 1, into, 1, None, Some(&mut error)) };
    assert_eq!(status, Status::Caller);
    assert_eq!(text(&error), "there is room for 1 values, 2 are needed");
    assert_eq!(one.integer, -1);
}

#[test]
fn a_state_is_unchanged_after_an_error() {
    let schema = schema();
    let mut ship = state(&schema, 1);
    // A new entity, and one that is there: none gets what is wrong.
    for there in [false, true] {
        for values in [&[0, 128][..], &[51_201, 0], &[0, -1], &[0], &[0, 0, 0], &[]] {
            assert_eq!(put(&mut ship, 7, 1, values), Status::Caller);
        }
        assert_eq!(put(&mut ship, 7, 9, &[0]), Status::Caller);
        assert_eq!(put(&mut ship, 7, 2, &[-1]), Status::Caller);
        assert_eq!(gametape_snapshot_has(Some(&ship), 7), there);
        put(&mut ship, 7, 1, &[150, 100]);
    }
    let integers = values(&ship, 7, 1).unwrap();
    assert_eq!(
        integers.iter().map(|v| v.integer).collect::<Vec<_>>(),
        [150, 100]
    );
    assert!(values(&ship, 7, 2).is_none() && values(&ship, 8, 1).is_none());
    let set = |ship: &mut Snapshot, entity, component, field| {
        gametape_snapshot_set(Some(ship), entity, component, field, 1, None)
    };
    for (entity, component, field) in [(8, 1, 1), (7, 2, 1), (7, 9, 1), (7, 1, 9)] {
        assert_eq!(set(&mut ship, entity, component, field), Status::Caller);
    }
    assert_eq!(
        gametape_snapshot_insert(Some(&mut ship), 7, None),
        Status::Caller
    );
}

#[test]
fn sessions_refuse_what_does_not_ascend_or_fit() {
    let (schema, mut error) = (schema(), gametape_error_new().unwrap());
    let mut world = gametape_world_new(Some(&schema), None).unwrap();
    assert_eq!(update(&mut world, &state(&schema, 0)), Status::Caller);
    assert_eq!(update(&mut world, &state(&schema, 5)), Status::Ok);
    assert_eq!(update(&mut world, &state(&schema, 5)), Status::Caller);
    let other = schema_of(r#"{"components":[]}"#).unwrap();
    assert_eq!(update(&mut world, &state(&other, 6)), Status::Caller);
    let own = gametape_world_state(Some(&world));
    // SAFETY: the function allows the world's own state.
    let status = unsafe { gametape_world_update(Some(&mut world), own, Some(&mut error)) };
    assert_eq!(status, Status::Caller);
    assert!(
        text(&error).starts_with("tick 5 is not after tick 5"),
        "{}",
        text(&error)
    );

    let mut sender = gametape_sender_new(Some(&schema), None, None).unwrap();
    assert!(encode(&mut sender, &mut world).is_ok());
    assert_eq!(encode(&mut sender, &mut world).err(), Some(Status::Caller));
    update(&mut world, &state(&schema, 6));
    gametape_sender_set_budget(Some(&mut sender), 27, None);
    assert_eq!(encode(&mut sender, &mut world).err(), Some(Status::Caller));

    let mut few = SenderOptions::default();
    few.limits.entities = 1;
    let mut sender = gametape_sender_new(Some(&schema), Some(&few), None).unwrap();
    let mut two = state(&schema, 7);
    gametape_snapshot_insert(Some(&mut two), 1, None);
    gametape_snapshot_insert(Some(&mut two), 2, None);
    update(&mut world, &two);
    assert_eq!(encode(&mut sender, &mut world).err(), Some(Status::Limit));
    few.mode = 2;
    assert!(gametape_sender_new(Some(&schema), Some(&few), Some(&mut error)).is_none());
    assert_eq!(
        text(&error),
        "mode 2 is not defined: 0 is merged, 1 is strict"
    );
}

#[test]
fn an_entity_too_large_is_reported() {
    let schema = schema();
    let options = SenderOptions {
        budget: 32,
        ..SenderOptions::default()
    };
    let mut sender = gametape_sender_new(Some(&schema), Some(&options), None).unwrap();
    let (mut ship, mut world) = (
        state(&schema, 1),
        gametape_world_new(Some(&schema), None).unwrap(),
    );
    put(&mut ship, 9, 1, &[0, 0]);
    update(&mut world, &ship);
    let sent = encode(&mut sender, &mut world).unwrap();
    assert_eq!((sent.named, sent.held_back), (0, 9));
    assert!(sent.held_back_bytes > 32 && sent.size <= 32);
}

#[test]
fn components_are_restricted_to_audiences_that_are_some_and_in_time() {
    let (schema, mut error) = (schema(), gametape_error_new().unwrap());
    let mut world = gametape_world_new(Some(&schema), None).unwrap();
    let mut refused = |world: &mut World, component, least, expected: &str| {
        let status = gametape_world_restrict(Some(world), component, least, Some(&mut error));
        assert_eq!((status, text(&error)), (Status::Caller, expected));
    };
    let owner = Audience::Owner as u32;
    let no_audience = "audience 3 is not defined: 0 is all, 1 is team, 2 is owner";
    refused(&mut world, 1, 3, no_audience);
    refused(&mut world, 9, owner, "the schema has no component 9");
    update(&mut world, &state(&schema, 5));
    let late = "components are restricted before the first state, and this world is at tick 5";
    refused(&mut world, 1, owner, late);
}

#[test]
fn grids_that_cannot_be() {
    let (schema, mut error) = (schema(), gametape_error_new().unwrap());
    for (component, fields, cell, expected) in [
        (9, &[1, 2][..], 1.0, "the schema has no component 9"),
        (1, &[1, 3], 1.0, "component 1 has no field 3"),
        (1, &[1], 1.0, "a position has 2 or 3 fields, not 1"),
        (1, &[1, 2], 0.0, "a cell has a size above 0, 0 was given"),
    ] {
        assert!(grid(&schema, component, fields, cell, Some(&mut error)).is_none());
        assert_eq!(gametape_error_status(Some(&error)), Status::Caller);
        assert_eq!(text(&error), expected);
    }
}

#[test]
fn feedback_that_is_none() {
    let schema = schema();
    let mut sender = gametape_sender_new(Some(&schema), None, None).unwrap();
    for bytes in [&[][..], &[1; 12], &[1; 14], &[0; 13], &[3; 13], &[2; 13]] {
        assert_eq!(feedback(&mut sender, bytes), Status::Data, "{bytes:?}");
    }
}

/// A callback that uses the world and the grid for which it is called.
extern "C" fn reentrant(context: *mut c_void, entity: u32, _: f64, _: *mut u32) -> u32 {
    // SAFETY: it is given both.
    let (world, grid) = unsafe { *context.cast::<(*mut World, *mut Grid)>() };
    // SAFETY: handles, to which the call has no reference.
    let (world, grid) = unsafe { (&mut *world, &mut *grid) };
    // SAFETY: the world does not change while this is used.
    let state = unsafe { gametape_world_state(Some(world)).as_ref() }.unwrap();
    let weight = values(state, entity, 1).map_or(0, |ship| ship[1].integer as u32);
    if gametape_world_despawn(Some(world), 2) {
        gametape_grid_update(Some(grid), Some(world), None);
    }
    weight
}

#[test]
fn a_callback_may_use_the_world_and_the_grid() {
    let schema = schema();
    let mut ship = state(&schema, 1);
    for id in 1..=3 {
        put(&mut ship, id, 1, &[0, i64::from(id)]);
    }
    for by_area in [false, true] {
        let mut world = gametape_world_new(Some(&schema), None).unwrap();
        let mut grid = grid(&schema, 1, &[1, 2], 1.0, None).unwrap();
        update(&mut world, &ship);
        gametape_grid_update(Some(&mut grid), Some(&world), None);
        let mut sender = gametape_sender_new(Some(&schema), None, None).unwrap();
        let area = Area {
            enter: 9.0,
            ..Area::default()
        };
        let mut sent = MaybeUninit::uninit();
        let mut both = (&raw mut *world, &raw mut *grid);
        let ((world, grid), context) = (both, (&raw mut both).cast());
        let (from, ask, into) = (&raw mut *sender, Some(reentrant as _), Some(&mut sent));
        // SAFETY: handles, and a callback with its context.
        let status = unsafe {
            if by_area {
                let area = &raw const area;
                gametape_sender_encode_near(from, world, grid, area, ask, context, into, None)
            } else {
                gametape_sender_encode(from, world, ask, context, into, None)
            }
        };
        assert_eq!(status, Status::Ok);
        // SAFETY: it is set if there was no error.
        let named = unsafe { sent.assume_init() }.named;
        assert_eq!(named, 2, "the callback ended one of three");
    }
}

/// As no audience.
extern "C" fn nobody(_: *mut c_void, _: u32, _: f64, audience: *mut u32) -> u32 {
    // SAFETY: it points to a number.
    unsafe { audience.write(3) };
    1
}

#[test]
fn a_packet_needs_a_new_grid_and_audiences_that_are_some() {
    let (schema, mut error) = (schema(), gametape_error_new().unwrap());
    let mut world = gametape_world_new(Some(&schema), None).unwrap();
    let mut sender = gametape_sender_new(Some(&schema), None, None).unwrap();
    let mut grid = grid(&schema, 1, &[1, 2], 1.0, None).unwrap();
    let mut ship = state(&schema, 1);
    put(&mut ship, 9, 1, &[0, 0]);
    update(&mut world, &ship);
    let (area, context) = (Area::default(), ptr::null_mut());
    let mut refused = |grid: &Grid, world: &mut World, ask: Relevance, expected: &str| {
        let mut sent = MaybeUninit::uninit();
        let (from, near, into) = (&raw mut *sender, &raw const area, Some(&mut sent));
        let why = Some(&mut *error);
        // SAFETY: handles, and a callback.
        let status = unsafe {
            gametape_sender_encode_near(from, world, grid, near, ask, context, into, why)
        };
        assert_eq!((status, text(&error)), (Status::Caller, expected));
    };
    let old = "the grid is not of the newest state: update it after the world";
    refused(&grid, &mut world, None, old);
    refused(&grid, &mut world, Some(nobody), old);
    gametape_grid_update(Some(&mut grid), Some(&world), None);
    let no_audience = "audience 3 is not defined: 0 is all, 1 is team, 2 is owner";
    refused(&grid, &mut world, Some(nobody), no_audience);
    // Nothing was sent so far.
    assert_eq!(encode(&mut sender, &mut world).unwrap().named, 1);
}
