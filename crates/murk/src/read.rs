//! Reads a whole recording from memory, without copies and without allocations.

use crate::error::{Error, Findings};
use crate::layout::Frame;
use crate::layout::header;
use crate::layout::scan::{self, Shape};
use crate::limits::ReadOptions;
use crate::model::Header;

/// Reads the header of a recording in memory. Frames are read when they are asked for.
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
/// The first broken rule of the header.
pub fn read(bytes: &[u8]) -> Result<Replay<'_>, Error> {
    read_with(bytes, ReadOptions::default())
}

/// [`read()`] with other options.
///
/// # Errors
/// The first broken rule of the header, even in a lenient reading.
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
    /// Returns the header.
    #[must_use]
    pub const fn header(&self) -> &Header<'a> {
        &self.header
    }

    /// Returns the size of the header in bytes, which is the offset of the first frame.
    #[must_use]
    pub const fn header_size(&self) -> u64 {
        self.body as u64
    }

    /// Returns the bytes of the whole recording.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns an iterator over the frames.
    #[must_use]
    pub fn frames(&self) -> Frames<'a> {
        self.frames_from(0, self.body as u64)
    }

    /// Returns an iterator over the frames from one with a known place, such as an
    /// [`Index`](crate::Index) has.
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

/// An iterator over the frames of a recording in memory. Nothing follows an error.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    rest: &'a [u8],
    index: u64,
    offset: u64,
    shape: Shape,
    options: ReadOptions,
    /// Boxed, so that the other fields fit into registers.
    findings: Option<Box<Findings>>,
}

impl Frames<'_> {
    /// Returns the offset of the next frame, which is the end of the whole frames so far.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns why a lenient reading stopped before the end; no findings otherwise.
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
        // These are values instead of `self`, so that they stay in registers.
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

/// Returns why the rest has no whole frame.
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
