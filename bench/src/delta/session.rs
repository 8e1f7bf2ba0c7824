//! Sessions: the cost of a sender and a receiver under packet loss, with small and with ample
//! budgets.

use std::time::{Duration, Instant};

use gametape_delta::{
    Feedback, Limits, Receiver, ReceiverOptions, Sender, SenderOptions, Snapshot, World,
};
use gametape_samples::delta::Arena;

use crate::alloc;

const TICKS: u32 = 600;
/// The number of ticks before counting starts.
const WARM: u32 = 200;
/// The number of ticks from a packet to its acknowledgement: 100 ms at 30 Hz.
const LAG: u32 = 3;

struct Row {
    encode: Duration,
    apply: Duration,
    applied: u32,
    bytes: usize,
    largest: usize,
    waiting: usize,
    oldest: u64,
    allocations: u64,
}

pub fn run(filter: &str) {
    let name = "delta-session/arena";
    if !name.contains(filter) {
        return;
    }
    println!(
        "\n{name}: ships that all move, 10 % of the packets lost, acknowledged {LAG} ticks later"
    );
    println!(
        "{:<7} {:>8} {:>12} {:>12} {:>10} {:>8} {:>9} {:>12} {:>12}",
        "ships",
        "budget",
        "encode ns/s",
        "apply ns/s",
        "bytes",
        "largest",
        "waiting",
        "ticks old",
        "allocations"
    );
    for ships in [100, 300, 1000] {
        for budget in [1200, 65_536] {
            let row = measure(ships, budget);
            let ticks = f64::from(TICKS - WARM);
            println!(
                "{ships:<7} {budget:>8} {:>12.1} {:>12.1} {:>10.0} {:>8} {:>9.0} {:>12.1} {:>12.2}",
                row.encode.as_nanos() as f64 / ticks / f64::from(ships),
                row.apply.as_nanos() as f64 / f64::from(row.applied) / f64::from(ships),
                row.bytes as f64 / ticks,
                row.largest,
                row.waiting as f64 / ticks,
                row.oldest as f64 / f64::from(row.applied),
                row.allocations as f64 / ticks,
            );
        }
    }
    println!("ns: nanoseconds a ship; ticks old: the ship that waits longest, on average");
}

fn measure(ships: u32, budget: usize) -> Row {
    let schema = Arena::schema();
    let options = SenderOptions {
        budget,
        window: 32,
        limits: Limits::NONE,
        ..SenderOptions::default()
    };
    let mut world = World::new(&schema);
    let mut sender = Sender::with_options(&schema, options);
    let options = ReceiverOptions {
        window: 32,
        limits: Limits::NONE,
        ..ReceiverOptions::default()
    };
    let mut receiver = Receiver::with_options(&schema, options);
    let mut arena = Arena::new(ships, 1);
    let mut state = Snapshot::new(&schema, 0);
    let mut packet = Vec::with_capacity(budget);
    let mut random = 1_u64;
    let mut acks: Vec<(u32, Feedback)> = Vec::with_capacity(64);
    let mut row = Row {
        encode: Duration::ZERO,
        apply: Duration::ZERO,
        applied: 0,
        bytes: 0,
        largest: 0,
        waiting: 0,
        oldest: 0,
        allocations: 0,
    };
    for tick in 1..=TICKS {
        arena.step();
        arena.state(&mut state).unwrap();
        acks.retain(|(at, ack)| {
            if *at == tick {
                sender.feedback(ack);
            }
            *at > tick
        });
        let start = Instant::now();
        let (sent, encoding) = alloc::count(|| {
            world.update(&state).unwrap();
            sender.encode(&mut world, &mut packet).unwrap()
        });
        let encode = start.elapsed();
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let arrives = !(random >> 33).is_multiple_of(10);
        let start = Instant::now();
        let (received, applying) =
            alloc::count(|| arrives.then(|| receiver.apply(&packet).unwrap()));
        let apply = start.elapsed();
        if let Some(received) = received {
            acks.push((tick + LAG, received.ack));
        }
        if tick <= WARM {
            continue;
        }
        row.encode += encode;
        row.bytes += sent.bytes;
        row.largest = row.largest.max(sent.bytes);
        row.waiting += sent.waiting;
        row.allocations += encoding.calls + applying.calls;
        if arrives {
            row.apply += apply;
            row.applied += 1;
            let ids = receiver.view().ids();
            let oldest = ids
                .iter()
                .filter_map(|id| receiver.confirmed(*id))
                .map(|seen| seen.at)
                .min();
            row.oldest += u64::from(tick - oldest.unwrap_or(tick));
        }
    }
    row
}
