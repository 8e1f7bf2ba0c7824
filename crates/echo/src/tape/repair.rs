//! Keeping what is whole.

use std::io::Write;

use gametape_core::Severity;
use gametape_core::tape::{Error, Repaired, Sink, Work};

use super::EchoTape;
use super::error::{unwritable, unwritable_because};
use crate::butter::{SalvageError, Salvaged, salvage};
use crate::echoreplay::{Line, ReadOptions, Writer, ZipWriter};
use crate::{Error as ReadError, Frame, Limits, WriteError};

/// Whole chunks byte for byte, of others the whole frames.
pub(super) fn butter(
    tape: &EchoTape,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Repaired, Error> {
    let scratch = work.scratch().map_err(Error::Output)?;
    let bytes = tape.input.bytes().map_err(Error::Io)?;
    // What is whole is copied as it was, to the byte: what salvage makes of it is looked at first.
    let mut made = work.scratch().map_err(Error::Output)?;
    let salvaged =
        salvage(&bytes, Limits::default(), scratch, &mut made).map_err(|error| match error {
            SalvageError::Read(error) => error.into(),
            SalvageError::Write(error) => unwritable(&Frame::default(), error),
            other => unwritable_because(other.to_string()),
        })?;
    work.done(bytes.len() as u64)?;
    if salvaged.nothing_to_do() {
        work.copy(&tape.input, out)?;
        return Ok(Repaired::default());
    }
    if salvaged.written.frames == 0 && salvaged.lost_bytes + salvaged.lost_chunks > 0 {
        return Err(nothing_to_keep());
    }
    let made = gametape_core::Input::file(made).map_err(Error::Io)?;
    work.copy(&made, out)?;
    let mut actions = Vec::new();
    told(&salvaged, &mut actions);
    Ok(Repaired {
        lossy: salvaged.lost_bytes > 0 || salvaged.lost_chunks > 0 || salvaged.gaps > 0,
        actions,
        beside: Vec::new(),
    })
}

/// A file without frames would say that there was no match.
fn nothing_to_keep() -> Error {
    unwritable_because("no frame of it can be read: there is nothing to keep")
}

fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

fn told(salvaged: &Salvaged, actions: &mut Vec<String>) {
    if salvaged.found_chunks > 0 {
        actions.push(format!(
            "found {} that the table does not say the place of",
            counted(salvaged.found_chunks, "chunk")
        ));
    }
    if salvaged.unfinished_frames > 0 {
        actions.push(format!(
            "finished a recording that was not: {} are in chunks now",
            counted(salvaged.unfinished_frames, "frame")
        ));
    }
    if salvaged.cut_chunks > 0 {
        actions.push(format!(
            "kept the whole frames of {} that {} broken",
            counted(salvaged.cut_chunks, "chunk"),
            if salvaged.cut_chunks == 1 {
                "is"
            } else {
                "are"
            }
        ));
    }
    if salvaged.lost_chunks > 0 {
        actions.push(format!(
            "dropped {} of which nothing can be read",
            counted(salvaged.lost_chunks, "chunk")
        ));
    }
    if salvaged.gaps > 0 {
        actions.push(format!(
            "{} within a chunk, where frames can't be read",
            counted(salvaged.gaps, "gap")
        ));
    }
    let kept = format!(
        "kept {} in {}",
        counted(salvaged.written.frames, "frame"),
        counted(salvaged.written.chunks, "chunk")
    );
    actions.push(match salvaged.lost_bytes {
        0 => kept,
        lost => format!("{kept}; dropped {}", counted(lost, "byte")),
    });
}

enum Output<'o> {
    Text(Writer<&'o mut dyn Sink>),
    Zip(Box<ZipWriter<&'o mut dyn Sink>>),
}

/// Bones that can't be read, in lines that are kept.
#[derive(Default)]
struct Odd {
    scratch: Frame,
    /// By their rule: the first, and how many.
    kept: Vec<(ReadError, u64)>,
}

impl Odd {
    /// Looks at a line that was read without bones.
    fn look(&mut self, line: &Line<'_>) {
        let bones = line.bones.unwrap_or_default();
        if matches!(bones, b"" | b"{\"err_code\":0}") {
            return;
        }
        let Err(error) = line.read_into(&mut self.scratch) else {
            return;
        };
        match self.kept.iter_mut().find(|(e, _)| e.code() == error.code()) {
            Some((_, count)) => *count += 1,
            None => self.kept.push((error, 1)),
        }
    }

    /// How many findings of a rule speak of lines that are kept.
    fn of(&self, code: &str) -> u64 {
        let of = self.kept.iter().find(|(error, _)| error.code() == code);
        of.map_or(0, |(_, count)| *count)
    }

    /// A sentence for each rule.
    fn sentences(&self) -> impl Iterator<Item = String> {
        self.kept.iter().map(|(error, count)| match count {
            1 => format!("kept as it is: {error}"),
            count => format!("kept as they are, {count} lines; the first: {error}"),
        })
    }
}

/// Whole lines that are frames, byte for byte, in the same container.
pub(super) fn echoreplay(
    tape: &EchoTape,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Repaired, Error> {
    // Most are whole, and then copied as they are: what is kept is looked at first.
    let mut kept = work.scratch().map_err(Error::Output)?;
    let mut actions = keep(tape, &mut kept, work)?;
    if actions.made.is_empty() {
        work.copy(&tape.input, out)?;
        return Ok(Repaired {
            actions: actions.odd,
            ..Repaired::default()
        });
    }
    let kept = gametape_core::Input::file(kept).map_err(Error::Io)?;
    work.copy(&kept, out)?;
    actions.made.append(&mut actions.odd);
    actions.made.push(actions.count);
    Ok(Repaired {
        actions: actions.made,
        lossy: actions.lossy,
        beside: Vec::new(),
    })
}

/// What was done.
struct Actions {
    /// Left out, set right.
    made: Vec<String>,
    lossy: bool,
    /// Kept as it is, although something is wrong with it.
    odd: Vec<String>,
    /// How many frames were kept.
    count: String,
}

/// Writes the lines that are frames.
fn keep(tape: &EchoTape, kept: &mut dyn Sink, work: &Work<'_>) -> Result<Actions, Error> {
    let unwritable = |error| unwritable(&Frame::default(), error);
    let mut reader = ReadOptions::lenient().open(tape.input.stream())?;
    let mut output = if tape.is_zip() {
        let zip = ZipWriter::new(kept, &tape.member, 6).map_err(unwritable)?;
        Output::Zip(Box::new(zip))
    } else {
        Output::Text(Writer::new(kept))
    };
    let mut frame = Frame::default();
    let mut odd = Odd::default();
    let mut frames = 0_u64;
    let mut bytes = 0;
    loop {
        let line = match reader.next_frame(&mut frame) {
            Ok(Some(line)) => line,
            Err(error @ ReadError::Io { .. }) => return Err(error.into()),
            Err(error) if frames == 0 => return Err(error.into()),
            // The end, or a limit: what comes behind it can't be had.
            Ok(None) | Err(_) => break,
        };
        if frame.bones.is_none() {
            odd.look(&line);
        }
        bytes += line.size() as u64;
        match &mut output {
            Output::Text(writer) => writer.push_line(&line),
            Output::Zip(writer) => writer.push_line(&line),
        }
        .map_err(unwritable)?;
        frames += 1;
        work.done(bytes.min(tape.input.size()))?;
    }
    let findings = reader.findings();
    let mut made: Vec<String> = findings
        .iter()
        .filter(|finding| finding.severity() > Severity::Info)
        .filter(|finding| finding.repeats + 1 > odd.of(finding.code()))
        .map(|finding| format!("left out: {}", Error::from(finding.clone())))
        .collect();
    let lossy = !made.is_empty();
    if lossy && frames == 0 {
        return Err(nothing_to_keep());
    }
    let mended = findings.iter().filter(|f| f.severity() == Severity::Info);
    made.extend(mended.map(|finding| format!("set right: {}", finding.message())));
    let out = match output {
        Output::Text(writer) => writer.finish(),
        Output::Zip(writer) => writer.finish(),
    };
    out.map_err(unwritable)?.flush().map_err(Error::Output)?;
    Ok(Actions {
        made,
        lossy,
        odd: odd.sentences().collect(),
        count: format!("kept {}", counted(frames, "frame")),
    })
}
