//! `gametape record murk`.

mod agent;
mod args;
mod report;
mod sweep;
mod values;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;

use gametape::murk::tools::{self, Recorded};
use gametape::{Error, Formats};

use self::args::{Args, begin};
use self::report::{complain, report, verdict};
use super::serving::Watched;
use crate::Exit;
use crate::tools::inputs::commands;
use crate::ui::Ui;

tool!(
    /// `gametape record murk`.
    Murk, under: "record", examples: EXAMPLES
);

const EXAMPLES: &[&str] = &[
    "record murk --world WORLD.toml --commands COMMANDS.jsonl --ticks 200 OUT.murk",
    "record murk --world WORLD.toml --sweep dt=0.05..0.1/6 --seeds 20 --ticks 200 OUT.csv",
    "record murk --world WORLD.toml --agent --watch FIELD",
];

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    if args.sweeping.is_asked() {
        return sweep::run(args, formats, ui);
    }
    if args.agent {
        return agent::run(args, formats, ui);
    }
    let mut watched = match args.serve.begin(formats, ui) {
        Ok(watched) => watched,
        Err(exit) => return Ok(exit),
    };
    let exit = match record(args, formats, &mut watched) {
        Err(error) => ui.fail(&error),
        Ok(recorded) => {
            if ui.json {
                ui.object(&recorded)?;
            } else {
                let output = args.output.as_deref().unwrap_or(Path::new(""));
                let said = report(&recorded, output, ui);
                ui.line(said)?;
                complain(&recorded, ui);
            }
            verdict(&recorded)
        }
    };
    watched.stay(exit, ui)
}

fn record(args: &Args, formats: &Formats, watched: &mut Watched) -> Result<Recorded, Error> {
    let (options, world) = begin(args, formats)?;
    let output = &options.output;
    let commands = commands(args.commands.as_deref(), &world)?;
    let ending = watched.ending();
    if args.serve.is_asked() {
        ending.listen(output)?;
    }
    let mut begun = false;
    let each = |_: &Recorded| {
        if !begun {
            begun = true;
            watched.goes_into(output);
        }
        watched.grew();
        if ending.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    tools::record_each(&options, &commands, each).map_err(Error::tape(output))
}
