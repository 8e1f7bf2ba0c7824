//! Callbacks that use handles of the call, and callbacks that answer what is none.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use gametape_c::*;

use crate::common::*;

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
