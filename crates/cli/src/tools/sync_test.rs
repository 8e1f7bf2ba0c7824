//! `gametape sync-test`.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use clap::Parser;
use gametape::core::text::{Counted, Grouped};
use gametape::murk::tools::{Subject, SyncTest as Test, Synced, sync_test};
use gametape::{Error, Formats};

use super::inputs::{commands, open, simulation, world};
use crate::Exit;
use crate::ui::Ui;

tool!(
    /// `gametape sync-test`.
    SyncTest
);

/// Run a world several times at once, and prove or break its determinism
///
/// If all runs agree at every tick, the world is deterministic on this machine, as far as these runs show, and
/// the exit code is 0. Next: --rollback 8, and verify on a recording that another machine made. If a recording
/// diverges although its runs agree, the machine or the program that recorded it differs from yours, or the file
/// was changed: verify says where.
///
/// If they differ, the exit code is 1. The first such tick is named, with its first values. Look at the propagator
/// that writes them. What differs from run to run comes from threads that race, the order of a hash map, the time
/// of day; what differs after going back comes from a count, a cache or a random generator that is kept beside the
/// fields.
#[derive(Parser, Debug)]
#[command(name = "sync-test")]
struct Args {
    /// A world (.toml), or a recording with its commands and world
    #[arg(value_name = "WORLD|RECORDING")]
    subject: OsString,
    /// The world of a recording that carries none
    #[arg(long, value_name = "TOML")]
    world: Option<PathBuf>,
    /// The commands for a world, as for record; - for standard input
    #[arg(long, value_name = "JSONL")]
    commands: Option<OsString>,
    /// The number of ticks of a world [default: 1000]
    #[arg(long, value_name = "N")]
    ticks: Option<u64>,
    /// The number of runs at once, each on a thread of its own
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(2..=256))]
    runs: u16,
    /// Instead of several runs: go back N ticks and run them again, over and over, as rollback
    /// netcode does
    #[arg(long, value_name = "N", conflicts_with = "runs", value_parser = clap::value_parser!(u16).range(1..))]
    rollback: Option<u16>,
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let synced = match test(args, formats) {
        Ok(synced) => synced,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if ui.json {
        ui.object(&synced)?;
    } else {
        ui.line(describe(&synced, args.rollback))?;
        ui.line(format_args!("      {}", next(&synced, args.rollback)))?;
    }
    Ok(if synced.in_sync {
        Exit::Fine
    } else {
        Exit::Problems
    })
}

/// Describes the result in a line.
fn describe(synced: &Synced, rollback: Option<u16>) -> String {
    if let (Some(tick), Some(message)) = (synced.tick, &synced.message) {
        // A world that differs after going back may still be the same in each run.
        let what = match rollback {
            Some(_) => "not the same after going back",
            None => "not deterministic",
        };
        let (tick, ticks) = (Grouped(tick), Grouped(synced.ticks));
        return format!("{what}: tick {tick} of {ticks}: {message}");
    }
    let hash = synced.last_hash.as_deref().unwrap_or("-");
    let how = match rollback {
        Some(ticks) => format!("made twice, going back {ticks} at a time"),
        None => format!("made {} times at once", synced.runs),
    };
    let ticks = Counted(synced.ticks, "tick");
    let commands = Counted(synced.commands, "command");
    format!("in sync: {ticks} with {commands} {how}, every state the same (last hash {hash})")
}

/// Says what follows from the result, and what to do next.
const fn next(synced: &Synced, rollback: Option<u16>) -> &'static str {
    match (synced.in_sync, rollback) {
        (true, None) => {
            "this machine runs it the same each time. Next: --rollback 8 goes back and runs again; verify compares \
             with the machine that made a recording"
        }
        (true, Some(_)) => {
            "this machine can go back in it. Next: --runs 8 compares separate runs; verify compares with the \
             machine that made a recording"
        }
        (false, None) => {
            "the same commands lead to different states. Next: look at what writes this value, for threads that \
             race, the order of a hash map, the time of day"
        }
        (false, Some(_)) => {
            "going back does not restore all of the state. Next: look at what writes this value, for a count, a \
             cache or a random generator that is kept beside the fields; --runs 8 compares separate runs"
        }
    }
}

fn test(args: &Args, formats: &Formats) -> Result<Synced, Error> {
    let options = Test {
        runs: args.runs.into(),
        rollback: args.rollback.unwrap_or(0).into(),
    };
    let path = Path::new(&args.subject);
    let wrong = |message: &str| Error::Unwritable {
        path: path.to_owned(),
        message: message.to_owned(),
    };
    if path
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        if args.world.is_some() {
            return Err(wrong("is a world itself: --world is for recordings"));
        }
        let world = world(formats, path)?;
        let read = world
            .read()
            .map_err(|error| Error::tape(path)(error.into()))?;
        let commands = commands(args.commands.as_deref(), &read)?;
        let ticks = args.ticks.unwrap_or(1000);
        let subject = Subject::World(&world, &commands, ticks);
        return sync_test(&subject, &options).map_err(Error::tape(path));
    }
    if args.commands.is_some() || args.ticks.is_some() {
        return Err(wrong(
            "a recording has its own commands and ticks: --commands and --ticks are for worlds (.toml)",
        ));
    }
    let recording = open(formats, &args.subject)?;
    let world = args.world.as_deref();
    let world = world
        .map(|path| super::inputs::world(formats, path))
        .transpose()?;
    let subject = Subject::Recording(simulation(&recording, "commands to run")?, world.as_ref());
    sync_test(&subject, &options).map_err(Error::tape(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_that_differs_after_going_back_is_not_called_nondeterministic() {
        let synced = Synced {
            ticks: 20,
            commands: 3,
            runs: 2,
            in_sync: false,
            tick: Some(7),
            run: Some(1),
            hashes: None,
            values: Vec::new(),
            differing: 1,
            message: Some("run 1 differs".into()),
            last_hash: None,
        };
        assert_eq!(
            describe(&synced, None),
            "not deterministic: tick 7 of 20: run 1 differs"
        );
        assert_eq!(
            describe(&synced, Some(4)),
            "not the same after going back: tick 7 of 20: run 1 differs"
        );
        assert!(
            next(&synced, None).starts_with("the same commands lead to different states. Next: ")
        );
        assert!(
            next(&synced, Some(4))
                .starts_with("going back does not restore all of the state. Next: ")
        );
    }
}
