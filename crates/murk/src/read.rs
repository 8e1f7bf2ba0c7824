//! Reading a whole recording from memory: borrowed, nothing copied, nothing allocated.

use crate::error::Error;
use crate::limits::Limits;
use crate::model::{Frame, Header};
use crate::rule::Finding;
use crate::scan::{self, FrameScan};

/// How much a reader puts up with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Strictness {
    /// The specification: the first broken rule is the error.
    #[default]
    Strict,
    /// Whole frames are worth having: a broken one ends the recording, and what is wrong with it
    /// is a finding. (A broken header leaves nothing to read, and stays an error.)
    Lenient,
}

/// How to read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReadOptions {
    /// What a broken frame is.
    pub strictness: Strictness,
    /// What is too large.
    pub limits: Limits,
}

impl ReadOptions {
    /// [`Strictness::Lenient`], with the default limits.
    #[must_use]
    pub fn lenient() -> Self {
        Self {
            strictness: Strictness::Lenient,
            ..Self::default()
        }
    }

    /// Reads the header; frames are read as they are asked for.
    ///
    /// # Errors
    /// [`Error::InvalidMagic`], [`Error::UnsupportedVersion`], [`Error::MalformedHeader`].
    pub fn read<'a>(&self, bytes: &'a [u8]) -> Result<Replay<'a>, Error> {
        let (header, size) = scan::header(bytes, &self.limits)?;
        Ok(Replay {
            bytes,
            header,
            body: size,
            options: *self,
        })
    }
}

/// Reads the header of a recording in memory; frames are read as they are asked for.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// let replay = gametape_murk::read(&bytes)?;
/// for frame in replay.frames() {
///     let frame = frame?;
///     for command in frame.commands() {
///         println!("tick {}: {:?}", frame.tick, command.payload());
///     }
/// }
/// # Ok::<(), gametape_murk::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidMagic`], [`Error::UnsupportedVersion`], [`Error::MalformedHeader`].
pub fn read(bytes: &[u8]) -> Result<Replay<'_>, Error> {
    ReadOptions::default().read(bytes)
}

/// A recording in memory.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    bytes: &'a [u8],
    header: Header<'a>,
    body: usize,
    options: ReadOptions,
}

impl<'a> Replay<'a> {
    /// The header.
    #[must_use]
    pub const fn header(&self) -> &Header<'a> {
        &self.header
    }

    /// Bytes the header takes: where the first frame starts.
    #[must_use]
    pub const fn header_size(&self) -> u64 {
        self.body as u64
    }

    /// The whole recording.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The frames, one after the other.
    #[must_use]
    pub fn frames(&self) -> Frames<'a> {
        Frames {
            rest: self.bytes.get(self.body..).unwrap_or_default(),
            index: 0,
            offset: self.body as u64,
            options: self.options,
            problem: None,
        }
    }

    /// The frames from one on whose place is known, as from an [`Index`](crate::Index).
    #[must_use]
    pub fn frames_from(&self, index: u64, offset: u64) -> Frames<'a> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        Frames {
            rest: self.bytes.get(start..).unwrap_or_default(),
            index,
            offset,
            options: self.options,
            problem: None,
        }
    }
}

/// The frames of a recording in memory, one after the other. Nothing follows an error.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    rest: &'a [u8],
    index: u64,
    offset: u64,
    options: ReadOptions,
    problem: Option<Box<Finding>>,
}

impl Frames<'_> {
    /// Where the next frame starts, if there is one: the end of the frames that were whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Why a lenient reader stopped before the end.
    #[must_use]
    pub fn problem(&self) -> Option<&Finding> {
        self.problem.as_deref()
    }

    #[cold]
    fn stop(&mut self, error: Error) -> Option<Error> {
        self.rest = &[];
        match self.options.strictness {
            Strictness::Strict => Some(error),
            Strictness::Lenient => {
                self.problem = error.into_finding().map(Box::new);
                None
            }
        }
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let mut scan = FrameScan::default();
        match scan.run(self.rest, &self.options.limits) {
            Ok(size) => {
                let (bytes, rest) = self.rest.split_at_checked(size)?;
                let frame = scan::frame(bytes, self.index, self.offset)?;
                self.rest = rest;
                self.index += 1;
                self.offset += size as u64;
                Some(Ok(frame))
            }
            Err(stop) => {
                let error = scan.error(stop, self.rest, self.index, self.offset);
                self.stop(error).map(Err)
            }
        }
    }
}

impl std::iter::FusedIterator for Frames<'_> {}
