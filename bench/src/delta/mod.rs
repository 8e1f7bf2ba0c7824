//! Compares gametape-delta with `sdec-codec`, the origin of its wire format, and with the usual
//! alternative to both: a list of changes as structs, encoded by bincode or bitcode.

mod fill;
mod origin;
mod ours;
mod plain;
mod scale;
mod session;
mod sim;

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::alloc;
use sim::{Motion, World};

/// An implementation of both ends of the wire, with the states that they keep.
trait Contender {
    fn name(&self) -> &'static str;
    /// Takes the world as the state to be sent; the previous state becomes the baseline.
    fn load(&mut self, world: &World);
    /// Encodes the delta to a reused buffer; returns its size in bytes.
    fn encode(&mut self) -> usize;
    fn encode_full(&mut self) -> usize;
    /// A copy of the encoded packet. Not timed.
    fn packet(&mut self, full: bool) -> Vec<u8>;
    /// Applies a delta to the receiver's state.
    fn apply(&mut self, packet: &[u8]);
    fn decode_full(&mut self, packet: &[u8]);
    /// Makes the applied or decoded state the receiver's state.
    fn advance(&mut self);
    /// True if the receiver has the state that was sent.
    fn holds(&self, world: &World) -> bool;
}

/// The first two use the same wire format.
fn contenders() -> Vec<Box<dyn Contender>> {
    use plain::{Bincode, Bitcode, Plain};
    let bincode = || Bincode(Vec::new());
    vec![
        Box::new(ours::Ours::new()),
        Box::new(origin::Origin::new()),
        Box::new(Plain::new(bincode(), bincode())),
        Box::new(Plain::new(Bitcode::default(), Bitcode::default())),
    ]
}

struct Scenario {
    entities: u32,
    motion: Motion,
    ticks: u32,
    rounds: usize,
}

impl Scenario {
    fn name(&self) -> String {
        match self.motion {
            Motion::All => format!("{}-moving", self.entities),
            Motion::Percent(share) => format!("{}-idle-{share}%", self.entities),
        }
    }
}

/// Measures the cases whose names contain `filter`.
pub fn run(filter: &str) {
    let idle = Motion::Percent(5);
    for (entities, motion) in [
        (16, Motion::All),
        (1000, Motion::All),
        (4000, Motion::All),
        (1000, idle),
    ] {
        let scenario = Scenario {
            entities,
            motion,
            ticks: 300,
            rounds: 5,
        };
        let name = format!("delta/{}", scenario.name());
        if name.contains(filter) {
            table(&name, &scenario, &measure(&scenario));
        }
    }
    for motion in [Motion::All, idle] {
        let name = match motion {
            Motion::All => "delta-growth/moving",
            Motion::Percent(_) => "delta-growth/idle-5%",
        };
        if name.contains(filter) {
            growth(name, motion);
        }
    }
    fill::run(filter);
    session::run(filter);
    scale::run(filter);
}

/// The results of one contender in a scenario.
struct Outcome {
    name: &'static str,
    /// The size of every packet in bytes.
    bytes: Vec<usize>,
    encode: Cost,
    apply: Cost,
    full_bytes: usize,
    encode_full: Cost,
    decode_full: Cost,
}

/// The cost of one operation: its time, and the allocations in the second half of the ticks.
#[derive(Clone, Copy, Default)]
struct Cost {
    time: Duration,
    operations: u32,
    allocations: u64,
    counted: u32,
}

impl Cost {
    fn nanos_per(&self, entities: u32) -> f64 {
        self.time.as_secs_f64() * 1e9 / f64::from(self.operations) / f64::from(entities)
    }

    fn allocations(&self) -> f64 {
        self.allocations as f64 / f64::from(self.counted)
    }
}

/// The duration of a batch of calls, long enough to be timed.
const BATCH: Duration = Duration::from_micros(60);

/// Times an operation of each contender, in turns; the median of the rounds counts for each.
fn race(
    contenders: &mut [Box<dyn Contender>],
    rounds: usize,
    count_allocations: bool,
    costs: &mut [&mut Cost],
    mut operation: impl FnMut(usize, &mut dyn Contender),
) {
    let mut calls = Vec::new();
    for (at, contender) in contenders.iter_mut().enumerate() {
        operation(at, contender.as_mut());
        let start = Instant::now();
        operation(at, contender.as_mut());
        let once = start.elapsed().as_nanos().max(1);
        calls.push((BATCH.as_nanos() / once).clamp(1, 1000) as u32);
    }
    let mut times = vec![Vec::new(); contenders.len()];
    for round in 0..rounds {
        for turn in 0..contenders.len() {
            let at = (round + turn) % contenders.len();
            let contender = contenders[at].as_mut();
            let start = Instant::now();
            for _ in 0..calls[at] {
                operation(at, black_box(contender));
            }
            times[at].push(start.elapsed() / calls[at]);
        }
    }
    for (at, mut times) in times.into_iter().enumerate() {
        times.sort_unstable();
        costs[at].time += times[times.len() / 2];
        costs[at].operations += 1;
        if count_allocations {
            let contender = contenders[at].as_mut();
            costs[at].allocations += alloc::count(|| operation(at, contender)).1.calls;
            costs[at].counted += 1;
        }
    }
}

fn measure(scenario: &Scenario) -> Vec<Outcome> {
    let mut contenders = contenders();
    let mut world = World::new(scenario.entities, scenario.motion);
    let mut outcomes: Vec<Outcome> = contenders
        .iter()
        .map(|contender| Outcome {
            name: contender.name(),
            bytes: Vec::new(),
            encode: Cost::default(),
            apply: Cost::default(),
            full_bytes: 0,
            encode_full: Cost::default(),
            decode_full: Cost::default(),
        })
        .collect();

    fn packets(contenders: &mut [Box<dyn Contender>], full: bool) -> Vec<Vec<u8>> {
        contenders.iter_mut().map(|c| c.packet(full)).collect()
    }

    for contender in &mut contenders {
        contender.load(&world);
        let packet = contender.packet(true);
        contender.decode_full(&packet);
        contender.advance();
        assert!(contender.holds(&world), "{}", contender.name());
    }
    for tick in 1..scenario.ticks {
        world.step();
        for contender in &mut contenders {
            contender.load(&world);
        }
        let packets = packets(&mut contenders, false);
        assert_eq!(packets[0], packets[1], "the same packets as the origin");
        for (outcome, packet) in outcomes.iter_mut().zip(&packets) {
            outcome.bytes.push(packet.len());
        }
        let count = tick > scenario.ticks / 2;
        let mut costs: Vec<_> = outcomes.iter_mut().map(|o| &mut o.encode).collect();
        race(
            &mut contenders,
            scenario.rounds,
            count,
            &mut costs,
            |_, c| {
                black_box(c.encode());
            },
        );
        let mut costs: Vec<_> = outcomes.iter_mut().map(|o| &mut o.apply).collect();
        race(
            &mut contenders,
            scenario.rounds,
            count,
            &mut costs,
            |at, c| {
                c.apply(black_box(&packets[at]));
            },
        );
        for contender in &mut contenders {
            contender.advance();
            assert!(contender.holds(&world), "{}", contender.name());
        }
    }

    let packets = packets(&mut contenders, true);
    assert_eq!(packets[0], packets[1], "the same packets as the origin");
    for (outcome, packet) in outcomes.iter_mut().zip(&packets) {
        outcome.full_bytes = packet.len();
    }
    let rounds = scenario.rounds * 4 + 1;
    let mut costs: Vec<_> = outcomes.iter_mut().map(|o| &mut o.encode_full).collect();
    race(&mut contenders, rounds, true, &mut costs, |_, c| {
        black_box(c.encode_full());
    });
    let mut costs: Vec<_> = outcomes.iter_mut().map(|o| &mut o.decode_full).collect();
    race(&mut contenders, rounds, true, &mut costs, |at, c| {
        c.decode_full(black_box(&packets[at]));
    });
    outcomes
}

fn table(name: &str, scenario: &Scenario, outcomes: &[Outcome]) {
    let entities = scenario.entities;
    println!(
        "\n{name}: {} ticks, each a delta on the one before",
        scenario.ticks
    );
    let head = ["bytes", "encode ns", "apply ns", "allocations"];
    println!(
        "{:<18} {:>17} {:>18} {:>18} {:>16}",
        "", head[0], head[1], head[2], head[3]
    );
    println!(
        "{:<18} {:>9} {:>7} {:>9} {:>8} {:>9} {:>8} {:>8} {:>7}",
        "deltas", "average", "p95", "an entity", "× ours", "an entity", "× ours", "encode", "apply"
    );
    for outcome in outcomes {
        let mut bytes = outcome.bytes.clone();
        bytes.sort_unstable();
        let average = bytes.iter().sum::<usize>() as f64 / bytes.len() as f64;
        let p95 = bytes[(bytes.len() * 95).div_ceil(100) - 1];
        line(
            entities,
            outcome.name,
            (format!("{average:.0}"), format!("{p95}")),
            [outcome.encode, outcome.apply],
            [outcomes[0].encode, outcomes[0].apply],
        );
    }
    println!("full snapshots");
    for outcome in outcomes {
        line(
            entities,
            outcome.name,
            (outcome.full_bytes.to_string(), String::new()),
            [outcome.encode_full, outcome.decode_full],
            [outcomes[0].encode_full, outcomes[0].decode_full],
        );
    }
}

fn line(
    entities: u32,
    name: &str,
    (average, p95): (String, String),
    [encode, apply]: [Cost; 2],
    [our_encode, our_apply]: [Cost; 2],
) {
    let times = |cost: Cost, ours: Cost| cost.nanos_per(1) / ours.nanos_per(1);
    println!(
        "{name:<18} {average:>9} {p95:>7} {:>9.1} {:>8.1} {:>9.1} {:>8.1} {:>8.1} {:>7.1}",
        encode.nanos_per(entities),
        times(encode, our_encode),
        apply.nanos_per(entities),
        times(apply, our_apply),
        encode.allocations(),
        apply.allocations(),
    );
}

/// Nanoseconds per entity in ever larger worlds.
fn growth(name: &str, motion: Motion) {
    println!("\n{name}: ns an entity of the state, encode / apply; bytes of a packet");
    print!("{:<9}", "entities");
    for contender in contenders() {
        print!(" {:>19}", contender.name());
    }
    println!(" {:>10} {:>8}", "bytes", "× sdec");
    for entities in [100, 1000, 10_000, 100_000] {
        let scenario = Scenario {
            entities,
            motion,
            ticks: (300_000 / entities).clamp(8, 100),
            rounds: 5,
        };
        let outcomes = measure(&scenario);
        print!("{entities:<9}");
        for outcome in &outcomes {
            let (encode, apply) = (outcome.encode, outcome.apply);
            print!(
                " {:>9.1} / {:>7.1}",
                encode.nanos_per(entities),
                apply.nanos_per(entities)
            );
        }
        let bytes = &outcomes[0].bytes;
        let [ours, origin] = [&outcomes[0], &outcomes[1]];
        println!(
            " {:>10} {:>3.1}/{:>4.1}",
            bytes.iter().sum::<usize>() / bytes.len(),
            origin.encode.nanos_per(1) / ours.encode.nanos_per(1),
            origin.apply.nanos_per(1) / ours.apply.nanos_per(1),
        );
    }
}
