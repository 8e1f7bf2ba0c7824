//! Sessions over networks that lose, repeat, delay and reorder packets and acknowledgements.

use std::collections::{BTreeMap, BTreeSet};

use gametape_delta::{
    Codec, Component, EncodeError, Encoder, Entity, Feedback, Field, Limit, Limits, ReceiveError,
    Receiver, Rule, Schema, SendError, Sender, SenderOptions, Snapshot, Value,
};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

const THRESHOLD: u32 = 5;

fn schema() -> Schema {
    let fixed = Codec::FixedPoint {
        min_q: -100_000,
        max_q: 100_000,
        scale: 100,
    };
    Schema::new([
        Component::new(
            1,
            [
                Field::new(1, fixed),
                Field::new(2, fixed).threshold(THRESHOLD),
                Field::new(3, Codec::VarUInt),
            ],
        ),
        Component::new(2, [Field::new(1, Codec::Bool)]),
        Component::new(3, []),
    ])
    .unwrap()
}

/// A network in one direction that delays packets.
struct Network<T> {
    flying: Vec<(u32, T)>,
}

#[derive(Clone, Copy, Debug)]
struct Faults {
    loss: u32,
    duplicates: u32,
    delay: u32,
    jitter: u32,
    /// The maximum length in ticks of occasional outages.
    burst: u32,
}

const GOOD: Faults = Faults {
    loss: 0,
    duplicates: 0,
    delay: 0,
    jitter: 0,
    burst: 0,
};

impl<T: Clone> Network<T> {
    fn send(&mut self, now: u32, item: T, faults: Faults, rng: &mut TestRng) {
        let percent = |rng: &mut TestRng, chance| rng.random_range(0..100) < chance;
        let in_burst = faults.burst > 0 && now / faults.burst % 3 == 2;
        if in_burst || percent(rng, faults.loss) {
            return;
        }
        let copies = 1 + u32::from(percent(rng, faults.duplicates));
        for _ in 0..copies {
            let at = now + faults.delay + rng.random_range(0..=faults.jitter);
            self.flying.push((at, item.clone()));
        }
    }

    fn arrive(&mut self, now: u32) -> Vec<T> {
        self.flying.sort_by_key(|(at, _)| *at);
        let later = self.flying.partition_point(|(at, _)| *at <= now);
        self.flying.drain(..later).map(|(_, item)| item).collect()
    }
}

fn step(world: &mut Snapshot, tick: u32, population: u32, rng: &mut TestRng) {
    world.set_tick(tick);
    for id in 0..population {
        match rng.random_range(0..40) {
            0 => {
                world.remove(id);
            }
            1 => drop(world.entry(id)),
            2 => {
                world.entry(id).remove(1);
            }
            3 => {
                world.entry(id).remove(2);
            }
            4 => {
                world.entry(id).set(3, &[]).unwrap();
            }
            5 => {
                let on = rng.random_range(0..2) == 1;
                world.entry(id).set(2, &[Value::Bool(on)]).unwrap();
            }
            6..30 => {
                let old = |field| match world.entity(id).and_then(|e| e.value(1, field)) {
                    Some(Value::FixedPoint(value)) => value,
                    _ => 0,
                };
                let moved = |value: i64, by: u32| (value + i64::from(by) - 3).clamp(-9999, 9999);
                let values = [
                    Value::FixedPoint(moved(old(1), rng.random_range(0..7))),
                    Value::FixedPoint(moved(old(2), rng.random_range(0..8))),
                    Value::VarUInt(rng.random_range(0..3) * 200),
                ];
                world.entry(id).set(1, &values).unwrap();
            }
            _ => {}
        }
    }
}

/// Compares values with the tolerance of their thresholds.
fn close(seen: &Entity<'_>, truth: &Entity<'_>) -> bool {
    let parts = |entity: &Entity<'_>| entity.components().map(|p| p.id()).collect::<Vec<_>>();
    parts(seen) == parts(truth)
        && seen.components().zip(truth.components()).all(|(a, b)| {
            a.values().zip(b.values()).enumerate().all(|(at, (x, y))| {
                let limit = if (a.id(), at) == (1, 1) { THRESHOLD } else { 0 };
                x.as_i128().abs_diff(y.as_i128()) <= limit.into()
            })
        })
}

struct Session {
    sender: Sender,
    receiver: Receiver,
    down: Network<Vec<u8>>,
    up: Network<Feedback>,
    history: BTreeMap<u32, Snapshot>,
    ages: BTreeMap<u32, u32>,
    /// The tick at which each entity was last removed from the view.
    went: BTreeMap<u32, u32>,
    resyncs: u32,
    budget: usize,
}

impl Session {
    fn new(budget: usize, window: usize) -> Self {
        let schema = schema();
        let options = SenderOptions {
            budget,
            window,
            ..SenderOptions::default()
        };
        Self {
            sender: Sender::with_options(&schema, options),
            receiver: Receiver::with_window(&schema, window, Limits::DEFAULT),
            down: Network { flying: Vec::new() },
            up: Network { flying: Vec::new() },
            history: BTreeMap::new(),
            ages: BTreeMap::new(),
            went: BTreeMap::new(),
            resyncs: 0,
            budget,
        }
    }

    fn tick(
        &mut self,
        world: &Snapshot,
        faults: Faults,
        visible: &dyn Fn(u32) -> u32,
        rng: &mut TestRng,
    ) {
        let now = world.tick();
        let mut truth = world.clone();
        truth.retain(|id| visible(id) > 0);
        self.history.insert(now, truth);
        let mut packet = Vec::new();
        self.sender
            .encode_visible(world, visible, &mut packet)
            .unwrap();
        assert!(packet.len() <= self.budget, "{} bytes", packet.len());
        self.down.send(now, packet, faults, rng);
        for packet in self.down.arrive(now) {
            match self.receiver.apply(&packet) {
                Ok(received) => {
                    self.up.send(now, received.ack, faults, rng);
                    self.check();
                }
                Err(error @ ReceiveError::NeedFull { .. }) => {
                    self.resyncs += 1;
                    self.up.send(now, error.feedback().unwrap(), faults, rng);
                }
                Err(ReceiveError::Packet(error)) => panic!("{error}"),
                Err(_) => unreachable!(),
            }
        }
        for feedback in self.up.arrive(now) {
            self.sender.feedback(&feedback);
        }
    }

    /// Checks that each visible entity has the values of its tick, and that its tick never goes
    /// backwards.
    fn check(&mut self) {
        let view = self.receiver.view();
        let mut ages = BTreeMap::new();
        for entity in view.iter() {
            let at = self.receiver.tick_of(entity.id()).unwrap();
            let truth = self.history[&at].entity(entity.id());
            let truth = truth.unwrap_or_else(|| panic!("{entity:?} was not there at tick {at}"));
            assert!(
                close(&entity, &truth),
                "at tick {at}: {entity:?}, was {truth:?}"
            );
            if let Some(before) = self.ages.get(&entity.id()) {
                assert!(
                    *before <= at,
                    "entity {} went back from {before} to {at}",
                    entity.id()
                );
            }
            // If there is room to repeat destroys.
            if let Some(went) = self.went.get(&entity.id())
                && self.budget > 400
            {
                assert!(
                    went <= &at,
                    "entity {} went at {went} and is back as of {at}",
                    entity.id()
                );
            }
            ages.insert(entity.id(), at);
        }
        let gone = self.ages.keys().filter(|id| !ages.contains_key(id));
        self.went.extend(gone.map(|id| (*id, view.tick())));
        self.ages = ages;
    }

    fn converged(&self, world: &Snapshot, visible: &dyn Fn(u32) -> u32) -> bool {
        let mut truth = world.clone();
        truth.retain(|id| visible(id) > 0);
        let like = |state: &Snapshot| {
            state.ids() == truth.ids() && state.iter().zip(truth.iter()).all(|(a, b)| close(&a, &b))
        };
        like(self.receiver.view()) && self.receiver.state().is_some_and(like)
    }
}

fn faults() -> impl Strategy<Value = Faults> {
    (
        0..60_u32,
        0..30_u32,
        0..4_u32,
        0..6_u32,
        prop_oneof![Just(0), 5..40_u32],
    )
        .prop_map(|(loss, duplicates, delay, jitter, burst)| Faults {
            loss,
            duplicates,
            delay,
            jitter,
            burst,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn receivers_see_true_past_states_and_converge(
        seed: [u8; 32],
        faults in faults(),
        budget in prop_oneof![90..200_usize, 200..1500_usize],
        window in 2..80_usize,
        population in 1..60_u32,
        restarts in any::<bool>(),
        hides in any::<bool>(),
        lag in 0..4_u32,
    ) {
        let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let mut session = Session::new(budget, window);
        let mut world = Snapshot::new(&schema(), 0);
        for tick in 1..=150 {
            step(&mut world, tick, population, &mut rng);
            let visible = |id: u32| if hides && (id + tick / 20).is_multiple_of(3) { 0 } else { 1 + id % 3 };
            session.tick(&world, faults, &visible, &mut rng);
            if restarts && tick % 50 == 0 {
                // The client reconnects, so packets in flight do not arrive.
                session.receiver.reset();
                session.down.flying.clear();
                session.ages.clear();
                session.went.clear();
            }
        }
        if !restarts {
            prop_assert_eq!(session.resyncs, 0, "equal windows never need a full snapshot");
        }
        let visible = |_| 1;
        let mut ticks = 150;
        // Allow enough ticks for all entities in the smallest packets, and for packets in flight.
        let good = Faults { delay: lag.min(window as u32 / 4), ..GOOD };
        while !session.converged(&world, &visible) {
            ticks += 1;
            prop_assert!(ticks < 600, "{:?} is not\n{:?}", session.receiver.view(), world);
            world.set_tick(ticks);
            session.tick(&world, good, &visible, &mut rng);
        }
        // Values that have arrived are not sent again.
        loop {
            ticks += 1;
            prop_assert!(ticks < 900, "there is no end");
            world.set_tick(ticks);
            let mut sender = session.sender.clone();
            let sent = sender.encode(&world, &mut Vec::new()).unwrap();
            if (sent.named, sent.waiting, sent.bytes) == (0, 0, 28) {
                break;
            }
            session.tick(&world, good, &visible, &mut rng);
        }
        for _ in 0..=lag {
            world.set_tick(ticks);
            session.tick(&world, good, &visible, &mut rng);
            ticks += 1;
        }
        prop_assert!(session.converged(&world, &visible));
    }
}

/// Every entity is updated eventually, however much the others change and however small the budget
/// is.
#[test]
fn a_tight_budget_starves_nobody() {
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut session = Session::new(120, 32);
    let mut world = Snapshot::new(&schema(), 0);
    let lag = Faults { delay: 2, ..GOOD };
    let move_all = |world: &mut Snapshot, tick: u32| {
        world.set_tick(tick);
        for id in 0..50 {
            let at = Value::FixedPoint(i64::from(tick * 10 + id));
            world
                .entry(id)
                .set(1, &[at, at, Value::VarUInt(tick)])
                .unwrap();
        }
    };
    for tick in 1..=150 {
        move_all(&mut world, tick);
        session.tick(&world, lag, &|_| 1, &mut rng);
    }
    assert_eq!(session.receiver.view().len(), 50);
    let mut seen = BTreeSet::new();
    for tick in 151..=200 {
        move_all(&mut world, tick);
        session.tick(&world, lag, &|_| 1, &mut rng);
        let receiver = &session.receiver;
        let fresh = (0..50).filter(|id| receiver.tick_of(*id).unwrap() > 150);
        seen.extend(fresh);
    }
    assert_eq!(seen.len(), 50, "in 50 packets of about 5 entities");
}

/// Entities with a larger weight are updated more often.
#[test]
fn weights_are_shares_of_the_budget() {
    let mut session = Session::new(120, 32);
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[8; 32]);
    let mut world = Snapshot::new(&schema(), 0);
    let mut named = [0_u32; 2];
    let mut last = BTreeMap::new();
    for tick in 1..=600 {
        world.set_tick(tick);
        for id in 0..40 {
            let at = Value::FixedPoint(i64::from(tick + id));
            world
                .entry(id)
                .set(1, &[at, at, Value::VarUInt(tick)])
                .unwrap();
        }
        session.tick(&world, GOOD, &|id| if id < 20 { 4 } else { 1 }, &mut rng);
        for id in 0..40 {
            let at = session.receiver.tick_of(id);
            if tick > 100 && last.insert(id, at) != Some(at) {
                named[usize::from(id >= 20)] += 1;
            }
        }
    }
    assert!(named[0] > 2 * named[1] && named[1] > 0, "{named:?}");
}

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
