//! Writing an .echoreplay, as text or in a zip.

use crate::members::Member;
use crate::model::{Pose, Vec3};
use crate::visit::{Edited, Editor};
use gametape_core::text::{Bytes, Counted, Grouped};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use gametape_core::tape::{Error, Sink, Work};
use rayon::prelude::*;

use super::super::error::{no_frame, unwritable, unwritable_because};
use super::super::opened::EchoTape;
use super::batch::{Batch, Batches, End};
use super::lost::{Lost, LostLines, Made};
use crate::echoreplay::write::LineWriter;
use crate::echoreplay::{self, Container, Line, Redactor, write_frame};
use crate::loss::FieldErrors;
use crate::{Frame, Limits, WriteError};

/// The number of texts that wait to be written.
const WAITING: usize = 2;

/// The minimum number of frames that are formatted on one thread.
const TOGETHER: usize = 8;

/// Writes lines as they arrive. Compression takes most of the time, so this runs on its own thread.
fn write(
    container: &Container,
    out: &mut dyn Sink,
    texts: &Receiver<Vec<u8>>,
) -> Result<(), Error> {
    let failed = |error| unwritable(&Frame::default(), error);
    let mut output = LineWriter::new(container, out).map_err(failed)?;
    for text in texts {
        let mut lines = echoreplay::read(&text);
        loop {
            // The place within this part of the text would mean nothing.
            let line = lines.next_line().map_err(|error| {
                unwritable_because(match error.finding() {
                    Some(finding) => format!("what was made can't be read: {}", finding.rule),
                    None => error.to_string(),
                })
            })?;
            match line {
                Some(line) => output.push(&line).map_err(failed)?,
                None => break,
            }
        }
    }
    output.finish().map_err(failed)
}

/// Writes the texts that `make` sends, at the same time.
fn written(
    tape: &EchoTape,
    container: &Container,
    out: &mut dyn Sink,
    work: &Work<'_>,
    make: impl FnOnce(&mut Batches<'_>, &SyncSender<Vec<u8>>) -> Result<(), Error>,
) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let mut batches = Batches::read(scope, tape.format, &tape.input, work)?;
        let (to, texts) = sync_channel(WAITING);
        let writing = scope.spawn(move || write(container, out, &texts));
        let sent = make(&mut batches, &to);
        drop(to);
        let written = writing
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        sent?;
        written
    })
}

/// Writes the lines of an .echoreplay byte for byte, except for what is redacted.
pub(super) fn rewrite(
    tape: &EchoTape,
    container: &Container,
    mut redactor: Option<Redactor>,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Made, Error> {
    let mut notes = Vec::new();
    let mut lost = Lost::default();
    written(tape, container, out, work, |batches, to| {
        rewrite_all(batches, to, redactor.as_mut(), &mut notes, &mut lost)
    })?;
    notes.extend(redactor.as_ref().and_then(unknown));
    Ok(Made {
        errors: FieldErrors::new(),
        left_out: lost.sentences(),
        lines: lost.into_lines(),
        notes,
    })
}

/// A note on members of unknown meaning, in which more than names may tell who played.
fn unknown(redactor: &Redactor) -> Option<String> {
    let members = Some(redactor.unknown()).filter(|members| *members > 0)?;
    Some(format!(
        "{} of unknown meaning: the names and user ids that were met are replaced in them, the rest is kept",
        Counted(members, "member")
    ))
}

/// Refuses a line that redaction has made longer than readers accept: names may become longer.
fn check_size(line: &Line<'_>, size: usize) -> Result<(), Error> {
    let limit = Limits::DEFAULT.max_line_bytes;
    if size as u64 <= limit {
        return Ok(());
    }
    Err(unwritable_because(format!(
        "frame {} would be a line of {} when redacted; at most {} can be read",
        Grouped(line.index),
        Bytes(size as u64),
        Grouped(limit)
    )))
}

fn rewrite_all(
    batches: &mut Batches<'_>,
    to: &SyncSender<Vec<u8>>,
    mut redactor: Option<&mut Redactor>,
    notes: &mut Vec<String>,
    lost: &mut Lost,
) -> Result<(), Error> {
    loop {
        let mut lines = match batches.next()? {
            Batch::End(end) => {
                *notes = end.notes;
                return if lost.has_kept() {
                    Ok(())
                } else {
                    Err(lost.nothing_kept())
                };
            }
            Batch::Lines(lines) => lines,
            Batch::Frames(_) => continue,
        };
        let mut text = Vec::new();
        let mut unread = std::mem::take(&mut lines.unread);
        for (at, (line, number)) in lines.iter().enumerate() {
            unread.report(at, lost);
            match &mut redactor {
                Some(redactor) => {
                    let start = text.len();
                    if let Err(error) = line.redacted(redactor, &mut text) {
                        // It may contain names.
                        text.truncate(start);
                        if let Some(finding) = error.into_finding() {
                            lost.line(finding, Some(number));
                        }
                        continue;
                    }
                    check_size(&line, text.len() - start)?;
                }
                None => line.write(&mut text),
            }
            lost.kept(false);
            if line.ending.is_empty() {
                // The last line of a file in a zip: the first line of the next file must not be joined to it.
                text.extend_from_slice(b"\r\n");
            }
        }
        unread.report_rest(lost);
        batches.done(Batch::Lines(lines));
        if to.send(text).is_err() {
            // Writing failed, and has its own error.
            return Ok(());
        }
    }
}

/// Writes the frames of a .butter as lines.
pub(super) fn make(
    tape: &EchoTape,
    container: &Container,
    mut redactor: Option<Redactor>,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Made, Error> {
    let mut all = All::default();
    written(tape, container, out, work, |batches, to| {
        all.make(batches, to, redactor.as_mut())
    })?;
    let mut left_out = std::mem::take(&mut all.end.losses);
    if all.tamed > 0 {
        let (numbers, are) = if all.tamed == 1 {
            ("number", "is")
        } else {
            ("numbers", "are")
        };
        left_out.push(format!(
            "{} {numbers} that {are} infinite or not a number: 0 is written",
            all.tamed
        ));
    }
    Ok(Made {
        errors: all.errors,
        left_out,
        lines: LostLines::default(),
        notes: all.end.notes,
    })
}

/// The results for all frames.
#[derive(Default)]
struct All {
    errors: FieldErrors,
    /// The number of numbers that JSON can't express.
    tamed: u64,
    end: End,
}

/// Some frames as text, and how far they differ when read back.
struct Part {
    text: Vec<u8>,
    errors: FieldErrors,
    tamed: u64,
}

impl All {
    fn make(
        &mut self,
        batches: &mut Batches<'_>,
        to: &SyncSender<Vec<u8>>,
        mut redactor: Option<&mut Redactor>,
    ) -> Result<(), Error> {
        loop {
            let mut frames = match batches.next()? {
                Batch::End(end) => {
                    self.end = end;
                    return if self.errors.frames() > 0 {
                        Ok(())
                    } else {
                        Err(no_frame("convert"))
                    };
                }
                Batch::Frames(frames) => frames,
                Batch::Lines(_) => continue,
            };
            if let Some(redactor) = &mut redactor {
                for frame in &mut frames {
                    redactor.frame(frame);
                }
            }
            let parts: Vec<Result<Part, Error>> =
                frames.par_chunks_mut(TOGETHER).map(part).collect();
            for part in parts {
                let part = part?;
                self.errors.merge(&part.errors);
                self.tamed += part.tamed;
                if to.send(part.text).is_err() {
                    // Writing failed, and has its own error.
                    return Ok(());
                }
            }
            batches.done(Batch::Frames(frames));
        }
    }
}

fn part(frames: &mut [Frame]) -> Result<Part, Error> {
    let mut part = Part {
        text: Vec::new(),
        errors: FieldErrors::new(),
        tamed: 0,
    };
    let mut stored = Frame::default();
    for frame in frames {
        let start = part.text.len();
        // NaN is rare, so it is looked for only if writing fails.
        let mut untamed = None;
        let mut written = write_frame(frame, &mut part.text);
        if let Err(WriteError::Unstorable { .. }) = written {
            untamed = Some(frame.clone());
            part.tamed += tame(frame);
            written = write_frame(frame, &mut part.text);
        }
        written.map_err(|error| unwritable(frame, error))?;
        let text = part.text.get(start..).unwrap_or_default();
        if let Some(line) = echoreplay::read(text).next() {
            line.and_then(|line| line.read_into(&mut stored))?;
            part.errors.push(untamed.as_ref().unwrap_or(frame), &stored);
        }
    }
    Ok(part)
}

/// Replaces infinities and NaN by 0. Returns the number of replacements.
pub(in crate::tape) fn tame(frame: &mut Frame) -> u64 {
    let mut tame = Tame(0);
    frame.session.edit(&mut tame);
    if let Some(bones) = &mut frame.bones {
        bones.edit(&mut tame);
    }
    tame.0
}

struct Tame(u64);

impl Editor for Tame {
    fn number(&mut self, _: &Member, number: &mut f32) {
        self.bones(std::slice::from_mut(number));
    }

    fn velocity(&mut self, _: &Member, velocity: &mut Vec3) {
        self.bones(velocity);
    }

    fn pose(&mut self, _: &Member, pose: &mut Pose) {
        for vector in [
            &mut pose.position,
            &mut pose.forward,
            &mut pose.left,
            &mut pose.up,
        ] {
            self.bones(vector);
        }
    }

    fn bones(&mut self, numbers: &mut [f32]) {
        for number in numbers.iter_mut().filter(|number| !number.is_finite()) {
            *number = 0.0;
            self.0 += 1;
        }
    }
}
