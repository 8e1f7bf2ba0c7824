//! Sessions over networks that lose, repeat, delay and reorder packets and acknowledgements:
//! simulated ones, and real UDP sockets.

use std::collections::{BTreeMap, BTreeSet};
use std::net::UdpSocket;

use gametape_delta::{
    Codec, Component, Entity, Feedback, Field, Limits, ReceiveError, Receiver, Schema, Sender,
    SenderOptions, Snapshot, Value,
};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

#[path = "../../examples/arena_udp.rs"]
mod arena;

const THRESHOLD: u32 = 5;

pub fn schema() -> Schema {
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

/// Runs the example over real sockets, with a faster clock.
#[test]
fn clients_over_udp_see_what_the_server_sees() {
    let options = arena::Options {
        clients: 2,
        ticks: 120,
        rate: 240,
        loss: 20,
        ..arena::Options::default()
    };
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let reports = arena::run(&server, options).unwrap();
    assert_eq!(reports.len(), 2);
    for (number, report) in reports.iter().enumerate() {
        assert!(report.converged, "client {number}: {report:?}");
        assert!(report.largest <= options.budget, "{report:?}");
        assert!(report.packets > 100, "{report:?}");
    }
    // The first client is restarted and must ask for a full snapshot. How often depends on the
    // network.
    assert!(reports[0].resyncs >= 1, "{:?}", reports[0]);
    assert_eq!(reports[1].resyncs, 0, "{:?}", reports[1]);
}
