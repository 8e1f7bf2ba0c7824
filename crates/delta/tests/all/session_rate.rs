//! What a sender takes: budgets that follow the loss of packets, what it knows of its network, and the
//! bound on its memory.

use gametape_delta::network::{Bandwidth, Conditions, Trial};
use gametape_delta::{
    Codec, Component, Feedback, Field, Mode, Schema, Sender, SenderOptions, Snapshot, Value, World,
};
use gametape_samples::delta::Arena;
use proptest::prelude::*;

use crate::session_audience::random;
use crate::session_network::modes;

struct Game {
    arena: Arena,
    state: Snapshot,
    trial: Trial,
}

/// The average budget, the bytes a tick, and the share of packets that were lost.
#[derive(Debug)]
struct Run {
    budget: f64,
    bytes: f64,
    loss: f64,
}

impl Game {
    /// 300 ships that all move: more than any budget carries.
    fn new(conditions: Conditions, options: SenderOptions) -> Self {
        let schema = Arena::schema();
        Self {
            arena: Arena::new(300, 1),
            state: Snapshot::new(&schema, 0),
            trial: Trial::new(&schema, 5).options(options).both(conditions),
        }
    }

    fn run(&mut self, ticks: u32) -> Run {
        let before = self.trial.sender().totals();
        let lost = self.trial.down().tally();
        let mut budget = 0;
        for _ in 0..ticks {
            self.arena.step();
            self.arena.state(&mut self.state).unwrap();
            self.trial.step(&self.state).unwrap();
            budget += self.trial.sender().estimates().budget;
        }
        let after = self.trial.sender().totals();
        assert_eq!(after.packets - before.packets, u64::from(ticks));
        let now = self.trial.down().tally();
        let ticks = f64::from(ticks);
        Run {
            budget: budget as f64 / ticks,
            bytes: (after.bytes - before.bytes) as f64 / ticks,
            loss: (now.lost - lost.lost) as f64 / ticks,
        }
    }
}

fn options() -> SenderOptions {
    SenderOptions {
        min_budget: Some(150),
        ..SenderOptions::default()
    }
}

fn narrow(bytes_per_tick: u32) -> Conditions {
    Conditions {
        delay: 2,
        bandwidth: Some(Bandwidth {
            bytes_per_tick,
            queue: 4 * bytes_per_tick,
        }),
        ..Conditions::PERFECT
    }
}

#[test]
fn a_budget_follows_the_bandwidth_down_and_up() {
    let mut game = Game::new(narrow(2000), options());
    let wide = game.run(300);
    assert!(wide.budget > 1199.0 && wide.loss < 0.001, "{wide:?}");
    game.trial.set_conditions(narrow(400));
    game.run(300);
    let settled = game.run(600);
    assert!(settled.loss < 0.1, "{settled:?}");
    assert!((360.0..480.0).contains(&settled.budget), "{settled:?}");
    assert!(settled.bytes > 0.9 * settled.budget, "{settled:?}");
    game.trial.set_conditions(narrow(2000));
    game.run(500);
    let again = game.run(100);
    assert!(again.budget > 1199.0 && again.loss < 0.001, "{again:?}");

    // A fixed budget loses two packets of three.
    let mut fixed = Game::new(narrow(400), SenderOptions::default());
    let fixed = fixed.run(600);
    assert!(fixed.budget > 1199.0 && fixed.loss > 0.6, "{fixed:?}");
}

#[test]
fn losses_by_chance_leave_most_of_the_budget() {
    let chance = |loss| Conditions {
        loss,
        delay: 2,
        ..Conditions::PERFECT
    };
    let mut game = Game::new(chance(50), options());
    let few = game.run(3000);
    assert!(few.budget > 1000.0, "{few:?}");
    let mut game = Game::new(chance(300), options());
    game.run(500);
    let many = game.run(500);
    assert!(many.budget < 250.0, "{many:?}");
    assert!(many.budget >= 150.0, "{many:?}");
}

#[test]
fn estimates_are_those_of_the_network() {
    for mode in [Mode::Merged, Mode::Strict] {
        let conditions = Conditions {
            loss: 100,
            delay: 3,
            ..Conditions::PERFECT
        };
        let options = SenderOptions {
            mode,
            ..SenderOptions::default()
        };
        let mut game = Game::new(conditions, options);
        let unknown = game.trial.sender().estimates();
        assert_eq!((unknown.round_trip, unknown.least_round_trip), (None, None));
        game.run(600);
        let estimates = game.trial.sender().estimates();
        assert_eq!(estimates.least_round_trip, Some(6));
        let round_trip = estimates.round_trip.unwrap();
        assert!((6.0..8.0).contains(&round_trip), "{estimates:?}");
        let lost = game.trial.sender().totals().lost;
        assert!((20..120).contains(&lost), "{lost} in {mode:?}");
        if mode == Mode::Merged {
            assert!((0.02..0.3).contains(&estimates.loss), "{estimates:?}");
        }
    }
}

#[test]
fn totals_are_those_of_the_packets() {
    let mut game = Game::new(narrow(900), SenderOptions::default());
    let (mut sizes, schema) = ([0; 3], Arena::schema());
    let decoder = gametape_delta::Decoder::new(&schema);
    let mut bytes = 0;
    for _ in 0..200 {
        game.arena.step();
        game.arena.state(&mut game.state).unwrap();
        // The packet of this tick, whether it arrives or not.
        let mut sender = game.trial.sender().clone();
        let mut world = game.trial.world().clone();
        world.update(&game.state).unwrap();
        let mut packet = Vec::new();
        sender.encode(&mut world, &mut packet).unwrap();
        game.trial.step(&game.state).unwrap();
        bytes += packet.len() as u64;
        for section in decoder.packet(&packet).unwrap().sections {
            sizes[section.tag as usize - 1] += section.entities.len() as u64;
        }
    }
    let totals = game.trial.sender().totals();
    let [created, destroyed, updated] = sizes;
    assert_eq!((totals.packets, totals.bytes), (200, bytes));
    let found = (totals.created, totals.destroyed, totals.updated);
    assert_eq!(found, (created, destroyed, updated));
    assert!(totals.lost > 0 && destroyed > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Senders of one world, of which each sees more entities than the one before, and hears of some
    /// of its packets or of none.
    #[test]
    fn senders_take_no_more_than_their_bound(
        seed: u64,
        window in 2..80_usize,
        budget in prop_oneof![60..300_usize, 300..20_000_usize],
        populations in prop::collection::vec(1..800_u32, 1..5),
        mode in modes(),
        silent in 0..5_usize,
        groups in 0..4_u32,
    ) {
        let mut rng = random(seed);
        let schema = Schema::new([Component::new(1, [Field::new(1, Codec::VarUInt)])]).unwrap();
        let options = SenderOptions { window, budget, mode, ..SenderOptions::default() };
        let mut senders: Vec<Sender> = Vec::new();
        senders.resize_with(populations.len(), || Sender::with_options(&schema, options));
        let most = populations.iter().copied().max().unwrap_or(0);
        let mut world = World::new(&schema);
        let mut state = Snapshot::new(&schema, 0);
        let mut packet = Vec::new();
        for tick in 1..=100 {
            state.set_tick(tick);
            for id in 0..most {
                match rng(16) {
                    0 => drop(state.remove(id)),
                    1..9 => drop(state.entry(id).set(1, &[Value::VarUInt(tick)]).unwrap()),
                    _ => {}
                }
                if id.is_multiple_of(3) {
                    world.group(id, groups.checked_sub(1).map(|_| id / (3 * groups.max(1))));
                }
            }
            world.update(&state).unwrap();
            for (at, (sender, population)) in senders.iter_mut().zip(&populations).enumerate() {
                let weight = |id: u32| u32::from(id < *population);
                let sent = sender.encode_visible(&mut world, weight, &mut packet)?;
                if at != silent && rng(3) == 0 {
                    let earlier = u64::from(rng(u32::MAX)) * 0x1_0000_0001;
                    sender.feedback(&Feedback::Ack { tick: sent.tick, earlier });
                }
                let (found, bound) = (sender.memory(), options.max_memory(*population as usize));
                prop_assert!(found <= bound, "{found} bytes, {bound} at most, tick {tick}");
            }
        }
    }
}
