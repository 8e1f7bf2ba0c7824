//! `gametape convert`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use gametape::{Beside, Convert as Options, Error, Format};
use serde_json::json;

use crate::args::Convert;
use crate::exit::Exit;
use crate::ui::{Ui, open, read_schema, tick_ns};

pub fn run(args: &Convert, ui: &mut Ui) -> io::Result<Exit> {
    let schema = match args.schema.as_deref().map(read_schema).transpose() {
        Ok(schema) => schema,
        Err(error) => return Ok(ui.fail(&error)),
    };
    let options = Options {
        version: args.format_version,
        redact: args.redact,
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
    let converted = match to.and_then(|to| recording.convert(to, &options)) {
        Ok(converted) => converted,
        Err(error @ Error::Broken { .. }) if recording.repair().is_ok() => {
            ui.complain(&format!("{error} (gametape repair keeps what is whole)"));
            return Ok(Exit::Unusable);
        }
        Err(error) => return Ok(ui.fail(&error)),
    };
    let lossy = !converted.losses.is_empty();
    if let Err(exit) = deliver(&args.input, &args.output, &converted.bytes, lossy, ui)? {
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
            "format": format,
            "bytes": converted.bytes.len(),
            "losses": converted.losses,
        }))?;
    } else {
        for loss in &converted.losses {
            ui.remark(&format!("not carried over: {loss}"));
        }
    }
    Ok(if lossy { Exit::Loss } else { Exit::Fine })
}

/// Refuses options that would do nothing.
fn check(options: &Options, from: Format, to: Format) -> Result<(), String> {
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
    bytes: &[u8],
    lossy: bool,
    ui: &mut Ui,
) -> io::Result<Result<(), Exit>> {
    if output == "-" {
        // Past the colour filter: these bytes are a file.
        ui.flush()?;
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
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
    Ok(gametape::write_recording(Path::new(output), bytes).map_err(|error| ui.fail(&error)))
}
