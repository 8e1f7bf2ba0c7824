//! `gametape inspect`.

use std::io;
use std::path::Path;

use gametape::core::Spell as _;
use gametape::{Error, Info, Partial, Recording, Verb};

use super::{Call, many_of};
use crate::advice;
use crate::args::Inspect;
use crate::exit::Exit;
use crate::located::located;
use crate::sheet::Sheet;
use crate::ui::{Ui, secrets};

/// The output for a recording.
enum Output {
    /// An error instead.
    Failed(Error),
    /// A text in the recording.
    Text(String),
    Info(Partial<Info>),
}

pub fn run(args: &Inspect, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    if args.csv.is_some() && ui.json {
        return Ok(ui.refuse("either --json or --csv"));
    }
    ui.sheet = args
        .csv
        .map(|style| Sheet::new(style).of_columns(&["path", "format"]));
    let mut exit = Exit::Fine;
    let mut seen = false;
    let secrets = secrets(args.show_secrets);
    let read = |recording: &Recording, named: bool| {
        let output = match attachment(recording, call) {
            Some(text) => text.map(Output::Text),
            None if named || args.full => recording.info(secrets).map(Output::Info),
            None => recording.header(secrets).map(Output::Info),
        };
        output.unwrap_or_else(Output::Failed)
    };
    many_of(&args.paths, call, ui, &read, |path, output, ui| {
        seen = true;
        exit = exit.max(print(path, output, ui)?);
        Ok(())
    })?;
    if !seen {
        return Ok(ui.found_nothing(&args.paths));
    }
    ui.end()?;
    Ok(exit)
}

fn print(path: &Path, output: Result<Output, Error>, ui: &mut Ui) -> io::Result<Exit> {
    match output.unwrap_or_else(Output::Failed) {
        Output::Failed(error) => Ok(ui.fail(&error)),
        Output::Text(text) => ui.line(text.trim_end()).map(|()| Exit::Fine),
        Output::Info(info) => describe(path, info, ui),
    }
}

/// Returns the part of a recording that an option asks for, if there is one.
fn attachment(recording: &Recording, call: &Call<'_>) -> Option<Result<String, Error>> {
    let asked = call.formats.options(&[Verb::Inspect]);
    let asked = asked.iter().find(|def| call.options.has(def.name))?;
    let name = asked.name.strip_prefix("print-").unwrap_or(asked.name);
    Some(recording.attachment(name))
}

fn describe(path: &Path, info: Partial<Info>, ui: &mut Ui) -> io::Result<Exit> {
    if ui.is_data() {
        let described = serde_json::to_value(&info.value)?;
        let mut described = located([("path", path)], described);
        let problem = info.problem.as_ref().map(advice::data);
        described.extend(problem.map(|problem| ("error".to_owned(), problem)));
        ui.record(&described)?;
    } else {
        ui.line(gametape::core::text::printable(&path.spelled()))?;
        ui.line(&info.value)?;
    }
    Ok(match info.problem {
        None => Exit::Fine,
        Some(problem) => {
            ui.complain(&format!("{problem} (as far as it could be read)"));
            Exit::Problems
        }
    })
}
