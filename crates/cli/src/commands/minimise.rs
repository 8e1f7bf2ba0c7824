//! `gametape minimise`.

use std::io;
use std::path::Path;

use gametape::Format;
use gametape::murk::{self, Minimise as Options};
use serde_json::json;

use super::convert::deliver;
use crate::args::Minimise;
use crate::exit::Exit;
use crate::ui::{Ui, check_with, counted, open, read_world};

pub fn run(args: &Minimise, ui: &mut Ui) -> io::Result<Exit> {
    // Before the search, which may take its time.
    if let Err(error) = Format::Murk.check_name(Path::new(&args.output)) {
        return Ok(ui.fail(&error));
    }
    let found = check_with(args.world.as_deref()).and_then(|check| {
        let options = Options {
            check,
            against: args.against.as_deref().map(read_world).transpose()?,
            max_trials: args.max_trials,
        };
        murk::minimise(&open(&args.input)?, &options)
    });
    let found = match found {
        Ok(found) => found,
        Err(error) => return Ok(ui.fail(&error)),
    };
    // The smaller log is another recording: it never stands in the place of the first.
    if let Err(exit) = deliver(
        &args.input,
        &args.output,
        found.bytes.as_slice().into(),
        true,
        ui,
    )? {
        return Ok(exit);
    }
    if ui.json && args.output != "-" {
        ui.object(&json!({
            "path": args.input.display().to_string(),
            "out": args.output.display().to_string(),
            "ticks": found.ticks,
            "commands": found.commands,
            "trials": found.trials,
            "minimal": found.minimal,
            "tick": found.tick,
            "fault": found.fault,
        }))?;
    } else {
        let [ticks_before, ticks] = found.ticks;
        let [commands_before, commands] = found.commands;
        ui.remark(&format!(
            "{} became {commands}, {} {ticks}, after {}",
            counted(commands_before, "command"),
            counted(ticks_before, "tick"),
            counted(found.trials, "trial")
        ));
        ui.remark(&format!("tick {}: {}", found.tick, found.fault));
        if !found.minimal {
            ui.remark("stopped before it was minimal: see --max-trials");
        }
    }
    Ok(Exit::Fine)
}
