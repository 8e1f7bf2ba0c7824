//! Proving or breaking a world's determinism.

use std::path::{Path, PathBuf};

use gametape_murk::engine::World;
use gametape_murk::{self as format, SyncError};
use serde::Serialize;

use super::minimise::log_of;
use super::record::Commands;
use super::world;
use crate::{Check, Error, Recording};

/// What to run, and how often.
#[derive(Clone, Debug)]
pub struct SyncTest {
    /// Runs at once, each on a thread of its own: at least 2.
    pub runs: usize,
    /// Go back so many ticks after making them, and make them again: 0 for not at all.
    pub rollback: usize,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Synced {
    /// Ticks that were made.
    pub ticks: u64,
    /// Runs.
    pub runs: usize,
    /// True if all runs agreed at every tick.
    pub in_sync: bool,
    /// The first tick at which they did not.
    pub tick: Option<u64>,
    /// What differs there.
    pub message: Option<String>,
    /// The hash of the last state, where all agreed.
    pub last_hash: Option<String>,
}

/// What a synchronisation test makes of a world, or of a recording.
pub enum Subject<'a> {
    /// A world's file: its text and its path, commands, ticks.
    World(&'a str, PathBuf, &'a Commands, u64),
    /// A recording: its world and its commands, or another world.
    Recording(&'a Recording, Check),
}

/// Runs a world several times with the same commands.
///
/// # Errors
/// [`Error::World`], [`Error::Commands`], [`Error::Broken`], [`Error::Simulation`].
pub fn sync_test(subject: &Subject<'_>, test: &SyncTest) -> Result<Synced, Error> {
    match subject {
        Subject::World(text, path, commands, ticks) => {
            commands.within(*ticks)?;
            let world = World::from_toml(text).map_err(|error| Error::World {
                path: path.clone(),
                message: error.to_string(),
            })?;
            // Made one by one: there may be any number of them.
            let each = || (1..=*ticks).map(|tick| (tick, commands.of(tick)));
            run(path, &world, test, *ticks, each)
        }
        Subject::Recording(recording, check) => {
            let (header, log) = log_of(recording)?;
            let path = recording.path();
            let world = world::needed(path, &header, check)?;
            run(path, &world, test, log.len() as u64, || log.iter())
        }
    }
}

fn run<'c, I>(
    path: &Path,
    world: &World,
    test: &SyncTest,
    ticks: u64,
    each: impl Fn() -> I + Sync,
) -> Result<Synced, Error>
where
    I: Iterator<Item = (u64, format::Commands<'c>)>,
{
    let fields = world.field_count();
    let runs = match test.rollback {
        0 => test.runs.max(2),
        _ => 2,
    };
    let result = if test.rollback > 0 {
        let mut simulation = world::build(path, world)?;
        format::rollback_test(&mut simulation, each(), fields, test.rollback)
    } else {
        let simulations = (0..runs)
            .map(|_| world::build(path, world))
            .collect::<Result<Vec<_>, _>>()?;
        format::sync_test(simulations, each, fields)
    };
    match result {
        Ok(sync) => Ok(Synced {
            ticks: sync.ticks,
            runs: sync.runs,
            in_sync: true,
            tick: None,
            message: None,
            last_hash: Some(format!("{:016x}", sync.last_hash)),
        }),
        Err(SyncError::Desync(desync)) => Ok(Synced {
            ticks,
            runs,
            in_sync: false,
            tick: Some(desync.tick),
            message: Some(desync.to_string()),
            last_hash: None,
        }),
        Err(error) => Err(Error::Simulation {
            path: path.to_owned(),
            message: error.to_string(),
        }),
    }
}
