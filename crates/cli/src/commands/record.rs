//! `gametape record`.

use std::io;

use gametape::Error;
use gametape::murk::{self, RecordOptions, Recorded};

use crate::args::{Record, RecordMurk, RecordWhat};
use crate::exit::Exit;
use crate::ui::{Ui, read_commands, read_text};

pub fn run(args: &Record, ui: &mut Ui) -> io::Result<Exit> {
    let RecordWhat::Murk(args) = &args.what;
    match record(args) {
        Err(error) => Ok(ui.fail(&error)),
        Ok(recorded) => {
            report(args, &recorded, ui)?;
            Ok(Exit::Fine)
        }
    }
}

fn record(args: &RecordMurk) -> Result<Recorded, Error> {
    let world = read_text(&args.world)?;
    let commands = read_commands(args.commands.as_deref(), &world)?;
    let options = RecordOptions {
        world,
        world_path: args.world.clone(),
        ticks: args.ticks,
        output: args.output.clone(),
        resume: args.resume,
    };
    murk::record(&options, &commands)
}

fn report(args: &RecordMurk, recorded: &Recorded, ui: &mut Ui) -> io::Result<()> {
    if ui.json {
        return ui.object(recorded);
    }
    if recorded.dropped > 0 {
        ui.remark(&format!(
            "cut off {} bytes of a frame that was not whole",
            recorded.dropped
        ));
    }
    if recorded.resumed_after > 0 {
        ui.remark(&format!("went on behind tick {}", recorded.resumed_after));
    }
    let more: String = [
        (recorded.expired, "commands had expired"),
        (recorded.rejected, "commands could not be applied"),
        (recorded.failed_ticks, "ticks failed"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .fold(String::new(), |text, (count, what)| {
        format!("{text}; {count} {what}")
    });
    let line = format!(
        "recorded {} ticks, {} commands{more}",
        recorded.ticks, recorded.commands
    );
    ui.line(format_args!(
        "{}: {line}",
        gametape::printable(&args.output.display().to_string())
    ))
}
