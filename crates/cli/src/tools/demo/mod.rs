//! `gametape demo`: the main job from nothing.

mod arena;
mod echo;
mod mines;
mod murk;

use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command, CommandFactory, Parser};
use gametape::{Audit, Format, Formats, Recording};
use serde_json::json;

use super::parsed;
use crate::commands::verify::show;
use crate::ui::Ui;
use crate::{Exit, Tool};

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

/// Play, simulate, record, verify and tamper, from nothing
#[derive(Parser, Debug)]
#[command(name = "demo")]
struct Args {
    /// Where to put the recordings
    #[arg(value_name = "FOLDER", default_value = "demo-recordings")]
    folder: PathBuf,
    /// Another seed, other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn run(args: &Args, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = std::fs::create_dir_all(&args.folder) {
        ui.complain(&format!("{}: {error}", args.folder.display()));
        return Ok(Exit::Unusable);
    }
    let mut as_expected = true;
    for part in [mines::play, murk::play, arena::play, echo::play] {
        match part(args, ui)? {
            Ok(expected) => as_expected &= expected,
            Err(message) => {
                ui.complain(&message);
                return Ok(Exit::Unusable);
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
    }
    Ok(if as_expected {
        Exit::Fine
    } else {
        Exit::Problems
    })
}

fn save(
    folder: &Path,
    name: &str,
    make: impl FnOnce() -> Result<Vec<u8>, String>,
) -> Result<String, String> {
    let path = folder.join(name);
    gametape::write_file(&path, &make()?).map_err(|error| error.to_string())?;
    Ok(path.display().to_string())
}

fn audit(path: &str) -> Result<Audit, String> {
    Recording::open(path)
        .and_then(|recording| recording.audit())
        .map_err(|error| error.to_string())
}

fn print(path: &str, audit: &Audit, ui: &mut Ui) -> io::Result<()> {
    if ui.json {
        return ui.object(&json!({
            "path": path,
            "format": gametape::formats().from_extension(Path::new(path)).map(Format::name),
            "verdict": audit.verdict(),
            "findings": audit.findings,
        }));
    }
    show(path, audit, false, ui)
}
