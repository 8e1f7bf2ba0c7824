//! `gametape convert`.

use std::io::{self, Write};
use std::path::Path;

use gametape::{Convert as Options, Error, Format};
use serde_json::json;

use crate::args::Convert;
use crate::exit::Exit;
use crate::ui::{Ui, open};

pub fn run(args: &Convert, ui: &mut Ui) -> io::Result<Exit> {
    let options = Options {
        version: args.format_version,
        redact: args.redact,
    };
    let converted = open(&args.input).and_then(|recording| {
        let to = if args.output == "-" {
            recording.format()
        } else {
            Format::from_extension(Path::new(&args.output)).ok_or_else(|| Error::NoConversion {
                path: recording.path().to_owned(),
                from: recording.format(),
                to: format!("{}: its extension is of no known format", args.output),
            })?
        };
        Ok((recording.format(), recording.convert(to, &options)?))
    });
    let (format, converted) = match converted {
        Ok(converted) => converted,
        Err(error) => return Ok(ui.fail(&error)),
    };
    if let Err(exit) = deliver(&args.output, &converted.bytes, ui)? {
        return Ok(exit);
    }
    if ui.json {
        if args.output != "-" {
            ui.object(&json!({
                "path": args.input,
                "out": args.output,
                "format": format,
                "bytes": converted.bytes.len(),
                "losses": converted.losses,
            }))?;
        }
    } else {
        for loss in &converted.losses {
            ui.remark(&format!("not carried over: {loss}"));
        }
    }
    Ok(if converted.losses.is_empty() {
        Exit::Fine
    } else {
        Exit::Loss
    })
}

/// Writes a whole file, or standard output for `-`.
pub fn deliver(output: &str, bytes: &[u8], ui: &mut Ui) -> io::Result<Result<(), Exit>> {
    if output == "-" {
        // Past the colour filter: these bytes are a file.
        ui.flush()?;
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()?;
        return Ok(Ok(()));
    }
    Ok(gametape::write_file(Path::new(output), bytes).map_err(|error| ui.fail(&error)))
}
