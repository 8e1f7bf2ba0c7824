//! Reading a whole recording from memory: borrowed, nothing copied, nothing allocated.

use crate::error::{Error, Findings};
use crate::frame::Frame;
use crate::header::header;
use crate::limits::ReadOptions;
use crate::model::Header;
use crate::scan::{self, Shape};

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
/// What is wrong with the header.
pub fn read(bytes: &[u8]) -> Result<Replay<'_>, Error> {
    read_with(bytes, ReadOptions::default())
}

/// [`read()`], with other options.
///
/// # Errors
/// What is wrong with the header, lenient or not.
pub fn read_with(bytes: &[u8], options: ReadOptions) -> Result<Replay<'_>, Error> {
    let (header, size) = header(bytes, &options.limits)?;
    Ok(Replay {
        bytes,
        header,
        body: size,
        options,
    })
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
    /// What the recording says once, before its first frame.
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
        self.frames_from(0, self.body as u64)
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
            findings: None,
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
    /// Boxed: frames stay in registers.
    findings: Option<Box<Findings>>,
}

impl Frames<'_> {
    /// Where the next frame starts, if there is one: the end of the frames that were whole.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Why a lenient reader stopped before the end; none else.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        static NONE: Findings = Findings::new();
        self.findings.as_deref().unwrap_or(&NONE)
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
        let stopped = stop(self.rest, (self.index, self.offset), self.options);
        self.rest = &[];
        match stopped {
            Ok(findings) => {
                self.findings = findings;
                None
            }
            Err(error) => Some(Err(error)),
        }
    }
}

/// Why no frame is left in what is left.
#[cold]
#[inline(never)]
fn stop(
    rest: &[u8],
    (index, offset): (u64, u64),
    options: ReadOptions,
) -> Result<Option<Box<Findings>>, Error> {
    match scan::fault(rest, index, offset, &options.limits) {
        Some(error) if !options.is_lenient() => Err(error),
        error => Ok(error.and_then(Error::into_finding).map(|finding| {
            let mut findings = Findings::new();
            findings.push(finding);
            findings.into()
        })),
    }
}

impl std::iter::FusedIterator for Frames<'_> {}
