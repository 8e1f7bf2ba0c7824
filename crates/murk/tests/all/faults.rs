//! Broken determinism is named exactly, or reported as ambiguous.

use crate::common::{CELLS, COLS, Grid, Noise, recording, set};
use gametape_murk::{
    Cause, Checkpoint, Checkpoints, CommandBuf, CommandLog, Commands, Divergence, Reader,
    Simulation, State, SyncError, VerifyError, diff, diff_states, minimise, read, rollback_test,
    snapshot_hash, sync_test, verify, verify_stream,
};

/// Returns the recording with another hash in a frame.
fn with_hash(bytes: &[u8], frame: u64, hash: u64) -> Vec<u8> {
    let frame = read(bytes)
        .unwrap()
        .frames()
        .map(Result::unwrap)
        .nth(frame as usize)
        .unwrap();
    let end = (frame.offset + frame.size()) as usize;
    let mut copy = bytes.to_vec();
    copy[end - 8..end].copy_from_slice(&hash.to_le_bytes());
    copy
}

fn divergence(bytes: &[u8]) -> Divergence {
    match verify(&read(bytes).unwrap(), &mut Grid::new()) {
        Err(VerifyError::SnapshotMismatch(divergence)) => *divergence,
        other => panic!("{other:?}"),
    }
}

/// Returns the state after each tick.
fn states(bytes: &[u8]) -> Vec<State> {
    let mut grid = Grid::new();
    read(bytes)
        .unwrap()
        .frames()
        .map(|frame| {
            let frame = frame.unwrap();
            grid.step(frame.tick, frame.commands()).unwrap();
            State::of(&grid, 3)
        })
        .collect()
}

/// Returns the hash of a state with some bits of a value flipped, and that value.
fn hash_with(state: &State, field: usize, element: usize, bits: u32) -> (u64, f32) {
    let mut fields: Vec<Vec<f32>> = state.fields().map(<[f32]>::to_vec).collect();
    let value = f32::from_bits(fields[field][element].to_bits() ^ bits);
    fields[field][element] = value;
    (snapshot_hash(fields.iter().map(Vec::as_slice)), value)
}

#[test]
fn a_sound_recording_verifies_whichever_way_it_is_read() {
    let bytes = recording(203, 1);
    let verified = verify(&read(&bytes).unwrap(), &mut Grid::new()).unwrap();
    assert_eq!((verified.frames, verified.last_tick), (203, Some(203)));
    let mut reader = Reader::new(bytes.as_slice());
    assert_eq!(
        verify_stream(&mut reader, &mut Grid::new()).unwrap(),
        verified
    );
}

/// Single values of the recorded state, changed at random ticks, cells and bits.
#[test]
fn thousands_of_single_faults_are_named_exactly() {
    let bytes = recording(60, 2);
    let states = states(&bytes);
    let mut noise = Noise(3);
    let (mut exact, mut ambiguous) = (0, 0);
    for round in 0..3000 {
        let frame = noise.below(60);
        let field = noise.below(2);
        let element = noise.below([CELLS, 2 * CELLS][field]);
        // One bit, or any number of them.
        let bits = if round % 2 == 0 {
            1 << noise.below(32)
        } else {
            (noise.next() as u32).max(1)
        };
        let (hash, value) = hash_with(&states[frame], field, element, bits);
        let found = divergence(&with_hash(&bytes, frame as u64, hash));
        assert_eq!((found.frame, found.tick), (frame as u64, frame as u64 + 1));
        assert_eq!(found.recorded_hash, hash);
        let right = |difference: &gametape_murk::Difference| {
            difference.field as usize == field
                && difference.element == element
                && difference.recorded.to_bits() == value.to_bits()
                && difference.replayed.to_bits() == value.to_bits() ^ bits
        };
        match &found.cause {
            Cause::Value(difference) => {
                assert!(right(difference), "{found}");
                // Then the simulation need not be at fault.
                assert_eq!(
                    found.to_string().contains("a flipped bit or an edit"),
                    bits.is_power_of_two(),
                    "{found}"
                );
                let cell = element / [1, 2][field];
                let location = difference.location.as_ref().unwrap();
                assert_eq!(location.coord, [(cell / COLS) as i32, (cell % COLS) as i32]);
                exact += 1;
            }
            Cause::Ambiguous(list) => {
                assert!(list.iter().any(right), "{found}");
                ambiguous += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    // About 2⁻³² of a million candidates match by chance.
    assert!(ambiguous <= 1, "{ambiguous}");
    assert_eq!(exact + ambiguous, 3000);
}

#[test]
fn two_values_that_differ_are_not_named() {
    let bytes = recording(20, 4);
    let states = states(&bytes);
    for pair in 0..50 {
        let mut fields: Vec<Vec<f32>> = states[9].fields().map(<[f32]>::to_vec).collect();
        fields[0][pair] += 1.0;
        fields[0][pair + 40] += 2.0;
        let hash = snapshot_hash(fields.iter().map(Vec::as_slice));
        let found = divergence(&with_hash(&bytes, 9, hash));
        assert_eq!((found.tick, found.cause), (10, Cause::Many));
    }
}

/// If a simulation does not name the writer, none is guessed. Here heat spreads over values that
/// commands set.
#[test]
fn nobody_is_named_where_the_simulation_does_not_say() {
    let bytes = recording(40, 5);
    let state = &states(&bytes)[30];
    for element in 0..CELLS {
        let (hash, _) = hash_with(state, 0, element, 3);
        let found = divergence(&with_hash(&bytes, 30, hash));
        assert_eq!(found.cause.value().unwrap().element, element);
        assert_eq!(found.written_by, None);
        let text = found.to_string();
        assert!(text.ends_with(')'), "{text}");
    }
}

#[test]
fn shifted_frames_are_told_from_faults() {
    let bytes = recording(40, 6);
    let states = states(&bytes);
    for (frame, of) in [(20, 19), (20, 15), (17, 18)] {
        let found = divergence(&with_hash(&bytes, frame, states[of].hash()));
        assert_eq!(found.tick, frame + 1);
        assert_eq!(
            found.cause,
            Cause::OtherTick {
                tick: of as u64 + 1
            }
        );
    }
}

#[test]
fn a_recording_of_another_configuration_is_refused_before_the_first_tick() {
    let mut bytes = recording(3, 7);
    // config_hash follows the four empty strings and the seed.
    bytes[29] ^= 1;
    let mut grid = Grid::new();
    let error = verify(&read(&bytes).unwrap(), &mut grid).unwrap_err();
    assert!(matches!(
        error,
        VerifyError::ConfigMismatch {
            recorded: 0x1235,
            expected: 0x1234
        }
    ));
    assert_eq!(grid.steps, 0);
    // An unset hash matches everything.
    bytes[29..37].fill(0);
    assert!(verify(&read(&bytes).unwrap(), &mut Grid::new()).is_ok());
}

#[test]
fn a_header_that_claims_billions_of_fields_is_refused_at_once() {
    let mut bytes = recording(3, 7);
    // field_count follows the seed and the hash.
    bytes[37..41].fill(0xff);
    let replay = read(&bytes).unwrap();
    let error = verify(&replay, &mut Grid::new()).unwrap_err();
    assert!(matches!(
        error,
        VerifyError::TooManyFields { fields: u32::MAX }
    ));
    let mut other = bytes.clone();
    let end = other.len();
    other[end - 1] ^= 1;
    let error = diff_states(
        &replay,
        &read(&other).unwrap(),
        &mut Grid::new(),
        &mut Grid::new(),
    );
    assert!(matches!(error, Err(VerifyError::TooManyFields { .. })));
}

#[test]
fn a_state_too_large_to_copy_is_compared_where_it_is() {
    struct Large(Vec<f32>);
    impl Simulation for Large {
        type Error = std::convert::Infallible;
        fn step(&mut self, tick: u64, _: Commands<'_>) -> Result<(), Self::Error> {
            self.0[tick as usize * 1000] = tick as f32;
            Ok(())
        }
        fn field(&self, field: u32) -> Option<&[f32]> {
            (field == 0).then_some(&self.0)
        }
    }
    let header = gametape_murk::Header {
        field_count: 1,
        ..gametape_murk::Header::default()
    };
    let empty = || Large(vec![0.0; 1 << 20]);
    let mut recorder = gametape_murk::Recorder::new(
        gametape_murk::Writer::new(Vec::new(), &header).unwrap(),
        &header,
    );
    let mut world = empty();
    let mut last = 0;
    for tick in 1..=20 {
        last = recorder
            .step(&mut world, tick, CommandBuf::new().as_commands())
            .unwrap();
    }
    let bytes = recorder.finish().unwrap();
    assert!(verify(&read(&bytes).unwrap(), &mut empty()).is_ok());
    world.0[77] = 3.5;
    let hash = snapshot_hash([world.0.as_slice()]);
    assert_ne!(hash, last);
    let error = verify(&read(&with_hash(&bytes, 19, hash)).unwrap(), &mut empty()).unwrap_err();
    let found = error.divergence().unwrap();
    let value = found.cause.value().unwrap();
    assert_eq!((found.tick, value.element, value.recorded), (20, 77, 3.5));
}

#[test]
fn checkpoints_lead_to_every_tick_and_verify_the_parts_side_by_side() {
    let bytes = recording(100, 8);
    let replay = read(&bytes).unwrap();
    let states = states(&bytes);
    let (saved, verified) = Checkpoints::record(&replay, &mut Grid::new(), 7).unwrap();
    assert_eq!((saved.len(), verified.frames), (15, 100));
    let mut grid = Grid::new();
    for tick in [50, 3, 100, 1, 7, 49, 48] {
        assert!(saved.seek(&replay, &mut grid, tick).unwrap());
        assert_eq!(State::of(&grid, 3), states[tick as usize - 1]);
        assert_eq!(grid.steps, tick);
    }
    assert!(!saved.seek(&replay, &mut grid, 101).unwrap());

    let grids = || vec![Grid::new(), Grid::new(), Grid::new()];
    assert_eq!(saved.verify(&replay, grids()).unwrap(), verified);
    // A fault in the middle of a part, and a later one: the first one is reported.
    let (hash, _) = hash_with(&states[60], 1, 5, 1 << 20);
    let broken = with_hash(&with_hash(&bytes, 90, 1), 60, hash);
    let error = saved.verify(&read(&broken).unwrap(), grids()).unwrap_err();
    let found = error.divergence().unwrap();
    assert_eq!((found.tick, found.frame), (61, 60));
    assert_eq!(found.cause.value().unwrap().element, 5);
}

fn log_of(bytes: &[u8]) -> CommandLog {
    let replay = read(bytes).unwrap();
    let frames: Vec<_> = replay.frames().map(Result::unwrap).collect();
    frames
        .iter()
        .map(|frame| (frame.tick, frame.commands()))
        .collect()
}

#[test]
fn runs_of_a_deterministic_simulation_are_in_sync() {
    let log = log_of(&recording(150, 9));
    let grids = (0..5).map(|_| Grid::new()).collect();
    let sync = sync_test(grids, || log.iter(), 3).unwrap();
    assert_eq!((sync.ticks, sync.runs), (150, 5));
    let rolled = rollback_test(&mut Grid::new(), log.iter(), 3, 8).unwrap();
    assert_eq!((rolled.ticks, rolled.last_hash), (150, sync.last_hash));
}

#[test]
fn the_run_that_goes_astray_is_named_with_its_cell() {
    let log = log_of(&recording(150, 9));
    let mut grids: Vec<Grid> = (0..4).map(|_| Grid::new()).collect();
    grids[2].fault = Some((77, 30, 1 << 3));
    let Err(SyncError::Desync(desync)) = sync_test(grids, || log.iter(), 3) else {
        panic!()
    };
    assert_eq!((desync.tick, desync.run, desync.count), (77, 2, 1));
    assert_eq!(desync.differences[0].element, 30);
    let text = desync.to_string();
    assert!(
        text.starts_with("run 2 differs from run 0 in 1 value: field 0 (heat) at [2, 2] is "),
        "{text}"
    );
}

/// The other runs wait for each tick of all runs.
#[test]
fn a_run_that_panics_ends_them_all() {
    struct Frail(u32);
    impl Simulation for Frail {
        type Error = std::convert::Infallible;
        fn step(&mut self, tick: u64, _: Commands<'_>) -> Result<(), Self::Error> {
            assert!(self.0 == 0 || tick < 7, "run {} is frail", self.0);
            Ok(())
        }
        fn field(&self, _: u32) -> Option<&[f32]> {
            None
        }
    }
    let log = log_of(&recording(20, 9));
    let runs = || sync_test((0..3).map(Frail).collect(), || log.iter(), 1);
    let panic = std::panic::catch_unwind(runs).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().unwrap(), "run 1 is frail");
}

#[test]
fn a_checkpoint_that_forgets_something_is_found_by_rolling_back() {
    struct Forgetful(Grid);
    impl Simulation for Forgetful {
        type Error = std::convert::Infallible;
        fn step(&mut self, tick: u64, commands: Commands<'_>) -> Result<(), Self::Error> {
            self.0.step(tick, commands)
        }
        fn field(&self, field: u32) -> Option<&[f32]> {
            self.0.field(field)
        }
    }
    impl Checkpoint for Forgetful {
        type State = Vec<f32>;
        fn checkpoint(&self) -> Vec<f32> {
            self.0.heat[1..].to_vec()
        }
        fn restore(&mut self, state: &Vec<f32>) -> Result<(), Self::Error> {
            self.0.heat[1..].copy_from_slice(state);
            Ok(())
        }
    }
    let log = log_of(&recording(150, 9));
    let Err(SyncError::Desync(desync)) =
        rollback_test(&mut Forgetful(Grid::new()), log.iter(), 3, 5)
    else {
        panic!()
    };
    assert!(desync.count >= 1 && desync.run == 1);
}

#[test]
fn a_diff_names_the_command_and_with_simulations_the_cells() {
    let bytes = recording(30, 10);
    let replay = read(&bytes).unwrap();
    assert!(diff(&replay, &replay).unwrap().is_same());

    // The same with one more command at tick 12, recorded by another run.
    let mut grid = Grid::new();
    let header = Grid::header();
    let writer = gametape_murk::Writer::new(Vec::new(), &header).unwrap();
    let mut recorder = gametape_murk::Recorder::new(writer, &header);
    for (tick, commands) in log_of(&bytes).iter() {
        let mut buffer = CommandBuf::new();
        buffer.assign(commands);
        if tick == 12 {
            let payload = set(&[4, 5], 0, -7.0);
            buffer
                .push(&gametape_murk::Envelope::default(), &payload)
                .unwrap();
        }
        recorder
            .step(&mut grid, tick, buffer.as_commands())
            .unwrap();
    }
    let other = recorder.finish().unwrap();
    let other = read(&other).unwrap();
    let found = diff_states(&replay, &other, &mut Grid::new(), &mut Grid::new()).unwrap();
    assert_eq!((found.more, found.frames), (18, (30, 30)));
    let first = found.first.unwrap();
    assert_eq!((first.frame, first.tick), (11, Some(12)));
    let (_, ours, theirs) = first.command.unwrap();
    assert!(ours.is_none());
    assert!(
        theirs
            .unwrap()
            .0
            .starts_with("set_field 0 at [4, 5] to -7.0")
    );
    let Some(gametape_murk::StateDiff::Values(values, count)) = first.states else {
        panic!()
    };
    // The cell, its four neighbours and their wind; each neighbour's neighbours follow a tick
    // later.
    assert!(values.iter().any(|value| value.element == 4 * COLS + 5));
    assert_eq!(count, 15);

    // The same commands with another hash: the state after it is found in the wrong recording.
    let states = states(&bytes);
    let (hash, value) = hash_with(&states[20], 0, 33, 1 << 22);
    let lying = with_hash(&bytes, 20, hash);
    let lying = read(&lying).unwrap();
    let found = diff_states(&replay, &lying, &mut Grid::new(), &mut Grid::new()).unwrap();
    let Some(gametape_murk::StateDiff::Hashes(None, Some(Cause::Value(named)))) =
        found.first.unwrap().states
    else {
        panic!()
    };
    assert_eq!(
        (named.element, named.recorded.to_bits()),
        (33, value.to_bits())
    );
}

#[test]
fn a_shorter_recording_differs_where_it_ends() {
    let long = recording(30, 11);
    let replay = read(&long).unwrap();
    let cut = replay.frames().map(Result::unwrap).nth(25).unwrap().offset as usize;
    let found = diff(&replay, &read(&long[..cut]).unwrap()).unwrap();
    let first = found.first.unwrap();
    assert_eq!(
        (first.frame, first.tick, first.other_tick),
        (25, Some(26), None)
    );
    assert_eq!((found.more, found.frames), (4, (30, 25)));
}

/// The fault shows if two given commands, and a third one after them, are in the log.
#[test]
fn minimising_finds_exactly_the_commands_that_matter() {
    let log = log_of(&recording(200, 12));
    let total = log.commands();
    assert!(total > 200);
    let stored = |log: &CommandLog| -> Vec<Vec<u8>> {
        log.iter()
            .flat_map(|(tick, commands)| {
                commands.into_iter().map(move |command| {
                    let mut key = tick.to_le_bytes().to_vec();
                    key.extend_from_slice(command.payload);
                    key
                })
            })
            .collect()
    };
    let all = stored(&log);
    let needed = [&all[17], &all[18], &all[140]];
    let small = minimise(&log, 10_000, |log| {
        let there = stored(log);
        let shows = needed.iter().all(|key| there.contains(key));
        let last = log
            .iter()
            .position(|(tick, _)| needed[2].starts_with(&tick.to_le_bytes()));
        Ok::<_, gametape_murk::WriteError>(last.filter(|_| shows).map(|at| at + 1))
    })
    .unwrap()
    .unwrap();
    assert!(small.complete);
    assert_eq!(stored(&small.log).iter().collect::<Vec<_>>(), needed);
    assert!(small.trials < 400, "{}", small.trials);
    // A log that never shows the fault has no result.
    let nothing = minimise(&log, 10, |_| Ok::<_, gametape_murk::WriteError>(None)).unwrap();
    assert!(nothing.is_none());
    // Stopped early, the fault still shows.
    let early = minimise(&log, 5, |log| {
        let there = stored(log);
        Ok::<_, gametape_murk::WriteError>(
            needed
                .iter()
                .all(|key| there.contains(key))
                .then_some(log.len()),
        )
    })
    .unwrap()
    .unwrap();
    assert!(!early.complete && needed.iter().all(|key| stored(&early.log).contains(key)));
}
