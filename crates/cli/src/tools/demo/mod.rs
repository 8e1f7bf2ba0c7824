//! `gametape demo`: plays, simulates, records, verifies and tampers, from nothing.

mod arena;
mod echo;
mod mines;
mod murk;
#[cfg(feature = "live")]
mod site;

use std::io;
use std::path::{Path, PathBuf};

use clap::Parser;
use gametape::core::Spell as _;
use gametape::{Audit, Existing, Format, Formats, Recording};

use crate::Exit;
use crate::commands::verify::{audited, print_audit};
use crate::ui::Ui;

tool!(
    /// `gametape demo`.
    Demo
);

/// Play, simulate, record, verify and tamper, from nothing
#[derive(Parser, Debug)]
#[command(name = "demo")]
struct Args {
    /// The folder for the recordings
    #[arg(value_name = "FOLDER", default_value = "demo-recordings")]
    folder: PathBuf,
    /// The seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
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

fn run(args: &Args, _: &Formats, ui: &mut Ui) -> io::Result<Exit> {
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

/// Writes a recording; returns its path, or a message.
fn save(
    folder: &Path,
    name: &str,
    make: impl FnOnce() -> Result<Vec<u8>, String>,
) -> Result<String, String> {
    let path = folder.join(name);
    gametape::write_file(&path, &make()?, Existing::Replace).map_err(|error| error.to_string())?;
    Ok(path.spelled().into_owned())
}

/// Audits a recording; returns the audit, or a message.
fn audit(path: &str) -> Result<Audit, String> {
    Recording::open(path)
        .and_then(|recording| recording.audit())
        .map_err(|error| error.to_string())
}

/// Prints an audit as `verify` does.
fn print(path: &str, audit: &Audit, ui: &mut Ui) -> io::Result<()> {
    if ui.json {
        let format = gametape::formats()
            .from_extension(Path::new(path))
            .map(<dyn Format>::name);
        return ui.object(&audited(path.as_ref(), format, audit));
    }
    print_audit(path, audit, &[], false, ui)
}
