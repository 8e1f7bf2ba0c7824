//! `gametape repair`.

use std::io;

use gametape::Work;
use serde_json::json;

use super::convert::{deliver, put_beside, work_folder};
use crate::args::Repair;
use crate::exit::Exit;
use crate::ui::{Ui, open};

pub fn run(args: &Repair, ui: &mut Ui) -> io::Result<Exit> {
    let recording = match open(&args.input) {
        Ok(recording) => recording,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let format = recording.format();
    let repaired = work_folder(&args.output).and_then(|folder| {
        recording.repair_with(&Work {
            folder: folder.as_deref(),
            progress: None,
        })
    });
    let repaired = match repaired {
        Ok(repaired) => repaired,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let (input, output) = (&args.input, &args.output);
    let bytes = repaired.content.len();
    if let Err(exit) = deliver(input, output, repaired.content, repaired.lossy, ui)? {
        return Ok(exit);
    }
    let lossy = match put_beside(&repaired.beside, output, ui) {
        Ok(missing) => repaired.lossy || missing,
        Err(exit) => return Ok(exit),
    };
    if ui.json && args.output != "-" {
        ui.object(&json!({
            "path": args.input.display().to_string(),
            "out": args.output.display().to_string(),
            "format": format,
            "bytes": bytes,
            "actions": repaired.actions,
            "lossy": lossy,
        }))?;
    } else {
        for action in &repaired.actions {
            ui.remark(action);
        }
        if repaired.actions.is_empty() {
            ui.remark(
                "nothing to repair: the form is whole. Whether the content is sound, verify says",
            );
        }
    }
    Ok(if lossy { Exit::Loss } else { Exit::Fine })
}
