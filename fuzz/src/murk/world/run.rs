//! Runs a world and repeats the run.

use arbitrary::{Result, Unstructured};
use gametape_murk::Rejection;
use gametape_murk::engine::{EngineError, EngineWorld, Outcome, World};
use gametape_murk::{
    Checkpoint, Checkpoints, CommandBuf, Commands, Envelope, Error, Payload, RecordError, Recorder,
    Simulation, State, VerifyError, Writer, read, verify,
};

use crate::murk::structured;

/// The most ticks that are made.
const TICKS: usize = 8;

/// The result of a tick.
#[derive(PartialEq, Debug)]
struct Made {
    hash: u64,
    tick: u64,
    outcomes: Vec<Outcome>,
    failure: Option<String>,
}

impl Made {
    fn of(world: &EngineWorld, fields: u32) -> Self {
        Self {
            hash: State::of(world, fields).hash(),
            tick: world.tick(),
            outcomes: world.receipts().outcomes().to_vec(),
            failure: world.failure().map(ToOwned::to_owned),
        }
    }
}

fn built(world: &World) -> EngineWorld {
    world.build().expect("it is sound, and small")
}

/// Runs a small world with a script, records it, and repeats the run.
pub(super) fn check(world: &World, script: &[u8]) {
    let mut script = Unstructured::new(script);
    let Ok(ticks) = commands(&mut script, world) else {
        return;
    };
    let mut running = built(world);
    let fields = world.field_count();
    let nothing = Made::of(&running, fields);
    assert_eq!(nothing.tick, 0);
    assert_eq!(running.config_hash(), Some(world.config_hash()));
    let header = world.header();
    let writer = Writer::new(Vec::new(), &header).expect("within the limits");
    let mut recorder = Recorder::new(writer, &header);
    let mut made = Vec::new();
    let mut stopped = None;
    for (tick, commands) in (1..).zip(&ticks) {
        let commands = commands.as_commands();
        let before = running.tick();
        match recorder.step(&mut running, tick, commands) {
            Ok(hash) => {
                let now = Made::of(&running, fields);
                assert_eq!(now.hash, hash);
                told_before(world, &running, commands, before);
                made.push(now);
            }
            Err(RecordError::Simulation { tick: at, source }) => {
                assert_eq!(at, tick);
                assert!(
                    matches!(source, EngineError::TickingDisabled { .. }),
                    "{source}"
                );
                // The failed tick is recorded, too: verification must come to the same end.
                recorder.writer().push(tick, commands, 7).expect("memory");
                stopped = Some(source.to_string());
                break;
            }
            Err(error) => panic!("{error}"),
        }
    }
    let bytes = recorder.finish().expect("memory");
    verified(world, &bytes, &made, stopped.as_deref());
    let from = usize::from(script.arbitrary::<u8>().unwrap_or(0)) % (made.len() + 1);
    forged(world, &bytes, &made, from);
    taken_back(world, running, &ticks[..made.len()], &made, from);
    sought(world, &bytes, &made, from, stopped.is_none());
}

/// Commands for some ticks, mostly for existing values.
fn commands(script: &mut Unstructured<'_>, world: &World) -> Result<Vec<CommandBuf>> {
    let ticks = script.int_in_range(1..=TICKS)?;
    let mut all = Vec::with_capacity(ticks);
    for _ in 0..ticks {
        let mut tick = CommandBuf::new();
        // Without a script there are still ticks.
        let count = script.arbitrary::<u8>().unwrap_or(0) % 8;
        for _ in 0..count {
            let kind: u8 = script.arbitrary()?;
            let envelope = match kind % 4 {
                0 => structured::envelope(script)?,
                1 => Envelope {
                    expires_after_tick: u64::from(kind >> 4),
                    priority_class: kind >> 6,
                    ..Envelope::default()
                },
                _ => Envelope::default(),
            };
            if kind & 0x0C == 0 {
                structured::deed(script)?.push(&envelope, &mut tick);
                continue;
            }
            let (cell, field): (u8, u8) = script.arbitrary()?;
            let value = match kind & 0x30 {
                0 => f32::from_bits(script.arbitrary()?),
                _ => f32::from(script.arbitrary::<i8>()?) / 8.0,
            };
            let cell = u64::from(cell) % (world.cell_count() + 1);
            let coord = world.space.coord(cell);
            let coord = coord.unwrap_or_else(|| vec![-1; world.space.ndim()]);
            let set = Payload::SetField {
                coord: coord.as_slice().into(),
                field: u32::from(field) % (world.field_count() + 1),
                value,
            };
            tick.push(&envelope, &set).expect("a short payload");
        }
        all.push(tick);
    }
    Ok(all)
}

/// The outcome of each command is the one that the checker predicted, and the values that commands
/// set are there.
fn told_before(world: &World, running: &EngineWorld, commands: Commands<'_>, before: u64) {
    let checker = running.checker();
    let outcomes = running.receipts().outcomes();
    assert_eq!(outcomes.len(), commands.len());
    let counts = running.receipts().counts();
    assert_eq!(counts.iter().sum::<usize>(), outcomes.len());
    let failed = running.failure().is_some();
    assert_eq!(running.tick(), before + u64::from(!failed));
    let queue = checker.max_ingress_queue();
    for (at, (command, &outcome)) in commands.iter().zip(outcomes).enumerate() {
        let expected = match checker.check(&command, before + 1) {
            _ if at >= queue => Outcome::Refused,
            None if failed => Outcome::RolledBack,
            None => Outcome::Applied,
            Some(Rejection::Expired) => Outcome::Expired,
            Some(Rejection::Unsupported) => Outcome::Unsupported,
            Some(_) => Outcome::NotApplied,
        };
        assert_eq!(outcome, expected, "command {at}: {command:?}");
    }
    let applied = |at: usize| outcomes[at] == Outcome::Applied;
    let targets: Vec<_> = commands
        .iter()
        .map(|command| checker.target(&command))
        .collect();
    for (at, command) in commands.iter().enumerate().filter(|(at, _)| applied(*at)) {
        let target = targets[at];
        let (field, element) = target.expect("it was applied");
        let only = (0..targets.len())
            .all(|other| other == at || targets[other] != target || !applied(other));
        if only
            && world.writer(field).is_none()
            && let Ok(Payload::SetField { value, .. }) = command.payload()
        {
            let there = running.field(field).expect("the field")[element];
            assert_eq!(there.to_bits(), value.to_bits(), "{command:?}");
        }
        assert!(running.locate(field, element).is_some());
        assert!(running.field_name(field).is_some());
    }
}

fn verified(world: &World, bytes: &[u8], made: &[Made], stopped: Option<&str>) {
    let replay = read(bytes).expect("what was written");
    let mut again = built(world);
    match (verify(&replay, &mut again), stopped) {
        (Ok(verified), None) => {
            assert_eq!(verified.frames, made.len() as u64);
            assert_eq!(verified.last_tick, Some(made.len() as u64));
            let now = Made::of(&again, world.field_count());
            assert_eq!(made.last(), Some(&now));
        }
        (Err(VerifyError::Simulation { frame, source, .. }), Some(stopped)) => {
            assert_eq!(frame, made.len() as u64);
            assert_eq!(source.to_string(), stopped);
        }
        (result, stopped) => panic!("{result:?}, recorded: {stopped:?}"),
    }
}

/// A changed hash at one tick is noticed at that tick.
fn forged(world: &World, bytes: &[u8], made: &[Made], from: usize) {
    let replay = read(bytes).expect("what was written");
    let frames: std::result::Result<Vec<_>, Error> = replay.frames().collect();
    let frames = frames.expect("what was written");
    let Some(frame) = frames.get(from).filter(|_| from < made.len()) else {
        return;
    };
    let mut forged = bytes.to_vec();
    forged[(frame.offset + frame.size()) as usize - 1 - from % 8] ^= 0x10;
    let mut again = built(world);
    let forged = read(&forged).expect("what was written");
    match verify(&forged, &mut again) {
        Err(VerifyError::SnapshotMismatch(divergence)) => {
            assert_eq!(
                (divergence.frame, divergence.tick),
                (frame.index, frame.tick)
            );
            assert_eq!(divergence.replayed_hash, made[from].hash);
            assert!(!divergence.to_string().is_empty());
        }
        other => panic!("frame {from} is forged: {other:?}"),
    }
}

/// A running world and a new one are reset to a tick: the following ticks are the same.
fn taken_back(world: &World, old: EngineWorld, ticks: &[CommandBuf], made: &[Made], from: usize) {
    let fields = world.field_count();
    let mut running = built(world);
    let step = |running: &mut EngineWorld, at: usize| {
        let commands = ticks[at].as_commands();
        running.step(77, commands).expect("it was made before");
        assert_eq!(Made::of(running, fields), made[at], "tick {}", at + 1);
    };
    for at in 0..from {
        step(&mut running, at);
    }
    let state = running.checkpoint();
    assert_eq!(state.tick(), running.tick());
    let here = State::of(&running, fields);
    for at in from..ticks.len() {
        step(&mut running, at);
    }
    for mut other in [running, old, built(world)] {
        other.restore(&state).expect("the same world");
        assert_eq!(other.tick(), state.tick());
        assert!(State::of(&other, fields) == here, "taken back to {from}");
        for at in from..ticks.len() {
            step(&mut other, at);
        }
    }
}

/// Any tick of a recording can be reached from the states that were saved on the way.
fn sought(world: &World, bytes: &[u8], made: &[Made], from: usize, complete: bool) {
    let replay = read(bytes).expect("what was written");
    if !complete {
        return;
    }
    let mut running = built(world);
    let every = 1 + from as u64;
    let saved = Checkpoints::record(&replay, &mut running, every);
    let (saved, verified) = saved.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(verified.frames, made.len() as u64);
    for tick in [made.len(), 1, from, made.len().div_ceil(2)] {
        let Some(then) = tick.checked_sub(1).and_then(|at| made.get(at)) else {
            continue;
        };
        let reached = saved.seek(&replay, &mut running, tick as u64);
        assert!(reached.unwrap_or_else(|error| panic!("{error}")));
        let here = State::of(&running, world.field_count()).hash();
        assert_eq!((here, running.tick()), (then.hash, then.tick));
    }
}
