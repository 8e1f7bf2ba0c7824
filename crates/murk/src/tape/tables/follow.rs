//! The rows of a simulation that is being recorded, as its bytes come.

use gametape_core::feed::Fed;
use gametape_core::table::{Scan, VisitEach, Waiting, go_on};
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
    let (pass, waiting) = Pass::new(tape, header, scans)?;
    Ok(Some(Box::new(Following {
        grown: Grown::default(),
        feed: Feed::with_options(ReadOptions::lenient()),
        pass,
        waiting,
        last: None,
    })))
}

/// A recording that is being written.
struct Following {
    grown: Grown,
    feed: Feed,
    pass: Pass,
    waiting: Vec<Waiting>,
    /// The last frame.
    last: Option<Stamp>,
}

impl Following {
    /// Gives the rows of the frames that are whole.
    fn give(&mut self, visit: &mut VisitEach<'_>) -> Result<(), Error> {
        let Self {
            feed, pass, last, ..
        } = self;
        go_on(&mut self.waiting, visit, |rows| {
            while pass.is_open()
                && let Fed::Item(frame) = feed.next_frame()?
            {
                pass.frame(&frame, rows)?;
                *last = Some(pass.clock.stamp(frame.index, frame.tick));
            }
            Ok(())
        })
    }

    /// Takes all that is there, as long as anything of it is wanted.
    fn take(&mut self, input: &Input, visit: &mut VisitEach<'_>) -> Result<(), Error> {
        self.grown.look(input, self.feed.rest())?;
        while self.pass.is_open()
            && self.feed.findings().is_empty()
            && let Some(bytes) = self.grown.next(input)?
        {
            self.feed.push(&bytes);
            self.give(visit)?;
        }
        Ok(())
    }
}

impl Follow for Following {
    fn more(&mut self, input: &Input, visit: &mut VisitEach<'_>) -> Result<Option<Stamp>, Error> {
        self.take(input, visit)?;
        Ok(self.last)
    }

    fn end(
        mut self: Box<Self>,
        input: &Input,
        visit: &mut VisitEach<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        self.take(input, visit)?;
        self.feed.finish();
        self.give(visit)?;
        let Self {
            feed,
            pass,
            waiting,
            ..
        } = *self;
        let problem = || feed.findings().problem();
        pass.end(input.size(), problem, waiting, visit)
    }
}
