//! `gametape sync-test`.

use std::io;
use std::path::Path;

use gametape::Error;
use gametape::murk::{self, Subject, Synced};

use crate::args::SyncTest;
use crate::exit::Exit;
use crate::ui::{Ui, check_with, open, read_commands, read_text};

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
            "in sync: {} ticks {how}, every state the same (last hash {hash})",
            synced.ticks
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
    if path
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        let world = read_text(path)?;
        let commands = read_commands(args.commands.as_deref(), &world)?;
        let subject = Subject::World(&world, path.to_owned(), &commands, args.ticks);
        return murk::sync_test(&subject, &options);
    }
    let recording = open(&args.subject)?;
    let check = check_with(args.world.as_deref())?;
    murk::sync_test(&Subject::Recording(&recording, check), &options)
}
