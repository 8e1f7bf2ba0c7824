//! The rows of a simulation that is being recorded, as its bytes arrive.

use gametape_core::feed::Fed;
use gametape_core::table::{Scan, Visit};
use gametape_core::tape::{Error, Follow, Grown, Partial};
use gametape_core::{Input, Stamp};

use super::pass::Pass;
use crate::tape::opened::MurkTape;
use crate::{Feed, ReadOptions};

/// Follows a recording.
pub(in crate::tape) fn follow(
    tape: &MurkTape,
    scans: &[Scan],
) -> Result<Option<Box<dyn Follow>>, Error> {
    let header = tape.reader().header()?.clone();
    Ok(Some(Box::new(Following {
        grown: Grown::default(),
        feed: Feed::with_options(ReadOptions::lenient()),
        pass: Pass::new(tape, header, scans)?,
        last: None,
    })))
}

/// A recording that is being written.
struct Following {
    grown: Grown,
    feed: Feed,
    pass: Pass,
    /// The last frame.
    last: Option<Stamp>,
}

impl Following {
    /// Adds the rows of the frames that are complete.
    fn frames(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        while self.pass.is_open()
            && let Fed::Item(frame) = self.feed.next_frame()?
        {
            self.pass.frame(&frame, visit)?;
            self.last = Some(self.pass.clock.stamp(frame.index, frame.tick));
        }
        self.pass.give_all(visit)
    }

    /// Reads the new bytes, as long as any table wants rows.
    fn take(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.grown.look(input, self.feed.rest())?;
        while self.pass.is_open()
            && self.feed.findings().is_empty()
            && let Some(bytes) = self.grown.next(input)?
        {
            self.feed.push(&bytes);
            self.frames(visit)?;
        }
        Ok(())
    }
}

impl Follow for Following {
    fn more(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<Option<Stamp>, Error> {
        self.take(input, visit)?;
        Ok(self.last)
    }

    fn end(
        mut self: Box<Self>,
        input: &Input,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        self.take(input, visit)?;
        self.feed.finish();
        self.frames(visit)?;
        let Self { feed, pass, .. } = *self;
        pass.end(|| feed.findings().problem(), visit)
    }
}
