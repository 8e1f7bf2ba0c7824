//! Random access to the frames of a recording without an index.

use std::cmp::Ordering;

use gametape_core::tape::{Error, Work};
use gametape_core::{At, InputStream, Stamp};

use super::clock::Clock;
use crate::tape::opened::MurkTape;
use crate::{Frame, Reader};

/// The minimum number of bytes between marks: they are read in about ten microseconds.
const EVERY: u64 = 64 << 10;
/// The maximum number of marks, 1.5 MB. Beyond it every second mark is removed.
const MOST: usize = 1 << 16;

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
        Self::spaced(tape, clock, (EVERY, MOST), work)
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
