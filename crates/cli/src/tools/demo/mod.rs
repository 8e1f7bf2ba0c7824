//! `gametape demo`: plays, simulates, records, verifies and tampers, from nothing.

mod arena;
mod echo;
mod mines;
mod murk;
mod part;
#[cfg(feature = "live")]
mod site;

use std::io;

use clap::{ArgMatches, Command, CommandFactory};
use gametape::Formats;
use gametape::core::Spell as _;

use super::inputs::parsed;
use crate::ui::Ui;
use crate::{Exit, Tool};
use part::Args;

/// `gametape demo`.
#[derive(Clone, Copy, Debug)]
pub struct Demo;

impl Tool for Demo {
    fn command(&self) -> Command {
        Args::command()
    }

    fn run(&self, matches: &ArgMatches, _: &Formats, ui: &mut Ui) -> io::Result<Exit> {
        run(&parsed(matches), ui)
    }
}

/// The call that shows recordings.
const LOOK: &str = if cfg!(feature = "live") {
    "watch FOLDER"
} else {
    "inspect FOLDER"
};

/// The name by which this command was called, so that the lines at the end can be copied.
fn command() -> String {
    let called = std::env::args_os().next();
    let called = called.filter(|called| called.as_encoded_bytes().contains(&b'/'));
    called.map_or_else(
        || "gametape".to_owned(),
        |called| called.spelled().into_owned(),
    )
}

fn run(args: &Args, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = std::fs::create_dir_all(&args.folder) {
        return Ok(ui.refuse(&format!("{}: {error}", args.folder.spelled())));
    }
    if !ui.json {
        ui.line(format_args!(
            "In about ten seconds: a bot plays Minesweeper, worlds are simulated, a network stream and a match \
             of Echo VR are recorded.\nSome copies are tampered with. Everything is verified, and lies in {}.\n",
            args.folder.spelled()
        ))?;
        ui.flush()?;
    }
    let mut as_expected = true;
    for part in [mines::play, murk::play, arena::play, echo::play] {
        match part(args, ui)? {
            Ok(expected) => as_expected &= expected,
            Err(message) => {
                return Ok(ui.refuse(&message));
            }
        }
        if !ui.json {
            ui.line("")?;
        }
    }
    if !ui.json {
        ui.line(if as_expected {
            "Everything sound was found sound, everything tampered with was found out."
        } else {
            "Something did not come out as it should: see above."
        })?;
        #[cfg(feature = "live")]
        if let Err(message) = site::publish(&args.folder, ui)? {
            return Ok(ui.refuse(&message));
        }
        ui.line("\nNext, to copy:")?;
        let (command, folder) = (command(), args.folder.spelled());
        for line in [
            format!("verify {folder} --policy default"),
            format!(
                "dump {folder}/match.butter --table players --columns time_ms,name,head_x,head_y,head_z --limit 5"
            ),
            format!("dump {folder}/arena.mcap --state --at tick:300"),
            format!("diff {folder}/heat.murk {folder}/heat-faulty.murk"),
            LOOK.replace("FOLDER", &folder),
        ] {
            ui.line(format_args!("  {command} {line}"))?;
        }
    }
    Ok(if as_expected {
        Exit::Fine
    } else {
        Exit::Problems
    })
}
