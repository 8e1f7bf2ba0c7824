//! `gametape convert`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gametape::core::tape;
use gametape::{Beside, Class, Content, Converted, Error, Format, Made, Recording, Work};
use serde_json::json;

use super::Call;
use crate::args::Convert;
use crate::exit::Exit;
use crate::ui::{Ui, byte_bar};

pub fn run(args: &Convert, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    let recording = match call.open(&args.input) {
        Ok(recording) => recording,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let format = recording.format();
    let to = match call.target(&recording, &args.output) {
        Ok(to) => to,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let made = match make(&recording, to, call, &args.output) {
        Ok(made) => made,
        Err(error) if error.class() == Class::Refused => {
            ui.complain(&error.to_string());
            return Ok(Exit::Problems);
        }
        Err(error) if error.is_broken() => {
            let command = ui.name;
            ui.complain(&format!(
                "{error} ({command} repair may keep what is whole)"
            ));
            return Ok(Exit::Unusable);
        }
        Err(error) => return Ok(ui.fail(&error)),
    };
    let converted = made.outcome;
    let lossy = converted.is_lossy();
    let bytes = made.content.size();
    if let Err(exit) = deliver(&args.input, &args.output, made.content, to, lossy, ui)? {
        return Ok(exit);
    }
    let lossy = match put_beside(&converted.beside, &args.output, ui) {
        Ok(missing) => lossy || missing,
        Err(exit) => return Ok(exit),
    };
    if ui.json && args.output != "-" {
        ui.object(&json!({
            "path": args.input.display().to_string(),
            "out": args.output.display().to_string(),
            "format": format.name(),
            "to": to.name(),
            "bytes": bytes,
            "losses": converted.losses,
            "notes": converted.notes,
            "report": converted.report.map(|report| report.data),
        }))?;
    } else {
        for loss in &converted.losses {
            ui.remark(&format!("not carried over: {loss}"));
        }
        for note in &converted.notes {
            ui.remark(&format!("note: {note}"));
        }
        if let Some(report) = &converted.report {
            ui.remarks(&report.text);
        }
    }
    Ok(if lossy { Exit::Loss } else { Exit::Fine })
}

impl Call<'_> {
    /// The format that an output is to have: by its extension; standard output has the input's.
    fn target<'r>(
        &'r self,
        recording: &'r Recording,
        output: &OsStr,
    ) -> Result<&'r dyn Format, Error> {
        if output == "-" {
            return Ok(recording.format());
        }
        self.formats
            .from_extension(Path::new(output))
            .ok_or_else(|| Error::Tape {
                path: recording.path().to_owned(),
                source: tape::Error::NoConversion {
                    from: recording.format().name(),
                    to: format!("{}: its extension is of no known format", output.display()),
                },
            })
    }
}

fn make(
    recording: &Recording,
    to: &dyn Format,
    call: &Call<'_>,
    output: &OsStr,
) -> Result<Made<Converted>, Error> {
    let folder = target_folder(output)?;
    let bar = byte_bar(recording.input().size());
    let made = recording.convert_with(
        to.name(),
        &call.told(),
        &Work {
            folder: folder.as_deref(),
            progress: Some(&|done| bar.set_position(done)),
            cancel: None,
        },
    );
    bar.finish_and_clear();
    made.map_err(|error| of_output(error, output))
}

/// What can't be written is said of the output, and not of the recording.
pub fn of_output(error: Error, output: &OsStr) -> Error {
    match error {
        Error::Tape {
            source: tape::Error::Output(source),
            ..
        } => Error::Io {
            path: output.into(),
            source,
        },
        error => error,
    }
}

/// The folder that a file is to be made in; none for standard output and devices.
pub fn target_folder(output: &OsStr) -> Result<Option<PathBuf>, Error> {
    if output == "-" {
        return Ok(None);
    }
    gametape::folder_for(Path::new(output))
}

/// Writes what has to lie beside a file; beside standard output nothing can, which is a loss: true.
pub fn put_beside(files: &[Beside], output: &OsStr, ui: &mut Ui) -> Result<bool, Exit> {
    for file in files {
        if output == "-" {
            ui.remark(&format!("not written: the .{} beside it", file.extension));
        } else {
            gametape::write_file(&file.path(Path::new(output)), &file.bytes)
                .map_err(|error| ui.fail(&error))?;
        }
    }
    Ok(output == "-" && !files.is_empty())
}

/// Writes a whole file, or standard output for `-`. The input is not replaced by what holds less.
pub fn deliver(
    input: &OsStr,
    output: &OsStr,
    content: Content,
    format: &dyn Format,
    lossy: bool,
    ui: &mut Ui,
) -> io::Result<Result<(), Exit>> {
    if output == "-" {
        // Past the colour filter: these bytes are a file.
        ui.flush()?;
        let mut stdout = io::stdout().lock();
        content.write_to(&mut stdout)?;
        stdout.flush()?;
        return Ok(Ok(()));
    }
    let same = matches!(
        (fs::canonicalize(input), fs::canonicalize(output)),
        (Ok(input), Ok(output)) if input == output
    );
    if same && lossy && input != "-" {
        ui.complain(&format!(
            "{}: would be replaced by a file that holds less; name another output",
            input.display()
        ));
        return Ok(Err(Exit::Unusable));
    }
    let saved = content.save(Path::new(output), format);
    Ok(saved.map_err(|error| ui.fail(&error)))
}
