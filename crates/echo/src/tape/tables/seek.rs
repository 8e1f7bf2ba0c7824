//! A match at a moment: sought by chunk, or by line.

use gametape_core::text::Grouped;
use std::sync::Arc;

use gametape_core::table::{Batch, Filling, Scan, State as Rows, StateAt, Stepped};
use gametape_core::tape::{Error, Work};
use gametape_core::{Clocks, Input, Stamp};

use super::frame::{State, Take, stamp};
use super::players::PERSON;
use super::precision::{kept, missing, tables};
use crate::butter::{self, Parts};
use crate::course::Course;
use crate::tape::frames::{EchoFormat, TapeFrames};
use crate::tape::lines::FrameLines;
use crate::tape::opened::EchoTape;
use crate::{Frame, ReadOptions};

/// The places at which reading can start.
enum Starts {
    /// At a chunk of a .butter: the first step of each.
    Chunks(Box<butter::Table>, Vec<u64>),
    /// At any line of this text.
    Lines(Arc<FrameLines>, Input),
    /// At the start alone: of a recording that was not finished, of one by the reference with bones,
    /// whose chunks build on each other.
    Start,
}

/// A match at a moment.
///
/// One pass over the recording, or an index that was kept, tells when each frame is, and where reading
/// can start; from then on a frame is had from the chunk or the line that it is in. What holds is what
/// the frame says: each has everything.
pub(in crate::tape) struct Seeking {
    tape: EchoTape,
    index: Starts,
    /// The frames from the current position on.
    source: Option<TapeFrames<'static>>,
    /// The frame that was read last, and which it is.
    frame: Option<(Box<Frame>, u64)>,
}

impl Seeking {
    pub fn play(tape: &EchoTape, work: &Work<'_>) -> Result<Stepped<Self>, Error> {
        let (stamps, index) = match tape.format {
            EchoFormat::Echoreplay => {
                let (lines, text) = tape.lines(work)?;
                (lines.stamps(), Starts::Lines(lines, text))
            }
            EchoFormat::Butter => chunks(tape, work)?,
        };
        let this = Self {
            tape: tape.clone(),
            index,
            source: None,
            frame: None,
        };
        Ok(Stepped::over(stamps, Clocks::TIMES, this))
    }

    /// Opens the recording so that a step is reached soon.
    fn open(&self, step: u64) -> Result<TapeFrames<'static>, Error> {
        if let Starts::Chunks(table, firsts) = &self.index {
            let after = firsts.partition_point(|first| *first <= step);
            let options = ReadOptions::lenient();
            if let Some(chunk) = after.checked_sub(1)
                && let Some(frames) = table.chunk(&self.tape.input, chunk, options)?
            {
                let first = firsts.get(chunk).copied().unwrap_or_default();
                return Ok(TapeFrames::after(first, frames));
            }
        }
        self.tape.frames()
    }

    /// The frame of a step.
    fn frame(&mut self, step: u64) -> Result<Option<&Frame>, Error> {
        if self.frame.as_ref().is_none_or(|(_, at)| *at != step) {
            if let Starts::Lines(..) = self.index {
                self.read_line(step)?;
            } else {
                self.walk_to(step)?;
            }
        }
        Ok(self.frame.as_ref().map(|(frame, _)| &**frame))
    }

    /// Reads the frame of a step from its line. Where that is another one, lines are looked for anew.
    fn read_line(&mut self, step: u64) -> Result<(), Error> {
        let Starts::Lines(lines, text) = &mut self.index else {
            return Ok(());
        };
        // What it holds is nothing until it was read.
        let held = self.frame.take();
        let mut frame = held.map(|(frame, _)| frame).unwrap_or_default();
        if !lines.read(text, step, &mut frame)? {
            *lines = self.tape.lines_again(lines)?;
            if !lines.read(text, step, &mut frame)? {
                return Err(gone(step));
            }
        }
        self.frame = Some((frame, step));
        Ok(())
    }

    /// Goes through frames up to that of a step.
    fn walk_to(&mut self, step: u64) -> Result<(), Error> {
        /// Frames that are gone through rather than looked for.
        const NEAR: u64 = 64;
        let near = |next: u64| next <= step && step - next < NEAR;
        let (mut frames, mut fresh) = match self.source.take() {
            Some(frames) if near(frames.count) => (frames, false),
            _ => (self.open(step)?, true),
        };
        loop {
            let at = frames.count;
            let Some(frame) = frames.next_frame()? else {
                if fresh {
                    // It was there before: the recording has changed since.
                    return Err(gone(step));
                }
                // The end of a chunk.
                frames = self.open(step)?;
                fresh = true;
                continue;
            };
            if at >= step {
                match &mut self.frame {
                    Some((held, at)) => {
                        (**held).clone_from(frame);
                        *at = step;
                    }
                    None => self.frame = Some((Box::new(frame.clone()), step)),
                }
                break;
            }
        }
        self.source = Some(frames);
        Ok(())
    }
}

fn gone(step: u64) -> Error {
    Error::Unsupported(format!("frame {} is not there any more", Grouped(step)))
}

/// When the frames of a .butter are, and where its chunks start.
fn chunks(tape: &EchoTape, work: &Work<'_>) -> Result<(Vec<Stamp>, Starts), Error> {
    let (mut stamps, mut firsts) = (Vec::new(), Vec::new());
    let mut course = Course::default();
    let mut bones = false;
    // The times of frames, and whether any has bones.
    let mut frames = tape.frames_of(Parts::BONES.with(Parts::GAME))?;
    loop {
        let step = frames.count;
        // Nothing after an error is a step.
        let Some(frame) = frames.next()? else { break };
        bones |= frame.bones.is_some();
        stamps.push(stamp(step, frame, &mut course));
        tape.done(&frames, work)?;
        if let Some((_, seen)) = frames.stored() {
            // Of each chunk the first step: one that gives no frame has that of the next.
            firsts.resize(seen.chunks as usize, step);
        }
    }
    // Of the reference's recordings the bones of a chunk build on those of the one before.
    let alone = |(_, seen): (_, butter::Seen)| !(bones && seen.reference_chunks > 0);
    if !frames.stored().is_some_and(alone) {
        return Ok((stamps, Starts::Start));
    }
    let table = butter::Table::read(&tape.input, ReadOptions::lenient())?;
    let index = if table.is_unfinished() {
        Starts::Start
    } else {
        Starts::Chunks(Box::new(table), firsts)
    };
    Ok((stamps, index))
}

/// Takes the rows of a frame.
struct StateRows<'t>(&'t mut Rows, Vec<usize>);

impl Take for StateRows<'_> {
    fn rows<'r>(&mut self, count: usize, fill: impl Fn(usize, &mut Filling<'_, 'r>)) -> bool {
        let fill = kept(&self.1, fill);
        let value = |at, row| Filling::one(row, |one| fill(at, one));
        (0..count).for_each(|row| self.0.row(|at| value(at, row)));
        true
    }
}

impl StateAt for Seeking {
    fn state_at(&mut self, now: Stamp, scan: &Scan) -> Result<Batch, Error> {
        let tables = tables(self.tape.format);
        let table = scan.find(&tables)?;
        let mut rows = Rows::new(table, scan, now)?;
        let Some(state) = State::of(&table.name) else {
            // Facts hold whenever they are asked for.
            return rows.facts(&self.tape, scan);
        };
        let asks = scan
            .columns
            .as_ref()
            .is_none_or(|names| names.iter().any(|name| name == PERSON));
        let persons = if asks && table.column(PERSON).is_some() {
            Some(self.tape.persons(&Work::default())?)
        } else {
            None
        };
        let persons = persons
            .as_ref()
            .map_or(&[][..], |persons| persons.at(now.step));
        // Without any frame there is no time.
        if now.time.is_some()
            && let Some(frame) = self.frame(now.step)?
        {
            state.rows(
                frame,
                persons,
                Parts::ALL,
                &mut StateRows(&mut rows, missing(table)),
            );
        }
        Ok(rows.rows())
    }
}
