//! Sessions over networks that lose, repeat, delay and reorder packets and acknowledgements:
//! simulated ones, and real UDP sockets.

use std::collections::{BTreeMap, BTreeSet};
use std::net::UdpSocket;

use gametape_delta::network::{Bandwidth, Burst, Conditions, Trial};
use gametape_delta::{Codec, Component, Field, Mode, Schema, SenderOptions, Snapshot, Value};
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

fn step(world: &mut Snapshot, tick: u32, population: u32, rebuilds: bool, rng: &mut TestRng) {
    world.set_tick(tick);
    for id in 0..population {
        match rng.random_range(0..40) {
            1..=5 if !rebuilds => {}
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

pub fn conditions() -> impl Strategy<Value = Conditions> {
    let bursts = prop_oneof![
        2 => Just(None),
        1 => (1..30_u32, 30..300_u32).prop_map(|(begins, ends)| Some(Burst { begins, ends })),
    ];
    let bandwidth = prop_oneof![
        3 => Just(None),
        1 => (200..1500_u32, 1000..9000_u32).prop_map(|(bytes_per_tick, queue)| {
            Some(Bandwidth { bytes_per_tick, queue })
        }),
    ];
    let ways = (0..200_u32, 0..4_u32, 0..6_u32, 0..300_u32, 1..8_u32);
    (0..500_u32, bursts, ways, bandwidth).prop_map(|(loss, bursts, ways, bandwidth)| {
        let (duplicates, delay, jitter, reorder, reorder_by) = ways;
        Conditions {
            loss,
            bursts,
            duplicates,
            delay,
            jitter,
            reorder,
            reorder_by,
            bandwidth,
        }
    })
}

pub fn modes() -> impl Strategy<Value = Mode> {
    prop_oneof![3 => Just(Mode::Merged), 1 => Just(Mode::Strict)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever the network does: `Trial` judges each packet.
    #[test]
    fn receivers_see_true_past_states_and_converge(
        seed: u64,
        conditions in conditions(),
        budget in prop_oneof![90..200_usize, 200..1500_usize],
        window in 2..80_usize,
        population in 1..60_u32,
        restarts in any::<bool>(),
        hides in any::<bool>(),
        despawns in any::<bool>(),
        rebuilds in any::<bool>(),
        gap in prop_oneof![4 => Just(1_u32), 1 => 2..100_u32],
        lag in 0..4_u32,
        mode in modes(),
    ) {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let options = SenderOptions { budget, window, mode, ..SenderOptions::default() };
        let slow = Conditions {
            delay: conditions.delay * gap,
            jitter: conditions.jitter * gap,
            reorder_by: conditions.reorder_by * gap,
            ..conditions
        };
        let mut trial = Trial::new(&schema(), seed).options(options).both(slow);
        let mut world = Snapshot::new(&schema(), 0);
        let mut most = 0;
        for step_number in 1..=150 {
            let tick = step_number * gap;
            step(&mut world, tick, population, rebuilds, &mut rng);
            if despawns {
                trial.despawn(rng.random_range(0..population));
            }
            let visible = |id: u32| {
                let is_hidden = hides && (id + step_number / 20).is_multiple_of(3);
                if is_hidden { 0 } else { 1 + id % 3 }
            };
            trial.step_visible(&world, visible)?;
            most = most.max(trial.sender().memory());
            if restarts && step_number % 50 == 0 {
                trial.restart();
            }
        }
        if !restarts && mode == Mode::Merged {
            // The state that was acknowledged is always there; only a full snapshot can be lost.
            let asked = trial.resyncs() > 0 && trial.sender().baseline().is_some();
            prop_assert!(!asked || conditions != Conditions::PERFECT);
        }
        // A list of a packet has at most 4 bytes for each 4 bytes of the packet.
        let lists = 2 * (window + 2) * (budget + 64);
        prop_assert!(most <= lists + 4096 + 60 * population as usize, "{most} bytes");
        trial.set_conditions(Conditions { delay: lag * gap, ..Conditions::PERFECT });
        // Enough for all entities in the smallest packets, and for packets under way.
        world.set_tick(world.tick() + 1);
        for _ in 0..2000 {
            if trial.agrees() {
                break;
            }
            world.set_tick(world.tick() + gap);
            trial.step(&world)?;
        }
        prop_assert!(trial.agrees(), "{:?} is not\n{:?}", trial.receiver().view(), world);
        // Values that have arrived are not sent again.
        for calm in 0..200 {
            world.set_tick(world.tick() + gap);
            trial.step(&world)?;
            let sent = trial.sent().unwrap();
            if (sent.named, sent.waiting, sent.bytes) == (0, 0, 28) && calm > 40 {
                break;
            }
            prop_assert!(calm < 150, "there is no end");
        }
        prop_assert!(trial.agrees());
    }
}

/// Every entity is updated eventually, however much the others change and however small the budget
/// is.
#[test]
fn a_tight_budget_starves_nobody() {
    let options = SenderOptions {
        budget: 120,
        window: 32,
        ..SenderOptions::default()
    };
    let lag = Conditions {
        delay: 2,
        ..Conditions::PERFECT
    };
    let mut trial = Trial::new(&schema(), 7).options(options).both(lag);
    let mut world = Snapshot::new(&schema(), 0);
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
        trial.step(&world).unwrap();
    }
    assert_eq!(trial.receiver().view().len(), 50);
    let mut seen = BTreeSet::new();
    for tick in 151..=200 {
        move_all(&mut world, tick);
        trial.step(&world).unwrap();
        let receiver = trial.receiver();
        let fresh = (0..50).filter(|id| receiver.confirmed(*id).unwrap().at > 150);
        seen.extend(fresh);
    }
    assert_eq!(seen.len(), 50, "in 50 packets of about 5 entities");
}

/// Entities with a larger weight are updated more often.
#[test]
fn weights_are_shares_of_the_budget() {
    let options = SenderOptions {
        budget: 120,
        window: 32,
        ..SenderOptions::default()
    };
    let mut trial = Trial::new(&schema(), 8).options(options);
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
        let weight = |id| if id < 20 { 4 } else { 1 };
        trial.step_visible(&world, weight).unwrap();
        for id in 0..40 {
            let at = trial.receiver().confirmed(id).map(|seen| seen.at);
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
    // The other one asks only if its first full snapshot is lost.
    assert!(reports[1].resyncs < 20, "{:?}", reports[1]);
}
