//! Cuts of a .butter: chunks are copied byte for byte if they then read back right.

use std::fs::File;
use std::ops::Range;

use gametape_core::table::Position;
use gametape_core::tape::{Converted, Cut, CutSteps, Cutout, Error, Kept, Sink, Work};
use gametape_core::text::Grouped;
use gametape_core::{Clocks, Input};

use super::super::convert::{LostLines, copied, shown, written_by};
use super::super::error::{unwritable, unwritable_because};
use super::super::frames::{EchoFormat, TapeFrames};
use super::super::opened::EchoTape;
use super::super::tables::stamp;
use super::{Measured, measure};
use crate::butter::{self, ChunkEntry, Cutter, Parts, Table, Writer};
use crate::course::Course;
use crate::{Finding, Frame, ReadOptions, Rule, WriteError};

pub(super) fn cut(
    tape: &EchoTape,
    cut: &Cut,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Cutout, Error> {
    let mut steps = cut.steps(Clocks::TIMES)?;
    let found = look(tape, &mut steps, work)?;
    let kept = steps.kept()?;
    if kept.is_all {
        let converted = copied(tape, out, work)?;
        return Ok(Cutout { kept, converted });
    }
    let (made, measured, note) = match by_chunks(tape, &found, &kept, work)? {
        Some(made) => made,
        None => anew(tape, &kept, work)?,
    };
    work.copy(&made, out)?;
    work.done(tape.input.size())?;
    let mut report = measured.errors.report();
    // Of a few frames: what is as it was would fill a screen.
    report.numbers.retain(|number| number.differing > 0);
    let converted = Converted {
        notes: note.into_iter().collect(),
        report: (!report.is_lossless()).then(|| shown(&report, &LostLines::default())),
        ..Converted::default()
    };
    Ok(Cutout { kept, converted })
}

/// The facts that were found while reading the recording up to the end of the range.
struct RangeFound {
    /// The first step of each chunk. A chunk without frames has the first step of the next one.
    firsts: Vec<u64>,
    /// The number of steps that were read; `is_all` if these are all steps.
    seen: u64,
    is_all: bool,
    /// Whether frames have an old layout that no writer uses any more.
    is_early: bool,
}

/// Looks for the range: of the frames nothing but their times is decoded.
fn look(tape: &EchoTape, steps: &mut CutSteps, work: &Work<'_>) -> Result<RangeFound, Error> {
    let mut reader = butter::Reader::of_parts(work.watched(&tape.input), Parts::GAME);
    let (mut firsts, mut course, mut step) = (Vec::new(), Course::default(), 0);
    let mut within = false;
    while let Some(frame) = reader.next_frame()? {
        let place = steps.position(stamp(step, frame, &mut course));
        within = firsts.len() as u64 == reader.seen().chunks;
        firsts.resize(reader.seen().chunks as usize, step);
        step += 1;
        if place == Position::After {
            break;
        }
    }
    let seen = reader.seen();
    if steps.has_ended() && within {
        // The chunk in which the range ends: one that does not inflate to its end was damaged before that
        // showed.
        while reader.seen().chunks == seen.chunks && reader.next_frame()?.is_some() {}
    }
    // What is lost may be in the range. Faults in frames after the range do not matter.
    let first_after = steps.has_ended().then(|| step - 1);
    let matters = |finding: &&Finding| {
        let at = finding.place.step.filter(|_| finding.repeats == 0);
        let (Some(after), Some(at)) = (first_after, at) else {
            return true;
        };
        match finding.rule {
            Rule::Inflate { .. } => true,
            // It is reported before the first frame of its chunk.
            Rule::Checksum { .. } => at < after,
            _ => at <= after,
        }
    };
    if let Some(fault) = reader.findings().broken().find(matters) {
        return Err(fault.clone().into());
    }
    let is_old = |header: &butter::Header| header.version < butter::VERSION;
    Ok(RangeFound {
        firsts,
        seen: step,
        is_all: !steps.has_ended(),
        is_early: seen.early_chunks > 0 || reader.header().is_some_and(is_old),
    })
}

/// The new recording, its deviations from the original, and a remark.
type MadePart = (Input, Measured, Option<String>);

/// Copies chunk by chunk. Returns `None` if that is not possible, or does not read back as before.
fn by_chunks(
    tape: &EchoTape,
    found: &RangeFound,
    kept: &Kept,
    work: &Work<'_>,
) -> Result<Option<MadePart>, Error> {
    let table = Table::read(&tape.input, ReadOptions::lenient())?;
    let Some(header) = table.header().filter(|_| !table.is_unfinished()) else {
        return Ok(None);
    };
    let spool = work.scratch().map_err(Error::Output)?;
    let mut cutting = Cutting {
        tape,
        cutter: Cutter::new(header.clone(), spool),
        found,
        kept: kept.steps.clone(),
        work,
        anew: kept.steps.start..kept.steps.start,
        began: kept.steps.start,
    };
    for (number, entry) in table.chunks().iter().enumerate() {
        if !cutting.chunk(number, entry)? {
            return Ok(None);
        }
    }
    let Cutting {
        cutter,
        anew,
        began,
        ..
    } = cutting;
    let mut made = work.scratch().map_err(Error::Output)?;
    cutter.finish(&mut made).map_err(failed)?;
    let made = Input::file(made).map_err(Error::Io)?;
    let measured = measure(&tape.input, &made, &kept.steps, &anew, work)?;
    if !measured.is_exact {
        // After other chunks than before, these chunks mean something else.
        return Ok(None);
    }
    let note = (!anew.is_empty()).then(|| {
        let (first, last) = (Grouped(anew.start), Grouped(anew.end - 1));
        let (before, after) = (Grouped(began), Grouped(anew.end));
        format!(
            "frames {first} to {last} are written anew, as the chunk that they are of begins earlier: from step {before} or {after} on, all stay as they are"
        )
    });
    Ok(Some((made, measured, note)))
}

fn failed(error: WriteError) -> Error {
    unwritable(&Frame::default(), error)
}

/// A part that is being made.
struct Cutting<'t> {
    tape: &'t EchoTape,
    cutter: Cutter<File>,
    found: &'t RangeFound,
    kept: Range<u64>,
    work: &'t Work<'t>,
    /// Frames that were encoded anew.
    anew: Range<u64>,
    /// The first frame of the chunk that they are of.
    began: u64,
}

impl Cutting<'_> {
    /// Takes what is wanted of a chunk. Returns false if it can't be had alone.
    fn chunk(&mut self, number: usize, entry: &ChunkEntry) -> Result<bool, Error> {
        let RangeFound { firsts, seen, .. } = self.found;
        let Some(first) = firsts.get(number).copied() else {
            return Ok(true);
        };
        let next = firsts.get(number + 1).copied();
        let end = next.unwrap_or(if self.found.is_all { *seen } else { u64::MAX });
        let Range { start, end: to } = self.kept;
        if end <= start || first >= to || first == end {
            return Ok(true);
        }
        if first < start {
            self.anew = start..end.min(to);
            self.began = first;
            return self.encode();
        }
        let stored = self.tape.input.range(entry.offset, entry.size);
        let stored = stored.map_err(Error::Io)?;
        if end <= to {
            self.cutter.whole(&stored).map_err(failed)?;
            return Ok(true);
        }
        let taken = self.cutter.first_of(&stored, to - first);
        taken.map_err(failed)
    }

    /// Writes the first frames, which are within a chunk.
    fn encode(&mut self) -> Result<bool, Error> {
        if self.found.is_early {
            // New frames would stand beside others in an old layout.
            return Ok(false);
        }
        let range = self.anew.clone();
        each(self.tape, &range, self.work, |frame| {
            self.cutter.anew(frame).map_err(failed)
        })?;
        Ok(true)
    }
}

/// Visits some frames of a recording.
fn each(
    tape: &EchoTape,
    range: &Range<u64>,
    work: &Work<'_>,
    mut visit: impl FnMut(&Frame) -> Result<(), Error>,
) -> Result<(), Error> {
    let stream = work.watched(&tape.input);
    let mut frames = TapeFrames::open(EchoFormat::Butter, stream, Parts::ALL)?;
    for step in 0..range.end {
        let frame = frames.next_frame()?;
        let frame =
            frame.ok_or_else(|| unwritable_because(format!("frame {} is gone", Grouped(step))))?;
        if step >= range.start {
            visit(frame)?;
        }
    }
    Ok(())
}

/// All frames written anew, with the interval and the compression of the recording.
fn anew(tape: &EchoTape, kept: &Kept, work: &Work<'_>) -> Result<MadePart, Error> {
    let scratch = work.scratch().map_err(Error::Output)?;
    let mut writer = Writer::new(scratch, written_by(tape)?.unwrap_or_default());
    each(tape, &kept.steps, work, |frame| {
        let pushed = writer.push(frame);
        pushed.map_err(|error| unwritable(frame, error))
    })?;
    let mut made = work.scratch().map_err(Error::Output)?;
    writer.finish(&mut made).map_err(failed)?;
    let made = Input::file(made).map_err(Error::Io)?;
    let measured = measure(&tape.input, &made, &kept.steps, &kept.steps, work)?;
    if !measured.is_exact {
        return Err(unwritable_because(
            "what was written does not read back".to_owned(),
        ));
    }
    let note = "all frames are written anew: its chunks can't stand behind others than those they were written behind";
    Ok((made, measured, Some(note.to_owned())))
}
