//! From one form to another.

mod batch;
mod tame;
mod to_butter;
mod to_lines;

pub(super) use tame::tame;

use std::io;
use std::path::Path;

use gametape_echo::butter::{Compression, Header, Options, ReadOptions};
use gametape_echo::echoreplay::Redactor;
use gametape_echo::loss::FieldErrors;

use super::EchoFormat;
use super::frames::{broken, each, io as failed};
use super::wish::Container;
use crate::format::{Convert, Converted};
use crate::source::Source;
use crate::{Content, Error, Format, Work};

/// What was made.
struct Made {
    content: Content<'static>,
    /// How far it is off.
    errors: FieldErrors,
    /// What the input had and the output has not.
    left_out: Vec<String>,
    /// What is odd about the input, and not about its frames.
    notes: Vec<String>,
}

pub(super) fn convert<'a>(
    from: EchoFormat,
    path: &Path,
    source: &'a Source,
    to: Format,
    convert: &Convert,
    work: &Work<'_>,
) -> Result<Converted<'a>, Error> {
    check_version(path, from, to, convert.version)?;
    let wish = &convert.echo;
    let redactor = convert.redact.then(Redactor::new);
    let mut losses = Vec::new();
    if convert.redact {
        losses.push("names of players, user ids and the address of the server".into());
    }
    let made = if to == Format::Butter {
        let as_it_is = match from {
            EchoFormat::Butter => written_by(path, source)?,
            EchoFormat::Echoreplay => None,
        };
        if as_it_is.is_some() && !convert.redact && !wish.is_of_butter() {
            return copied(from, path, source, work);
        }
        let base = as_it_is.unwrap_or_default();
        let mut made = to_butter::make(from, path, source, wish.options(base), redactor, work)?;
        if from == EchoFormat::Echoreplay {
            // How lines end is nothing that frames would lose.
            made.notes.clear();
        }
        made
    } else {
        let is = match from {
            EchoFormat::Echoreplay if !source.starts_with(super::ZIP) => Container::Text,
            _ => Container::Zip,
        };
        let container = wish.container.unwrap_or(is);
        if from == EchoFormat::Echoreplay && !convert.redact && container == is {
            return copied(from, path, source, work);
        }
        let name = member_name(path);
        let make = match from {
            EchoFormat::Echoreplay => to_lines::rewrite,
            EchoFormat::Butter => to_lines::make,
        };
        make(path, source, container, &name, redactor, work)?
    };
    let off = made.errors.position_error();
    if let Some(most) = wish.max_error
        && (off > most || off.is_nan())
    {
        let report = made.errors.report();
        let positions = report
            .numbers
            .iter()
            .filter(|n| n.field.ends_with("position"));
        let worst = positions.max_by(|a, b| a.max_error.total_cmp(&b.max_error));
        return Err(Error::TooFarOff {
            path: path.to_owned(),
            what: worst.map_or("position", |number| number.field),
            frame: worst.and_then(|number| number.max_error_frame).unwrap_or(0),
            metres: off,
            most,
        });
    }
    losses.extend(made.left_out);
    Ok(Converted {
        content: made.content,
        losses,
        notes: made.notes,
        report: (made.errors.frames() > 0).then(|| made.errors.report()),
        beside: Vec::new(),
    })
}

fn check_version(
    path: &Path,
    from: EchoFormat,
    to: Format,
    version: Option<u32>,
) -> Result<(), Error> {
    let what = match (to, version) {
        (_, None) | (Format::Butter, Some(3)) => return Ok(()),
        (Format::Butter, Some(other)) => format!("butter v{other}: only version 3 is written"),
        (to, Some(other)) => format!("{to} v{other}: it has no versions"),
    };
    Err(Error::NoConversion {
        path: path.to_owned(),
        from: from.format(),
        to: what,
    })
}

/// How a .butter was written, as far as it can be written again; `None` for one that was not
/// finished, whose frames are not compressed yet.
fn written_by(path: &Path, source: &Source) -> Result<Option<Options>, Error> {
    let file = ReadOptions::lenient()
        .read(source)
        .map_err(|error| broken(path, error))?;
    let of = |header: &Header| Options {
        keyframe_interval: header.keyframe_interval,
        compression: match header.compression {
            Compression::ZstdDictionary => Compression::Zstd7,
            other => other,
        },
        ..Options::default()
    };
    if file.is_unfinished() {
        return Ok(None);
    }
    Ok(Some(file.header().map_or_else(Options::default, of)))
}

/// The input as it is, once it was read to its end.
fn copied<'a>(
    from: EchoFormat,
    path: &Path,
    source: &'a Source,
    work: &Work<'_>,
) -> Result<Converted<'a>, Error> {
    if let Some(problem) = each(from, path, source, |_, _| {})? {
        return Err(problem);
    }
    // Read once more, not held: the file may be larger than memory.
    let copy = || -> io::Result<Content<'static>> {
        let mut file = work.spool()?;
        io::copy(&mut source.stream(), &mut file)?;
        Content::spooled(file)
    };
    Ok(Converted {
        content: copy().map_err(|error| failed(path, error))?,
        losses: Vec::new(),
        notes: Vec::new(),
        report: None,
        beside: Vec::new(),
    })
}

/// What the file in a zip is called: as the recording it is made of.
pub(super) fn member_name(path: &Path) -> String {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let stem = stem.filter(|stem| !stem.is_empty() && *stem != "-");
    format!("{}.echoreplay", stem.unwrap_or("match"))
}
