//! A recording at a moment.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use gametape_core::table::{Batch, Lane, Playback, Scan, Span, State, TableDef};
use gametape_core::tape::Error;
use gametape_core::{At, Input, Stamp};

use super::clock::Clock;
use super::defs::{grid, of};
use super::frames::{Frames, Marks};
use super::replay::Replay;
use crate::Index;
use crate::engine::World;
use crate::tape::beside;
use crate::tape::opened::MurkTape;

/// The number of bytes that saved states may take by default.
const MOST: u64 = 64 << 20;

/// The places of the frames.
enum Places {
    /// By an index beside the recording.
    Index(Index<Input>),
    /// By marks from one pass over the recording.
    Marks(Box<(Marks, Frames)>),
}

/// A recording at a moment.
///
/// Without a world, a recording has no state but its facts; its moments are found by the index beside
/// it, or by a few marks. With a world, the recording is replayed up to the moment when that is first
/// asked for; [`Playback::reach`] tells how far the replay has come. States of the world are saved
/// meanwhile. To go to a moment that was replayed before, only the ticks after the nearest saved state
/// are replayed.
pub struct MurkPlayback {
    tape: MurkTape,
    tables: Vec<TableDef>,
    clock: Clock,
    places: Places,
    span: Span,
    count: u64,
    now: Stamp,
    /// The world, and how many bytes its saved states may take.
    world: Option<World>,
    most: u64,
    replay: Option<Box<Replay>>,
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
    /// Returns the recording at its first moment. If the recording has a world, its saved states may
    /// take
    /// `bytes` bytes. (`playback` of a `dyn Tape` allows 64 MiB.)
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn playback_within(&self, bytes: u64) -> Result<MurkPlayback, Error> {
        MurkPlayback::new(self, bytes)
    }
}

impl MurkPlayback {
    pub(in crate::tape) fn of(tape: &MurkTape) -> Result<Self, Error> {
        Self::new(tape, MOST)
    }

    fn new(tape: &MurkTape, most: u64) -> Result<Self, Error> {
        let mut reader = tape.reader();
        let header = reader.header()?;
        let clock = Clock::of(tape, header)?;
        let world = tape.replayed_in(header)?;
        // What is replayed is read from the start anyway, and ends where that does.
        let index = beside::fitting(tape.path(), &tape.input).filter(|_| world.is_none());
        let mut this = Self {
            tape: tape.clone(),
            tables: of(world.as_ref()),
            clock,
            places: match index {
                Some(index) => Places::Index(index),
                None => look_up(tape, clock)?,
            },
            span: Span::default(),
            count: 0,
            now: Stamp::default(),
            world,
            most,
            replay: None,
        };
        this.measure()?;
        this.now = this.span.first;
        Ok(this)
    }

    /// Bytes that the saved states of the world take.
    #[must_use]
    pub fn saved_bytes(&self) -> u64 {
        self.replay.as_ref().map_or(0, |replay| replay.size())
    }

    /// Says where the recording goes from and to.
    fn measure(&mut self) -> Result<(), Error> {
        if let Places::Index(index) = &self.places {
            self.count = index.frames();
            let ends = [0, self.count.saturating_sub(1)].map(|step| self.indexed(index, step));
            match ends {
                [Some(first), Some(last)] => self.span = Span { first, last },
                _ if self.count == 0 => self.span = Span::default(),
                _ => self.places = look_up(&self.tape, self.clock)?,
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

    /// When a step is that the index leads to; `None` where something else is there.
    fn indexed(&self, index: &Index<Input>, step: u64) -> Option<Stamp> {
        let entry = index.entry(step).ok()??;
        index.read(&self.tape.input, entry).ok()?;
        Some(self.clock.stamp(step, entry.tick))
    }

    /// The newest step that is not after a moment of the recording.
    fn find(&mut self, at: At) -> Result<Option<Stamp>, Error> {
        if let Places::Index(index) = &self.places {
            let upto = |stamp| at.order(stamp).is_some_and(Ordering::is_le);
            let behind =
                index.partition_point(|entry| upto(self.clock.stamp(entry.frame, entry.tick)));
            let found = behind.ok().map(|behind| behind.checked_sub(1));
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

    /// When a step of the recording is.
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

    /// The index leads to something else than it says.
    fn forget_index(&mut self) -> Result<(), Error> {
        self.places = look_up(&self.tape, self.clock)?;
        self.measure()
    }
}

fn look_up(tape: &MurkTape, clock: Clock) -> Result<Places, Error> {
    let places = (Marks::of(tape, clock)?, Frames::new(tape));
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
            // Where the index led elsewhere, the recording may end earlier than that said.
            self.find(at)?.filter(|_| !is_after(self.span))
        };
        self.now = found.ok_or(Error::NotRecorded { at })?;
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
            none => none.insert(Box::new(Replay::new(
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
