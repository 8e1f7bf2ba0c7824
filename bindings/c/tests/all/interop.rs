//! Sessions through C and through Rust: the same packets, the same feedback, the same views.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use gametape_c::*;
use gametape_delta as delta;
use gametape_samples::delta::Arena;

use crate::common::*;

/// A session of the Rust library.
struct Theirs {
    sender: delta::Sender,
    receiver: delta::Receiver,
    packet: Vec<u8>,
}

/// The same session through C.
struct Ours {
    sender: Box<Sender>,
    receiver: Box<Receiver>,
}

/// Copies a state of the library with the functions of C.
fn fill(from: &delta::Snapshot, to: &mut Snapshot) {
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
fn assert_same(expected: &delta::Snapshot, found: &Snapshot) {
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

/// Some ships are hidden, and others matter more.
extern "C" fn weight(context: *mut c_void, entity: u32) -> u32 {
    // SAFETY: it is given a number, and the call has no reference to it.
    let calls = unsafe { &mut *context.cast::<u32>() };
    *calls += 1;
    entity % 5
}

fn exchange(
    ours: &mut Ours,
    theirs: &mut Theirs,
    world: &mut World,
    log: &mut delta::World,
    lost: bool,
) {
    let mut sent = MaybeUninit::uninit();
    let mut calls = 0_u32;
    let context = (&raw mut calls).cast();
    let (sender, world) = (&raw mut *ours.sender, &raw mut *world);
    // SAFETY: two handles, and a callback with its context.
    let status = unsafe {
        gametape_sender_encode(sender, world, Some(weight), context, Some(&mut sent), None)
    };
    assert_eq!(status, Status::Ok);
    assert_eq!(calls as usize, log.state().len());
    // SAFETY: it is set if there was no error.
    let sent = unsafe { sent.assume_init() };
    let expected = theirs
        .sender
        .encode_visible(log, |id| id % 5, &mut theirs.packet);
    let expected = expected.unwrap();
    assert_eq!(bytes(&sent), theirs.packet);
    assert_eq!(
        (
            sent.tick,
            sent.baseline,
            sent.named,
            sent.waiting,
            sent.stalled
        ),
        (
            expected.tick,
            expected.baseline.unwrap_or(0),
            expected.named,
            expected.waiting,
            expected.stalled
        )
    );
    if lost {
        return;
    }
    let (status, received) = apply(&mut ours.receiver, bytes(&sent));
    let message = match theirs.receiver.apply(&theirs.packet) {
        Ok(expected) => {
            assert_eq!((status, received.fresh), (Status::Ok, expected.fresh));
            expected.ack
        }
        Err(error) => {
            assert_eq!(status, Status::NeedFull, "{error}");
            error.feedback().unwrap()
        }
    };
    assert_eq!(
        (received.feedback, received.feedback_size),
        (message.to_bytes(), 13)
    );
    theirs.sender.feedback(&message);
    assert_eq!(feedback(&mut ours.sender, &received.feedback), Status::Ok);
    assert_same(theirs.receiver.view(), view(&ours.receiver));
}

#[test]
fn packets_through_c_are_those_of_the_library() {
    let json = serde_json::to_string(&Arena::schema()).unwrap();
    let (schema, library) = (schema_of(&json).unwrap(), Arena::schema());
    assert_eq!(gametape_schema_hash(Some(&schema)), library.hash());
    let (mut arena, mut state) = (Arena::new(60, 7), delta::Snapshot::new(&library, 0));
    let mut copy = gametape_snapshot_new(Some(&schema), 0, None).unwrap();
    let mut world = gametape_world_new(Some(&schema), None).unwrap();
    let mut log = delta::World::new(&library);
    let options = SenderOptions {
        budget: 400,
        window: 16,
        ..SenderOptions::default()
    };
    let receives = ReceiverOptions {
        window: 16,
        ..ReceiverOptions::default()
    };
    let mut ours = Ours {
        sender: gametape_sender_new(Some(&schema), Some(&options), None).unwrap(),
        receiver: gametape_receiver_new(Some(&schema), Some(&receives), None).unwrap(),
    };
    let mut theirs = Theirs {
        sender: delta::Sender::with_options(
            &library,
            delta::SenderOptions {
                budget: 400,
                window: 16,
                ..<_>::default()
            },
        ),
        receiver: delta::Receiver::with_options(
            &library,
            delta::ReceiverOptions {
                window: 16,
                ..<_>::default()
            },
        ),
        packet: Vec::new(),
    };
    for tick in 1..=200 {
        arena.step();
        arena.state(&mut state).unwrap();
        fill(&state, &mut copy);
        assert_same(&state, &copy);
        if tick % 40 == 0 {
            let id = state.ids()[0];
            assert!(log.despawn(id) && gametape_world_despawn(Some(&mut world), id));
        }
        log.update(&state).unwrap();
        assert_eq!(update(&mut world, &copy), Status::Ok);
        if tick == 90 {
            theirs.receiver.reset();
            gametape_receiver_reset(Some(&mut ours.receiver), None);
        }
        // Also longer silences than the window.
        let lost = tick % 3 == 0 || (120..150).contains(&tick);
        exchange(&mut ours, &mut theirs, &mut world, &mut log, lost);
    }
    let seen = theirs.receiver.view();
    assert!(seen.len() > 20 && seen.ids().iter().all(|id| id % 5 != 0));
    for id in seen.ids() {
        let tick = gametape_receiver_tick_of(Some(&ours.receiver), *id);
        assert_eq!(Some(tick), theirs.receiver.tick_of(*id));
    }
}

/// A callback that uses the world and the sender for which it is called.
extern "C" fn reentrant(context: *mut c_void, entity: u32) -> u32 {
    // SAFETY: it is given a world, of which the call holds no reference.
    let world = unsafe { &mut *context.cast::<World>() };
    // SAFETY: the world does not change while this is used.
    let state = unsafe { gametape_world_state(Some(world)).as_ref() }.unwrap();
    let weight = values(state, entity, 1).map_or(0, |ship| ship[1].integer as u32);
    gametape_world_despawn(Some(world), 2);
    weight
}

#[test]
fn a_callback_may_use_the_world() {
    let schema = schema();
    let (mut ship, mut world) = (
        state(&schema, 1),
        gametape_world_new(Some(&schema), None).unwrap(),
    );
    for id in 1..=3 {
        put(&mut ship, id, 1, &[0, i64::from(id)]);
    }
    update(&mut world, &ship);
    let mut sender = gametape_sender_new(Some(&schema), None, None).unwrap();
    let mut sent = MaybeUninit::uninit();
    let world = &raw mut *world;
    // SAFETY: two handles, and a callback with its context.
    let status = unsafe {
        let sender = &raw mut *sender;
        let context = world.cast();
        gametape_sender_encode(
            sender,
            world,
            Some(reentrant),
            context,
            Some(&mut sent),
            None,
        )
    };
    assert_eq!(status, Status::Ok);
    // SAFETY: it is set if there was no error.
    assert_eq!(
        unsafe { sent.assume_init() }.named,
        2,
        "the callback ended one of three"
    );
}
