//! Making an .echoreplay, as text or in a zip.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use gametape_echo::echoreplay::{self, Redactor, Writer, ZipWriter, write_frame};
use gametape_echo::loss::FieldErrors;
use gametape_echo::{Frame, WriteError};
use rayon::prelude::*;
use tempfile::NamedTempFile;

use super::super::EchoFormat;
use super::super::frames::{broken, unwritable};
use super::Made;
use super::batch::{Batch, Batches};
use super::tame::tame;
use crate::echo::Container;
use crate::source::Source;
use crate::{Content, Error, Work};

/// How strongly a zip is compressed: the default of zlib, as of those who share recordings.
const LEVEL: u8 = 6;

/// Texts that wait to be written.
const WAITING: usize = 2;

/// Frames that are formatted one after another, at least.
const TOGETHER: usize = 8;

enum Output {
    Text(Writer<BufWriter<NamedTempFile>>),
    Zip(Box<ZipWriter<BufWriter<NamedTempFile>>>),
}

impl Output {
    fn new(container: Container, name: &str, work: &Work<'_>) -> Result<Self, WriteError> {
        let file = BufWriter::with_capacity(256 << 10, work.spool()?);
        Ok(match container {
            Container::Text => Self::Text(Writer::new(file)),
            Container::Zip => Self::Zip(Box::new(ZipWriter::new(file, name, LEVEL)?)),
        })
    }

    /// Writes whole lines.
    fn write(&mut self, text: &[u8]) -> Result<(), WriteError> {
        for line in echoreplay::read(text).flatten() {
            match self {
                Self::Text(writer) => writer.push_line(&line)?,
                Self::Zip(writer) => writer.push_line(&line)?,
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Content<'static>, WriteError> {
        let mut file = match self {
            Self::Text(writer) => writer.finish()?,
            Self::Zip(writer) => writer.finish()?,
        };
        file.flush()?;
        let file = file
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)?;
        Ok(Content::spooled(file)?)
    }
}

/// Writes the lines that come: compressing takes most of the time, and has a thread of its own.
fn write(
    container: Container,
    name: &str,
    work: &Work<'_>,
    texts: &Receiver<Vec<u8>>,
) -> Result<Content<'static>, WriteError> {
    let mut output = Output::new(container, name, work)?;
    for text in texts {
        output.write(&text)?;
    }
    output.finish()
}

/// Lines of an .echoreplay byte for byte, save for what is redacted.
pub(super) fn rewrite(
    path: &Path,
    source: &Source,
    container: Container,
    name: &str,
    mut redactor: Option<Redactor>,
    work: &Work<'_>,
) -> Result<Made, Error> {
    let mut notes = Vec::new();
    let content = std::thread::scope(|scope| {
        let batches = Batches::read(scope, EchoFormat::Echoreplay, path, source, *work);
        let (to, texts) = sync_channel(WAITING);
        let writing = scope.spawn(move || write(container, name, work, &texts));
        let sent = rewrite_all(path, &batches, &to, redactor.as_mut(), &mut notes);
        drop(to);
        let written = writing
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        sent?;
        written.map_err(|error| unwritable(path, &Frame::default(), error))
    })?;
    Ok(Made {
        content,
        errors: FieldErrors::new(),
        left_out: Vec::new(),
        notes,
    })
}

fn rewrite_all(
    path: &Path,
    batches: &Batches,
    to: &SyncSender<Vec<u8>>,
    mut redactor: Option<&mut Redactor>,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    loop {
        let lines = match batches.next()? {
            Batch::End(end) => {
                *notes = end.notes;
                return Ok(());
            }
            Batch::Lines(lines) => lines,
            Batch::Frames(_) => continue,
        };
        let mut text = Vec::new();
        for line in lines.iter() {
            match &mut redactor {
                Some(redactor) => line
                    .redacted(redactor, &mut text)
                    .map_err(|error| broken(path, error))?,
                None => line.write(&mut text),
            }
        }
        batches.done(Batch::Lines(lines));
        if to.send(text).is_err() {
            // Writing failed, and says why.
            return Ok(());
        }
    }
}

/// Lines of the frames of a .butter.
pub(super) fn make(
    path: &Path,
    source: &Source,
    container: Container,
    name: &str,
    mut redactor: Option<Redactor>,
    work: &Work<'_>,
) -> Result<Made, Error> {
    let mut all = All::default();
    let content = std::thread::scope(|scope| {
        let batches = Batches::read(scope, EchoFormat::Butter, path, source, *work);
        let (to, texts) = sync_channel(WAITING);
        let writing = scope.spawn(move || write(container, name, work, &texts));
        let sent = all.make(path, &batches, &to, redactor.as_mut());
        drop(to);
        let written = writing
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        sent?;
        written.map_err(|error| unwritable(path, &Frame::default(), error))
    })?;
    let mut left_out = Vec::new();
    if all.tamed > 0 {
        let (numbers, are) = if all.tamed == 1 {
            ("number", "is")
        } else {
            ("numbers", "are")
        };
        left_out.push(format!(
            "{} {numbers} that {are} infinite or none: 0 is written",
            all.tamed
        ));
    }
    Ok(Made {
        content,
        errors: all.errors,
        left_out,
        notes: all.notes,
    })
}

/// What becomes of all frames.
#[derive(Default)]
struct All {
    errors: FieldErrors,
    /// Numbers that JSON has no text for.
    tamed: u64,
    notes: Vec<String>,
}

/// Frames as text, and how far they read back from what they were.
struct Part {
    text: Vec<u8>,
    errors: FieldErrors,
    tamed: u64,
}

impl All {
    fn make(
        &mut self,
        path: &Path,
        batches: &Batches,
        to: &SyncSender<Vec<u8>>,
        mut redactor: Option<&mut Redactor>,
    ) -> Result<(), Error> {
        loop {
            let mut frames = match batches.next()? {
                Batch::End(end) => {
                    self.notes = end.notes;
                    return Ok(());
                }
                Batch::Frames(frames) => frames,
                Batch::Lines(_) => continue,
            };
            if let Some(redactor) = &mut redactor {
                for frame in &mut frames {
                    redactor.frame(frame);
                }
            }
            let parts: Vec<Result<Part, Error>> = frames
                .par_chunks_mut(TOGETHER)
                .map(|frames| part(path, frames))
                .collect();
            for part in parts {
                let part = part?;
                self.errors.merge(&part.errors);
                self.tamed += part.tamed;
                if to.send(part.text).is_err() {
                    // Writing failed, and says why.
                    return Ok(());
                }
            }
            batches.done(Batch::Frames(frames));
        }
    }
}

fn part(path: &Path, frames: &mut [Frame]) -> Result<Part, Error> {
    let mut part = Part {
        text: Vec::new(),
        errors: FieldErrors::new(),
        tamed: 0,
    };
    let mut stored = Frame::default();
    for frame in frames {
        let start = part.text.len();
        // A number that is none is rare: it is looked for where writing fails.
        let mut untamed = None;
        let mut written = write_frame(frame, &mut part.text);
        if let Err(WriteError::Unstorable { .. }) = written {
            untamed = Some(frame.clone());
            part.tamed += tame(frame);
            written = write_frame(frame, &mut part.text);
        }
        written.map_err(|error| unwritable(path, frame, error))?;
        let text = part.text.get(start..).unwrap_or_default();
        if let Some(line) = echoreplay::read(text).next() {
            line.and_then(|line| line.read_into(&mut stored))
                .map_err(|error| broken(path, error))?;
            part.errors.push(untamed.as_ref().unwrap_or(frame), &stored);
        }
    }
    Ok(part)
}
