//! The writer of a value in a world with registered propagators, whose declarations are true or
//! false.

use std::fmt::Write as _;

use gametape_murk::engine::own::{Kinds, ParameterError, Parameters, Propagator, WriteMode};
use gametape_murk::engine::{EngineWorld, World};
use gametape_murk::{
    CommandBuf, Recorder, Simulation, State, Verifier, Writer, WrittenBy, read, snapshot_hash,
};

use crate::common::runs::Acting;
use crate::common::{Noise, only, set};

const CELLS: usize = 4;

/// The cells of a field that are written in a tick.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Habit {
    /// All, as declared.
    All,
    /// Some, although it declares to write all.
    Some,
    /// Some, in place, as declared.
    InPlace,
    /// Some, in a field that it does not declare.
    Unsaid,
}

const HABITS: [Habit; 4] = [Habit::All, Habit::Some, Habit::InPlace, Habit::Unsaid];

impl Habit {
    fn writes(self, tick: u64, cell: usize) -> bool {
        self == Self::All || (tick + cell as u64).is_multiple_of(3)
    }
}

/// Returns the written value, which commands sometimes write, too.
fn value(tick: u64, cell: usize) -> f32 {
    [0.0, 1.0, 3.0][(tick as usize / 3 + cell) % 3]
}

fn own(keys: &mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError> {
    let habit = HABITS[keys.take_or::<u32>("habit", 0)? as usize];
    let (field, other) = (keys.field("field")?, keys.field("other")?);
    let (declared, mode) = match habit {
        Habit::All | Habit::Some => (field, WriteMode::Full),
        Habit::InPlace => (field, WriteMode::Incremental),
        Habit::Unsaid => (other, WriteMode::Full),
    };
    Ok(Acting::boxed(declared, mode, move |ctx| {
        let tick = ctx.tick_id().0;
        let values = ctx.writes().write(field).unwrap();
        for (cell, at) in values.iter_mut().enumerate() {
            if habit.writes(tick, cell) {
                *at = value(tick, cell);
            }
        }
    }))
}

/// Returns a world with a per-tick field and a sparse field for each habit, and one spare field.
fn world() -> World {
    let mut toml = format!("dt = 1.0\nspace = {{ kind = 'ring1d', len = {CELLS} }}\n");
    for field in 0..16 {
        let lasts = if field % 2 == 0 { "per_tick" } else { "sparse" };
        let _ = writeln!(
            toml,
            "[[field]]\nname = 'f{field}'\ntype = 'scalar'\nmutability = '{lasts}'"
        );
    }
    for field in 0..8 {
        let (habit, other) = (field / 2, field + 8);
        let _ = writeln!(
            toml,
            "[[propagator]]\nkind = 'own'\nhabit = {habit}\nfield = 'f{field}'\nother = 'f{other}'"
        );
    }
    World::from_toml_with(&toml, &Kinds::new().with("own", own)).unwrap()
}

/// The true writer of each value: a command's frame, a propagator, or none.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Truth {
    Command(u64),
    Propagator(usize),
    Nobody,
}

fn truths(
    before: &[[Truth; CELLS]; 8],
    frame: u64,
    field: usize,
    cell: usize,
) -> [[Truth; CELLS]; 8] {
    let mut now = *before;
    for (number, truths) in now.iter_mut().enumerate() {
        let habit = HABITS[number / 2];
        if number % 2 == 0 && habit != Habit::InPlace {
            *truths = [Truth::Nobody; CELLS];
        }
        if number == field && habit != Habit::InPlace {
            truths[cell] = Truth::Command(frame);
        }
        for (cell, truth) in truths.iter_mut().enumerate() {
            if habit.writes(frame + 1, cell) {
                *truth = Truth::Propagator(number);
            }
        }
    }
    now
}

fn written_by(bytes: &[u8], engine: &mut EngineWorld) -> Option<WrittenBy> {
    let replay = read(bytes).unwrap();
    let mut verifier = Verifier::new(replay.header(), engine).unwrap();
    let error = (replay.frames()).find_map(|frame| verifier.push(&frame.unwrap()).err());
    let error = error.or_else(|| verifier.finish().err()).unwrap();
    let found = error.divergence().unwrap();
    assert!(found.cause.value().is_some());
    found.written_by.clone()
}

/// Returns the recording of some commands, with one hash in which a value differs.
fn changed(world: &World, log: &[CommandBuf], frame: usize, field: u32, cell: usize) -> Vec<u8> {
    let header = world.header();
    let mut recorder = Recorder::new(Writer::new(Vec::new(), &header).unwrap(), &header);
    let mut engine = world.build().unwrap();
    for commands in &log[..frame] {
        recorder
            .step(&mut engine, 0, commands.as_commands())
            .unwrap();
    }
    engine.step(0, log[frame].as_commands()).unwrap();
    let state = State::of(&engine, header.field_count);
    let mut fields: Vec<Vec<f32>> = state.fields().map(<[f32]>::to_vec).collect();
    let at = &mut fields[field as usize][cell];
    *at = f32::from_bits(at.to_bits() ^ 0x0040_0000);
    let hash = snapshot_hash(fields.iter().map(Vec::as_slice));
    let mut bytes = recorder.finish().unwrap();
    bytes.extend(gametape_murk::write_frame(0, log[frame].as_commands(), hash).unwrap());
    bytes
}

#[test]
fn propagators_of_ones_own_are_named_only_for_what_they_wrote() {
    let world = world();
    let noise = &mut Noise(3);
    let (mut log, mut truth) = (Vec::new(), vec![[[Truth::Nobody; CELLS]; 8]]);
    for frame in 0..24 {
        let (field, cell) = (noise.below(8), noise.below(CELLS));
        let value = [0.0, 1.0, 2.0, 5.0][noise.below(4)];
        log.push(only(&set(&[cell as i32], field as u32, value)));
        truth.push(truths(truth.last().unwrap(), frame, field, cell));
    }
    let mut counts = std::collections::BTreeMap::new();
    for frame in 0..log.len() {
        for field in 0..8 {
            for (cell, &is) in truth[frame + 1][field].iter().enumerate() {
                let bytes = changed(&world, &log, frame, field as u32, cell);
                let named = written_by(&bytes, &mut world.build().unwrap());
                let named = named.map(|by| match by {
                    WrittenBy::Command(touch) => Truth::Command(touch.frame),
                    WrittenBy::Propagator { number, name, .. } => {
                        assert_eq!(name, "own");
                        Truth::Propagator(number)
                    }
                    _ => Truth::Nobody,
                });
                let habit = HABITS[field / 2];
                // A value that it did not write may count as written as zero, because it declares
                // to write it.
                let left = habit == Habit::Some && is == Truth::Nobody;
                let right = named.is_none() || named == Some(is) || left;
                // It writes the value that is there already, or a command does: nothing tells
                // which.
                let same = habit == Habit::Unsaid && is == Truth::Propagator(field);
                assert!(
                    right || same,
                    "{frame} {field} {cell} {habit:?}: {named:?}, not {is:?}"
                );
                let count: &mut (u32, u32) = counts.entry(format!("{habit:?}")).or_default();
                count.0 += 1;
                count.1 += u32::from(named.is_some());
            }
        }
    }
    // Most are named nevertheless.
    assert!(
        counts.values().all(|(of, named)| named * 3 > *of),
        "{counts:?}"
    );
}
