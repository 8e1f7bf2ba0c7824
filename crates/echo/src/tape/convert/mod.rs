//! Conversion between the formats.

mod batch;
mod lost;
mod to_butter;
mod to_lines;

pub(super) use to_lines::tame;

use gametape_core::tape::{Converted, Error, Report, Sink, Target, Work};
use gametape_core::text::{Counted, Grouped};
use serde_json::Value;

pub(super) use self::lost::LostLines;
use super::error::EchoError;
use super::frames::{EchoFormat, TapeFrames};
use super::opened::EchoTape;
use super::options::{Wish, wants_zip};
use crate::ReadOptions;
use crate::butter::{Compression, Header, Options, Parts, Table};
use crate::echoreplay::Redactor;
use crate::loss::LossReport;

pub(super) fn convert(
    tape: &EchoTape,
    to: &Target<'_>,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Converted, Error> {
    let options = to.options;
    let redact = options.has("redact");
    let redactor = redact.then(Redactor::new);
    let mut losses = Vec::new();
    if redact {
        losses.push("names of players, user ids and the address of the server".into());
    }
    let made = if to.format == EchoFormat::Butter.name() {
        let wish = Wish::of(options);
        let as_it_is = match tape.format {
            EchoFormat::Butter => written_by(tape)?,
            EchoFormat::Echoreplay => None,
        };
        if as_it_is.is_some() && !redact && wish.is_empty() {
            return copied(tape, out, work);
        }
        let options = wish.over(as_it_is.unwrap_or_default());
        let mut made = to_butter::make(tape, options, redactor, out, work)?;
        if tape.format == EchoFormat::Echoreplay {
            // Notes about the text of lines do not concern frames.
            made.notes.clear();
        }
        made
    } else {
        let is_zip = tape.format == EchoFormat::Butter || tape.is_zip();
        let zip = wants_zip(options).unwrap_or(is_zip);
        if tape.format == EchoFormat::Echoreplay && !redact && zip == is_zip {
            return copied(tape, out, work);
        }
        let container = tape.container(zip);
        let make = match tape.format {
            EchoFormat::Echoreplay => to_lines::rewrite,
            EchoFormat::Butter => to_lines::make,
        };
        make(tape, &container, redactor, out, work)?
    };
    let report = made.errors.report();
    if let Some(most) = options.number("max-error") {
        check_error(made.errors.position_error(), most as f32, &report)?;
    }
    losses.extend(made.left_out);
    let both = [tape.format.name(), to.format];
    let shown = if made.errors.frames() > 0 {
        Some(shown(&report, &made.lines))
    } else {
        let rewritten = both == [EchoFormat::Echoreplay.name(); 2];
        rewritten.then(|| kept(&made.lines))
    };
    Ok(Converted {
        losses,
        notes: made.notes,
        report: shown,
        beside: Vec::new(),
    })
}

/// Refuses a conversion in which a position is further off than was allowed.
fn check_error(off: f32, most: f32, report: &LossReport) -> Result<(), Error> {
    if off <= most {
        return Ok(());
    }
    let positions = report
        .numbers
        .iter()
        .filter(|number| number.field.ends_with("position"));
    let worst = positions.max_by(|a, b| a.max_error.total_cmp(&b.max_error));
    Err(Error::format(EchoError::TooFarOff {
        what: worst.map_or("position", |number| number.field),
        frame: worst.and_then(|number| number.max_error_frame).unwrap_or(0),
        metres: off,
        most,
    }))
}

/// Reports how far numbers are off, field by field.
pub(super) fn shown(report: &LossReport, lost: &LostLines) -> Report {
    let text = if report.is_lossless() {
        let s = if report.frames == 1 { "" } else { "s" };
        format!(
            "{} frame{s}: what was written reads back the same",
            report.frames
        )
    } else {
        format!("{}\n{}", report.to_string().trim_end(), report.verdict())
    };
    let mut data = serde_json::to_value(report).unwrap_or_default();
    add_lost(&mut data, lost);
    Report {
        text,
        data,
        is_lossless: report.is_lossless(),
    }
}

/// Reports how many lines of an .echoreplay were kept, and the lines that were not.
fn kept(lines: &LostLines) -> Report {
    let mut data = serde_json::json!({ "lines": lines.kept });
    add_lost(&mut data, lines);
    Report {
        text: match lines.count {
            // A copy reports nothing, either.
            0 => String::new(),
            lost => format!(
                "{} of {}",
                Grouped(lines.kept),
                Counted(lines.kept + lost, "line")
            ),
        },
        data,
        is_lossless: lines.count == 0,
    }
}

fn add_lost(data: &mut Value, lost: &LostLines) {
    if let Some(data) = data.as_object_mut() {
        let lines = serde_json::to_value(&lost.listed).unwrap_or_default();
        data.insert("lost_lines".to_owned(), lines);
        data.insert("lost_line_count".to_owned(), lost.count.into());
    }
}

/// Returns the options to write a .butter as it was written, as far as possible; `None` for an unfinished
/// one, whose frames are not compressed yet.
pub(super) fn written_by(tape: &EchoTape) -> Result<Option<Options>, Error> {
    let table = Table::read(&tape.input, ReadOptions::lenient())?;
    let of = |header: &Header| Options {
        keyframe_interval: header.keyframe_interval,
        compression: match header.compression {
            Compression::ZstdDictionary => Compression::Zstd7,
            other => other,
        },
    };
    if table.is_unfinished() {
        return Ok(None);
    }
    Ok(Some(table.header().map_or_else(Options::default, of)))
}

/// Copies the input, after reading it to its end as a check.
pub(super) fn copied(
    tape: &EchoTape,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Converted, Error> {
    let stream = work.watched(&tape.input);
    let mut frames = TapeFrames::open(tape.format, stream, Parts::ALL)?;
    while frames.next_frame()?.is_some() {}
    if let Some(problem) = frames.findings().problem() {
        return Err(problem);
    }
    work.copy(&tape.input, out)?;
    Ok(Converted::default())
}
