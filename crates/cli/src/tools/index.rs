//! `gametape index`.

use std::ffi::OsString;
use std::io;

use clap::Parser;
use gametape::core::Spell as _;
use gametape::core::text::{Counted, printable};
use gametape::murk::tape::MurkTape;
use gametape::murk::tools::{IndexFile, index};
use gametape::{Error, Existing, Formats, OpenOptions, Recording};
use serde_json::json;

use super::inputs::simulation;
use crate::Exit;
use crate::call::open;
use crate::located::located;
use crate::many::{items, recordings};
use crate::ui::Ui;

tool!(
    /// `gametape index`.
    Index, writes: true
);

/// Write the index beside a recording
///
/// The index finds ticks at once, and shows which bit was flipped in a damaged recording:
/// verify names it, repair turns it back. An index of a recording that has changed is refused.
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
    let options = OpenOptions::default();
    let standard_input = |path: &_| open(formats, path, &options);
    let items = items(formats, &args.paths);
    for opened in recordings(formats, items, &options, standard_input) {
        // Files that were only found are skipped if their format has no index.
        if let Ok((recording, false)) = &opened
            && recording.tape_as::<MurkTape>().is_none()
        {
            continue;
        }
        seen = true;
        let made = opened.and_then(|(recording, _)| {
            let path = recording.path().to_owned();
            make(&recording).map(|index| (path, index.path, index.frames))
        });
        match made {
            Err(error) => exit = exit.max(ui.fail(&error)),
            Ok((path, index, frames)) if ui.json => ui.object(&located(
                [("path", &path), ("index", &index)],
                json!({ "frames": frames }),
            ))?,
            Ok((_, index, frames)) => ui.line(format_args!(
                "{}: {}",
                printable(&index.spelled()),
                Counted(frames, "frame")
            ))?,
        }
    }
    if !seen {
        return Ok(ui.found_nothing(&args.paths));
    }
    Ok(exit)
}

fn make(recording: &Recording) -> Result<IndexFile, Error> {
    let made = index(simulation(recording, "index")?).map_err(Error::tape(recording.path()))?;
    gametape::write_file(&made.path, &made.bytes, Existing::Replace)?;
    Ok(made)
}
