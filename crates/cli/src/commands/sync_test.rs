//! `gametape sync-test`.

use std::io;
use std::path::Path;

use gametape::Error;
use gametape::murk::{self, Subject, Synced};

use crate::args::SyncTest;
use crate::exit::Exit;
use crate::ui::{Ui, check_with, counted, open, read_commands, read_world};

pub fn run(args: &SyncTest, ui: &mut Ui) -> io::Result<Exit> {
    let synced = match test(args) {
        Ok(synced) => synced,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if ui.json {
        ui.object(&synced)?;
    } else if let (Some(tick), Some(message)) = (synced.tick, &synced.message) {
        ui.line(format_args!("not deterministic: tick {tick}: {message}"))?;
    } else {
        let hash = synced.last_hash.as_deref().unwrap_or("-");
        let how = match args.rollback {
            Some(ticks) => format!("made twice, going back {ticks} at a time"),
            None => format!("made {} times at once", synced.runs),
        };
        ui.line(format_args!(
            "in sync: {} {how}, every state the same (last hash {hash})",
            counted(synced.ticks, "tick")
        ))?;
    }
    Ok(if synced.in_sync {
        Exit::Fine
    } else {
        Exit::Problems
    })
}

fn test(args: &SyncTest) -> Result<Synced, Error> {
    let options = murk::SyncTest {
        runs: args.runs.into(),
        rollback: args.rollback.unwrap_or(0).into(),
    };
    let path = Path::new(&args.subject);
    let wrong = |message: &str| Error::Simulation {
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
        let world = read_world(path)?;
        let commands = read_commands(args.commands.as_deref(), &world)?;
        let ticks = args.ticks.unwrap_or(1000);
        let subject = Subject::World(&world, path.to_owned(), &commands, ticks);
        return murk::sync_test(&subject, &options);
    }
    if args.commands.is_some() || args.ticks.is_some() {
        return Err(wrong(
            "a recording has its own commands and ticks: --commands and --ticks are for worlds (.toml)",
        ));
    }
    let recording = open(&args.subject)?;
    let check = check_with(args.world.as_deref())?;
    murk::sync_test(&Subject::Recording(&recording, check), &options)
}
