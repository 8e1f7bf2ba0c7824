//! `gametape index`.

use std::ffi::OsString;
use clap::{ArgMatches, Command, CommandFactory, Parser};
use gametape::Formats;
use gametape::core::text::printable;
use std::io;

use gametape::{Format, murk};
use serde_json::json;

use crate::tools::parsed;
use crate::{Exit, Tool};
use crate::ui::{Ui, counted, recordings};

/// `gametape index`.
#[derive(Clone, Copy, Debug)]
pub struct Index;

impl Tool for Index {
    fn command(&self) -> Command {
        Args::command()
    }

    fn writes(&self) -> bool {
        true
    }

    fn run(&self, matches: &ArgMatches, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
        run(&parsed(matches), formats, ui)
    }
}

/// Make the index beside a recording
///
/// The index finds ticks at once, and tells which bit was flipped in a damaged recording:
/// verify names it, repair turns it back. It is refused where the recording has changed.
#[derive(Parser, Debug)]
#[command(name = "index")]
struct Args {
    /// Files, folders, or patterns
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<OsString>,
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let mut exit = Exit::Fine;
    let mut seen = false;
    for opened in recordings(&args.paths) {
        // What was merely found, and has no index, is not meant.
        if let Ok((recording, false)) = &opened
            && recording.format() != Format::Murk
        {
            continue;
        }
        seen = true;
        let made = opened.and_then(|(recording, _)| {
            let path = recording.path().display().to_string();
            murk::index(&recording).map(|(index, frames)| (path, index, frames))
        });
        match made {
            Err(error) => exit = exit.max(ui.fail(&error)),
            Ok((path, index, frames)) if ui.json => ui.object(&json!({
                "path": path,
                "index": index.display().to_string(),
                "frames": frames,
            }))?,
            Ok((_, index, frames)) => ui.line(format_args!(
                "{}: {}",
                printable(&index.display().to_string()),
                counted(frames, "frame")
            ))?,
        }
    }
    if !seen {
        return Ok(ui.found_nothing(&args.paths));
    }
    Ok(exit)
}
