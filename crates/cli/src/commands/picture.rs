//! `gametape picture`: draws a moment or a stretch of a recording as SVG or PNG.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use gametape::Work;
use gametape::core::Spell as _;
use gametape::core::text::printable;
use gametape_picture::scene::time::Stretch;
use gametape_picture::{Drawn, Fault, Options, Plane, draw, png};
use serde_json::json;

use super::convert::is_same_file;
use super::{Call, stamp};
use crate::advice::of_output;
use crate::args::{Picture, Show, Side};
use crate::exit::Exit;
use crate::located::from_to;
use crate::ui::{Ui, secrets};

/// The format of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Svg,
    Png,
}

impl Form {
    fn of(output: &OsStr) -> Result<Self, String> {
        if output == "-" {
            return Ok(Self::Svg);
        }
        let extension = Path::new(output).extension().unwrap_or_default();
        match extension.to_string_lossy().to_ascii_lowercase().as_str() {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            _ => Err(format!(
                "{}: a picture is .svg or .png, or - for SVG to standard output",
                output.spelled()
            )),
        }
    }
}

pub fn run(args: &Picture, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let form = match Form::of(&args.output).and_then(|form| check_output(&args.output, form)) {
        Ok(form) => form,
        Err(sentence) => {
            return Ok(ui.refuse(&sentence));
        }
    };
    if is_same_file(&args.path, &args.output) {
        ui.complain(&format!(
            "{}: would be replaced by a picture of it; name another output",
            args.path.spelled()
        ));
        return Ok(Exit::Unusable);
    }
    let drawn = call
        .open(&args.path)
        .map_err(Fault::from)
        .and_then(|recording| draw(&recording, &options(args), &Work::default()));
    let drawn = match drawn {
        Ok(drawn) => drawn,
        Err(Fault::Error(error)) => return Ok(ui.fail(&error)),
        Err(Fault::Message(sentence)) => {
            return Ok(ui.refuse(&sentence));
        }
    };
    let bytes = match form {
        Form::Svg => drawn.picture.svg.clone().into_bytes(),
        Form::Png => match png(&drawn.picture) {
            Ok(bytes) => bytes,
            Err(error) => {
                return Ok(ui.refuse(&format!("the picture can't be made a PNG: {error}")));
            }
        },
    };
    if args.output == "-" {
        // The bytes of a file must not pass through the colour filter.
        ui.flush()?;
        let mut stdout = io::stdout().lock();
        stdout.write_all(&bytes)?;
        stdout.flush()?;
    } else if let Err(error) =
        gametape::write_file(Path::new(&args.output), &bytes, args.replace.existing())
    {
        return Ok(ui.fail(&of_output(error, &args.output)));
    }
    report(args, &drawn, bytes.len(), ui)
}

fn options(args: &Picture) -> Options {
    Options {
        at: args.at.clone(),
        over: (args.from.is_some() || args.to.is_some()).then(|| Stretch {
            from: args.from.clone(),
            to: args.to.clone(),
        }),
        show: args.show.map(|show| match show {
            Show::Ways => gametape_picture::Show::Ways,
            Show::Time => gametape_picture::Show::Time,
            Show::Changes => gametape_picture::Show::Changes,
        }),
        view: args.view.clone(),
        column: args.column.clone(),
        plane: match args.plane {
            Side::Xz => Plane::Xz,
            Side::Xy => Plane::Xy,
            Side::Zy => Plane::Zy,
        },
        width: args.width,
        secrets: secrets(args.show_secrets),
    }
}

/// Refuses an output that can't be written, before the recording is read.
fn check_output(output: &OsStr, form: Form) -> Result<Form, String> {
    if output == "-" {
        return Ok(form);
    }
    match gametape::folder_for(Path::new(output)) {
        Ok(_) => Ok(form),
        Err(error) => Err(error.to_string()),
    }
}

/// Reports what the picture shows, in words.
fn report(args: &Picture, drawn: &Drawn, bytes: usize, ui: &mut Ui) -> io::Result<Exit> {
    if args.output != "-" {
        if ui.json {
            ui.object(&from_to(
                &args.path,
                &args.output,
                json!({
                    "view": drawn.view,
                    "at": drawn.at.map(stamp),
                    "from": drawn.over.map(|(from, _)| stamp(from)),
                    "to": drawn.over.map(|(_, to)| stamp(to)),
                    "show": drawn.show,
                    "width": drawn.picture.width,
                    "height": drawn.picture.height,
                    "bytes": bytes,
                    "words": drawn.words,
                }),
            ))?;
        } else {
            ui.line(printable(&drawn.words))?;
        }
    }
    if let Some(problem) = &drawn.playback_problem {
        ui.complain(&problem.to_string());
    }
    if let Some(problem) = &drawn.problem {
        ui.complain(&format!("{problem} (drew the readable part)"));
    }
    Ok(match (&drawn.playback_problem, &drawn.problem) {
        (None, None) => Exit::Fine,
        _ => Exit::Problems,
    })
}
