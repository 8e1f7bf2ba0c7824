//! Sessions: what a sender names, the limits, and the errors of both sides.

use gametape_delta::{
    EncodeError, Encoder, Feedback, Limit, Limits, ReceiveError, Receiver, Rule, Schema, SendError,
    Sender, SenderOptions, Snapshot, Value,
};
use proptest::prelude::*;

use crate::session_network::schema;

/// Adds an entity with one component and these values.
fn put(world: &mut Snapshot, id: u32, value: i64) {
    let value = Value::FixedPoint(value);
    let values = [value, value, Value::VarUInt(0)];
    world.entry(id).set(1, &values).unwrap();
}

/// Returns a lossless pair that has converged on a world at tick 1.
fn agreed(world: &mut Snapshot) -> (Sender, Receiver, Vec<u8>) {
    let (mut sender, mut receiver) = (Sender::new(&schema()), Receiver::new(&schema()));
    let mut packet = Vec::new();
    world.set_tick(1);
    sender.encode(world, &mut packet).unwrap();
    let ack = receiver.apply(&packet).unwrap().ack;
    assert!(sender.feedback(&ack));
    (sender, receiver, packet)
}

/// A value changed and changed back. The receiver saw the value in between, and the packet that
/// changed it back was lost. The acknowledgement of the packet before must not count as a
/// confirmation.
#[test]
fn a_value_that_came_back_is_sent_until_it_arrives() {
    let mut world = Snapshot::new(&schema(), 0);
    put(&mut world, 1, 10);
    put(&mut world, 2, 0);
    let (mut sender, mut receiver, mut packet) = agreed(&mut world);
    // Seen, but not acknowledged yet.
    put(&mut world, 1, 20);
    world.set_tick(2);
    sender.encode(&world, &mut packet).unwrap();
    receiver.apply(&packet).unwrap();
    // The value of the baseline again; this packet is lost.
    put(&mut world, 1, 10);
    world.set_tick(3);
    assert_eq!(sender.encode(&world, &mut packet).unwrap().named, 1);
    // Another entity fills the packet.
    put(&mut world, 2, 500);
    world.set_tick(4);
    let mut alone = sender.clone();
    alone
        .encode_visible(&world, |id| u32::from(id == 2), &mut packet)
        .unwrap();
    let room = packet.len() - 7; // without the destroy of the other one
    sender.set_budget(room);
    let weight = |id| if id == 2 { 1000 } else { 1 };
    let sent = sender.encode_visible(&world, weight, &mut packet).unwrap();
    assert_eq!((sent.named, sent.waiting), (1, 1));
    let ack = receiver.apply(&packet).unwrap().ack;
    assert_eq!(
        ack,
        Feedback::Ack {
            tick: 4,
            earlier: 0b110
        }
    );
    assert!(sender.feedback(&ack));
    sender.set_budget(1200);
    world.set_tick(5);
    assert_eq!(sender.encode(&world, &mut packet).unwrap().named, 1);
    receiver.apply(&packet).unwrap();
    assert!(
        receiver.view().same_entities(&world),
        "{:?}",
        receiver.view()
    );
}

/// Entities that were seen stay visible, although others wait for room.
#[test]
fn new_entities_do_not_vanish_before_they_are_acknowledged() {
    let mut world = Snapshot::new(&schema(), 0);
    let (mut sender, mut receiver, mut packet) = agreed(&mut world);
    put(&mut world, 1, 1);
    put(&mut world, 2, 2);
    sender.set_budget(45);
    let mut acks = Vec::new();
    let mut seen = Vec::new();
    for tick in 2..12 {
        world.set_tick(tick);
        sender.encode(&world, &mut packet).unwrap();
        acks.push(receiver.apply(&packet).unwrap().ack);
        let now = receiver.view().ids();
        assert!(
            seen.iter().all(|id| now.contains(id)),
            "tick {tick}: {seen:?}, then {now:?}"
        );
        seen = now.to_vec();
        // Acknowledged three ticks later.
        if acks.len() > 3 {
            sender.feedback(&acks.remove(0));
        }
    }
    assert!(receiver.view().same_entities(&world));
}

/// Returns the number of ticks until a large entity arrives among small ones. One small entity is
/// created each tick and stays for `stay` ticks. A packet has little more room than the large
/// entity needs; acknowledgements take three ticks.
fn ticks_until_large(stay: u32) -> u32 {
    const LARGE: u32 = 1_000_000;
    let mut world = Snapshot::new(&schema(), 0);
    let (mut sender, mut receiver, mut packet) = agreed(&mut world);
    let mut acks = Vec::new();
    sender.set_budget(28 + 3 + 23);
    for tick in 2..400 {
        world.set_tick(tick);
        world.insert(tick).unwrap();
        if let Some(old) = tick.checked_sub(stay) {
            world.remove(old);
        }
        if tick == 20 {
            put(&mut world, LARGE, 7);
            world.entry(LARGE).set(2, &[Value::Bool(true)]).unwrap();
        }
        sender.encode(&world, &mut packet).unwrap();
        acks.push(receiver.apply(&packet).unwrap().ack);
        if acks.len() > 3 {
            sender.feedback(&acks.remove(0));
        }
        if receiver.view().entity(LARGE).is_some() {
            return tick - 20;
        }
    }
    panic!("never delivered");
}

#[test]
fn newcomers_do_not_keep_a_large_entity_out() {
    assert!(ticks_until_large(u32::MAX) < 20);
}

#[test]
fn those_that_go_do_not_keep_others_out() {
    assert!(ticks_until_large(8) < 40);
    // More entities than ever fit.
    let mut world = Snapshot::new(&schema(), 0);
    for id in 0..1000 {
        world.insert(id).unwrap();
    }
    let mut sender = Sender::new(&schema());
    sender.set_budget(60_000);
    let mut receiver = Receiver::new(&schema());
    let mut packet = Vec::new();
    for tick in 1..50 {
        if tick > 1 {
            sender.set_budget(28 + 3 + 23);
            for id in 0..20 {
                world.remove(tick * 20 + id);
            }
            put(&mut world, 1_000_000, 7);
        }
        world.set_tick(tick);
        sender.encode(&world, &mut packet).unwrap();
        let ack = receiver.apply(&packet).unwrap().ack;
        sender.feedback(&ack);
        if receiver.view().entity(1_000_000).is_some() {
            return;
        }
    }
    panic!("never delivered");
}

/// An entity is destroyed and another one created when there is no room for one more; and no packet
/// has more sections than the reader accepts.
#[test]
fn the_limits_of_the_receiver_are_kept_and_block_nothing() {
    for limits in [
        Limits {
            max_entities: 4,
            ..Limits::DEFAULT
        },
        Limits {
            max_sections: 1,
            ..Limits::DEFAULT
        },
        Limits {
            max_entities_create: 1,
            max_entities_update: 1,
            max_entities_destroy: 1,
            max_section_bytes: 14,
            ..Limits::DEFAULT
        },
    ] {
        let options = SenderOptions {
            limits,
            ..SenderOptions::default()
        };
        let mut sender = Sender::with_options(&schema(), options);
        let mut receiver = Receiver::with_window(&schema(), 64, limits);
        let mut world = Snapshot::new(&schema(), 0);
        for id in 10..14 {
            put(&mut world, id, 1);
        }
        let mut packet = Vec::new();
        for tick in 1..60 {
            world.set_tick(tick);
            if tick == 20 {
                world.remove(13);
                put(&mut world, 1, 1);
                put(&mut world, 11, 9);
            }
            sender.encode(&world, &mut packet).unwrap();
            let ack = receiver.apply(&packet).unwrap().ack;
            sender.feedback(&ack);
        }
        assert!(
            receiver.view().same_entities(&world),
            "{limits:?}: {:?}",
            receiver.view()
        );
    }
}

/// A state that cannot be sent is an error, and is not silently dropped.
#[test]
fn a_state_that_never_fits_is_refused() {
    let mut world = Snapshot::new(&schema(), 0);
    put(&mut world, 3, 7);
    let (mut sender, _, mut packet) = agreed(&mut world);
    world.set_tick(2);
    sender.set_budget(27);
    let refused = sender.encode(&world, &mut packet);
    assert_eq!(refused, Err(SendError::NoRoom { budget: 27 }));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "a packet has a header of 28 bytes, the budget is 27"
    );
    sender.set_budget(28);
    sender.encode(&world, &mut packet).unwrap();
    world.set_tick(3);
    world.remove(3);
    let Err(SendError::BudgetTooSmall {
        entity: 3,
        needed,
        budget: 28,
    }) = sender.encode(&world, &mut packet)
    else {
        panic!("there is no room for a destroy");
    };
    sender.set_budget(needed);
    assert_eq!(sender.encode(&world, &mut packet).unwrap().bytes, needed);
    // The error names the limit.
    for (limit, limits) in [
        (
            Limit::SectionBytes,
            Limits {
                max_section_bytes: 8,
                ..Limits::DEFAULT
            },
        ),
        (
            Limit::Creates,
            Limits {
                max_entities_create: 0,
                ..Limits::DEFAULT
            },
        ),
        (
            Limit::Entities,
            Limits {
                max_entities: 0,
                ..Limits::DEFAULT
            },
        ),
    ] {
        let options = SenderOptions {
            limits,
            ..SenderOptions::default()
        };
        let mut sender = Sender::with_options(&schema(), options);
        let mut world = Snapshot::new(&schema(), 1);
        put(&mut world, 3, 7);
        let error = sender.encode(&world, &mut packet).unwrap_err();
        assert!(
            matches!(error, SendError::Encode(EncodeError::Limit { limit: found, .. }) if found == limit),
            "{error}"
        );
    }
    // Memory is not reserved for states that do not exist.
    let options = SenderOptions {
        window: usize::MAX,
        ..SenderOptions::default()
    };
    Sender::with_options(&schema(), options)
        .encode(&world, &mut packet)
        .unwrap();
}

#[test]
fn errors_of_sessions() {
    let schema = schema();
    let mut sender = Sender::new(&schema);
    let mut packet = Vec::new();
    let mut world = Snapshot::new(&schema, 0);
    assert_eq!(sender.encode(&world, &mut packet), Err(SendError::TickZero));
    world.set_tick(5);
    sender.encode(&world, &mut packet).unwrap();
    assert_eq!(
        sender.encode(&world, &mut packet),
        Err(SendError::TickOrder { tick: 5, last: 5 })
    );
    let other = Snapshot::new(&Schema::new([]).unwrap(), 6);
    assert!(matches!(
        sender.encode(&other, &mut packet),
        Err(SendError::Encode(_))
    ));
    world.set_tick(6);
    world
        .entry(3)
        .set(
            1,
            &[
                Value::FixedPoint(0),
                Value::FixedPoint(0),
                Value::VarUInt(0),
            ],
        )
        .unwrap();
    sender.set_budget(41);
    let Err(SendError::BudgetTooSmall {
        entity: 3,
        needed,
        budget: 41,
    }) = sender.encode(&world, &mut packet)
    else {
        panic!("41 bytes are not enough");
    };
    sender.set_budget(needed);
    assert_eq!(sender.encode(&world, &mut packet).unwrap().bytes, needed);

    // Feedback about packets that were never sent changes nothing.
    assert!(!sender.feedback(&Feedback::Ack {
        tick: 77,
        earlier: u64::MAX
    }));
    assert!(!sender.feedback(&Feedback::NeedFull { baseline: 77 }));
    assert_eq!(sender.baseline(), None);
    assert!(sender.feedback(&Feedback::Ack {
        tick: 6,
        earlier: 0
    }));
    assert!(
        !sender.feedback(&Feedback::Ack {
            tick: 5,
            earlier: 0
        }),
        "older than the baseline"
    );
    assert_eq!(sender.baseline(), Some(6));

    // A delta for a receiver without states.
    world.set_tick(7);
    let sent = sender.encode(&world, &mut packet).unwrap();
    assert_eq!(sent.baseline, Some(6));
    let mut receiver = Receiver::new(&schema);
    let error = receiver.apply(&packet).unwrap_err();
    assert_eq!(
        error,
        ReceiveError::NeedFull {
            tick: 7,
            baseline: 6
        }
    );
    assert_eq!(
        error.to_string(),
        "tick 7 builds on tick 6, which is not held: a full snapshot is needed"
    );
    assert!(receiver.state().is_none());
    assert!(sender.feedback(&error.feedback().unwrap()));
    world.set_tick(8);
    assert_eq!(sender.encode(&world, &mut packet).unwrap().baseline, None);
    assert!(receiver.apply(&packet).unwrap().fresh);
    assert!(
        !receiver.apply(&packet).unwrap().fresh,
        "a repeated packet is left alone"
    );
    // An acknowledgement from before the resync refers to states that are gone.
    assert!(!sender.feedback(&Feedback::Ack {
        tick: 7,
        earlier: 0
    }));

    // A packet that breaks a rule changes nothing.
    let before = receiver.clone();
    let mut entity = Snapshot::new(&schema, 8);
    entity.insert(1).unwrap();
    let mut later = world.clone();
    later.set_tick(9);
    Encoder::new(&schema)
        .delta(&entity, &later, &mut packet)
        .unwrap();
    let error = receiver.apply(&packet).unwrap_err();
    assert!(
        matches!(error, ReceiveError::Packet(e) if matches!(e.rule, Rule::EntityNotFound { .. } | Rule::EntityExists { .. })),
        "{error}"
    );
    assert_eq!(receiver.view(), before.view());
    assert_eq!(receiver.state(), before.state());
    assert_eq!(error.feedback(), None);
}

proptest! {
    #[test]
    fn feedback_survives_bytes(tick: u32, earlier: u64, bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
        for feedback in [Feedback::Ack { tick, earlier }, Feedback::NeedFull { baseline: tick }] {
            prop_assert_eq!(Feedback::from_bytes(&feedback.to_bytes()), Some(feedback));
        }
        if let Some(feedback) = Feedback::from_bytes(&bytes) {
            prop_assert_eq!(&feedback.to_bytes()[..], &bytes[..]);
        }
    }
}
