//! The writer of a value that differs: the report names the true writer, as the second simulator
//! knows it, or none.

use std::collections::BTreeMap;

use gametape_murk::engine::EngineWorld;
use gametape_murk::{
    Checkpoint, CommandBuf, Divergence, Replay, Simulation, Touch, Verifier, WrittenBy, read,
    snapshot_hash,
};
use proptest::prelude::*;

use crate::common::plain::{Lasts, Plain, Rule, World, Writer, generate};
use crate::common::{Noise, set};

/// A world, a log, and the second simulator's states after each tick.
struct Run {
    world: World,
    log: Vec<CommandBuf>,
    bytes: Vec<u8>,
    /// Before the first tick, and after each.
    states: Vec<Plain>,
}

/// A value in a frame.
#[derive(Clone, Copy, Debug)]
struct At {
    frame: usize,
    field: u32,
    element: usize,
}

impl Run {
    fn new(world: World, log: Vec<CommandBuf>) -> Self {
        let bytes = world.record(&log);
        let mut states = vec![world.start()];
        for commands in &log {
            let mut next = states.last().unwrap().clone();
            next.step(0, commands.as_commands()).unwrap();
            states.push(next);
        }
        Self {
            world,
            log,
            bytes,
            states,
        }
    }

    /// In half of the cases, one that a command of the frame targets.
    fn any(&self, noise: &mut Noise) -> At {
        let frame = noise.below(self.log.len());
        let aims: Vec<_> = (self.log[frame].as_commands().iter())
            .filter_map(|command| self.states[0].aim(&command))
            .collect();
        if !aims.is_empty() && noise.below(2) == 0 {
            let (field, element, _) = aims[noise.below(aims.len())];
            let field = field as u32;
            return At {
                frame,
                field,
                element,
            };
        }
        let field = noise.below(self.world.fields.len()) as u32;
        At {
            frame,
            field,
            element: noise.below(self.states[0].field(field).unwrap().len()),
        }
    }

    /// Returns the recording with the hash of a state in which this value differs.
    fn changed(&self, at: At) -> Vec<u8> {
        let state = &self.states[at.frame + 1];
        let mut fields: Vec<Vec<f32>> = (0..self.world.fields.len() as u32)
            .map(|field| state.field(field).unwrap().to_vec())
            .collect();
        let value = &mut fields[at.field as usize][at.element];
        *value = f32::from_bits(value.to_bits() ^ 0x0040_0000);
        let hash = snapshot_hash(fields.iter().map(Vec::as_slice));
        let replay = read(&self.bytes).unwrap();
        let frame = replay.frames().nth(at.frame).unwrap().unwrap();
        let end = (frame.offset + frame.size()) as usize;
        let mut bytes = self.bytes.clone();
        bytes[end - 8..end].copy_from_slice(&hash.to_le_bytes());
        bytes
    }

    /// Returns the true writer of a value, and the command that it overwrote in the same tick.
    fn truth(&self, at: At) -> (Writer, Option<u32>) {
        let writer = self.states[at.frame + 1].writer(at.field, at.element);
        let Writer::Propagator(_) = writer else {
            return (writer, None);
        };
        let Some(rule) = self.world.rules.iter().position(|rule| {
            rule.output() == at.field as usize && !matches!(rule, Rule::Agents { .. })
        }) else {
            return (writer, None);
        };
        // The same tick without that propagator.
        let mut without = self.states[at.frame].clone();
        without.world.rules.remove(rule);
        without.step(0, self.log[at.frame].as_commands()).unwrap();
        let over = match without.writer(at.field, at.element) {
            Writer::Command { frame, index } if frame == at.frame as u64 => Some(index),
            _ => None,
        };
        (writer, over)
    }

    /// Returns the report of a replay that begins after some frames.
    fn report(&self, at: At, from: usize) -> Option<Divergence> {
        let bytes = self.changed(at);
        let replay = read(&bytes).unwrap();
        let mut engine = self.world.engine().build().unwrap();
        for commands in &self.log[..from] {
            engine.step(0, commands.as_commands()).unwrap();
        }
        let state = engine.checkpoint();
        engine.restore(&state).unwrap();
        diverged(&replay, &mut engine, from)
    }
}

fn diverged(replay: &Replay<'_>, engine: &mut EngineWorld, from: usize) -> Option<Divergence> {
    let mut verifier = Verifier::new(replay.header(), engine).unwrap();
    let mut pushed = replay.frames().skip(from);
    let error = pushed.find_map(|frame| verifier.push(&frame.unwrap()).err());
    let error = error.or_else(|| verifier.finish().err())?;
    error.divergence().cloned()
}

/// Checks that the named writer is the true one. Returns true if a writer was named, or none could
/// be.
fn check(run: &Run, at: At, from: usize) -> bool {
    let found = run.report(at, from).expect("a divergence");
    assert_eq!(found.frame, at.frame as u64);
    let Some(value) = found.cause.value() else {
        // A chance match, or the hash of another tick.
        return true;
    };
    assert_eq!((value.field, value.element), (at.field, at.element));
    let (truth, over) = run.truth(at);
    let context = || format!("{at:?} from {from}: {found}\n{}", run.world.toml());
    let is = |touch: &Touch, frame: u64, index: u32| {
        assert_eq!(
            (touch.frame, touch.command),
            (frame, index),
            "{}",
            context()
        );
        let command = run.log[frame as usize]
            .as_commands()
            .iter()
            .nth(index as usize);
        let command = command.unwrap();
        let (_, _, set) = run.states[0].aim(&command).unwrap();
        assert_eq!(touch.value.map(f32::to_bits), Some(set.to_bits()));
        assert_eq!(touch.source_id, command.envelope.source_id);
    };
    match (&found.written_by, truth) {
        (Some(WrittenBy::Command(touch)), Writer::Command { frame, index }) => {
            is(touch, frame, index);
            // The value of the command is the one in the replay.
            assert_eq!(
                touch.value.map(f32::to_bits),
                Some(value.replayed.to_bits())
            );
        }
        (
            Some(WrittenBy::Propagator {
                number, overwrote, ..
            }),
            Writer::Propagator(rule),
        ) => {
            assert_eq!(*number, rule, "{}", context());
            match (overwrote, over) {
                (Some(touch), Some(index)) => is(touch, at.frame as u64, index),
                (None, None) => {}
                _ => panic!("{overwrote:?}, not {over:?}: {}", context()),
            }
        }
        (Some(WrittenBy::Nobody) | None, Writer::Nobody) => {}
        (None, _) => return false,
        (Some(named), truth) => panic!("{named:?}, not {truth:?}: {}", context()),
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_writer_that_is_named_is_the_true_one(seed in any::<u64>(), ticks in 1_u64..30) {
        let world = generate::world(seed);
        let log = generate::log(&world, seed, ticks);
        let run = Run::new(world, log);
        let noise = &mut Noise(seed);
        for _ in 0..8 {
            let at = run.any(noise);
            prop_assert!(check(&run, at, 0), "nobody is named: {:?}\n{}", at, run.world.toml());
        }
    }

    /// If the replay begins later, earlier writers are not known, and no other is named.
    #[test]
    fn nobody_is_named_for_what_is_not_known(seed in any::<u64>(), from in 1_usize..12) {
        let world = generate::world(seed);
        let log = generate::log(&world, seed, 20);
        let run = Run::new(world, log);
        let noise = &mut Noise(seed);
        for _ in 0..8 {
            let at = run.any(noise);
            if at.frame >= from && !check(&run, at, from) {
                let (writer, _) = run.truth(at);
                prop_assert!(
                    matches!(writer, Writer::Command { frame, .. } if (frame as usize) < from),
                    "{:?}: {:?}", at, writer
                );
            }
        }
    }

    /// A tick that failed wrote nothing.
    #[test]
    fn nobody_is_named_for_a_tick_that_failed(seed in any::<u64>()) {
        let world = generate::failing(seed);
        let log = generate::log(&world, seed, 2);
        let run = Run::new(world, log);
        let at = run.any(&mut Noise(seed));
        let found = run.report(at, 0).unwrap();
        prop_assert!(found.cause.value().is_some());
        prop_assert_eq!(found.written_by, None);
    }
}

/// Returns why the last command that targets a value did not write it.
fn in_vain(run: &Run, at: At) -> Option<&'static str> {
    let aims = |command: &gametape_murk::Command<'_>| {
        let aim = run.states[0].aim(command);
        aim.is_some_and(|(field, element, _)| (field, element) == (at.field as usize, at.element))
    };
    let (frame, index, command) = run.log[..=at.frame]
        .iter()
        .enumerate()
        .flat_map(|(frame, log)| {
            (0..)
                .zip(log.as_commands())
                .map(move |(i, c)| (frame, i, c))
        })
        .filter(|(_, _, command)| aims(command))
        .last()?;
    let (lasts, _) = run.world.fields[at.field as usize];
    match run.truth(at).0 {
        Writer::Command { frame: f, index: i } if (f, i) == (frame as u64, index) => None,
        Writer::Propagator(_) => Some("overwritten"),
        _ if lasts == Lasts::OneTick && frame < at.frame => Some("of an earlier tick"),
        _ if index as usize >= run.world.queue => Some("the queue was full"),
        _ if command.envelope.expires_after_tick < frame as u64 + 1 => Some("expired"),
        Writer::Command { frame: f, .. } if f == frame as u64 => Some("outranked"),
        _ => Some("of a field in place, or not at all"),
    }
}

/// The tests above generate each way in which a command has no effect.
#[test]
fn every_way_of_being_in_vain_is_generated() {
    let mut ways = BTreeMap::new();
    for seed in 0..400 {
        let world = generate::world(seed);
        let log = generate::log(&world, seed, 15);
        let run = Run::new(world, log);
        let noise = &mut Noise(seed);
        for _ in 0..20 {
            *ways.entry(in_vain(&run, run.any(noise))).or_insert(0) += 1;
        }
    }
    let enough = ways.values().filter(|count| **count >= 20).count();
    assert!(ways.len() >= 6 && enough == ways.len(), "{ways:?}");
}

/// A value that was set long ago has a named writer as far as commands are kept; older values have
/// none.
#[test]
fn the_past_is_bounded() {
    const REMEMBERED: usize = 1 << 14;
    let world = World {
        dt: 1.0,
        queue: 8,
        space: crate::common::plain::Space::Ring(3),
        fields: vec![(Lasts::On, 1), (Lasts::OneTick, 1), (Lasts::On, 1)],
        rules: vec![Rule::Copy { field: 1 }],
    };
    let log: Vec<CommandBuf> = (0..REMEMBERED + 10)
        .map(|tick| match tick {
            0 => crate::common::only(&set(&[0], 0, 2.0)),
            20 => crate::common::only(&set(&[1], 0, 3.0)),
            _ => crate::common::only(&set(&[2], 0, tick as f32)),
        })
        .collect();
    let run = Run::new(world, log);
    let named = |element| {
        let at = At {
            frame: run.log.len() - 1,
            field: 0,
            element,
        };
        run.report(at, 0).unwrap().written_by
    };
    assert_eq!(named(0), None);
    let Some(WrittenBy::Command(touch)) = named(1) else {
        panic!("{:?}", named(1));
    };
    assert_eq!((touch.frame, touch.value), (20, Some(3.0)));
}
