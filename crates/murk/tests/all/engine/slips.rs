//! Recordings with a known mistake, and a brute-force search over every single slip that replays
//! the whole log for each.

use std::time::Duration;

use gametape_murk::engine::World;
use gametape_murk::{
    Cause, Checkpoint, CommandBuf, Divergence, Envelope, Explanation, Fault, Faulty, Payload,
    Simulation, Slip, State, VerifyError, Writer, explain_slip, explain_slip_with, read, verify,
};

use super::commands::Dice;
use super::random::Random;

/// Long enough for a slow machine: speed is not tested here.
const LIMIT: Duration = Duration::from_mins(10);

#[derive(Clone, PartialEq, Debug)]
struct Set {
    coord: Vec<i32>,
    field: u32,
    value: f32,
    envelope: Envelope,
}

type Log = Vec<Vec<Set>>;

/// The change of a log that gives the recorded one, with frames and commands by number.
#[derive(Clone, PartialEq, Debug)]
enum Wrong {
    Drop(usize, usize),
    Double(usize, usize, usize),
    Move(usize, usize, usize, bool),
    Swap(usize, usize, usize),
    SwapTicks(usize),
    Cut(usize, usize),
    Aim(usize, usize, u32, Vec<i32>),
    Give(usize, usize, f32),
    Bit(usize, u32),
    Missing(usize, usize),
    Repeated(usize),
    Exchanged(usize),
    /// Another world from a frame on.
    World(usize, Slip, Box<World>),
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

/// Returns the log of the recorded simulation: the commands of each tick, and the frame in which it
/// is recorded; `None` if the log has no room for the mistake.
fn taken(log: &Log, wrong: &Wrong) -> Option<Vec<(Vec<Set>, Option<usize>)>> {
    let mut log = log.clone();
    match *wrong {
        Wrong::Drop(frame, command) => {
            log[frame].remove(command);
        }
        Wrong::Double(frame, command, into) => {
            let again = log[frame][command].clone();
            log.get_mut(into)?.push(again);
        }
        Wrong::Move(frame, command, to, first) => {
            log.get(to)?;
            let moved = log[frame].remove(command);
            let place = if first { 0 } else { log[to].len() };
            log[to].insert(place, moved);
        }
        Wrong::Swap(frame, command, with) => log[frame].swap(command, with),
        Wrong::SwapTicks(frame) => {
            let one = log[frame].pop()?;
            if log.get(frame + 1)?.is_empty() {
                return None;
            }
            let other = std::mem::replace(&mut log[frame + 1][0], one);
            log[frame].push(other);
        }
        Wrong::Cut(frame, taken) => log[frame].truncate(taken),
        Wrong::Aim(frame, command, field, ref coord) => {
            let set = &mut log[frame][command];
            (set.field, set.coord) = (field, coord.clone());
        }
        Wrong::Give(frame, command, value) => log[frame][command].value = value,
        Wrong::Bit(..)
        | Wrong::World(..)
        | Wrong::Missing(..)
        | Wrong::Repeated(_)
        | Wrong::Exchanged(_) => {}
    }
    let mut taken: Vec<_> = log.into_iter().zip((0..).map(Some)).collect();
    match *wrong {
        Wrong::Missing(frame, ticks) => {
            taken.splice(frame..frame, vec![(Vec::new(), None); ticks]);
        }
        Wrong::Repeated(frame) => {
            taken.remove(frame);
        }
        Wrong::Exchanged(frame) if frame + 1 < taken.len() => taken.swap(frame, frame + 1),
        Wrong::Exchanged(_) => return None,
        _ => {}
    }
    Some(taken)
}

/// Returns the hash of each frame in a recording with this mistake, up to the first tick whose hash
/// differs from `wanted`, if that is given.
fn hashes(
    world: &World,
    log: &Log,
    wrong: &Wrong,
    wanted: Option<&[u64]>,
) -> Option<Vec<Option<u64>>> {
    let mut simulation = world.build().unwrap();
    let mut hashes = vec![None; log.len()];
    for (at, (sets, frame)) in taken(log, wrong)?.into_iter().enumerate() {
        if let Wrong::World(from, _, other) = wrong
            && *from == at
        {
            let mut other = other.build().unwrap();
            other.adopt(&simulation.checkpoint()).ok()?;
            simulation = other;
        }
        simulation.step(0, buffer(&sets).as_commands()).ok()?;
        let Some(frame) = frame else { continue };
        let mut hash = State::of(&simulation, world.field_count()).hash();
        if let Wrong::Bit(which, bit) = wrong
            && *which == frame
        {
            hash ^= 1 << bit;
        }
        hashes[frame] = Some(hash);
        if wanted.is_some_and(|wanted| wanted[frame] != hash) {
            break;
        }
    }
    if let Wrong::Repeated(frame) = wrong {
        // The frame is recorded twice, with its hash.
        hashes[*frame] = hashes[frame - 1];
    }
    Some(hashes)
}

/// Returns every single slip, with each cell if there are few.
fn all(world: &World, log: &Log, diverges: usize) -> Vec<Wrong> {
    let mut all = Vec::new();
    let cells: Vec<Vec<i32>> = (0..world.cell_count())
        .map(|cell| world.space.coord(cell).unwrap())
        .collect();
    for (frame, sets) in log.iter().enumerate() {
        for command in 0..sets.len() {
            all.push(Wrong::Drop(frame, command));
            for into in frame.saturating_sub(8)..=frame + 8 {
                if into.abs_diff(frame) < 2 {
                    all.push(Wrong::Double(frame, command, into));
                }
                if into != frame {
                    all.push(Wrong::Move(frame, command, into, true));
                    all.push(Wrong::Move(frame, command, into, false));
                }
            }
            all.extend((command + 1..sets.len()).map(|with| Wrong::Swap(frame, command, with)));
            if command + 1 < sets.len() {
                all.push(Wrong::Cut(frame, command));
            }
            for field in 0..world.field_count() {
                let aims = cells.iter();
                all.extend(aims.map(|cell| Wrong::Aim(frame, command, field, cell.clone())));
            }
        }
        all.push(Wrong::SwapTicks(frame));
        all.extend((1..=8).map(|ticks| Wrong::Missing(frame, ticks)));
        if frame > 0 && log[frame] == log[frame - 1] {
            all.push(Wrong::Repeated(frame));
        }
        all.push(Wrong::Exchanged(frame));
    }
    all.extend((0..64).map(|bit| Wrong::Bit(diverges, bit)));
    let variants = world.variants(None, 64);
    all.extend(variants.map(|(slip, world)| Wrong::World(diverges, slip, Box::new(world))));
    all
}

/// Returns true if a slip is this mistake.
fn is(slip: &Slip, wrong: &Wrong) -> bool {
    let of = |at: &gametape_murk::CommandAt, frame: usize, command: usize| {
        (at.frame, at.command) == (frame as u64, command as u32)
    };
    let tick = |frame: usize| frame as u64 + 1;
    match (slip, wrong) {
        (Slip::Dropped(at), &Wrong::Drop(frame, command)) => of(at, frame, command),
        (Slip::Doubled { command: at, again }, &Wrong::Double(frame, command, into)) => {
            of(at, frame, command) && *again == tick(into)
        }
        (Slip::Moved { command: at, to }, &Wrong::Move(frame, command, into, _)) => {
            of(at, frame, command) && *to == tick(into)
        }
        (Slip::Swapped { one, other }, &Wrong::Swap(frame, command, with)) => {
            of(one, frame, command) && of(other, frame, with)
        }
        (Slip::Swapped { one, other }, &Wrong::SwapTicks(frame)) => {
            one.frame == frame as u64 && other.frame == frame as u64 + 1
        }
        (
            Slip::Cut {
                frame: at, taken, ..
            },
            &Wrong::Cut(frame, count),
        ) => (*at, *taken) == (frame as u64, count as u32),
        (
            Slip::Aimed {
                command: at,
                at: to,
            },
            Wrong::Aim(frame, command, field, _),
        ) => of(at, *frame, *command) && to.field == *field,
        (
            Slip::OtherValue {
                command: at, wrote, ..
            },
            &Wrong::Give(frame, command, value),
        ) => of(at, frame, command) && wrote.to_bits() == value.to_bits(),
        (Slip::Hash { bits: 1, bit }, Wrong::Bit(_, which)) => bit == which,
        (Slip::Missing { before, ticks }, &Wrong::Missing(frame, count)) => {
            (*before, *ticks) == (tick(frame), count as u32)
        }
        (Slip::Repeated { frame: at, .. }, &Wrong::Repeated(frame))
        | (Slip::Exchanged { frame: at, .. }, &Wrong::Exchanged(frame)) => *at == frame as u64,
        (slip, Wrong::World(_, other, _)) => slip == other,
        _ => false,
    }
}

/// Returns a log in which competing commands write the same few cells again and again.
fn log(dice: &mut Dice, world: &World, ticks: usize) -> Log {
    let few: Vec<Vec<i32>> = (0..3)
        .map(|_| world.space.coord(dice.roll(world.cell_count())).unwrap())
        .collect();
    let mut log = Log::new();
    for _ in 0..ticks {
        let sets = (0..dice.roll(4)).map(|_| Set {
            coord: few[dice.roll(3) as usize].clone(),
            field: dice.roll(u64::from(world.field_count())) as u32,
            value: dice.roll(5) as f32 * 0.5,
            envelope: Envelope {
                priority_class: dice.roll(2) as u8,
                source_id: (dice.roll(3) == 0).then(|| dice.roll(2)),
                expires_after_tick: match dice.roll(8) {
                    0 => dice.roll(ticks as u64),
                    _ => u64::MAX,
                },
                ..Envelope::default()
            },
        });
        log.push(sets.collect());
        if dice.roll(6) == 0 && log.len() < ticks {
            log.push(log[log.len() - 1].clone());
        }
    }
    log
}

/// Returns a mistake of any kind.
fn some_wrong(dice: &mut Dice, world: &World, log: &Log) -> Option<Wrong> {
    let frame = dice.roll(log.len() as u64) as usize;
    let count = log[frame].len() as u64;
    let kind = dice.roll(13);
    if count == 0 && kind < 8 {
        return None;
    }
    let command = dice.roll(count.max(1)) as usize;
    let cell = world.space.coord(dice.roll(world.cell_count())).unwrap();
    Some(match kind {
        0 => Wrong::Drop(frame, command),
        1 => Wrong::Double(
            frame,
            command,
            (frame + 1).saturating_sub(dice.roll(3) as usize),
        ),
        2 | 3 => {
            let to = [frame.checked_sub(1)?, frame + 1][dice.roll(2) as usize];
            Wrong::Move(frame, command, to, dice.roll(2) == 0)
        }
        4 if command + 1 < log[frame].len() => Wrong::Swap(frame, command, command + 1),
        5 if command + 1 < log[frame].len() => Wrong::Cut(frame, command),
        6 => {
            let field = dice.roll(u64::from(world.field_count())) as u32;
            Wrong::Aim(frame, command, field, cell)
        }
        7 => Wrong::Give(frame, command, dice.roll(1000) as f32 / 7.0),
        8 => Wrong::SwapTicks(frame),
        9 => Wrong::Bit(frame, dice.roll(64) as u32),
        10 => Wrong::Missing(frame, 1 + dice.roll(3) as usize),
        11 if frame > 0 && log[frame] == log[frame - 1] => Wrong::Repeated(frame),
        11 => Wrong::Exchanged(frame),
        12 => {
            let mut variants: Vec<_> = world.variants(None, 8).collect();
            let which = dice.roll(variants.len() as u64) as usize;
            let (slip, world) = variants.swap_remove(which);
            Wrong::World(frame, slip, Box::new(world))
        }
        _ => return None,
    })
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

/// Returns the number of recorded hashes that a slip explains, without a gap from the divergence
/// on; all before it must match.
fn explains(world: &World, log: &Log, wrong: &Wrong, recorded: &[u64], at: usize) -> u64 {
    let Some(hashes) = hashes(world, log, wrong, Some(recorded)) else {
        return 0;
    };
    let agrees = |(mine, theirs): &(&Option<u64>, &u64)| **mine == Some(**theirs);
    let agree = hashes.iter().zip(recorded).take_while(agrees).count();
    (agree as u64).saturating_sub(at as u64)
}

#[derive(Default, Debug)]
struct Tally {
    unique: usize,
    several: usize,
    no_effect: usize,
}

/// Records a log with one mistake, and compares the explanation with brute force.
fn judge(world: &World, dice: &mut Dice, tally: &mut Tally) -> bool {
    let log = log(dice, world, 12);
    let Some(wrong) = some_wrong(dice, world, &log) else {
        return false;
    };
    let Some(recorded_hashes) = hashes(world, &log, &wrong, None) else {
        return false;
    };
    let Some(recorded_hashes) = recorded_hashes.into_iter().collect::<Option<Vec<u64>>>() else {
        return false;
    };
    let bytes = recorded(world, &log, &recorded_hashes);
    let Some((at, found)) = found(world, &bytes) else {
        return false;
    };
    let of = |wrong: &Wrong| explains(world, &log, wrong, &recorded_hashes, at);
    let said = || {
        format!(
            "{wrong:?}, at {at}\n{found}\n{:?}\n{log:?}",
            world.propagators
        )
    };
    assert!(found.complete && !found.open, "{}", said());
    let mut every = all(world, &log, at);
    if !every.contains(&wrong) {
        every.push(wrong.clone());
    }
    // There are too many values to try each: those that are named are tried.
    for slip in &found.slips {
        if let Slip::OtherValue { command, wrote, .. } = slip {
            let wrong = Wrong::Give(command.frame as usize, command.command as usize, *wrote);
            if !every.contains(&wrong) {
                every.push(wrong);
            }
        }
    }
    let counts: Vec<u64> = every.iter().map(of).collect();
    let most = *counts.iter().max().unwrap();
    // The true one explains all recorded hashes.
    assert_eq!(most, (log.len() - at) as u64, "{}", said());
    assert_eq!(found.explained, most, "{}", said());
    let mut best: Vec<&Wrong> = Vec::new();
    for (wrong, count) in every.iter().zip(&counts) {
        // Before or after the others of a tick is the same slip.
        let known = best.iter().any(|other| match (other, wrong) {
            (Wrong::Move(frame, command, to, _), Wrong::Move(at, number, into, _)) => {
                (frame, command, to) == (at, number, into)
            }
            _ => false,
        });
        if *count == most && !known {
            best.push(wrong);
        }
    }
    // A slip without an effect of its own equals the dropped command.
    let dropped: Vec<(usize, usize)> = best
        .iter()
        .filter_map(|wrong| match **wrong {
            Wrong::Drop(frame, command) => Some((frame, command)),
            _ => None,
        })
        .collect();
    let is_in_vain = |wrong: &Wrong| match wrong {
        Wrong::Aim(frame, command, ..) | Wrong::Give(frame, command, _) => {
            dropped.contains(&(*frame, *command))
        }
        Wrong::Move(frame, command, to, _) if frame.abs_diff(*to) > 1 => {
            dropped.contains(&(*frame, *command))
        }
        _ => false,
    };
    if is_in_vain(&wrong) {
        tally.no_effect += 1;
    }
    best.retain(|wrong| !is_in_vain(wrong));
    if let [only] = best.as_slice() {
        tally.unique += 1;
        assert!(
            found.best().is_some_and(|slip| is(slip, only)),
            "{only:?}\n{}",
            said()
        );
    } else {
        tally.several += 1;
        let listed = found
            .slips
            .iter()
            .any(|slip| best.iter().any(|wrong| is(slip, wrong)));
        assert!(listed && found.best().is_none(), "{best:?}\n{}", said());
    }
    // Every slip that is named explains it.
    for slip in &found.slips {
        let named = best.iter().any(|wrong| is(slip, wrong));
        assert!(named, "{slip}\n{best:?}\n{}", said());
    }
    true
}

/// In worlds of every kind, the true mistake is found wherever brute force over all single slips
/// shows that nothing else explains the hashes.
#[test]
fn the_slip_that_is_found_is_the_one_that_brute_force_finds() {
    let mut tally = Tally::default();
    let mut dice = Dice(7);
    let mut judged = 0;
    for round in 0.. {
        if judged == 60 {
            break;
        }
        let world = Random::new(dice.roll(1 << 30), round % 7).world();
        if world.cell_count() * u64::from(world.field_count()) > 200 {
            continue;
        }
        judged += usize::from(judge(&world, &mut dice, &mut tally));
    }
    eprintln!("{tally:?}");
    assert!(tally.unique > 15, "{tally:?}");
}

/// A cause other than a single value is reported with its numbers.
#[test]
fn one_bit_of_a_hash_is_told_from_a_state() {
    let world = World::from_toml(gametape_samples::murk::HEAT).unwrap();
    let log: Log = vec![Vec::new(); 20];
    for frame in [0, 7, 19] {
        let hashes = hashes(&world, &log, &Wrong::Bit(frame, 17), None).unwrap();
        let hashes: Vec<u64> = hashes.into_iter().flatten().collect();
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
        let wrong = Wrong::Move(19, 0, 19 + ticks, false);
        let hashes = hashes(&world, &log, &wrong, None).unwrap();
        let hashes: Vec<u64> = hashes.into_iter().flatten().collect();
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
    let hashes = hashes(&world, &log, &Wrong::Drop(19, 0), None).unwrap();
    let hashes: Vec<u64> = hashes.into_iter().flatten().collect();
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
    let hashes = hashes(&world, &log, &wrong, None).unwrap();
    let hashes: Vec<u64> = hashes.into_iter().flatten().collect();
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
    let hashes_of = |log: &Log| -> Vec<u64> {
        let hashes = hashes(&world, log, &Wrong::Missing(30, 0), None).unwrap();
        hashes.into_iter().flatten().collect()
    };
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
    let hashes = hashes(&world, &log, &wrong, None).unwrap();
    let hashes: Vec<u64> = hashes.into_iter().flatten().collect();
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
    let right = Wrong::Missing(200, 0);
    let hashes: Vec<u64> = (hashes(&world, &log, &right, None).unwrap().into_iter())
        .flatten()
        .collect();
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
    let wrong = Wrong::World(10, slip.clone(), Box::new(other));
    let hashes = hashes(&world, &log, &wrong, None).unwrap();
    let hashes: Vec<u64> = hashes.into_iter().flatten().collect();
    let (at, found) = found(&world, &recorded(&world, &log, &hashes)).unwrap();
    assert_eq!((at, found.best()), (10, Some(&slip)), "{found}");
    assert_eq!(found.explained, 20);
    let cause = found.cause.unwrap();
    assert!(!matches!(cause, Cause::Hash { .. }), "{cause:?}");
    assert_eq!(found.evidence.unwrap().explained, 20);
}

#[cfg(feature = "tape")]
mod minimised {
    use gametape_murk::tools::{Minimise, minimise};

    use super::*;
    use crate::common::tapes::in_memory;

    fn small(bytes: &[u8]) -> Result<gametape_murk::tools::Minimised, gametape_core::tape::Error> {
        let options = Minimise {
            max_trials: 10_000,
            ..Minimise::default()
        };
        minimise(
            &in_memory(bytes.to_vec()),
            &options,
            &gametape_core::tape::Work::default(),
        )
    }

    /// For every kind of mistake, the smaller log goes wrong in the same way, or the report says
    /// that it does not.
    #[test]
    fn what_is_minimised_is_said_the_same_of() {
        let mut dice = Dice(11);
        let (mut same, mut others, mut refused) = (0, 0, 0);
        for round in 0.. {
            if same + others + refused == 60 {
                break;
            }
            let world = Random::new(dice.roll(1 << 30), round % 7).world();
            if world.cell_count() * u64::from(world.field_count()) > 200 {
                continue;
            }
            let log = log(&mut dice, &world, 12);
            let wrong = some_wrong(&mut dice, &world, &log);
            let hashes = wrong
                .as_ref()
                .and_then(|wrong| hashes(&world, &log, wrong, None));
            let Some(hashes) =
                hashes.and_then(|hashes| hashes.into_iter().collect::<Option<Vec<u64>>>())
            else {
                continue;
            };
            let bytes = recorded(&world, &log, &hashes);
            let Some((at, before)) = found(&world, &bytes) else {
                continue;
            };
            let said = || {
                format!(
                    "{wrong:?}, at {at}\n{before}\n{log:?}\n{:?}",
                    world.propagators
                )
            };
            let small = match small(&bytes) {
                Ok(small) => small,
                Err(error) => {
                    // If nothing explains it, no ticks are kept.
                    assert!(
                        before.slips.is_empty() || before.open,
                        "{error}\n{}",
                        said()
                    );
                    refused += 1;
                    continue;
                }
            };
            assert!(small.commands[1] <= small.commands[0]);
            assert!(small.ticks[1] <= small.ticks[0]);
            if !small.same {
                assert!(small.fault().contains("not the verdict on the first"));
                others += 1;
                continue;
            }
            same += 1;
            let (now, after) = found(&world, &small.bytes).unwrap();
            assert_eq!(now, at, "{}", said());
            let kinds =
                |found: &Explanation| -> Vec<&str> { found.slips.iter().map(Slip::kind).collect() };
            let first = kinds(&before)[0];
            assert!(kinds(&after).contains(&first), "{}\n{after}", said());
            // No further command can be left out: each one is needed, or is the mistake.
            assert!(small.minimal);
        }
        eprintln!("{same} the same, {others} others, {refused} refused");
        assert!(
            same > 45,
            "{same} the same, {others} others, {refused} refused"
        );
    }
}
