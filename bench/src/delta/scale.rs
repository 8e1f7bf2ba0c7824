//! Sessions under loss, births and deaths, and for many receivers at once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use gametape_delta::network::{Conditions, Link};
use gametape_delta::{
    Area, Codec, Component, Decoder, Feedback, Field, Grid, Header, Mode, Near, Receiver,
    ReceiverOptions, Schema, Sender, SenderOptions, Sizes, Snapshot, Tag, Value, World,
};

pub fn run(filter: &str) {
    let name = "delta-scale";
    if !name.contains(filter) {
        return;
    }
    println!(
        "\n{name}: sessions with packets of 1,200 bytes; update 13 bytes, create 19; times in ticks"
    );
    for mode in [Mode::Merged, Mode::Strict] {
        println!("{mode:?}");
        let joins = [2, 3, 10].map(|trip| join(mode, trip));
        println!("  join of 1,000 entities at round trips of 2/3/10: {joins:?}");
        for loss in [50, 100] {
            let runs: Vec<Seen> = (1..=4).map(|seed| lossy(mode, loss, seed)).collect();
            Seen::print(loss, &runs);
        }
        for births in [0, 2] {
            let bytes = [2, 10, 30].map(|trip| bytes(mode, trip, births));
            println!(
                "  bytes a tick without loss at round trips of 2/10/30, {births} births: {bytes:.0?}"
            );
        }
        let (update, send) = many(mode);
        println!(
            "  256 receivers of 1,000 entities that all move: {:.2} ms a tick, {:.2} of it for the world",
            (update + send).as_secs_f64() * 1e3,
            update.as_secs_f64() * 1e3
        );
        println!(
            "  256 receivers of 1,000 entities, silent for 300 ticks: {:.1} MB",
            stalled(mode) as f64 / 1e6
        );
    }
    let (update, send, seen) = crowd();
    println!(
        "64 receivers in a world of 10,000 entities that all move, with a grid; each sees {seen:.0}: \
         {:.2} ms a tick, {:.2} of it for the world and the grid",
        (update + send).as_secs_f64() * 1e3,
        update.as_secs_f64() * 1e3
    );
}

fn schema() -> Schema {
    let fixed = |max_q: i64| Codec::FixedPoint {
        min_q: -max_q,
        max_q,
        scale: 100,
    };
    let [x, y, z] = [1, 2, 3].map(|id| Field::new(id, fixed(50_000)));
    let yaw = Field::new(4, Codec::UInt { bits: 12 });
    let velocity = [1, 2, 3].map(|id| Field::new(id, fixed(900)));
    let rest = [7, 5].map(|bits| Field::new(bits.into(), Codec::UInt { bits }));
    Schema::new([
        Component::new(1, [x, y, z, yaw]),
        Component::new(2, velocity),
        Component::new(3, rest),
    ])
    .unwrap()
}

/// Places an entity where it is at a tick.
fn place(state: &mut Snapshot, id: u32, tick: u32) {
    let at = i64::from(id * 131 + tick * 7) % 50_000;
    let position = [at, -at, at / 2].map(Value::FixedPoint);
    let yaw = Value::UInt(u64::from(tick + id) % 4096);
    let [x, y, z] = position;
    let is_new = state.entity(id).is_none();
    let mut entity = state.entry(id);
    entity.set(1, &[x, y, z, yaw]).unwrap();
    if is_new {
        let speed = i64::from(id % 900);
        let velocity = [speed, -speed, 0].map(Value::FixedPoint);
        entity.set(2, &velocity).unwrap();
        let rest = [100, u64::from(id % 32)].map(Value::UInt);
        entity.set(3, &rest).unwrap();
    }
}

/// Entities that live and die at random.
struct Lives {
    ids: BTreeSet<u32>,
    next: u32,
    random: u64,
}

impl Lives {
    fn new(count: u32, seed: u64) -> Self {
        Self {
            ids: (1..=count).collect(),
            next: count + 1,
            random: seed,
        }
    }

    /// Lets some die, and as many be born.
    fn turn(&mut self, count: usize) {
        for _ in 0..count {
            self.random = self
                .random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = (self.random >> 33) as usize % self.ids.len();
            if let Some(id) = self.ids.iter().nth(at).copied() {
                self.ids.remove(&id);
            }
            self.ids.insert(self.next);
            self.next += 1;
        }
    }
}

struct Session {
    world: World,
    sender: Sender,
    receiver: Receiver,
    down: Link<Vec<u8>>,
    up: Link<Feedback>,
    packet: Vec<u8>,
}

impl Session {
    /// A round trip takes `trip` ticks, of which the way down takes the smaller half.
    fn new(mode: Mode, budget: usize, loss: u32, trip: u32, seed: u64) -> Self {
        let schema = schema();
        let sender = SenderOptions {
            budget,
            mode,
            ..SenderOptions::default()
        };
        let receiver = ReceiverOptions {
            mode,
            ..ReceiverOptions::default()
        };
        let conditions = |delay| Conditions {
            loss,
            delay,
            ..Conditions::PERFECT
        };
        Self {
            world: World::new(&schema),
            sender: Sender::with_options(&schema, sender),
            receiver: Receiver::with_options(&schema, receiver),
            down: Link::new(conditions(trip / 2), seed),
            up: Link::new(conditions(trip - trip / 2), !seed),
            packet: Vec::new(),
        }
    }

    fn step(&mut self, state: &Snapshot) -> usize {
        let tick = state.tick();
        while let Some(feedback) = self.up.arrive(tick) {
            self.sender.feedback(&feedback);
        }
        self.world.update(state).unwrap();
        self.sender
            .encode(&mut self.world, &mut self.packet)
            .unwrap();
        self.down.send(tick, self.packet.len(), self.packet.clone());
        while let Some(packet) = self.down.arrive(tick) {
            let feedback = match self.receiver.apply(&packet) {
                Ok(received) => received.ack,
                Err(error) => error.feedback().expect("a packet of our own"),
            };
            self.up.send(tick, Feedback::BYTES, feedback);
        }
        self.packet.len()
    }
}

/// The number of ticks until all of 1,000 entities are seen.
fn join(mode: Mode, trip: u32) -> u32 {
    let mut session = Session::new(mode, 1200, 0, trip, 1);
    let mut state = Snapshot::new(&schema(), 0);
    for id in 1..=1000 {
        place(&mut state, id, 1);
    }
    for tick in 1..1000 {
        state.set_tick(tick);
        session.step(&state);
        if session.receiver.view().len() == 1000 {
            return tick;
        }
    }
    1000
}

/// The view of a receiver of 300 entities, of which ten are born and ten die each tick.
#[derive(Default)]
struct Seen {
    /// Sums over ticks: living, of them in view; living when the newest packet was sent, of them in
    /// view; in view, of them dead.
    living: f64,
    living_seen: f64,
    then: f64,
    then_seen: f64,
    view: f64,
    dead: f64,
    ages: Vec<u32>,
    vanished: u32,
    creates: f64,
    updates: f64,
    bytes: f64,
}

fn lossy(mode: Mode, loss: u32, seed: u64) -> Seen {
    let mut session = Session::new(mode, 1200, loss, 10, seed);
    let mut state = Snapshot::new(&schema(), 0);
    let mut seen = Seen::default();
    let mut past: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut before: Vec<u32> = Vec::new();
    let mut lives = Lives::new(300, seed);
    let mut sizes = Sizes::new(&schema());
    let decoder = Decoder::new(&schema());
    for tick in 1..=1200_u32 {
        lives.turn(10);
        for id in &lives.ids {
            place(&mut state, *id, tick);
        }
        state.retain(|id| lives.ids.contains(&id));
        state.set_tick(tick);
        session.step(&state);
        past.insert(tick, state.ids().iter().copied().collect());
        let view = session.receiver.view();
        let gone = before.iter().filter(|id| view.entity(**id).is_none());
        seen.vanished += gone.filter(|id| state.entity(**id).is_some()).count() as u32;
        before.clear();
        before.extend_from_slice(view.ids());
        if tick <= 200 {
            continue;
        }
        sizes.add(&decoder, &session.packet).unwrap();
        let then = &past[&view.tick()];
        seen.living += 300.0;
        seen.then += then.len() as f64;
        seen.view += view.len() as f64;
        for id in view.ids() {
            seen.then_seen += f64::from(u8::from(then.contains(id)));
            if state.entity(*id).is_some() {
                seen.living_seen += 1.0;
                let age = tick - session.receiver.confirmed(*id).unwrap().at;
                seen.ages.push(age);
            } else {
                seen.dead += 1.0;
            }
        }
    }
    seen.bytes = sizes.packets.bits as f64;
    seen.creates = sizes.section(Tag::Create).bits as f64;
    seen.updates = sizes.section(Tag::Update).bits as f64;
    seen
}

impl Seen {
    fn print(loss: u32, runs: &[Self]) {
        let share = |part: fn(&Self) -> f64, whole: fn(&Self) -> f64| {
            let part: f64 = runs.iter().map(part).sum();
            100.0 * part / runs.iter().map(whole).sum::<f64>()
        };
        let mut ages: Vec<u32> = runs.iter().flat_map(|run| run.ages.clone()).collect();
        ages.sort_unstable();
        let mean = ages.iter().map(|age| f64::from(*age)).sum::<f64>() / ages.len() as f64;
        let vanished: Vec<u32> = runs.iter().map(|run| run.vanished).collect();
        println!(
            "  loss {} %: in view {:.1} % of the living, {:.1} % of those of the newest packet; \
             dead {:.1} % of the view; age {mean:.1}, p95 {}; vanished {vanished:?}; \
             creates {:.0} %, updates {:.0} % of the bytes",
            loss / 10,
            share(|run| run.living_seen, |run| run.living),
            share(|run| run.then_seen, |run| run.then),
            share(|run| run.dead, |run| run.view),
            ages.get(ages.len() * 95 / 100).copied().unwrap_or(0),
            share(|run| run.creates, |run| run.bytes),
            share(|run| run.updates, |run| run.bytes),
        );
    }
}

/// The bytes a tick, without a budget that binds: 300 entities, of which a fifth moves each tick.
fn bytes(mode: Mode, trip: u32, births: usize) -> f64 {
    let mut lives = Lives::new(300, 1);
    let mut session = Session::new(mode, 60_000, 0, trip, 1);
    let mut state = Snapshot::new(&schema(), 0);
    let mut sum = 0;
    for tick in 1..=600_u32 {
        lives.turn(births);
        for id in &lives.ids {
            if state.entity(*id).is_none() || id % 5 == tick % 5 {
                place(&mut state, *id, tick);
            }
        }
        state.retain(|id| lives.ids.contains(&id));
        state.set_tick(tick);
        let bytes = session.step(&state);
        sum += if tick > 100 { bytes } else { 0 };
    }
    sum as f64 / 500.0
}

/// A receiver that only acknowledges: what it shows is not of interest.
struct Mute {
    down: Link<(u32, Option<u32>)>,
    up: Link<Feedback>,
    had: VecDeque<u32>,
}

impl Mute {
    fn new(loss: u32, seed: u64) -> Self {
        let conditions = |delay| Conditions {
            loss,
            delay,
            ..Conditions::PERFECT
        };
        Self {
            down: Link::new(conditions(5), seed),
            up: Link::new(conditions(5), !seed),
            had: VecDeque::new(),
        }
    }

    fn step(&mut self, tick: u32, packet: &[u8], sender: &mut Sender) -> Duration {
        let (header, _) = Header::read(packet).unwrap();
        self.down
            .send(tick, packet.len(), (header.tick, header.baseline()));
        while let Some((tick, baseline)) = self.down.arrive(tick) {
            let newest = self.had.back().copied().unwrap_or(0);
            let feedback = match baseline {
                Some(baseline) if !self.had.contains(&baseline) => Feedback::NeedFull { baseline },
                _ => {
                    if tick > newest {
                        self.had.push_back(tick);
                    }
                    let newest = newest.max(tick);
                    let bits = self.had.iter().filter(|at| newest - **at <= 64);
                    let bits = bits.filter(|at| **at < newest);
                    let earlier = bits.fold(0, |bits, at| bits | 1 << (newest - at - 1));
                    Feedback::Ack {
                        tick: newest,
                        earlier,
                    }
                }
            };
            self.had.drain(..self.had.len().saturating_sub(80));
            self.up.send(tick, Feedback::BYTES, feedback);
        }
        let start = Instant::now();
        while let Some(feedback) = self.up.arrive(tick) {
            sender.feedback(&feedback);
        }
        start.elapsed()
    }
}

fn senders(mode: Mode) -> Vec<(Sender, Mute)> {
    let schema = schema();
    let options = SenderOptions {
        mode,
        ..SenderOptions::default()
    };
    (0..256)
        .map(|seed| (Sender::with_options(&schema, options), Mute::new(50, seed)))
        .collect()
}

/// The time of a tick: the world's part, and that of all senders with their feedback.
fn many(mode: Mode) -> (Duration, Duration) {
    let schema = schema();
    let mut world = World::new(&schema);
    let mut senders = senders(mode);
    let mut state = Snapshot::new(&schema, 0);
    let mut packet = Vec::new();
    let (mut update, mut send) = (Duration::ZERO, Duration::ZERO);
    let (warm, ticks) = (60, 100);
    for tick in 1..=warm + ticks {
        state.set_tick(tick);
        for id in 1..=1000 {
            place(&mut state, id, tick);
        }
        let start = Instant::now();
        world.update(&state).unwrap();
        let updated = start.elapsed();
        let mut sent = Duration::ZERO;
        for (number, (sender, mute)) in senders.iter_mut().enumerate() {
            // Each receiver is interested in other entities.
            let number = number as u32;
            let weight = |id: u32| 1 + u32::from((id + number).is_multiple_of(8)) * 3;
            let start = Instant::now();
            sender
                .encode_visible(&mut world, weight, &mut packet)
                .unwrap();
            sent += start.elapsed() + mute.step(tick, &packet, sender);
        }
        if tick > warm {
            update += updated;
            send += sent;
        }
    }
    (update / ticks, send / ticks)
}

/// The place of an entity of a crowd at a tick: it walks to and fro over a kilometre.
fn walk(id: u32, tick: u32) -> [i64; 2] {
    let speeds = [id % 37 + 5, id % 23 + 5];
    let starts = [
        id.wrapping_mul(2_654_435_761),
        id.wrapping_mul(2_246_822_519),
    ];
    let mut axes = starts.into_iter().zip(speeds).map(|(start, speed)| {
        let at = (start % 200_000 + tick * speed) % 200_000;
        i64::from(at.min(200_000 - at)) - 50_000
    });
    [(); 2].map(|()| axes.next().unwrap_or(0))
}

/// The time of a tick for the world with its grid, and for the senders with their feedback; and the
/// number of entities that a receiver may see.
fn crowd() -> (Duration, Duration, f64) {
    let schema = schema();
    let mut world = World::new(&schema);
    let mut grid = Grid::new(&schema, 1, &[1, 2], 30.0).unwrap();
    let mut senders: Vec<_> = senders(Mode::Merged).into_iter().take(64).collect();
    let mut state = Snapshot::new(&schema, 0);
    let mut packet = Vec::new();
    let (mut update, mut send, mut seen) = (Duration::ZERO, Duration::ZERO, 0_u32);
    let (warm, ticks) = (60, 100);
    for tick in 1..=warm + ticks {
        state.set_tick(tick);
        for id in 0..10_000 {
            let [x, y] = walk(id, tick).map(Value::FixedPoint);
            let yaw = Value::UInt(u64::from(tick + id) % 4096);
            let position = [x, y, Value::FixedPoint(0), yaw];
            state.entry(id).set(1, &position).unwrap();
        }
        let start = Instant::now();
        world.update(&state).unwrap();
        grid.update(&world);
        let updated = start.elapsed();
        let mut sent = Duration::ZERO;
        for (number, (sender, mute)) in senders.iter_mut().enumerate() {
            // A receiver is one of the crowd.
            let [x, y] = walk(number as u32, tick).map(|at| at as f64 / 100.0);
            let area = Area {
                centre: [x, y, 0.0],
                enter: 60.0,
                leave: 65.0,
            };
            let mut near = 0;
            let start = Instant::now();
            let relevance = |of: Near| {
                near += 1;
                if of.distance_squared < 400.0 {
                    4_u32
                } else {
                    1
                }
            };
            let encoded = sender.encode_near(&mut world, &grid, &area, relevance, &mut packet);
            encoded.unwrap();
            sent += start.elapsed() + mute.step(tick, &packet, sender);
            seen += if tick > warm { near } else { 0 };
        }
        if tick > warm {
            update += updated;
            send += sent;
        }
    }
    let seen = f64::from(seen) / f64::from(64 * ticks);
    (update / ticks, send / ticks, seen)
}

/// The memory of the senders, in bytes: all are alike.
fn stalled(mode: Mode) -> usize {
    let schema = schema();
    let mut world = World::new(&schema);
    let mut state = Snapshot::new(&schema, 0);
    let Some((mut sender, mut mute)) = senders(mode).into_iter().next() else {
        return 0;
    };
    let mut packet = Vec::new();
    for tick in 1..=360 {
        state.set_tick(tick);
        for id in 1..=1000 {
            place(&mut state, id, tick);
        }
        world.update(&state).unwrap();
        sender.encode(&mut world, &mut packet).unwrap();
        if tick < 60 {
            mute.step(tick, &packet, &mut sender);
        }
    }
    256 * sender.memory()
}
