//! `gametape record murk`.

use std::io;
use std::path::Path;

use gametape::Error;
use gametape::murk::{self, RecordOptions, Recorded};

use crate::args::RecordMurk;
use crate::exit::Exit;
use crate::ui::{Ui, counted, read_commands, read_world};

pub fn run(args: &RecordMurk, ui: &mut Ui) -> io::Result<Exit> {
    match record(args) {
        Err(error) => Ok(ui.fail(&error)),
        Ok(recorded) => {
            report(args, &recorded, ui)?;
            Ok(if recorded.failed_ticks > 0 {
                Exit::Problems
            } else {
                Exit::Fine
            })
        }
    }
}

fn record(args: &RecordMurk) -> Result<Recorded, Error> {
    if args.output == Path::new("-") {
        return Err(Error::Unwritable {
            path: args.output.clone(),
            message: "a recording goes into a file, from which it can be resumed".into(),
        });
    }
    let world = read_world(&args.world)?;
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
            "cut off {} behind the last whole frame",
            counted(recorded.dropped, "byte")
        ));
    }
    if recorded.resumed_after > 0 {
        let last = recorded.resumed_after;
        ui.remark(&if recorded.ticks > 0 {
            format!("went on behind tick {last}")
        } else {
            format!("nothing to make: tick {last} is there already")
        });
    }
    let more: String = [
        (recorded.expired, "command", "had expired"),
        (recorded.rejected, "command", "could not be applied"),
        (recorded.failed_ticks, "tick", "failed"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .fold(String::new(), |text, (count, what, became)| {
        format!("{text}; {} {became}", counted(count, what))
    });
    ui.line(format_args!(
        "{}: recorded {}, {}{more}",
        gametape::printable(&args.output.display().to_string()),
        counted(recorded.ticks, "tick"),
        counted(recorded.commands, "command"),
    ))?;
    if let Some(failure) = &recorded.failure {
        ui.complain(&format!("a tick that failed changed nothing: {failure}"));
    }
    Ok(())
}
