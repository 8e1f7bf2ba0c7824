//! The playout over networks that delay, lose and reorder packets: it is even, it shows what was so,
//! and it shows it late enough.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gametape_delta::network::{Conditions, Link};
use gametape_delta::{
    Blend, Codec, Component, Feedback, Field, Playout, PlayoutOptions, Received, Receiver, Schema,
    Sender, SenderOptions, Snapshot, Value, ViewEvent, World,
};
use proptest::prelude::*;

const RATE: u32 = 60;
/// The way of an entity in a tick.
const SPEED: i64 = 100;

/// A place on a line, a heading, and the tick.
fn schema() -> Schema {
    let place = Codec::FixedPoint {
        min_q: 0,
        max_q: 1 << 30,
        scale: 100,
    };
    Schema::new([Component::new(
        1,
        [
            Field::new(1, place),
            Field::new(2, Codec::UInt { bits: 8 }),
            Field::new(3, Codec::VarUInt),
        ],
    )])
    .unwrap()
}

fn place(tick: u32) -> i64 {
    i64::from(tick) * SPEED
}

/// A picture.
struct Shown {
    at: f64,
    view: Snapshot,
    events: Vec<ViewEvent>,
}

struct Session {
    world: World,
    sender: Sender,
    receiver: Receiver,
    playout: Playout,
    down: Link<Vec<u8>>,
    up: Link<Feedback>,
    state: Snapshot,
    /// How long the world stood still, in quarters of a tick.
    stood: u32,
}

impl Session {
    fn new(conditions: Conditions, seed: u64, budget: usize) -> Self {
        let schema = schema();
        let options = SenderOptions {
            budget,
            ..SenderOptions::default()
        };
        let mut playout = Playout::new(&schema, RATE);
        playout.blend(1, 2, Blend::Turn).unwrap();
        Self {
            world: World::new(&schema),
            sender: Sender::with_options(&schema, options),
            receiver: Receiver::new(&schema),
            playout,
            down: Link::new(conditions, seed),
            up: Link::new(conditions, !seed),
            state: Snapshot::new(&schema, 0),
            stood: 0,
        }
    }

    /// The moment of a quarter of a tick. The client's clock has begun earlier.
    fn moment(quarter: u32) -> Duration {
        Duration::from_secs(1000) + Duration::from_secs(quarter.into()) / (4 * RATE)
    }

    /// Sends a tick, and returns what the playout shows at four moments.
    fn tick(&mut self, tick: u32, lives: impl Fn(u32) -> bool) -> Vec<Shown> {
        self.state.set_tick(tick);
        for id in 0..20 {
            if lives(id) {
                let heading = Value::UInt(u64::from(tick) * 3 % 256);
                let values = [
                    Value::FixedPoint(place(tick)),
                    heading,
                    Value::VarUInt(tick),
                ];
                self.state.entry(id).set(1, &values).unwrap();
            } else {
                self.state.remove(id);
            }
        }
        self.world.update(&self.state).unwrap();
        let mut packet = Vec::new();
        self.sender.encode(&mut self.world, &mut packet).unwrap();
        let start = 4 * tick + self.stood;
        self.down.send(start, packet.len(), packet);
        let mut shown = Vec::new();
        for quarter in start..start + 4 {
            let now = Self::moment(quarter);
            while let Some(packet) = self.down.arrive(quarter) {
                match self.receiver.apply(&packet) {
                    Ok(received) => {
                        self.playout.take(&self.receiver, &received, now);
                        self.up.send(quarter, 13, received.ack);
                    }
                    Err(error) => self.up.send(quarter, 13, error.feedback().unwrap()),
                }
            }
            while let Some(feedback) = self.up.arrive(quarter) {
                self.sender.feedback(&feedback);
            }
            let view = self.playout.advance(now).clone();
            let events = self.playout.events().to_vec();
            shown.extend(self.playout.tick().map(|at| Shown { at, view, events }));
        }
        shown
    }
}

fn conditions() -> impl Strategy<Value = Conditions> {
    let some = || prop_oneof![Just(0_u32), 1..200_u32];
    let numbers = (0..250_u32, 0..40_u32, 0..16_u32, some(), 1..16_u32, some());
    numbers.prop_map(
        |(loss, delay, jitter, reorder, reorder_by, duplicates)| Conditions {
            loss,
            delay,
            jitter,
            reorder,
            reorder_by,
            duplicates,
            ..Conditions::PERFECT
        },
    )
}

fn number(view: &Snapshot, id: u32, field: u16) -> Option<i64> {
    Some(view.entity(id)?.value(1, field)?.as_i128() as i64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever the network does: nothing goes back, nothing is ahead of its time, a value between
    /// two ticks lies between the values of these, and events tell which entities are shown.
    #[test]
    fn the_view_is_the_past_of_the_world(
        seed: u64,
        conditions in conditions(),
        budget in prop_oneof![90..200_usize, 300..1200_usize],
        resets: bool,
    ) {
        let mut session = Session::new(conditions, seed, budget);
        let in_order = conditions.reorder == 0 && conditions.duplicates == 0;
        let mut last = BTreeMap::new();
        let mut told = BTreeSet::new();
        let mut before = f64::MIN;
        for tick in 1..=300 {
            if resets && tick % 70 == 0 {
                session.receiver.reset();
                session.down.drop_flying();
            }
            let lives = |id| (tick / 40 + id) % 5 != 0;
            for Shown { at, view, events } in session.tick(tick, lives) {
                prop_assert!(at >= before, "{} after {}", at, before);
                before = at;
                for id in view.ids() {
                    let (x, seen) = (number(&view, *id, 1).unwrap(), number(&view, *id, 3).unwrap());
                    prop_assert!(seen as f64 <= at, "entity {} of tick {} at {}", id, seen, at);
                    let most = at * SPEED as f64 + 1.0;
                    prop_assert!(x >= seen * SPEED && x as f64 <= most, "{} at {}", x, at);
                    let was = last.insert(*id, (x, seen));
                    prop_assert!(was.is_none_or(|was| was.1 <= seen), "{:?}, {:?}", was, (x, seen));
                    // A late packet may show that the way to the next value was another one.
                    let is_on = !in_order || was.is_none_or(|was| was.0 <= x);
                    prop_assert!(is_on, "{:?}, {:?}", was, (x, seen));
                }
                for event in events {
                    let is_right = match event {
                        ViewEvent::Spawned { entity } => told.insert(entity),
                        ViewEvent::Despawned { entity } => told.remove(&entity),
                        _ => told.contains(&event.entity()),
                    };
                    prop_assert!(is_right, "{:?}", event);
                }
                prop_assert!(told.iter().eq(view.ids()));
            }
        }
        // When the network is good again, all is shown in time.
        session.down.set_conditions(Conditions::PERFECT);
        session.up.set_conditions(Conditions::PERFECT);
        let all = |_| true;
        for tick in 301..=900 {
            session.tick(tick, all);
        }
        let last = session.tick(901, all).pop().unwrap();
        prop_assert_eq!(last.view.len(), 20);
        let delay = 902.0 - last.at;
        let gap = 2.0 * 40.0 * 20.0 / budget as f64;
        prop_assert!(delay <= gap + 4.0, "{} ticks for a gap of {}", delay, gap);
    }
}

/// Returns the share of pictures that show every entity where it was at that very moment.
fn exact(conditions: Conditions, budget: usize) -> f64 {
    let mut session = Session::new(conditions, 5, budget);
    let (mut right, mut all) = (0, 0);
    for tick in 1..=1000 {
        for Shown { at, view, .. } in session.tick(tick, |_| true) {
            if tick <= 300 {
                continue;
            }
            all += 1;
            let is_there = |id: &u32| {
                let off = number(&view, *id, 1).unwrap() as f64 - at * SPEED as f64;
                let heading = number(&view, *id, 2).unwrap() as f64;
                // The headings go round after 256 steps.
                let turn = (heading - at * 3.0).rem_euclid(256.0);
                off.abs() <= 1.0 && (turn <= 1.0 || turn >= 255.0)
            };
            right += u32::from(view.len() == 20 && view.ids().iter().all(is_there));
        }
    }
    f64::from(right) / f64::from(all)
}

#[test]
fn motion_is_even_whatever_the_jitter() {
    let base = Conditions {
        delay: 12,
        ..Conditions::PERFECT
    };
    assert!(exact(base, 1200) > 0.999);
    let jitter = Conditions { jitter: 14, ..base };
    let share = exact(jitter, 1200);
    assert!(share > 0.9, "jitter of 3.5 ticks: {share}");
    let reorder = Conditions {
        reorder: 200,
        reorder_by: 12,
        ..base
    };
    let share = exact(reorder, 1200);
    assert!(share > 0.9, "reordered: {share}");
}

#[test]
fn entities_that_take_turns_move_evenly_too() {
    // Six of twenty fit into a packet.
    let base = Conditions {
        delay: 12,
        ..Conditions::PERFECT
    };
    let share = exact(base, 130);
    assert!(share > 0.9, "{share}");
}

#[test]
fn estimates_are_those_of_the_network() {
    let mut session = Session::new(Conditions::PERFECT, 1, 1200);
    assert_eq!(session.playout.timing(Session::moment(0)), None);
    let way = |delay, loss| Conditions {
        delay,
        loss,
        ..Conditions::PERFECT
    };
    session.down.set_conditions(way(12, 0));
    session.up.set_conditions(way(8, 0));
    for tick in 1..=200 {
        session.tick(tick, |_| true);
    }
    let now = session.playout.timing(Session::moment(804)).unwrap();
    // Five ticks on the way, and up to one until the sender's next tick.
    let round_trip = now.round_trip.unwrap();
    assert!((5.0..6.1).contains(&round_trip), "{now:?}");
    assert!((now.tick - 201.0).abs() < 1.1, "{now:?}");
    assert!(now.jitter < 1e-3 && now.loss == 0.0, "{now:?}");
    assert!((1.0..=2.0).contains(&now.delay), "{now:?}");

    session.down.set_conditions(way(12, 200));
    let mut losses = 0.0;
    for tick in 201..=800 {
        session.tick(tick, |_| true);
        losses += session
            .playout
            .timing(Session::moment(4 * tick))
            .unwrap()
            .loss;
    }
    let loss = losses / 600.0;
    assert!((0.15..0.25).contains(&loss), "{loss}");
}

#[test]
fn after_a_pause_the_playout_jumps_to_the_present() {
    let mut session = Session::new(Conditions::PERFECT, 1, 1200);
    for tick in 1..=100 {
        session.tick(tick, |_| true);
    }
    // Ten seconds later, both sides go on.
    for tick in 700..=760 {
        session.tick(tick, |_| true);
    }
    let at = session.playout.tick().unwrap();
    assert!((757.0..761.0).contains(&at), "{at}");
    assert_eq!(
        number(session.playout.view(), 3, 1),
        Some((at * SPEED as f64).round() as i64)
    );
}

#[test]
fn a_world_that_stood_still_or_begins_again_is_shown_evenly_soon() {
    let mut session = Session::new(Conditions::PERFECT, 1, 1200);
    for tick in 1..=200 {
        session.tick(tick, |_| true);
    }
    // For ten seconds nothing comes, and the world goes on from the tick at which it stood.
    session.stood = 600 * 4;
    for tick in 201..=260 {
        session.tick(tick, |_| true);
    }
    let is_there = |session: &Session, low: f64, high: f64| {
        let at = session.playout.tick().unwrap();
        assert!((low..high).contains(&at), "{at}");
        let x = number(session.playout.view(), 3, 1);
        assert_eq!(x, Some((at * SPEED as f64).round() as i64));
    };
    is_there(&session, 257.0, 261.0);

    // The server starts again at tick 1, and so do its sender and the receiver.
    session.stood += 300 * 4;
    session.world = World::new(&schema());
    session.sender = Sender::new(&schema());
    session.receiver.reset();
    for tick in 1..=60 {
        session.tick(tick, |id| id < 10);
    }
    is_there(&session, 57.0, 61.0);
    assert_eq!(session.playout.view().len(), 10);
}

#[test]
fn what_blends_can_be_chosen_and_done_by_the_caller() {
    let mut playout = Playout::new(&schema(), RATE);
    let error = |playout: &mut Playout, component, field| {
        playout
            .blend(component, field, Blend::Turn)
            .unwrap_err()
            .to_string()
    };
    let error =
        [(1, 1), (1, 9), (9, 1)].map(|(component, field)| error(&mut playout, component, field));
    assert_eq!(
        error,
        [
            "field 1 of component 1 holds FixedPoint, and only UInt can turn",
            "component 1 has no field 9",
            "the schema has no component 9",
        ]
    );

    let mut session = Session::new(Conditions::PERFECT, 1, 1200);
    session.playout.blend(1, 1, Blend::Hold).unwrap();
    session.playout.blend(1, 3, Blend::Linear).unwrap();
    for tick in 1..=50 {
        session.tick(tick, |_| true);
    }
    let view = session.playout.view();
    let at = session.playout.tick().unwrap();
    assert_eq!(number(view, 3, 1), Some(place(at as u32)), "the last one");
    assert_eq!(number(view, 3, 3), Some(at.round() as i64));
    let between = session.playout.between(3).unwrap();
    let values = [between.from, between.to].map(|entity| entity.value(1, 3));
    let ticks = [at as u32, at as u32 + 1].map(|tick| Some(Value::VarUInt(tick)));
    assert_eq!(values, ticks);
    assert!((between.part - at.fract()).abs() < 1e-6);
    assert!(session.playout.between(99).is_none());
}

/// Nobody draws for a while: what waits is bounded, and nothing is lost.
#[test]
fn packets_that_nobody_looks_at_are_taken_in() {
    let mut session = Session::new(Conditions::PERFECT, 1, 1200);
    let mut packet = Vec::new();
    for tick in 1..=2000 {
        session.state.set_tick(tick);
        let values = [
            Value::FixedPoint(place(tick)),
            Value::UInt(0),
            Value::VarUInt(tick),
        ];
        session.state.entry(tick / 10).set(1, &values).unwrap();
        session.world.update(&session.state).unwrap();
        session
            .sender
            .encode(&mut session.world, &mut packet)
            .unwrap();
        let received: Received = session.receiver.apply(&packet).unwrap();
        session.sender.feedback(&received.ack);
        let now = Session::moment(4 * tick);
        session.playout.take(&session.receiver, &received, now);
    }
    let options = PlayoutOptions::new(RATE);
    assert_eq!((options.min_delay, options.max_delay), (1, 30));
    let view = session.playout.advance(Session::moment(8004)).clone();
    assert!(view.len() >= 199, "{}", view.len());
    let spawned = session.playout.events().iter();
    let spawned = spawned.filter(|event| matches!(event, ViewEvent::Spawned { .. }));
    assert_eq!(spawned.count(), view.len());
}
