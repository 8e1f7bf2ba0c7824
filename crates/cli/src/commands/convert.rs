//! `gametape convert`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gametape::echo::loss::LossReport;
use gametape::echo::{Container, Wish, butter};
use gametape::{Beside, Content, Convert as Options, Converted, Error, Format, Recording, Work};
use serde_json::json;

use crate::args::{Compression, Convert, ConvertEcho, Mode};
use crate::exit::Exit;
use crate::ui::{Ui, byte_bar, counted, open, read_schema, tick_ns};

pub fn run(args: &Convert, ui: &mut Ui) -> io::Result<Exit> {
    let schema = match args.schema.as_deref().map(read_schema).transpose() {
        Ok(schema) => schema,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let options = Options {
        version: args.format_version,
        redact: args.redact,
        echo: wish(&args.echo),
        schema,
        tick_ns: args.tick_rate.map(tick_ns),
        keyframe_every: args.keyframe_every,
    };
    let recording = match open(&args.input) {
        Ok(recording) => recording,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let format = recording.format();
    let to = if args.output == "-" {
        Ok(format)
    } else {
        Format::from_extension(Path::new(&args.output)).ok_or_else(|| Error::NoConversion {
            path: recording.path().to_owned(),
            from: format,
            to: format!(
                "{}: its extension is of no known format",
                args.output.display()
            ),
        })
    };
    let to = to.and_then(|to| {
        check(&options, format, to).map_err(|message| Error::Unsupported {
            path: recording.path().to_owned(),
            message,
        })?;
        Ok(to)
    });
    let to_format = to.as_ref().ok().copied();
    let converted = to.and_then(|to| make(&recording, to, &options, &args.output));
    let converted = match converted {
        Ok(converted) => converted,
        Err(error @ Error::TooFarOff { .. }) => {
            ui.complain(&error.to_string());
            return Ok(Exit::Problems);
        }
        Err(error @ Error::Broken { .. }) if recording.repair().is_ok() => {
            ui.complain(&format!("{error} (gametape repair keeps what is whole)"));
            return Ok(Exit::Unusable);
        }
        Err(error) => return Ok(ui.fail(&error)),
    };
    let lossy = converted.is_lossy();
    let bytes = converted.content.len();
    if let Err(exit) = deliver(&args.input, &args.output, converted.content, lossy, ui)? {
        return Ok(exit);
    }
    let lossy = match put_beside(&converted.beside, &args.output, ui) {
        Ok(missing) => lossy || missing,
        Err(exit) => return Ok(exit),
    };
    if ui.json && args.output != "-" {
        let mut object = json!({
            "path": args.input.display().to_string(),
            "out": args.output.display().to_string(),
            "format": format,
            "bytes": bytes,
            "losses": converted.losses,
        });
        if format.is_echo() {
            object["from"] = json!(format);
            object["to"] = json!(to_format);
            object["notes"] = json!(converted.notes);
            object["report"] = json!(converted.report);
        }
        ui.object(&object)?;
    } else {
        for loss in &converted.losses {
            ui.remark(&format!("not carried over: {loss}"));
        }
        for note in &converted.notes {
            ui.remark(&format!("note: {note}"));
        }
        if let Some(report) = &converted.report {
            report_loss(report, ui);
        }
    }
    Ok(if lossy { Exit::Loss } else { Exit::Fine })
}

fn make<'r>(
    recording: &'r Recording,
    to: Format,
    options: &Options,
    output: &OsStr,
) -> Result<Converted<'r>, Error> {
    let folder = work_folder(output)?;
    let bar = byte_bar(recording.bytes().len() as u64);
    let converted = recording.convert_with(
        to,
        options,
        &Work {
            folder: folder.as_deref(),
            progress: Some(&|done| bar.set_position(done)),
        },
    );
    bar.finish_and_clear();
    converted
}

/// The folder that a file is to be made in; none for standard output and devices.
pub fn work_folder(output: &OsStr) -> Result<Option<PathBuf>, Error> {
    if output == "-" {
        return Ok(None);
    }
    gametape::folder_for(Path::new(output))
}

fn wish(args: &ConvertEcho) -> Wish {
    Wish {
        mode: args.mode.map(|mode| match mode {
            Mode::Correct => butter::Mode::Correct,
            Mode::Compat => butter::Mode::Compat,
        }),
        keyframes: args.keyframes,
        compression: args.compression.map(|compression| match compression {
            Compression::None => butter::Compression::None,
            Compression::Gzip => butter::Compression::Gzip,
            Compression::Zstd3 => butter::Compression::Zstd3,
            Compression::Zstd7 => butter::Compression::Zstd7,
            Compression::Zstd15 => butter::Compression::Zstd15,
            Compression::Zstd22 => butter::Compression::Zstd22,
        }),
        container: match (args.plain, args.zip) {
            (true, _) => Some(Container::Text),
            (_, true) => Some(Container::Zip),
            _ => None,
        },
        max_error: args.max_error,
    }
}

/// Says how far numbers are off, field by field.
fn report_loss(report: &LossReport, ui: &mut Ui) {
    if report.is_lossless() {
        let frames = counted(report.frames, "frame");
        ui.remark(&format!("{frames}: what was written reads back the same"));
        return;
    }
    ui.remarks(&report.to_string());
    let near = report.numbers.iter().all(|number| number.beyond == 0);
    ui.remark(match (near, report.changed.is_empty()) {
        (true, true) => "every number is as near as the format implies",
        (true, false) => {
            "every number is as near as the format implies; what it has no code for is changed"
        }
        (false, _) => "some numbers are further off than the format implies: see beyond",
    });
}

/// Refuses options that would do nothing.
fn check(options: &Options, from: Format, to: Format) -> Result<(), String> {
    let echo = &options.echo;
    if echo.is_of_butter() && to != Format::Butter {
        return Err(format!(
            "{to} recordings have no mode, keyframes or compression that could be chosen"
        ));
    }
    if echo.max_error.is_some() && !to.is_echo() {
        return Err(format!(
            "{to} recordings have no positions that could be off"
        ));
    }
    if echo.container.is_some() && to != Format::Echoreplay {
        return Err(format!(
            "{to} recordings are kept in one way: neither plain nor in a zip"
        ));
    }
    let of_captures = options.tick_ns.is_some() || options.keyframe_every.is_some();
    if !from.is_packets() && (of_captures || options.schema.is_some()) {
        return Err(format!(
            "{from} recordings have no schema, tick rate or keyframes that could be changed"
        ));
    }
    if to == Format::Delta && of_captures {
        return Err(
            "bare packets hold no tick rate and no keyframes that were added: captures do".into(),
        );
    }
    Ok(())
}

/// Writes what has to lie beside a file; beside standard output nothing can, which is a loss: true.
pub fn put_beside(files: &[Beside], output: &OsStr, ui: &mut Ui) -> Result<bool, Exit> {
    for file in files {
        if output == "-" {
            ui.remark(&format!("not written: the .{} beside it", file.extension));
        } else {
            file.write(Path::new(output))
                .map_err(|error| ui.fail(&error))?;
        }
    }
    Ok(output == "-" && !files.is_empty())
}

/// Writes a whole file, or standard output for `-`. The input is not replaced by what holds less.
pub fn deliver(
    input: &OsStr,
    output: &OsStr,
    content: Content<'_>,
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
    Ok(content
        .save(Path::new(output))
        .map_err(|error| ui.fail(&error)))
}
