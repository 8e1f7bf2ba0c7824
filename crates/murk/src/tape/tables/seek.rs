//! Playback of a recording: random access to its frames, with an index or without.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use gametape_core::table::{Batch, Lane, Playback, Scan, Span, State, TableDef};
use gametape_core::tape::{Error, Work};
use gametape_core::{At, Input, InputStream, Stamp};

use super::defs::{grid, of};
use super::replay::SavedReplay;
use crate::engine::World;
use crate::tape::beside;
use crate::tape::opened::MurkTape;
use crate::tape::steps::Clock;
use crate::{Frame, Index, Reader};

/// The default maximum size of all saved states in bytes.
const MOST: u64 = 64 << 20;

/// The places of the frames.
enum Places {
    /// From the index beside the recording.
    Index(Index<Input>),
    /// From reading the recording once.
    Marks(Box<(Marks, FrameFinder)>),
}

/// Playback of a recording.
///
/// Without a world there are only facts; frames are found with the index beside the recording, or with a few
/// marks. With a world the recording is replayed, and states are saved on the way: a moment that was reached
/// before takes only the ticks since a saved state. A new moment takes all ticks before it;
/// [`Playback::reach`] returns how far the replay has come.
pub struct MurkPlayback {
    tape: MurkTape,
    tables: Vec<TableDef>,
    clock: Clock,
    places: Places,
    span: Span,
    count: u64,
    now: Stamp,
    world: Option<World>,
    /// The maximum size of all saved states in bytes.
    most: u64,
    replay: Option<Box<SavedReplay>>,
}

impl std::fmt::Debug for MurkPlayback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MurkPlayback")
            .field("now", &self.now)
            .field("span", &self.span)
            .field("reach", &self.reach())
            .finish_non_exhaustive()
    }
}

impl MurkTape {
    /// Starts a playback at the first frame, whose saved states of the world take at most this many bytes.
    /// (The playback of the trait allows 64 MiB.)
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn playback_within(&self, bytes: u64) -> Result<MurkPlayback, Error> {
        MurkPlayback::new(self, bytes, &Work::default())
    }
}

impl MurkPlayback {
    pub(in crate::tape) fn of(tape: &MurkTape, work: &Work<'_>) -> Result<Self, Error> {
        Self::new(tape, MOST, work)
    }

    fn new(tape: &MurkTape, most: u64, work: &Work<'_>) -> Result<Self, Error> {
        let mut reader = tape.reader();
        let header = reader.header()?;
        let clock = Clock::of(tape, header)?;
        let world = tape.replayed_in(header)?;
        // A replay reads from the start anyway, and defines the end.
        let index = beside::fitting(tape).filter(|_| world.is_none());
        let mut this = Self {
            tape: tape.clone(),
            tables: of(world.as_ref()),
            clock,
            places: match index {
                Some(index) => Places::Index(index),
                None => look_up(tape, clock, work)?,
            },
            span: Span::default(),
            count: 0,
            now: Stamp::default(),
            world,
            most,
            replay: None,
        };
        this.measure(work)?;
        this.now = this.span.first;
        Ok(this)
    }

    /// Returns the size of all saved states in bytes.
    #[must_use]
    pub fn saved_bytes(&self) -> u64 {
        self.replay.as_ref().map_or(0, |replay| replay.size())
    }

    /// Finds the number of frames, the first and the last.
    fn measure(&mut self, work: &Work<'_>) -> Result<(), Error> {
        if let Places::Index(index) = &self.places {
            self.count = index.frames();
            let ends = [0, self.count.saturating_sub(1)].map(|step| self.indexed(index, step));
            match ends {
                [Some(first), Some(last)] => self.span = Span { first, last },
                _ if self.count == 0 => self.span = Span::default(),
                _ => self.places = look_up(&self.tape, self.clock, work)?,
            }
        }
        if let Places::Marks(places) = &self.places {
            let (marks, _) = &**places;
            self.count = marks.count;
            let (first, last) = (marks.first(), marks.last);
            self.span = Span { first, last };
        }
        Ok(())
    }

    /// Returns the stamp of a step by the index; `None` if the recording has another frame there.
    fn indexed(&self, index: &Index<Input>, step: u64) -> Option<Stamp> {
        let entry = index.entry(step).ok()??;
        index.read(&self.tape.input, entry).ok()?;
        Some(self.clock.stamp(step, entry.tick))
    }

    /// Returns the newest step that is not after a moment.
    fn find(&mut self, at: At) -> Result<Option<Stamp>, Error> {
        if let Places::Index(index) = &self.places {
            let upto = |stamp| at.order(stamp).is_some_and(Ordering::is_le);
            let after =
                index.partition_point(|entry| upto(self.clock.stamp(entry.frame, entry.tick)));
            let found = after.ok().map(|after| after.checked_sub(1));
            match found {
                Some(None) => return Ok(None),
                Some(Some(step)) => {
                    if let Some(stamp) = self.indexed(index, step) {
                        return Ok(Some(stamp));
                    }
                }
                None => {}
            }
            self.forget_index()?;
        }
        match &mut self.places {
            Places::Marks(places) => {
                let (marks, frames) = &mut **places;
                frames.find(marks, at)
            }
            Places::Index(_) => Ok(None),
        }
    }

    /// Returns the stamp of a step.
    fn stamp(&mut self, step: u64) -> Result<Option<Stamp>, Error> {
        if let Places::Index(index) = &self.places {
            if let Some(stamp) = self.indexed(index, step) {
                return Ok(Some(stamp));
            }
            self.forget_index()?;
        }
        match &mut self.places {
            Places::Marks(places) => {
                let (marks, frames) = &mut **places;
                frames.stamp(marks, step)
            }
            Places::Index(_) => Ok(None),
        }
    }

    /// Stops using the index, because it does not fit the recording.
    fn forget_index(&mut self) -> Result<(), Error> {
        self.places = look_up(&self.tape, self.clock, &Work::default())?;
        self.measure(&Work::default())
    }
}

fn look_up(tape: &MurkTape, clock: Clock, work: &Work<'_>) -> Result<Places, Error> {
    let places = (Marks::of(tape, clock, work)?, FrameFinder::new(tape));
    Ok(Places::Marks(Box::new(places)))
}

impl Playback for MurkPlayback {
    fn span(&self) -> Span {
        self.span
    }

    fn now(&self) -> Stamp {
        self.now
    }

    fn reach(&self) -> Stamp {
        if self.world.is_none() {
            return self.span.last;
        }
        let made = self.replay.as_ref().and_then(|replay| replay.made());
        made.unwrap_or(self.span.first)
    }

    fn seek(&mut self, at: At) -> Result<Stamp, Error> {
        self.clock.clocks().check(Some(at))?;
        let is_after = |span: Span| at.order(span.last) == Some(Ordering::Less);
        let found = if is_after(self.span) || self.count == 0 {
            None
        } else {
            // If the index was wrong, the recording may end earlier than it said.
            self.find(at)?.filter(|_| !is_after(self.span))
        };
        self.now = found.ok_or(Error::not_recorded(at))?;
        Ok(self.now)
    }

    fn step(&mut self) -> Result<Option<Stamp>, Error> {
        let next = self.now.step.saturating_add(1);
        if next >= self.count {
            return Ok(None);
        }
        let stamp = self.stamp(next)?;
        self.now = stamp.unwrap_or(self.now);
        Ok(stamp)
    }

    fn state(&mut self, scan: &Scan) -> Result<Batch, Error> {
        let table = scan.find(&self.tables)?;
        let mut rows = State::new(table, scan, self.now)?;
        if table.lane == Lane::Facts {
            return rows.facts(&self.tape, scan);
        }
        let Some(world) = &self.world else {
            return Ok(rows.rows());
        };
        let Some(grid) = grid(world, &self.tables, table) else {
            return Ok(rows.rows());
        };
        let Places::Marks(places) = &self.places else {
            return Ok(rows.rows());
        };
        let (marks, _) = &**places;
        if self.count == 0 {
            return Ok(rows.rows());
        }
        let replay = match &mut self.replay {
            Some(replay) => replay,
            none => none.insert(Box::new(SavedReplay::new(
                &self.tape,
                world.clone(),
                self.count,
                self.most,
            )?)),
        };
        let world = replay.at(marks, self.now.step)?;
        let _ = grid.cells(world, &[], |location, values| {
            grid.rows(location, values, |value| {
                rows.row(value);
                Ok(ControlFlow::Continue(()))
            })
        })?;
        Ok(rows.rows())
    }

    fn problem(&self) -> Option<Error> {
        self.replay.as_ref()?.problem(self.now.step)
    }
}

/// The minimum number of bytes between marks: they are read in about ten microseconds.
const EVERY: u64 = 64 << 10;
/// The maximum number of marks, 1.5 MB. Beyond it every second mark is removed.
const MOST_MARKS: usize = 1 << 16;

/// The offset of a frame.
#[derive(Clone, Copy, Debug)]
struct Mark {
    step: u64,
    tick: u64,
    offset: u64,
}

/// The offsets of some frames, from which all others can be found. Memory does not grow with the recording.
/// Creating them reads the recording once.
#[derive(Debug)]
pub(super) struct Marks {
    /// In the order of the frames. The first frame has a mark.
    list: Vec<Mark>,
    clock: Clock,
    /// The number of frames that can be read.
    pub count: u64,
    pub last: Stamp,
}

impl Marks {
    pub fn of(tape: &MurkTape, clock: Clock, work: &Work<'_>) -> Result<Self, Error> {
        Self::spaced(tape, clock, (EVERY, MOST_MARKS), work)
    }

    fn spaced(
        tape: &MurkTape,
        clock: Clock,
        (every, most): (u64, usize),
        work: &Work<'_>,
    ) -> Result<Self, Error> {
        let mut this = Self {
            list: Vec::new(),
            clock,
            count: 0,
            last: Stamp::default(),
        };
        let (mut every, mut wanted) = (every, 0);
        let mut last = None;
        let read = tape.each(work, |frame| {
            last = Some((frame.index, frame.tick));
            if frame.offset >= wanted {
                if this.list.len() >= most.max(2) {
                    let mut at = 0..;
                    this.list
                        .retain(|_| at.next().is_some_and(|at| at % 2 == 0));
                    every = every.saturating_mul(2);
                }
                this.list.push(Mark {
                    step: frame.index,
                    tick: frame.tick,
                    offset: frame.offset,
                });
                wanted = frame.offset.saturating_add(every);
            }
            Ok::<(), Error>(())
        })?;
        // The frames before the damage have their marks.
        read.readable();
        if let Some((step, tick)) = last {
            this.count = step + 1;
            this.last = clock.stamp(step, tick);
        }
        Ok(this)
    }

    pub fn first(&self) -> Stamp {
        self.list.first().map_or_else(Stamp::default, |mark| {
            self.clock.stamp(mark.step, mark.tick)
        })
    }

    /// Returns the stamp of a frame.
    pub fn stamp(&self, frame: &Frame<'_>) -> Stamp {
        self.clock.stamp(frame.index, frame.tick)
    }

    /// Returns the last mark for which a condition holds. It must hold for all marks before, too.
    fn upto(&self, holds: impl Fn(Stamp) -> bool) -> Option<Mark> {
        let holds = |mark: &Mark| holds(self.clock.stamp(mark.step, mark.tick));
        let at = self.list.partition_point(holds).checked_sub(1)?;
        self.list.get(at).copied()
    }
}

/// A reader that can go to any frame.
pub(super) struct FrameFinder {
    reader: Reader<InputStream>,
}

impl FrameFinder {
    pub fn new(tape: &MurkTape) -> Self {
        let reader = tape.reader();
        Self { reader }
    }

    /// Reads a frame; `None` if the recording no longer has it.
    pub fn get(&mut self, marks: &Marks, step: u64) -> Result<Option<Frame<'_>>, Error> {
        let next = self.reader.next_index();
        if next != step {
            let Some(mark) = marks.upto(|stamp| stamp.step <= step) else {
                return Ok(None);
            };
            if next > step || next < mark.step {
                self.reader.go(mark.step, mark.offset)?;
            }
            while self.reader.next_index() < step {
                if self.reader.next_frame()?.is_none() {
                    return Ok(None);
                }
            }
        }
        Ok(self.reader.next_frame()?)
    }

    /// Returns the stamp of a step.
    pub fn stamp(&mut self, marks: &Marks, step: u64) -> Result<Option<Stamp>, Error> {
        let frame = self.get(marks, step)?;
        Ok(frame.map(|frame| marks.stamp(&frame)))
    }

    /// Returns the newest step that is not after a moment.
    pub fn find(&mut self, marks: &Marks, at: At) -> Result<Option<Stamp>, Error> {
        let upto = |stamp| at.order(stamp).is_some_and(Ordering::is_le);
        let Some(mark) = marks.upto(upto) else {
            return Ok(None);
        };
        let mut found = marks.clock.stamp(mark.step, mark.tick);
        while let Some(stamp) = self.stamp(marks, found.step + 1)? {
            if !upto(stamp) {
                break;
            }
            found = stamp;
        }
        Ok(Some(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_core::tape::Source;

    #[test]
    fn however_few_marks_there_are_every_frame_is_found() {
        let bytes = crate::doc_example();
        let header = crate::read(&bytes).unwrap().header().clone().into_owned();
        let mut writer = crate::Writer::new(Vec::new(), &header).unwrap();
        for tick in 0..100 {
            let commands = crate::CommandBuf::new();
            writer.push(tick * 3, commands.as_commands(), tick).unwrap();
        }
        let tape = MurkTape::new(Source::new(writer.finish().unwrap()));
        let clock = Clock::of(&tape, &header).unwrap();
        for (every, most) in [(0, 1000), (50, 1000), (0, 7), (1, 2), (u64::MAX, 2)] {
            let marks = Marks::spaced(&tape, clock, (every, most), &Work::default()).unwrap();
            assert!(marks.list.len() <= most && marks.count == 100);
            let mut frames = FrameFinder::new(&tape);
            for step in [99, 0, 1, 50, 49, 98, 99, 3] {
                let frame = frames.get(&marks, step).unwrap().unwrap();
                assert_eq!((frame.index, frame.tick), (step, step * 3));
                for tick in step * 3..step * 3 + 3 {
                    let found = frames.find(&marks, At::Tick(tick)).unwrap().unwrap();
                    assert_eq!((found.step, found.tick), (step, Some(step * 3)));
                }
            }
            assert!(frames.get(&marks, 100).unwrap().is_none());
        }
    }
}
