//! The rows of a match that is being recorded, as its bytes arrive.

use gametape_core::feed::Fed;
use gametape_core::table::{Scan, Visit};
use gametape_core::tape::{Error, Follow, Grown, Partial};
use gametape_core::{Input, Stamp};

use super::pass::Pass;
use super::precision::tables;
use crate::butter::{self, Parts};
use crate::tape::frames::EchoFormat;
use crate::tape::info::Known;
use crate::tape::opened::EchoTape;
use crate::{Error as ReadError, Finding, Findings, Frame, ReadOptions, echoreplay};

/// Follows a match; `None` if it is in a zip, which does not grow.
pub fn follow(tape: &EchoTape, scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
    if tape.format == EchoFormat::Echoreplay && tape.is_packed() {
        return Ok(None);
    }
    let pass = Pass::new(&tables(tape.format), scans)?;
    Ok(Some(Box::new(Following {
        format: tape.format,
        grown: Grown::default(),
        feed: Feed::new(tape.format, pass.parts),
        frames: 0,
        pass,
        failed: None,
        enough: false,
    })))
}

/// A feed of frames in either format.
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

    /// Returns the pushed bytes that were not used yet.
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
    /// The error after which nothing can be read.
    failed: Option<Box<Finding>>,
    /// Whether no more rows are wanted.
    enough: bool,
}

impl Following {
    /// Adds the rows of the frames that are complete.
    fn give(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        while !self.enough && self.failed.is_none() {
            let frame = match self.feed.next() {
                Ok(Fed::Item(frame)) => frame,
                Ok(Fed::NeedMore | Fed::End) => break,
                Err(ReadError::Malformed(finding)) if self.frames > 0 => {
                    self.failed = Some(finding);
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            self.enough = self.pass.frame(self.frames, frame, visit)?.is_break();
            self.frames += 1;
        }
        self.pass.give_all(visit)
    }

    /// Reads the new bytes.
    fn take(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<(), Error> {
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
    fn more(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<Option<Stamp>, Error> {
        self.take(input, visit)?;
        Ok(self.pass.settled)
    }

    fn end(
        mut self: Box<Self>,
        input: &Input,
        visit: &mut Visit<'_>,
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
        pass.end(known, problem, visit)
    }
}
