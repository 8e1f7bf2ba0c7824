//! `gametape index`.

use std::io;

use gametape::{Format, murk};
use serde_json::json;

use crate::args::Index;
use crate::exit::Exit;
use crate::ui::{Ui, counted, recordings};

pub fn run(args: &Index, ui: &mut Ui) -> io::Result<Exit> {
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
                gametape::printable(&index.display().to_string()),
                counted(frames, "frame")
            ))?,
        }
    }
    if !seen {
        return Ok(ui.found_nothing(&args.paths));
    }
    Ok(exit)
}
