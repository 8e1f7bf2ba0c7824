//! `gametape repair`.

use std::io;

use gametape::Work;
use serde_json::json;

use super::Call;
use super::convert::{deliver, of_output, put_beside, target_folder};
use crate::args::Repair;
use crate::exit::Exit;
use crate::ui::{Ui, byte_bar};

pub fn run(args: &Repair, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let repaired = call.open(&args.input).and_then(|recording| {
        let folder = target_folder(&args.output)?;
        let bar = byte_bar(recording.input().size());
        let made = recording.repair_with(
            &call.told(),
            &Work {
                folder: folder.as_deref(),
                progress: Some(&|done| bar.set_position(done)),
                cancel: None,
            },
        );
        bar.finish_and_clear();
        let made = made.map_err(|error| of_output(error, &args.output))?;
        Ok((made, recording))
    });
    let (made, recording) = match repaired {
        Ok(made) => made,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let (input, output) = (&args.input, &args.output);
    let repaired = made.outcome;
    let bytes = made.content.size();
    let format = recording.format();
    if let Err(exit) = deliver(input, output, made.content, format, repaired.lossy, ui)? {
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
            "format": format.name(),
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
