//! Is a world deterministic? Runs of it are compared with each other, or with a recording.

use std::path::Path;
use std::time::Duration;

use gametape_core::tape::{Error, Work};
use serde::Serialize;
use serde_json::Value;

use super::commands::CommandList;
use super::minimise::log_of;
use crate::engine::World;
use crate::tape::{
    MurkTape, WorldFile, build, needed, of_both, other_carried, replayed, stopped, unwritable,
};
use crate::{Divergence, Explanation, Hash, SyncError, VerifyError, rollback_test};

/// Options of a synchronisation test.
#[derive(Clone, Debug)]
pub struct SyncTest {
    /// The number of simultaneous runs, each on its own thread: at least 2.
    pub runs: usize,
    /// The number of ticks after which a run goes back and makes them again; 0 for never.
    pub rollback: usize,
}

/// The result of a synchronisation test.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Synced {
    /// The number of ticks of the test. If runs differ, none after [`tick`](Self::tick) is
    /// compared.
    pub ticks: u64,
    /// The number of commands of these ticks.
    pub commands: u64,
    /// How often they were made; 2 if a simulation went back.
    pub runs: usize,
    /// True if all runs agreed at every tick.
    pub in_sync: bool,
    /// The first tick at which they differed.
    pub tick: Option<u64>,
    /// The run that differs there from the first run.
    pub run: Option<usize>,
    /// The hashes of both runs.
    pub hashes: Option<[String; 2]>,
    /// The first values that differ: `first` is the first run's, `second` the other's.
    pub values: Vec<Value>,
    /// The number of values that differ.
    pub differing: u64,
    /// The result as a sentence.
    pub message: Option<String>,
    /// The hash of the last state, if all runs agreed.
    pub last_hash: Option<String>,
}

/// The subject of a synchronisation test.
pub enum Subject<'a> {
    /// A world's file, commands, and the number of ticks.
    World(&'a WorldFile, &'a CommandList, u64),
    /// A recording with its world and its commands, or with another world.
    Recording(&'a MurkTape, Option<&'a WorldFile>),
}

/// Runs a world several times with the same commands.
///
/// # Errors
/// [`MurkError`](crate::tape::MurkError) of the world, the commands, or the simulation; errors of
/// reading the recording.
pub fn sync_test(subject: &Subject<'_>, test: &SyncTest) -> Result<Synced, Error> {
    match *subject {
        Subject::World(file, commands, ticks) => {
            commands.within(0, ticks)?;
            let world = file.read()?;
            // The ticks are made one by one, because there may be any number of them.
            let each = || (1..=ticks).map(|tick| (tick, commands.of(tick)));
            let of_all = [ticks, commands.count()];
            run(&world, Some(&file.path), test, of_all, each)
        }
        Subject::Recording(tape, given) => {
            let (header, log) = log_of(tape, &Work::default())?;
            let world = needed(&header, given, tape.kinds())?;
            let path = given.map(|file| file.path.as_path());
            let of_all = [log.len() as u64, log.commands() as u64];
            run(&world, path, test, of_all, || log.iter())
        }
    }
}

fn run<'c, I>(
    world: &World,
    path: Option<&Path>,
    test: &SyncTest,
    [ticks, commands]: [u64; 2],
    each: impl Fn() -> I + Sync,
) -> Result<Synced, Error>
where
    I: Iterator<Item = (u64, crate::Commands<'c>)>,
{
    let fields = world.field_count();
    let runs = match test.rollback {
        0 => test.runs.max(2),
        _ => 2,
    };
    let result = if test.rollback > 0 {
        let mut simulation = build(world, path)?;
        rollback_test(&mut simulation, each(), fields, test.rollback)
    } else {
        let simulations = (0..runs)
            .map(|_| build(world, path))
            .collect::<Result<Vec<_>, _>>()?;
        crate::sync_test(simulations, each, fields)
    };
    match result {
        Ok(sync) => Ok(Synced {
            ticks: sync.ticks,
            commands,
            runs: sync.runs,
            in_sync: true,
            last_hash: Some(Hash(sync.last_hash).to_string()),
            ..Synced::default()
        }),
        Err(SyncError::Desync(desync)) => Ok(Synced {
            ticks,
            commands,
            runs,
            tick: Some(desync.tick),
            run: Some(desync.run),
            hashes: Some([desync.hash, desync.other_hash].map(|hash| Hash(hash).to_string())),
            values: desync.differences.iter().map(of_both).collect(),
            differing: desync.count,
            message: Some(desync.to_string()),
            ..Synced::default()
        }),
        Err(error) => Err(stopped(error.to_string())),
    }
}

/// The result of replaying a recording.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Checked {
    /// The number of frames that were replayed and have the recorded state.
    pub frames: u64,
    /// The first difference; `None` if there is none.
    pub divergence: Option<Box<Divergence>>,
    /// How single slips explain it, if that was asked for.
    pub explanation: Option<Explanation>,
}

/// Replays a recording in the given world, or in its own, up to the first difference. A search of at most
/// `limit` then looks for the slip that explains it; with a limit of 0 there is none.
///
/// # Errors
/// If there is no world, or it is not that of the recording; if the recording is broken before it
/// diverges, or the world can't continue; if the work is cancelled.
pub fn check(
    tape: &MurkTape,
    given: Option<&WorldFile>,
    limit: Duration,
    work: &Work<'_>,
) -> Result<Checked, Error> {
    let header = tape.reader().header()?.clone();
    let world = needed(&header, given, tape.kinds())?;
    let mut simulation = build(&world, given.map(|file| &*file.path))?;
    let other = |error: VerifyError<_>| match error {
        VerifyError::Simulation { .. } => stopped(error.to_string()),
        error => unwritable(error.to_string()),
    };
    let diverged = match replayed(tape, &header, &mut simulation, work, other)? {
        Ok(frames) => {
            return Ok(Checked {
                frames,
                ..Checked::default()
            });
        }
        Err(diverged) => diverged,
    };
    let frames = diverged.divergence.frame;
    let before = other_carried(tape, &header, &world);
    let watch = &mut |_| work.wanted().is_ok();
    let (divergence, explanation) =
        diverged.explained(tape, &world, before.as_ref(), limit, watch)?;
    work.wanted()?;
    Ok(Checked {
        frames,
        divergence: Some(divergence),
        explanation,
    })
}
