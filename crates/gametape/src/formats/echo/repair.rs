//! Keeping what is whole.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use gametape_echo::butter::{SalvageError, Salvaged, salvage};
use gametape_echo::echoreplay::{Line, ReadOptions, Writer, ZipWriter};
use gametape_echo::{Error as EchoError, Frame, Limits, Severity, WriteError};
use tempfile::NamedTempFile;

use super::frames::{broken, io as failed, unwritable};
use crate::format::Repaired;
use crate::source::Source;
use crate::{Content, Error, Work};

/// Whole chunks byte for byte, of others the whole frames.
pub(super) fn butter(
    path: &Path,
    source: &Source,
    work: &Work<'_>,
) -> Result<Repaired<'static>, Error> {
    let mut file = work.spool().map_err(|error| failed(path, error))?;
    let scratch = work.scratch().map_err(|error| failed(path, error))?;
    let salvaged =
        salvage(source, Limits::default(), scratch, &mut file).map_err(|error| match error {
            SalvageError::Read(error) => broken(path, error),
            SalvageError::Write(error) => unwritable(path, &Frame::default(), error),
            other => Error::Unwritable {
                path: path.to_owned(),
                message: other.to_string(),
            },
        })?;
    let mut actions = Vec::new();
    if salvaged.nothing_to_do() {
        // As it was, to the byte.
        let again = || -> io::Result<NamedTempFile> {
            let mut file = work.spool()?;
            io::copy(&mut source.stream(), &mut file)?;
            Ok(file)
        };
        file = again().map_err(|error| failed(path, error))?;
    } else {
        if salvaged.written.frames == 0 && salvaged.lost_bytes + salvaged.lost_chunks > 0 {
            return Err(nothing_to_keep(path));
        }
        told(&salvaged, &mut actions);
    }
    Ok(Repaired {
        content: Content::spooled(file).map_err(|error| failed(path, error))?,
        lossy: salvaged.lost_bytes > 0 || salvaged.lost_chunks > 0 || salvaged.gaps > 0,
        actions,
        beside: Vec::new(),
    })
}

/// A file without frames would say that there was no match.
fn nothing_to_keep(path: &Path) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        message: "no frame of it can be read: there is nothing to keep".to_owned(),
    }
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

enum Output {
    Text(Writer<BufWriter<NamedTempFile>>),
    Zip(Box<ZipWriter<BufWriter<NamedTempFile>>>),
}

/// Bones that can't be read, in lines that are kept.
#[derive(Default)]
struct Odd {
    scratch: Frame,
    /// By their rule: the first, and how many.
    kept: Vec<(EchoError, u64)>,
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
    path: &Path,
    source: &Source,
    work: &Work<'_>,
) -> Result<Repaired<'static>, Error> {
    let unwritable = |error| unwritable(path, &Frame::default(), error);
    let mut reader = ReadOptions::lenient()
        .open(source.stream())
        .map_err(|error| broken(path, error))?;
    let new = || -> Result<Output, WriteError> {
        let file = BufWriter::with_capacity(256 << 10, work.spool()?);
        Ok(if source.starts_with(super::ZIP) {
            let name = super::convert::member_name(path);
            Output::Zip(Box::new(ZipWriter::new(file, &name, 6)?))
        } else {
            Output::Text(Writer::new(file))
        })
    };
    let mut output = new().map_err(unwritable)?;
    let mut frame = Frame::default();
    let mut odd = Odd::default();
    let mut frames = 0_u64;
    loop {
        let line = match reader.next_frame(&mut frame) {
            Ok(Some(line)) => line,
            Err(error @ EchoError::Io { .. }) => return Err(broken(path, error)),
            Err(error) if frames == 0 => return Err(broken(path, error)),
            // The end, or a limit: what comes behind it can't be had.
            Ok(None) | Err(_) => break,
        };
        if frame.bones.is_none() {
            odd.look(&line);
        }
        match &mut output {
            Output::Text(writer) => writer.push_line(&line),
            Output::Zip(writer) => writer.push_line(&line),
        }
        .map_err(unwritable)?;
        frames += 1;
    }
    let findings = reader.findings();
    let mut actions: Vec<String> = findings
        .iter()
        .filter(|finding| finding.severity() > Severity::Info)
        .filter(|finding| finding.repeats + 1 > odd.of(finding.code()))
        .map(|finding| {
            let place = finding.place();
            let colon = if place.is_empty() { "" } else { ": " };
            format!("left out: {place}{colon}{}", finding.message())
        })
        .collect();
    let lossy = !actions.is_empty();
    if lossy && frames == 0 {
        return Err(nothing_to_keep(path));
    }
    let mended = findings.iter().filter(|f| f.severity() == Severity::Info);
    actions.extend(mended.map(|finding| format!("set right: {}", finding.message())));
    if actions.is_empty() {
        let copy = || -> io::Result<Content<'static>> {
            let mut file = work.spool()?;
            io::copy(&mut source.stream(), &mut file)?;
            Content::spooled(file)
        };
        return Ok(Repaired {
            content: copy().map_err(|error| failed(path, error))?,
            actions: odd.sentences().collect(),
            lossy: false,
            beside: Vec::new(),
        });
    }
    actions.extend(odd.sentences());
    actions.push(format!("kept {}", counted(frames, "frame")));
    let finish = || -> Result<Content<'static>, WriteError> {
        let mut file = match output {
            Output::Text(writer) => writer.finish()?,
            Output::Zip(writer) => writer.finish()?,
        };
        file.flush()?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Content::spooled(file)?)
    };
    Ok(Repaired {
        content: finish().map_err(unwritable)?,
        actions,
        lossy,
        beside: Vec::new(),
    })
}
