//! What an explanation says of chosen recordings. That it names the right slip in any recording is held to a
//! second simulator in `truth`.

use std::time::Duration;

use gametape_murk::engine::World;
use gametape_murk::{
    Cause, Checkpoint, CommandBuf, Divergence, Envelope, Explanation, Fault, Faulty, Slip,
    explain_slip, read, verify,
};

use crate::common::runs::{LIMIT, explained, recorded, recorded_with};
use crate::common::{bounds, only, set};

/// Returns the explanation of a recording that diverges.
fn found(world: &World, bytes: &[u8]) -> Explanation {
    explained(world, bytes, LIMIT).unwrap().1
}

/// Returns true if the only slip is that this command, both numbers from 0, was not taken.
fn is_drop(found: &Explanation, frame: u64, command: u32) -> bool {
    found.best().is_some_and(|slip| drops(slip, frame, command))
}

fn drops(slip: &Slip, frame: u64, command: u32) -> bool {
    matches!(slip, Slip::Dropped(at) if (at.frame, at.command) == (frame, command))
}

/// Returns the log without a command.
fn without(log: &[CommandBuf], frame: usize, command: usize) -> Vec<CommandBuf> {
    let mut taken = log.to_vec();
    taken[frame] = CommandBuf::new();
    for (at, other) in log[frame].as_commands().iter().enumerate() {
        if at != command {
            taken[frame].push_stored(&other).unwrap();
        }
    }
    taken
}

fn heat() -> World {
    World::from_toml(gametape_samples::murk::HEAT).unwrap()
}

/// A cause other than a single value is reported with its numbers.
#[test]
fn one_bit_of_a_hash_is_told_from_a_state() {
    let log = vec![CommandBuf::new(); 20];
    let whole = recorded(&heat(), &log, &log);
    for frame in [0, 7, 19] {
        let mut bytes = whole.clone();
        // Bit 17 of the hash, which ends the frame.
        bytes[bounds(&whole)[frame + 1] - 6] ^= 2;
        let (divergence, found) = explained(&heat(), &bytes, LIMIT).unwrap();
        assert_eq!(divergence.frame, frame as u64);
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
fn resting() -> (World, Vec<CommandBuf>) {
    // Without its oven and its ice, nothing happens on the plate.
    let resting = gametape_samples::murk::HEAT
        .replace("sources = [[0, 100.0], [255, -20.0]]", "sources = []");
    let mut log = vec![CommandBuf::new(); 30];
    log[19] = only(&set(&[7, 9], 0, 1.0));
    (World::from_toml(&resting).unwrap(), log)
}

/// A command that is taken some ticks late has no effect until then, but is not reported as
/// dropped.
#[test]
fn a_command_that_was_taken_late_is_not_called_dropped() {
    let (world, log) = resting();
    for ticks in [2, 5, 8] {
        let mut taken = without(&log, 19, 0);
        taken[19 + ticks] = log[19].clone();
        let found = found(&world, &recorded(&world, &log, &taken));
        let Some(Slip::Moved { command, to }) = found.best() else {
            panic!("{found}");
        };
        assert_eq!(
            (command.frame, command.command, *to),
            (19, 0, 20 + ticks as u64)
        );
        assert_eq!((found.explained, found.next), (11, ticks as u64));
    }
}

/// A world at rest has the same state at many ticks. A command that was dropped from it is not
/// reported as a shifted frame, and the differing value is named.
#[test]
fn a_command_dropped_from_a_resting_world_is_no_shifted_frame() {
    let (world, log) = resting();
    let bytes = recorded(&world, &log, &without(&log, 19, 0));
    let (divergence, found) = explained(&world, &bytes, LIMIT).unwrap();
    assert_eq!(
        divergence.other_tick,
        Some(19),
        "all of its ticks are the same"
    );
    let value = divergence.cause.value();
    assert!(value.is_some_and(|value| value.recorded == 0.0));
    assert!(is_drop(&found, 19, 0), "{found}");
    assert_eq!((found.explained, found.next), (11, 0));
    assert!(matches!(found.cause, Some(Cause::Value(_))));
    assert_eq!(found.evidence.unwrap().explained, 11);
}

/// However early the search ends, a slip that was replayed less far is not called worse for that.
#[test]
fn a_short_search_names_nothing_wrong() {
    let mut log = vec![CommandBuf::new(); 1200];
    for (tick, commands) in log.iter_mut().enumerate() {
        let place = tick as i32 * 7 % 256;
        for at in 0..3 {
            let cell = [place / 16, (place + at * 5) % 16];
            let set = set(&cell, 0, 1.0 + at as f32);
            commands.push(&Envelope::default(), &set).unwrap();
        }
    }
    let bytes = recorded(&heat(), &log, &without(&log, 400, 1));
    for millis in (0..10).map(|power| 1 << power) {
        let (_, found) = explained(&heat(), &bytes, Duration::from_millis(millis)).unwrap();
        match found.best() {
            // The commands were not all tried.
            None | Some(Slip::Value { .. }) => assert!(!found.complete, "{found}"),
            // The cell held 3.0 before: to write that again is the same as to drop the command.
            Some(Slip::OtherValue { .. }) => {
                let wrote = found.to_string().contains("wrote 3.0");
                assert!(!found.complete && wrote, "{found}");
            }
            Some(slip) => assert!(drops(slip, 400, 1), "{found}"),
        }
    }
    let found = found(&heat(), &bytes);
    assert!(is_drop(&found, 400, 1), "{found}");
    assert_eq!((found.explained, found.open), (800, false));
}

/// A slip that explains only the first hashes says how many, and of how many.
#[test]
fn how_much_a_slip_explains_is_said() {
    let (world, mut log) = resting();
    let dark = vec![CommandBuf::new(); 30];
    // A slip that explains all says so.
    let all = found(&world, &recorded(&world, &log, &dark)).to_string();
    assert!(all.starts_with("one slip explains it: "), "{all}");
    // Another stove that is lit without effect as well: from there on the first slip explains
    // nothing.
    log[24] = only(&set(&[2, 3], 0, 1.0));
    let found = found(&world, &recorded(&world, &log, &dark));
    assert!(is_drop(&found, 19, 0), "{found}");
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
}

/// If many slips explain the first hashes and one explains all, that one is named, and not counted
/// with the others.
#[test]
fn what_explains_less_is_not_counted_with_the_best() {
    let (world, _) = resting();
    let mut log = vec![CommandBuf::new(); 160];
    for (frame, column) in [(100, 3), (105, 5)] {
        // With one more tick before it, it would be too late.
        let envelope = Envelope {
            expires_after_tick: frame as u64 + 1,
            ..Envelope::default()
        };
        log[frame]
            .push(&envelope, &set(&[7, column], 0, 1.0))
            .unwrap();
    }
    let found = found(&world, &recorded(&world, &log, &without(&log, 100, 0)));
    // After the next frame, or a tick later, it would have been too late, too.
    assert!(
        found.slips.iter().any(|slip| drops(slip, 100, 0)),
        "{found}"
    );
    assert_eq!((found.slips.len(), found.more), (3, 0), "{found}");
    assert_eq!((found.explained, found.next), (60, 5));
}

/// If the search's own replay does not diverge, that is not a damaged hash without damaged bits:
/// two replays differ.
#[test]
fn a_divergence_that_is_not_there_the_second_time_is_no_damage_in_0_bits() {
    let world = heat();
    let log = vec![CommandBuf::new(); 200];
    let bytes = recorded(&world, &log, &log);
    let replay = read(&bytes).unwrap();
    let again = |divergence: &Divergence| {
        explain_slip(&replay, &mut world.build().unwrap(), divergence, LIMIT).unwrap()
    };
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
        let found = again(divergence);
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
        let none = again(&Divergence {
            replayed_hash: divergence.recorded_hash,
            ..divergence.clone()
        });
        assert!(none.slips.is_empty() && none.parted.is_none(), "{none}");
    }
}

/// A damaged hash is not the verdict if a slip explains more.
#[test]
fn a_lesser_reading_of_the_hash_is_not_the_verdict() {
    let flares = "dt = 0.1
        space = { kind = 'line1d', len = 6, edge = 'absorb' }
        field = [
            { name = 'flare', type = 'scalar', mutability = 'per_tick' },
            { name = 'smoke', type = 'scalar', mutability = 'per_tick' },
        ]
        [[propagator]]
        kind = 'agent_emission'
        presence_field = 'flare'
        emission_field = 'smoke'
        intensity = 0.5
        mode = 'additive'
    ";
    let world = World::from_toml(flares).unwrap();
    let mut log = vec![CommandBuf::new(); 30];
    for frame in [9, 19] {
        for cell in [1, 4] {
            log[frame]
                .push(&Envelope::default(), &set(&[cell], 0, 1.0))
                .unwrap();
        }
    }
    let (slip, other) = (world.variants(None, 2))
        .find(|(slip, _)| matches!(slip, Slip::Parameter { key, then, .. } if key.contains("intensity") && then == "0.25"))
        .unwrap();
    // Two values differ in one tick, and again ten ticks later; between them all is equal.
    let bytes = recorded_with(&world, &log, &log, |tick, run| {
        if tick == 11 {
            let mut then = other.build().unwrap();
            then.adopt(&run.checkpoint()).unwrap();
            *run = then;
        }
    });
    let (divergence, found) = explained(&world, &bytes, LIMIT).unwrap();
    assert_eq!(
        (divergence.frame, found.best()),
        (10, Some(&slip)),
        "{found}"
    );
    assert_eq!(found.explained, 20);
    let cause = found.cause.unwrap();
    assert!(!matches!(cause, Cause::Hash { .. }), "{cause:?}");
    assert_eq!(found.evidence.unwrap().explained, 20);
}
