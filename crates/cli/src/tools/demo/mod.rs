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

fn run(args: &Args, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = std::fs::create_dir_all(&args.folder) {
        return Ok(ui.refuse(&format!("{}: {error}", args.folder.display())));
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
        let folder = args.folder.display();
        ui.line(format_args!(
            "Try: gametape inspect {folder}/expert-win.rmv; gametape stats {folder}/heat.murk; \
             gametape diff {folder}/heat.murk {folder}/heat-faulty.murk; \
             gametape dump --state --at tick:300 {folder}/arena.mcap; \
             gametape stats {folder}/match.butter"
        ))?;
        #[cfg(feature = "live")]
        if let Err(message) = site::publish(&args.folder, ui)? {
            return Ok(ui.refuse(&message));
        }
    }
    Ok(if as_expected {
        Exit::Fine
    } else {
        Exit::Problems
    })
}
