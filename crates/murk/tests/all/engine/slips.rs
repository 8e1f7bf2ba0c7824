//! What an explanation says of chosen recordings. That it names the right slip in any recording is held to a
//! second simulator in `truth`.

use std::time::Duration;

use gametape_murk::engine::World;
use gametape_murk::{
    Cause, Checkpoint, CommandBuf, Divergence, Envelope, Explanation, Fault, Faulty, Payload,
    Simulation, Slip, State, VerifyError, Writer, explain_slip, explain_slip_with, read, verify,
};

/// Long enough for a slow machine: speed is not tested here.
const LIMIT: Duration = Duration::from_mins(10);

#[derive(Clone, Debug)]
struct Set {
    coord: Vec<i32>,
    field: u32,
    value: f32,
    envelope: Envelope,
}

type Log = Vec<Vec<Set>>;

/// The change of a log that gives the recorded one, with frames and commands by number.
enum Wrong {
    Nothing,
    Drop(usize, usize),
    Move(usize, usize, usize),
    Bit(usize, u32),
    /// Another world from a frame on.
    World(usize, World),
}

fn buffer(sets: &[Set]) -> CommandBuf {
    let mut buffer = CommandBuf::new();
    for set in sets {
        let payload = Payload::SetField {
            coord: set.coord.as_slice().into(),
            field: set.field,
            value: set.value,
        };
        buffer.push(&set.envelope, &payload).unwrap();
    }
    buffer
}

/// Returns the hash of each frame in a recording with this mistake.
fn hashes(world: &World, log: &Log, wrong: &Wrong) -> Vec<u64> {
    let mut taken = log.clone();
    match *wrong {
        Wrong::Drop(frame, command) => drop(taken[frame].remove(command)),
        Wrong::Move(frame, command, to) => {
            let moved = taken[frame].remove(command);
            taken[to].push(moved);
        }
        Wrong::Nothing | Wrong::Bit(..) | Wrong::World(..) => {}
    }
    let mut simulation = world.build().unwrap();
    let frames = taken.iter().enumerate().map(|(at, sets)| {
        if let Wrong::World(from, other) = wrong
            && *from == at
        {
            let mut other = other.build().unwrap();
            other.adopt(&simulation.checkpoint()).unwrap();
            simulation = other;
        }
        simulation.step(0, buffer(sets).as_commands()).unwrap();
        let hash = State::of(&simulation, world.field_count()).hash();
        match wrong {
            Wrong::Bit(frame, bit) if *frame == at => hash ^ (1 << bit),
            _ => hash,
        }
    });
    frames.collect()
}

/// Returns true if a slip is this mistake.
fn is(slip: &Slip, wrong: &Wrong) -> bool {
    let of = |at: &gametape_murk::CommandAt, frame: usize, command: usize| {
        (at.frame, at.command) == (frame as u64, command as u32)
    };
    match (slip, wrong) {
        (Slip::Dropped(at), &Wrong::Drop(frame, command)) => of(at, frame, command),
        (Slip::Moved { command: at, to }, &Wrong::Move(frame, command, into)) => {
            of(at, frame, command) && *to == into as u64 + 1
        }
        _ => false,
    }
}

/// Returns the recording of a log with these hashes.
fn recorded(world: &World, log: &Log, hashes: &[u64]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &world.header()).unwrap();
    for (tick, (sets, hash)) in (1..).zip(log.iter().zip(hashes)) {
        writer
            .push(tick, buffer(sets).as_commands(), *hash)
            .unwrap();
    }
    writer.finish().unwrap()
}

/// Returns the frame where the recording diverges, and the explanation.
fn found(world: &World, bytes: &[u8]) -> Option<(usize, Explanation)> {
    found_within(world, bytes, LIMIT)
}

fn found_within(world: &World, bytes: &[u8], limit: Duration) -> Option<(usize, Explanation)> {
    let replay = read(bytes).unwrap();
    let Err(VerifyError::SnapshotMismatch(divergence)) =
        verify(&replay, &mut world.build().unwrap())
    else {
        return None;
    };
    let commands = replay.frames().map(|frame| frame.unwrap().commands().len());
    let variants = world.slips(None, commands.max().unwrap() as u32);
    let mut simulation = world.build().unwrap();
    let found = explain_slip_with(
        &replay,
        &mut simulation,
        &divergence,
        limit,
        variants,
        &mut |_| true,
    );
    Some((divergence.frame as usize, found.unwrap()))
}

/// A cause other than a single value is reported with its numbers.
#[test]
fn one_bit_of_a_hash_is_told_from_a_state() {
    let world = World::from_toml(gametape_samples::murk::HEAT).unwrap();
    let log: Log = vec![Vec::new(); 20];
    for frame in [0, 7, 19] {
        let hashes = hashes(&world, &log, &Wrong::Bit(frame, 17));
        let (at, found) = found(&world, &recorded(&world, &log, &hashes)).unwrap();
        assert_eq!(at, frame);
        assert_eq!(
            found.best(),
            Some(&Slip::Hash { bits: 1, bit: 17 }),
            "{found}"
        );
        assert_eq!(found.cause, Some(Cause::Hash { bits: 1 }));
        assert_eq!(found.explained, 20 - frame as u64);
    }
}

/// A plate on which nothing happens except that a stove is lit at frame 19 of 30.
fn resting() -> (World, Log) {
    // Without its oven and its ice, nothing happens on the plate.
    let resting = gametape_samples::murk::HEAT
        .replace("sources = [[0, 100.0], [255, -20.0]]", "sources = []");
    let mut log: Log = vec![Vec::new(); 30];
    log[19].push(Set {
        coord: vec![7, 9],
        field: 0,
        value: 1.0,
        envelope: Envelope::default(),
    });
    (World::from_toml(&resting).unwrap(), log)
}

/// A command that is taken some ticks late has no effect until then, but is not reported as
/// dropped.
#[test]
fn a_command_that_was_taken_late_is_not_called_dropped() {
    let (world, log) = resting();
    for ticks in [2, 5, 8] {
        let wrong = Wrong::Move(19, 0, 19 + ticks);
        let hashes = hashes(&world, &log, &wrong);
        let (_, found) = found(&world, &recorded(&world, &log, &hashes)).unwrap();
        assert!(found.best().is_some_and(|slip| is(slip, &wrong)), "{found}");
        assert_eq!((found.explained, found.next), (11, ticks as u64));
    }
}

/// A world at rest has the same state at many ticks. A command that was dropped from it is not
/// reported as a shifted frame, and the differing value is named.
#[test]
fn a_command_dropped_from_a_resting_world_is_no_shifted_frame() {
    let (world, log) = resting();
    let hashes = hashes(&world, &log, &Wrong::Drop(19, 0));
    let bytes = recorded(&world, &log, &hashes);
    let error = verify(&read(&bytes).unwrap(), &mut world.build().unwrap()).unwrap_err();
    let divergence = error.divergence().unwrap();
    assert_eq!(
        divergence.other_tick,
        Some(19),
        "all of its ticks are the same"
    );
    assert!(
        divergence
            .cause
            .value()
            .is_some_and(|value| value.recorded == 0.0)
    );
    let (_, found) = found(&world, &bytes).unwrap();
    assert!(
        found
            .best()
            .is_some_and(|slip| is(slip, &Wrong::Drop(19, 0))),
        "{found}"
    );
    assert_eq!((found.explained, found.next), (11, 0));
    assert!(matches!(found.cause, Some(Cause::Value(_))));
    assert_eq!(found.evidence.unwrap().explained, 11);
}

/// However early the search ends, a slip that was replayed less far is not called worse for that.
#[test]
fn a_short_search_names_nothing_wrong() {
    let world = World::from_toml(gametape_samples::murk::HEAT).unwrap();
    let mut log: Log = vec![Vec::new(); 1200];
    for (tick, sets) in log.iter_mut().enumerate() {
        let place = tick as i32 * 7 % 256;
        sets.extend((0..3).map(|at| Set {
            coord: vec![place / 16, (place + at * 5) % 16],
            field: 0,
            value: 1.0 + at as f32,
            envelope: Envelope::default(),
        }));
    }
    let wrong = Wrong::Drop(400, 1);
    let hashes = hashes(&world, &log, &wrong);
    let bytes = recorded(&world, &log, &hashes);
    for millis in (0..10).map(|power| 1 << power) {
        let (_, found) = found_within(&world, &bytes, Duration::from_millis(millis)).unwrap();
        match found.best() {
            // The commands were not all tried.
            None | Some(Slip::Value { .. }) => assert!(!found.complete, "{found}"),
            // The cell held 3.0 before: to write that again is the same as to drop the command.
            Some(Slip::OtherValue { .. }) => {
                assert!(
                    !found.complete && found.to_string().contains("wrote 3.0"),
                    "{found}"
                );
            }
            Some(slip) => assert!(is(slip, &wrong), "{found}"),
        }
    }
    let (_, found) = found(&world, &bytes).unwrap();
    assert!(found.best().is_some_and(|slip| is(slip, &wrong)), "{found}");
    assert_eq!((found.explained, found.open), (800, false));
}

/// A slip that explains only the first hashes says how many, and of how many.
#[test]
fn how_much_a_slip_explains_is_said() {
    let (world, mut log) = resting();
    // Another stove that is lit without effect as well: from there on the first slip explains
    // nothing.
    let other = Set {
        coord: vec![2, 3],
        ..log[19][0].clone()
    };
    log[24].push(other);
    let dark: Log = vec![Vec::new(); 30];
    let hashes_of = |log: &Log| hashes(&world, log, &Wrong::Nothing);
    let (_, found) = found(&world, &recorded(&world, &log, &hashes_of(&dark))).unwrap();
    assert!(
        found
            .best()
            .is_some_and(|slip| is(slip, &Wrong::Drop(19, 0))),
        "{found}"
    );
    assert_eq!((found.explained, found.after), (5, 10));
    let said = found.to_string();
    assert!(
        said.starts_with("one slip explains 5 of the 11 hashes from here on, and none that was tried explains all: the recorded simulation did not take command 0 of tick 20"),
        "{said}"
    );
    assert!(!said.contains("explains it"), "{said}");
    let evidence = found.evidence.unwrap().to_string();
    assert!(
        evidence.starts_with("explains 5 of the 11 hashes from here on"),
        "{evidence}"
    );
    // A slip that explains all says so.
    let (_, all) = self::found(&world, &recorded(&world, &resting().1, &hashes_of(&dark))).unwrap();
    assert!(
        all.to_string().starts_with("one slip explains it: "),
        "{all}"
    );
}

/// If many slips explain the first hashes and one explains all, that one is named, and not counted
/// with the others.
#[test]
fn what_explains_less_is_not_counted_with_the_best() {
    let (world, _) = resting();
    let mut log: Log = vec![Vec::new(); 160];
    let lit = |frame: usize, column: i32| Set {
        coord: vec![7, column],
        field: 0,
        value: 1.0,
        // With one more tick before it, it would be too late.
        envelope: Envelope {
            expires_after_tick: frame as u64 + 1,
            ..Envelope::default()
        },
    };
    for (frame, column) in [(100, 3), (105, 5)] {
        log[frame].push(lit(frame, column));
    }
    let wrong = Wrong::Drop(100, 0);
    let hashes = hashes(&world, &log, &wrong);
    let (_, found) = found(&world, &recorded(&world, &log, &hashes)).unwrap();
    // After the next frame, or a tick later, it would have been too late, too.
    assert!(found.slips.iter().any(|slip| is(slip, &wrong)), "{found}");
    assert_eq!((found.slips.len(), found.more), (3, 0), "{found}");
    assert_eq!((found.explained, found.next), (60, 5));
}

/// If the search's own replay does not diverge, that is not a damaged hash without damaged bits:
/// two replays differ.
#[test]
fn a_divergence_that_is_not_there_the_second_time_is_no_damage_in_0_bits() {
    let world = World::from_toml(gametape_samples::murk::HEAT).unwrap();
    let log: Log = vec![Vec::new(); 200];
    let hashes = hashes(&world, &log, &Wrong::Nothing);
    let bytes = recorded(&world, &log, &hashes);
    let replay = read(&bytes).unwrap();
    for step in [1, 2, 70, 200] {
        // The first replay has another value for a tick.
        let fault = Fault {
            step,
            field: 3,
            element: 17,
            bit: 20,
        };
        let mut first = Faulty::new(world.build().unwrap(), fault);
        let error = verify(&replay, &mut first).unwrap_err();
        let divergence = error.divergence().unwrap();
        assert_eq!(divergence.tick, step);
        let mut second = world.build().unwrap();
        let found = explain_slip(&replay, &mut second, divergence, LIMIT).unwrap();
        assert!(found.slips.is_empty() && found.cause.is_none(), "{found}");
        let parted = found.parted.as_ref().unwrap();
        assert_eq!(
            (parted.tick, parted.count, parted.went_back),
            (step, 1, false)
        );
        assert_eq!(parted.hash, divergence.replayed_hash);
        assert_eq!(parted.other_hash, Some(divergence.recorded_hash));
        assert_eq!(parted.differences[0].place(), "field 3 (heat) at [1, 1]");
        assert!(!found.to_string().contains("damaged"), "{found}");
        // If the replay has the recorded hash, there is no divergence.
        let none = Divergence {
            replayed_hash: divergence.recorded_hash,
            ..divergence.clone()
        };
        let mut second = world.build().unwrap();
        let found = explain_slip(&replay, &mut second, &none, LIMIT).unwrap();
        assert!(found.slips.is_empty() && found.parted.is_none(), "{found}");
    }
}

/// A damaged hash is not the verdict if a slip explains more.
#[test]
fn a_lesser_reading_of_the_hash_is_not_the_verdict() {
    let flares = "dt = 0.1
        space = { kind = 'line1d', len = 6, edge = 'absorb' }
        [[field]]
        name = 'flare'
        type = 'scalar'
        mutability = 'per_tick'
        [[field]]
        name = 'smoke'
        type = 'scalar'
        mutability = 'per_tick'
        [[propagator]]
        kind = 'agent_emission'
        presence_field = 'flare'
        emission_field = 'smoke'
        intensity = 0.5
        mode = 'additive'
    ";
    let world = World::from_toml(flares).unwrap();
    let mut log: Log = vec![Vec::new(); 30];
    for frame in [9, 19] {
        log[frame] = [1, 4]
            .map(|cell| Set {
                coord: vec![cell],
                field: 0,
                value: 1.0,
                envelope: Envelope::default(),
            })
            .to_vec();
    }
    let (slip, other) = (world.variants(None, 2))
        .find(|(slip, _)| matches!(slip, Slip::Parameter { key, then, .. } if key.contains("intensity") && then == "0.25"))
        .unwrap();
    // Two values differ in one tick, and again ten ticks later; between them all is equal.
    let wrong = Wrong::World(10, other);
    let hashes = hashes(&world, &log, &wrong);
    let (at, found) = found(&world, &recorded(&world, &log, &hashes)).unwrap();
    assert_eq!((at, found.best()), (10, Some(&slip)), "{found}");
    assert_eq!(found.explained, 20);
    let cause = found.cause.unwrap();
    assert!(!matches!(cause, Cause::Hash { .. }), "{cause:?}");
    assert_eq!(found.evidence.unwrap().explained, 20);
}
