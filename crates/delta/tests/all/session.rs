//! Sessions: what a sender names, the limits, the errors of both sides, and the faults that
//! sessions once had.

use gametape_delta::network::{Conditions, Link, Trial};
use gametape_delta::{
    Decoder, EncodeError, Encoder, Feedback, Limit, Limits, Mode, Packet, ReceiveError, Received,
    Receiver, ReceiverOptions, Rule, Schema, SendError, Sender, SenderOptions, Sent, Snapshot, Tag,
    Value, World,
};
use gametape_samples::delta::Arena;

use crate::session_network::schema;

/// Adds an entity with one component and these values.
fn put(state: &mut Snapshot, id: u32, value: i64) {
    let value = Value::FixedPoint(value);
    let values = [value, value, Value::VarUInt(0)];
    state.entry(id).set(1, &values).unwrap();
}

/// A pair without a network: the test carries packets and feedback.
struct Pair {
    state: Snapshot,
    world: World,
    sender: Sender,
    receiver: Receiver,
    packet: Vec<u8>,
}

impl Pair {
    fn new(options: SenderOptions) -> Self {
        let schema = schema();
        let SenderOptions {
            window,
            limits,
            mode,
            ..
        } = options;
        let receiver = ReceiverOptions {
            window,
            limits,
            mode,
        };
        Self {
            state: Snapshot::new(&schema, 0),
            world: World::new(&schema),
            sender: Sender::with_options(&schema, options),
            receiver: Receiver::with_options(&schema, receiver),
            packet: Vec::new(),
        }
    }

    /// Sends the state of the next tick.
    fn send(&mut self) -> Sent {
        self.state.set_tick(self.state.tick() + 1);
        self.world.update(&self.state).unwrap();
        self.encode()
    }

    fn encode(&mut self) -> Sent {
        let sent = self.sender.encode(&mut self.world, &mut self.packet);
        sent.unwrap()
    }

    fn apply(&mut self) -> Feedback {
        self.receiver.apply(&self.packet).unwrap().ack
    }

    fn exchange(&mut self) -> Sent {
        let sent = self.send();
        let ack = self.apply();
        self.sender.feedback(&ack);
        sent
    }

    fn read(&self) -> Packet {
        Decoder::new(&schema()).packet(&self.packet).unwrap()
    }

    /// Returns the ids in a section of the last packet.
    fn ids(&self, tag: Tag) -> Vec<u32> {
        let packet = self.read();
        let sections = packet.sections.iter();
        let of = sections.filter(|section| section.tag == tag);
        of.flat_map(|section| &section.entities)
            .map(|entity| entity.id)
            .collect()
    }

    fn agrees(&self) -> bool {
        self.receiver.view().same_entities(self.world.state())
    }
}

fn pair() -> Pair {
    Pair::new(SenderOptions::default())
}

/// A value changed and changed back; the receiver saw the value in between, and the packet that
/// changed it back was lost.
#[test]
fn a_value_that_came_back_is_sent_until_it_arrives() {
    for mode in [Mode::Merged, Mode::Strict] {
        let mut pair = Pair::new(SenderOptions {
            mode,
            ..SenderOptions::default()
        });
        put(&mut pair.state, 1, 10);
        pair.exchange();
        put(&mut pair.state, 1, 20);
        pair.send();
        let seen = pair.apply(); // not acknowledged yet
        put(&mut pair.state, 1, 10);
        assert_eq!(pair.send().named, 1); // lost
        assert_eq!(pair.send().named, 0, "it is under way");
        pair.sender.feedback(&seen);
        for _ in 0..3 {
            match pair.receiver.apply(&pair.packet) {
                Ok(Received { ack, .. }) => pair.sender.feedback(&ack),
                Err(error) => pair.sender.feedback(&error.feedback().unwrap()),
            };
            pair.send();
        }
        pair.apply();
        assert!(pair.agrees(), "{mode:?}: {:?}", pair.receiver.view());
    }
}

/// The fault: one round trip for each packet of a join. Nothing waits for the first
/// acknowledgement.
#[test]
fn a_join_fills_the_window_on_the_first_snapshot() {
    for mode in [Mode::Merged, Mode::Strict] {
        let mut joins = Vec::new();
        for one_way in [1, 5, 15] {
            let options = SenderOptions {
                mode,
                ..SenderOptions::default()
            };
            let conditions = Conditions {
                delay: one_way,
                ..Conditions::PERFECT
            };
            let schema = Arena::schema();
            let mut trial = Trial::new(&schema, 1).options(options).both(conditions);
            let (mut arena, mut state) = (Arena::new(1000, 1), Snapshot::new(&schema, 0));
            arena.step();
            arena.state(&mut state).unwrap();
            let mut ticks = 0;
            while ticks == 0 || !trial.agrees() {
                ticks += 1;
                state.set_tick(ticks);
                trial.step(&state).unwrap();
            }
            joins.push(ticks - one_way);
        }
        assert!(
            joins.iter().all(|ticks| *ticks == joins[0]),
            "{mode:?}: {joins:?}"
        );
    }
}

/// The fault: entities that were created since the baseline were in every packet until they were
/// acknowledged.
#[test]
fn what_is_under_way_is_not_sent_again() {
    let mut pair = pair();
    pair.exchange();
    for id in 0..40 {
        put(&mut pair.state, id, 1);
    }
    assert_eq!(pair.send().named, 40);
    for _ in 0..20 {
        assert_eq!(pair.send().named, 0);
    }
    // The first was lost, the last arrives.
    let ack = pair.apply();
    pair.sender.feedback(&ack);
    assert_eq!(pair.send().named, 40);
    pair.apply();
    assert!(pair.agrees());
}

/// An entity that was born and dies within a round trip is destroyed once it is known to be there.
#[test]
fn an_entity_that_dies_under_way_is_destroyed_after_the_verdict() {
    for arrives in [true, false] {
        let mut pair = pair();
        pair.exchange();
        put(&mut pair.state, 1, 1);
        pair.send();
        let birth = pair.packet.clone();
        pair.state.remove(1);
        assert_eq!((pair.send().named, pair.ids(Tag::Destroy)), (0, vec![]));
        if arrives {
            pair.receiver.apply(&birth).unwrap();
        }
        let ack = pair.apply();
        pair.sender.feedback(&ack);
        pair.send();
        let expected = if arrives { vec![1] } else { vec![] };
        assert_eq!(pair.ids(Tag::Destroy), expected);
        pair.apply();
        assert!(pair.agrees());
    }
}

/// Another entity with the same id and the same values.
#[test]
fn a_new_generation_is_destroyed_and_created_until_that_is_acknowledged() {
    let mut pair = pair();
    put(&mut pair.state, 1, 1);
    put(&mut pair.state, 2, 1);
    pair.exchange();
    assert!(pair.world.despawn(1) && !pair.world.despawn(9));
    pair.send(); // lost
    let both = |pair: &Pair| (pair.ids(Tag::Destroy), pair.ids(Tag::Create));
    assert_eq!(both(&pair), (vec![1], vec![1]));
    assert_eq!(pair.send().named, 0);
    let ack = pair.apply();
    pair.sender.feedback(&ack);
    put(&mut pair.state, 1, 2);
    pair.send();
    assert_eq!(
        both(&pair),
        (vec![1], vec![1]),
        "the old one may be there still"
    );
    let ack = pair.apply();
    pair.sender.feedback(&ack);
    put(&mut pair.state, 1, 3);
    pair.send();
    assert_eq!(both(&pair), (vec![], vec![]), "an update");
    pair.apply();
    assert!(pair.agrees());
}

/// An entity that comes back while its destroy is under way is named, whole, although nothing of it
/// has changed.
#[test]
fn an_entity_that_is_hidden_for_a_moment_comes_back() {
    for lost in [false, true] {
        let mut pair = pair();
        put(&mut pair.state, 1, 1);
        pair.exchange();
        pair.state.set_tick(2);
        pair.world.update(&pair.state).unwrap();
        let (world, packet) = (&mut pair.world, &mut pair.packet);
        pair.sender.encode_visible(world, |_| 0, packet).unwrap();
        assert_eq!(pair.ids(Tag::Destroy), [1]);
        if !lost {
            pair.apply();
            assert!(pair.receiver.view().is_empty());
        }
        assert_eq!(pair.send().named, 1);
        pair.apply();
        assert!(pair.agrees());
        assert_eq!(pair.receiver.confirmed(1).map(|seen| seen.at), Some(3));
    }
}

/// The fault: without feedback, a sender kept its window of states and wrote ever more.
#[test]
fn a_silent_receiver_costs_no_memory_and_28_bytes() {
    let schema = Arena::schema();
    let (mut arena, mut state) = (Arena::new(300, 1), Snapshot::new(&schema, 0));
    let (mut world, mut sender) = (World::new(&schema), Sender::new(&schema));
    let mut receiver = Receiver::new(&schema);
    let (mut packet, mut at_end) = (Vec::new(), 0);
    let mut late = Vec::new();
    for tick in 1..=1000 {
        arena.step();
        arena.state(&mut state).unwrap();
        world.update(&state).unwrap();
        let sent = sender.encode(&mut world, &mut packet).unwrap();
        assert_eq!(
            sent.stalled,
            (265..=1000).contains(&tick),
            "tick {tick}: {sent:?}"
        );
        let ack = receiver.apply(&packet).unwrap().ack;
        if tick <= 200 {
            sender.feedback(&ack);
        }
        late.push(ack);
        at_end = match tick {
            300 => sender.memory(),
            _ => at_end,
        };
    }
    assert_eq!(packet.len(), 28);
    assert_eq!(sender.memory(), at_end);
    assert!(at_end < 80_000, "{at_end} bytes");
    // One acknowledgement says what became of all packets under way.
    assert!(sender.feedback(late.last().unwrap()));
    arena.step();
    arena.state(&mut state).unwrap();
    world.update(&state).unwrap();
    let sent = sender.encode(&mut world, &mut packet).unwrap();
    assert!(!sent.stalled && sent.bytes > 1100, "{sent:?}");
    assert_eq!(
        sent.baseline,
        Some(265),
        "no full snapshot, which would clear the view"
    );
    receiver.apply(&packet).unwrap();
}

/// A receiver that never says anything gets full snapshots again and again, so that it can begin.
#[test]
fn without_any_feedback_full_snapshots_repeat() {
    let mut pair = pair();
    put(&mut pair.state, 1, 1);
    let full: Vec<u32> = (0..300)
        .map(|_| pair.send())
        .filter(|sent| sent.baseline.is_none())
        .map(|sent| sent.tick)
        .collect();
    assert_eq!(full, [1, 97, 193, 289]);
}

/// The fault: an entity that fits into no packet stopped all others.
#[test]
fn an_entity_that_fits_into_no_packet_is_held_back_alone() {
    let mut pair = Pair::new(SenderOptions {
        budget: 40,
        ..SenderOptions::default()
    });
    put(&mut pair.state, 3, 7);
    pair.state.insert(4).unwrap();
    pair.state.insert(9).unwrap();
    let mut sent = pair.exchange();
    for _ in 0..5 {
        sent = pair.exchange();
    }
    assert_eq!(pair.receiver.view().ids(), [4, 9]);
    let held = sent.held_back.unwrap();
    assert_eq!(
        (held.entity, held.limit, held.max, sent.waiting),
        (3, Limit::PacketBytes, 40, 1)
    );
    assert_eq!(
        held.to_string(),
        format!(
            "entity 3 alone needs {}, and 40 are allowed: bytes in a packet",
            held.needed
        )
    );
    pair.sender.set_budget(held.needed);
    let sent = pair.exchange();
    assert_eq!((sent.bytes, sent.held_back), (held.needed, None));
    assert!(pair.agrees());
}

/// Two values that move within their thresholds of what is shown, for receivers that joined at
/// different times: the error is that of one threshold, and all see the same.
#[test]
fn thresholds_are_settled_once_for_all_receivers() {
    let mut first = pair();
    put(&mut first.state, 1, 0);
    first.exchange();
    let set = |pair: &mut Pair, value: i64| {
        let values = [0, value].map(Value::FixedPoint);
        let values = [values[0], values[1], Value::VarUInt(0)];
        pair.state.entry(1).set(1, &values).unwrap();
    };
    set(&mut first, 5); // within the threshold of 5
    assert_eq!(first.exchange().named, 0);
    let mut second = Sender::new(&schema());
    let mut receiver = Receiver::new(&schema());
    second.encode(&mut first.world, &mut first.packet).unwrap();
    receiver.apply(&first.packet).unwrap();
    assert!(receiver.view().same_entities(first.receiver.view()));
    set(&mut first, 6);
    assert_eq!(first.exchange().named, 1);
}

/// A strict reader of the wire follows a strict session without the receiver's merging.
#[test]
fn strict_packets_are_followed_by_a_strict_decoder() {
    let schema = Arena::schema();
    let options = SenderOptions {
        mode: Mode::Strict,
        ..SenderOptions::default()
    };
    let (mut world, mut sender) = (World::new(&schema), Sender::with_options(&schema, options));
    let options = ReceiverOptions {
        mode: Mode::Strict,
        ..ReceiverOptions::default()
    };
    let mut receiver = Receiver::with_options(&schema, options);
    let (mut arena, mut state) = (Arena::new(200, 2), Snapshot::new(&schema, 0));
    let conditions = Conditions {
        loss: 50,
        delay: 4,
        ..Conditions::PERFECT
    };
    let (mut down, mut up) = (Link::new(conditions, 1), Link::new(conditions, 2));
    let decoder = Decoder::new(&schema);
    // The tap sees all that the sender sends.
    let mut tap = std::collections::BTreeMap::new();
    let mut packet = Vec::new();
    let mut agreed = 0;
    for tick in 1..=500 {
        arena.step();
        arena.state(&mut state).unwrap();
        world.update(&state).unwrap();
        let sent = sender.encode(&mut world, &mut packet).unwrap();
        let mut followed = Snapshot::new(&schema, 0);
        match sent.baseline {
            None => decoder.full(&packet, &mut followed).unwrap(),
            Some(baseline) => decoder
                .delta(&tap[&baseline], &packet, &mut followed)
                .unwrap(),
        }
        tap.insert(sent.tick, followed);
        down.send(tick, packet.len(), packet.clone());
        while let Some(packet) = down.arrive(tick) {
            let feedback = match receiver.apply(&packet) {
                Ok(received) => {
                    let state = receiver.state().unwrap();
                    assert_eq!(state, &tap[&state.tick()]);
                    agreed += 1;
                    received.ack
                }
                Err(error) => error.feedback().unwrap(),
            };
            up.send(tick, 13, feedback);
        }
        while let Some(feedback) = up.arrive(tick) {
            sender.feedback(&feedback);
        }
    }
    assert!(agreed > 150, "{agreed}");
}

/// The limits of the receiver are kept and block nothing: an entity is destroyed and another one
/// created when there is no room for one more, and no packet has more sections than the reader
/// accepts.
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
        let mut pair = Pair::new(SenderOptions {
            limits,
            ..SenderOptions::default()
        });
        for id in 10..14 {
            put(&mut pair.state, id, 1);
        }
        for tick in 1..60 {
            if tick == 20 {
                pair.state.remove(13);
                put(&mut pair.state, 1, 1);
                put(&mut pair.state, 11, 9);
            }
            pair.exchange();
        }
        assert!(pair.agrees(), "{limits:?}: {:?}", pair.receiver.view());
    }
}

/// In packets that are under way together, entities may be created that are too many together.
#[test]
fn creates_under_way_count_for_the_limit_of_entities() {
    let limits = Limits {
        max_entities: 30,
        ..Limits::DEFAULT
    };
    let options = SenderOptions {
        limits,
        budget: 120,
        ..SenderOptions::default()
    };
    let conditions = Conditions {
        delay: 6,
        loss: 100,
        ..Conditions::PERFECT
    };
    let mut trial = Trial::new(&schema(), 5).options(options).both(conditions);
    let mut state = Snapshot::new(&schema(), 0);
    for tick in 1..400_u32 {
        state.set_tick(tick);
        // Thirty, of which one is replaced each tick.
        put(&mut state, tick, 1);
        if tick > 30 {
            state.remove(tick - 30);
        }
        trial.step(&state).unwrap();
    }
    trial.calm();
    assert!(trial.converges(&mut state, 60).unwrap());
}

/// A state that cannot be sent is an error.
#[test]
fn a_state_that_never_fits_is_refused() {
    let mut pair = pair();
    put(&mut pair.state, 3, 7);
    pair.exchange();
    pair.state.set_tick(2);
    pair.world.update(&pair.state).unwrap();
    pair.sender.set_budget(27);
    let refused = pair.sender.encode(&mut pair.world, &mut pair.packet);
    assert_eq!(refused, Err(SendError::NoRoom { budget: 27 }));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "a packet has a header of 28 bytes, the budget is 27"
    );
    pair.sender.set_budget(28);
    pair.encode();
    pair.state.remove(3);
    let held = pair.send().held_back.unwrap();
    assert_eq!(
        (held.entity, held.max),
        (3, 28),
        "there is no room for a destroy"
    );
    pair.sender.set_budget(held.needed);
    assert_eq!(pair.send().bytes, held.needed);
    let limits = Limits {
        max_entities: 0,
        ..Limits::DEFAULT
    };
    let mut pair = Pair::new(SenderOptions {
        limits,
        ..SenderOptions::default()
    });
    put(&mut pair.state, 3, 7);
    pair.state.set_tick(1);
    pair.world.update(&pair.state).unwrap();
    let error = pair.sender.encode(&mut pair.world, &mut pair.packet);
    let Err(SendError::Encode(EncodeError::Limit { limit, .. })) = error else {
        panic!("{error:?}");
    };
    assert_eq!(limit, Limit::Entities);
    // Memory is not reserved for packets that do not exist.
    let options = SenderOptions {
        window: usize::MAX,
        ..SenderOptions::default()
    };
    let mut sender = Sender::with_options(&schema(), options);
    sender.encode(&mut pair.world, &mut pair.packet).unwrap();
}

#[test]
fn errors_of_sessions() {
    let schema = schema();
    let mut pair = pair();
    let refused = pair.sender.encode(&mut pair.world, &mut pair.packet);
    assert_eq!(refused, Err(SendError::TickZero));
    assert_eq!(pair.world.update(&pair.state), Err(SendError::TickZero));
    pair.state.set_tick(5);
    pair.world.update(&pair.state).unwrap();
    pair.encode();
    let again = SendError::TickOrder { tick: 5, last: 5 };
    assert_eq!(
        pair.sender.encode(&mut pair.world, &mut pair.packet),
        Err(again)
    );
    assert_eq!(pair.world.update(&pair.state), Err(again));
    let other = Schema::new([]).unwrap();
    let error = pair.world.update(&Snapshot::new(&other, 6));
    assert!(matches!(error, Err(SendError::Encode(_))));
    let error = pair
        .sender
        .encode(&mut World::new(&other), &mut pair.packet);
    assert!(matches!(error, Err(SendError::Encode(_))));
    pair.send();

    // Feedback about packets that were never sent changes nothing.
    let ack = |tick| Feedback::Ack { tick, earlier: 0 };
    assert!(!pair.sender.feedback(&Feedback::Ack {
        tick: 77,
        earlier: u64::MAX
    }));
    assert!(!pair.sender.feedback(&Feedback::NeedFull { baseline: 77 }));
    assert_eq!(pair.sender.baseline(), None);
    let six = Feedback::Ack {
        tick: 6,
        earlier: 1,
    };
    assert!(pair.sender.feedback(&six) && !pair.sender.feedback(&six));
    assert!(!pair.sender.feedback(&ack(5)), "older than the baseline");
    assert_eq!(pair.sender.baseline(), Some(6));

    // A delta for a receiver without states.
    assert_eq!(pair.send().baseline, Some(6));
    let mut receiver = Receiver::new(&schema);
    let error = receiver.apply(&pair.packet).unwrap_err();
    let (tick, baseline) = (7, 6);
    assert_eq!(error, ReceiveError::NeedFull { tick, baseline });
    assert_eq!(
        error.to_string(),
        "tick 7 builds on tick 6, which is not held: a full snapshot is needed"
    );
    assert!(receiver.state().is_none());
    assert!(pair.sender.feedback(&error.feedback().unwrap()));
    assert_eq!(pair.send().baseline, None);
    assert!(receiver.apply(&pair.packet).unwrap().fresh);
    let again = receiver.apply(&pair.packet).unwrap();
    assert!(!again.fresh, "a repeated packet is left alone");
    // An acknowledgement from before the resync refers to states that are gone.
    assert!(!pair.sender.feedback(&ack(7)));

    // A packet that breaks a rule changes nothing.
    let before = receiver.clone();
    let mut entity = Snapshot::new(&schema, 8);
    entity.insert(1).unwrap();
    let mut later = Snapshot::new(&schema, 9);
    later.insert(2).unwrap();
    Encoder::new(&schema)
        .delta(&entity, &later, &mut pair.packet)
        .unwrap();
    let error = receiver.apply(&pair.packet).unwrap_err();
    assert!(
        matches!(error, ReceiveError::Packet(e) if matches!(e.rule, Rule::EntityNotFound { .. })),
        "{error}"
    );
    assert_eq!(receiver.view(), before.view());
    assert_eq!(receiver.state(), before.state());
    assert_eq!(error.feedback(), None);
}

/// Packets that each keep the limit of entities, and together do not, are refused.
#[test]
fn a_merged_state_is_bounded() {
    let limits = Limits {
        max_entities: 10,
        ..Limits::DEFAULT
    };
    let options = ReceiverOptions {
        limits,
        ..ReceiverOptions::default()
    };
    let mut receiver = Receiver::with_options(&schema(), options);
    let mut encoder = Encoder::new(&schema());
    let mut packet = Vec::new();
    let empty = Snapshot::new(&schema(), 1);
    encoder.full(&empty, &mut packet).unwrap();
    receiver.apply(&packet).unwrap();
    let mut refused = 0;
    for tick in 2..6 {
        let mut state = Snapshot::new(&schema(), tick);
        for id in 0..4 {
            state.insert(tick * 10 + id).unwrap();
        }
        encoder.delta(&empty, &state, &mut packet).unwrap();
        let before = receiver.view().clone();
        if let Err(ReceiveError::Packet(error)) = receiver.apply(&packet) {
            assert!(matches!(
                error.rule,
                Rule::Limit {
                    limit: Limit::Entities,
                    max: 10,
                    found: 12
                }
            ));
            assert_eq!(receiver.view(), &before);
            refused += 1;
        }
    }
    assert_eq!((receiver.view().len(), refused), (8, 2));
}

/// All packets of a small window arrive, and the one that asks for an answer; of the answers, only
/// the first does. Its state is the next baseline.
#[test]
fn a_receiver_keeps_every_state_that_may_become_the_baseline() {
    let mut pair = Pair::new(SenderOptions {
        window: 2,
        ..SenderOptions::default()
    });
    pair.exchange();
    let mut answers = Vec::new();
    for value in 0..3 {
        put(&mut pair.state, 1, value * 100);
        let sent = pair.send();
        assert_eq!(sent.stalled, value == 2);
        answers.push(pair.apply());
    }
    assert!(pair.sender.feedback(&answers[0]));
    assert_eq!(pair.send().baseline, Some(2));
    pair.apply();
}

/// The receiver was restarted, and took packets of before in place of new ones. What it acknowledges
/// shows that it lacks the baseline.
#[test]
fn an_acknowledgement_without_the_baseline_shows_a_restart() {
    let mut pair = pair();
    put(&mut pair.state, 1, 1);
    pair.send();
    let full = pair.packet.clone();
    let ack = pair.apply();
    pair.sender.feedback(&ack);
    put(&mut pair.state, 2, 1);
    pair.send();
    let second = pair.apply();
    put(&mut pair.state, 1, 2);
    pair.send();
    let third = pair.packet.clone();
    assert!(pair.sender.feedback(&second));
    pair.receiver.reset();
    pair.receiver.apply(&full).unwrap();
    let ack = pair.receiver.apply(&third).unwrap().ack;
    let (tick, earlier) = (3, 0b10);
    assert_eq!(ack, Feedback::Ack { tick, earlier }, "it lacks tick 2");
    assert!(pair.sender.feedback(&ack));
    assert_eq!(pair.send().baseline, None);
    pair.apply();
    assert!(pair.agrees());
}
