//! Recordings that an agent makes: one, or one for each time that it begins again.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use gametape::core::text::Counted;
use gametape::murk::tools::{self, LineAgent, Recorded, Reset};
use gametape::{Error, Formats};
use gametape_record::numbered;
use serde_json::{Value, json};

use super::args::{Args, begin, given, watches};
use super::report::{complain, made, report, verdict};
use crate::Exit;
use crate::ui::Ui;

/// All that an agent made.
#[derive(Default)]
struct Made {
    /// The sum of all recordings.
    all: Recorded,
    /// The number of recordings, or of what would be one if there were files.
    episodes: u64,
}

pub fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let mut done = Made::default();
    let unfinished = match ask(args, formats, &mut done, ui) {
        Ok(unfinished) => unfinished,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if ui.json {
        let mut object = serde_json::to_value(&done.all)?;
        if let Value::Object(object) = &mut object {
            object.insert("episodes".to_owned(), json!(done.episodes));
        }
        ui.object(&object)?;
    } else if args.output.is_none() {
        let episodes = Counted(done.episodes, "episode");
        ui.remark(&format!(
            "{episodes}, {}; nothing was recorded, without OUT",
            made(&done.all)
        ));
        complain(&done.all, ui);
    }
    if unfinished > 0 {
        ui.complain(&format!(
            "the input ended within a tick: {} not recorded",
            if unfinished == 1 {
                "1 command of it is".to_owned()
            } else {
                format!("{} of it are", Counted(unfinished, "command"))
            }
        ));
    }
    Ok(match verdict(&done.all) {
        Exit::Fine if unfinished > 0 => Exit::Loss,
        exit => exit,
    })
}

/// Asks the agent until it ends. Returns the number of commands without a tick.
fn ask(args: &Args, formats: &Formats, done: &mut Made, ui: &mut Ui) -> Result<u64, Error> {
    let (mut options, world) = begin(args, formats)?;
    // Wrong watches are refused before anything is recorded.
    let watches = watches(args, &world).map_err(Error::tape(given(args)))?;
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    let mut agent = LineAgent::new(input, output, "-".into(), &world, watches);
    let each = |_: &Recorded| ControlFlow::Continue(());
    let mut number = 1;
    loop {
        let path = args.output.as_deref().map(|path| numbered(path, number));
        let asked = match &path {
            Some(path) => {
                options.output.clone_from(path);
                tools::record_asking(&options, &mut agent, each)
            }
            None => tools::ask(&options, &mut agent, each),
        };
        let place = path.as_deref().unwrap_or(given(args));
        let asked = asked.map_err(Error::tape(place))?;
        // What ends before its first tick is no episode, unless there is no other.
        let is_last = asked.reset.is_none();
        if asked.recorded.ticks > 0 || is_last && done.episodes == 0 {
            done.add(asked.recorded, path.as_deref(), ui);
            number += 1;
            while args
                .output
                .as_deref()
                .is_some_and(|path| numbered(path, number).exists())
            {
                number += 1;
            }
        } else if let Some(path) = &path {
            fs::remove_file(path).map_err(Error::io(path))?;
        }
        match asked.reset {
            None => return Ok(agent.unfinished()),
            Some(Reset { seed }) => options.seed = seed.or(options.seed),
        }
    }
}

impl Made {
    /// Adds an episode, and says what is in its file.
    fn add(&mut self, recorded: Recorded, path: Option<&Path>, ui: &mut Ui) {
        if let Some(path) = path
            && !ui.json
        {
            // Standard output belongs to the agent.
            let said = report(&recorded, path, ui);
            ui.remark(&said);
            complain(&recorded, ui);
        }
        self.episodes += 1;
        self.all.add(recorded);
    }
}
