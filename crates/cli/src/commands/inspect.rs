//! `gametape inspect`.

use std::io;

use gametape::{Error, Info, Partial, Recording, Secrets, Verb};
use serde::Serialize;

use super::{Call, recordings};
use crate::args::Inspect;
use crate::exit::Exit;
use crate::ui::{Ui, secrets};

/// A description, and of what.
#[derive(Serialize)]
struct Described<'a> {
    path: String,
    #[serde(flatten)]
    info: &'a Info,
}

pub fn run(args: &Inspect, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    let mut exit = Exit::Fine;
    let mut seen = false;
    let options = call.open_options();
    let standard_input = |path: &_| call.open(path);
    for opened in recordings(call.formats, &args.paths, &options, standard_input) {
        seen = true;
        let done = match opened {
            Err(error) => ui.fail(&error),
            Ok((recording, named)) => match attachment(&recording, call) {
                Some(Ok(text)) => {
                    ui.line(text.trim_end())?;
                    Exit::Fine
                }
                Some(Err(error)) => ui.fail(&error),
                None => describe(
                    &recording,
                    named || args.full,
                    secrets(args.show_secrets),
                    ui,
                )?,
            },
        };
        exit = exit.max(done);
    }
    if !seen {
        return Ok(ui.found_nothing(&args.paths));
    }
    Ok(exit)
}

/// The one thing of a recording that is asked for, if one is.
fn attachment(recording: &Recording, call: &Call<'_>) -> Option<Result<String, Error>> {
    let asked = call.formats.options(&[Verb::Inspect]);
    let asked = asked.iter().find(|def| call.options.has(def.name))?;
    Some(recording.attachment(asked.name))
}

fn describe(recording: &Recording, whole: bool, secrets: Secrets, ui: &mut Ui) -> io::Result<Exit> {
    let info: Result<Partial<Info>, Error> = if whole {
        recording.info(secrets)
    } else {
        recording.header(secrets)
    };
    let info = match info {
        Ok(info) => info,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let path = recording.path().display().to_string();
    if ui.json {
        ui.object(&Described {
            path,
            info: &info.value,
        })?;
    } else {
        ui.line(gametape::core::text::printable(&path))?;
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
