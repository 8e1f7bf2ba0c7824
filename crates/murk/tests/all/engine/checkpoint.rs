//! Saved states: in any world, a restored one continues as if nothing had happened.

use gametape_murk::engine::{EngineError, EngineWorld, Outcome, World};
use gametape_murk::{Checkpoint, Commands, Replay, Simulation, read};
use proptest::prelude::*;

use super::commands::{hash, record, ticks};
use super::worlds::all;
use crate::common::plain::generate;

/// The visible state of a world after a step.
#[derive(Clone, PartialEq, Debug)]
struct Seen {
    hash: u64,
    tick: u64,
    outcomes: Vec<Outcome>,
    failure: Option<String>,
    error: Option<EngineError>,
}

fn step(world: &mut EngineWorld, fields: u32, commands: Commands<'_>) -> Seen {
    let error = world.step(0, commands).err();
    Seen {
        hash: hash(world, fields),
        tick: world.tick(),
        outcomes: world.receipts().outcomes().to_vec(),
        failure: world.failure().map(str::to_owned),
        error,
    }
}

fn run(world: &mut EngineWorld, recording: &Replay<'_>, from: usize) -> Vec<Seen> {
    let fields = recording.header().field_count;
    let frames = recording.frames().skip(from);
    frames
        .map(|frame| step(world, fields, frame.unwrap().commands()))
        .collect()
}

/// Checks a world: saved at tick `save`, and restored into several worlds.
pub fn check(world: &World, recording: &Replay<'_>, save: usize, wander: usize) {
    let fields = recording.header().field_count;
    let mut first = world.build().unwrap();
    for frame in recording.frames().take(save) {
        let _ = first.step(0, frame.unwrap().commands());
    }
    let state = first.checkpoint();
    let (before, tick) = (hash(&first, fields), first.tick());
    assert_eq!(state.tick(), tick);
    let expected = run(&mut first, recording, save);

    // Into the same world, which has continued.
    first.restore(&state).unwrap();
    assert_eq!((hash(&first, fields), first.tick()), (before, tick));
    assert_eq!(run(&mut first, recording, save), expected);

    // Into another one, which has a different past.
    let mut other = world.build().unwrap();
    for frame in recording.frames().skip(wander).take(wander) {
        let _ = other.step(0, frame.unwrap().commands());
    }
    other.restore(&state).unwrap();
    assert_eq!(run(&mut other, recording, save), expected);

    // Into a new one. A state saved by a restored world is as good.
    let mut fresh = world.build().unwrap();
    fresh.restore(&state).unwrap();
    let half = expected.len() / 2;
    for (frame, seen) in recording.frames().skip(save).zip(&expected[..half]) {
        assert_eq!(step(&mut fresh, fields, frame.unwrap().commands()), *seen);
    }
    let later = fresh.checkpoint();
    other.restore(&later).unwrap();
    for world in [&mut fresh, &mut other] {
        assert_eq!(run(world, recording, save + half), expected[half..]);
    }
}

#[test]
fn worlds_of_every_kind_go_on_after_a_restore() {
    for twin in all() {
        let world = twin.world();
        let ticks = ticks(&world, 5, 30);
        let bytes = record(twin.config(), world.field_count(), &ticks);
        let recording = read(&bytes).unwrap();
        for save in [0, 1, 2, 3, 4, 17] {
            check(&world, &recording, save, 6);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random worlds; that they are those of the second simulator is tested in `second`.
    #[test]
    fn random_worlds_go_on_after_a_restore(
        seed in any::<u64>(),
        save in 0_usize..12,
        wander in 0_usize..5,
    ) {
        let plain = generate::world(seed);
        let bytes = plain.record(&generate::log(&plain, seed, 20));
        check(&plain.engine(), &read(&bytes).unwrap(), save, wander);
    }

    #[test]
    fn random_worlds_survive_their_canonical_text(seed in any::<u64>()) {
        let world = generate::world(seed).engine();
        let canonical = world.canonical();
        let again = World::from_descriptor(&canonical).unwrap().unwrap();
        prop_assert_eq!(again.canonical(), canonical);
        prop_assert_eq!(again, world);
    }
}

/// The segments of a recording are verified on several threads.
#[test]
fn worlds_and_states_go_to_other_threads() {
    fn send<T: Send>() {}
    fn sync<T: Send + Sync>() {}
    send::<EngineWorld>();
    sync::<<EngineWorld as Checkpoint>::State>();
    sync::<World>();
    sync::<gametape_murk::engine::Checker>();
}

#[test]
fn a_state_of_another_world_is_refused() {
    let worlds: Vec<_> = all()
        .iter()
        .map(|twin| twin.world().build().unwrap())
        .collect();
    let state = worlds[0].checkpoint();
    for mut world in worlds.into_iter().skip(1) {
        assert_eq!(world.restore(&state), Err(EngineError::OtherWorld));
    }
}

/// After a restore, ticks and the expiry of commands continue to be counted.
#[test]
fn expiry_counts_on_after_a_restore() {
    use gametape_murk::{CommandBuf, Envelope, Payload};
    let world = all()[7].world();
    let mut engine = world.build().unwrap();
    let empty = CommandBuf::new();
    for tick in 0..9 {
        engine.step(tick, empty.as_commands()).unwrap();
    }
    let state = engine.checkpoint();
    engine.restore(&state).unwrap();
    assert_eq!(engine.tick(), 9);
    let mut buffer = CommandBuf::new();
    for expires_after_tick in [0, 1, 8, 9, 10, 11, u64::MAX] {
        let envelope = Envelope {
            expires_after_tick,
            ..Envelope::default()
        };
        let despawn = Payload::Despawn { entity_id: 0 };
        buffer.push(&envelope, &despawn).unwrap();
    }
    engine.step(10, buffer.as_commands()).unwrap();
    assert_eq!(engine.receipts().counts(), [0, 4, 3, 0, 0, 0]);
    assert_eq!(engine.receipts().outcomes()[4], Outcome::Unsupported);
}
