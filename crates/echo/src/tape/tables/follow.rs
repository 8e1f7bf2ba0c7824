//! The rows of a match that is being recorded, as its bytes come.

use gametape_core::feed::Fed;
use gametape_core::table::{Scan, VisitEach, Waiting, go_on};
use gametape_core::tape::{Error, Follow, Grown, Partial};
use gametape_core::{Input, Stamp};

use super::pass::Pass;
use super::precision::tables;
use crate::butter::{self, Parts};
use crate::tape::encoding::EchoFormat;
use crate::tape::info::Known;
use crate::tape::opened::EchoTape;
use crate::{Error as ReadError, Finding, Findings, Frame, ReadOptions, echoreplay};

/// Follows a match; `None` where it is in a zip, which nobody adds to.
pub fn follow(tape: &EchoTape, scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
    if tape.format == EchoFormat::Echoreplay && tape.is_zip() {
        return Ok(None);
    }
    let (pass, waiting) = Pass::new(&tables(tape.format), scans)?;
    Ok(Some(Box::new(Following {
        format: tape.format,
        grown: Grown::default(),
        feed: Feed::new(tape.format, pass.parts),
        frames: 0,
        pass,
        waiting,
        failed: None,
        enough: false,
    })))
}

/// Frames of either encoding.
enum Feed {
    Butter(Box<butter::Feed>),
    Echoreplay(Box<echoreplay::Feed>),
}

impl Feed {
    fn new(format: EchoFormat, parts: Parts) -> Self {
        match format {
            EchoFormat::Butter => Self::Butter(Box::new(butter::Feed::of_parts(parts))),
            EchoFormat::Echoreplay => Self::Echoreplay(Box::new(echoreplay::Feed::with_options(
                ReadOptions::lenient(),
            ))),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Butter(feed) => feed.push(bytes),
            Self::Echoreplay(feed) => feed.push(bytes),
        }
    }

    fn finish(&mut self) {
        match self {
            Self::Butter(feed) => feed.finish(),
            Self::Echoreplay(feed) => feed.finish(),
        }
    }

    fn next(&mut self) -> Result<Fed<&Frame>, ReadError> {
        match self {
            Self::Butter(feed) => feed.next_frame(),
            Self::Echoreplay(feed) => feed.next_frame(),
        }
    }

    /// What was pushed and is not done with.
    fn rest(&self) -> &[u8] {
        match self {
            Self::Butter(feed) => feed.rest(),
            Self::Echoreplay(feed) => feed.rest(),
        }
    }

    fn findings(&self) -> &Findings {
        match self {
            Self::Butter(feed) => feed.findings(),
            Self::Echoreplay(feed) => feed.findings(),
        }
    }
}

/// A match that is being recorded.
struct Following {
    format: EchoFormat,
    grown: Grown,
    feed: Feed,
    frames: u64,
    pass: Pass,
    waiting: Vec<Waiting>,
    /// What keeps it from being read further.
    failed: Option<Box<Finding>>,
    /// Nobody wants more.
    enough: bool,
}

impl Following {
    /// Gives the rows of the frames that are whole.
    fn give(&mut self, visit: &mut VisitEach<'_>) -> Result<(), Error> {
        let Self {
            feed, pass, frames, ..
        } = self;
        let (failed, enough) = go_on(&mut self.waiting, visit, |rows| {
            loop {
                let frame = match feed.next() {
                    Ok(Fed::Item(frame)) => frame,
                    Ok(Fed::NeedMore | Fed::End) => return Ok((None, false)),
                    Err(ReadError::Malformed(finding)) if *frames > 0 => {
                        return Ok((Some(finding), false));
                    }
                    Err(error) => return Err(error.into()),
                };
                let flow = pass.frame(*frames, 0, frame, rows)?;
                *frames += 1;
                if flow.is_break() {
                    return Ok((None, true));
                }
            }
        })?;
        self.failed = failed;
        self.enough = enough;
        Ok(())
    }

    /// Takes all that is there.
    fn take(&mut self, input: &Input, visit: &mut VisitEach<'_>) -> Result<(), Error> {
        self.grown.look(input, self.feed.rest())?;
        while !self.enough
            && self.failed.is_none()
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
        Ok(self.pass.settled)
    }

    fn end(
        mut self: Box<Self>,
        input: &Input,
        visit: &mut VisitEach<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        self.take(input, visit)?;
        if !self.enough && self.failed.is_none() {
            self.feed.finish();
            self.give(visit)?;
        }
        let Self {
            format,
            feed,
            pass,
            waiting,
            failed,
            ..
        } = *self;
        let known = Known {
            format,
            bytes: input.size(),
            zip: false,
            findings: feed.findings(),
            butter: match &feed {
                Feed::Butter(feed) => Some((feed.header(), feed.seen())),
                Feed::Echoreplay(_) => None,
            },
        };
        let problem = || match &failed {
            Some(finding) => Some((**finding).clone().into()),
            None => feed.findings().problem(),
        };
        pass.end(known, problem, waiting, visit)
    }
}
