//! Reading a whole recording from memory: borrowed, nothing copied, nothing allocated.

use crate::error::Error;
use crate::limits::Limits;
use crate::model::{Frame, Header};
use crate::rule::Finding;
use crate::scan::{self, Shape};

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
            shape: Shape::default(),
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
            shape: Shape::default(),
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
    shape: Shape,
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
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (place, limits) = ((self.index, self.offset), &self.options.limits);
        if let Some((frame, rest)) = scan::next_frame(self.rest, place, &mut self.shape, limits) {
            self.index += 1;
            self.offset += (self.rest.len() - rest.len()) as u64;
            self.rest = rest;
            return Some(Ok(frame));
        }
        // Values, not `self`: it stays in registers.
        let error = scan::fault(self.rest, self.index, self.offset, &{ self.options.limits });
        self.rest = &[];
        match self.options.strictness {
            Strictness::Strict => error.map(Err),
            Strictness::Lenient => {
                self.problem = error.and_then(Error::into_finding).map(Box::new);
                None
            }
        }
    }
}

impl std::iter::FusedIterator for Frames<'_> {}
