//! Reads a whole recording from memory, without copies and without allocations, or its intact part.

use crate::error::{Error, Finding, Findings};
use crate::layout::scan::{self, Shape};
use crate::layout::{Frame, header};
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

/// The result of a salvage.
#[derive(Clone, PartialEq, Debug)]
pub struct Salvaged {
    /// The number of whole frames, which were kept.
    pub frames: u64,
    /// The tick of the last of them.
    pub last_tick: Option<u64>,
    /// The number of bytes after them.
    pub dropped: u64,
    /// The problem of those bytes; `None` if the recording is whole.
    pub problem: Option<Finding>,
}

/// Finds the whole frames at the start of a recording. Returns the header and those frames, as they
/// are in the file, and a summary.
///
/// A command log with a gap can't be replayed, so nothing after the first broken frame is kept,
/// sound or not. If an index was made in time, [`Index::mend`](crate::Index::mend) can flip bits
/// back.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// let cut = &bytes[..bytes.len() - 1];
/// let (whole, salvaged) = gametape_murk::salvage(cut)?;
/// assert_eq!(salvaged.frames, 2);
/// assert!(gametape_murk::read(whole)?.frames().all(|frame| frame.is_ok()));
/// # Ok::<(), gametape_murk::Error>(())
/// ```
///
/// # Errors
/// If the header is broken. Nothing can be kept then.
pub fn salvage(bytes: &[u8]) -> Result<(&[u8], Salvaged), Error> {
    let replay = read_with(bytes, ReadOptions::lenient())?;
    let mut frames = replay.frames();
    let (mut whole, mut blank) = (WholeFrames::default(), None);
    for frame in &mut frames {
        let frame = frame?;
        if let Some(end) = whole.push(&frame) {
            blank = Some((end, frame.blank(bytes)));
            break;
        }
    }
    let (end, problem) = match blank {
        Some((end, problem)) => (end, Some(problem)),
        None => (frames.offset(), frames.findings().iter().next().cloned()),
    };
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    let kept = bytes.get(..end).unwrap_or(bytes);
    let salvaged = Salvaged {
        frames: whole.frames,
        last_tick: whole.last_tick,
        dropped: (bytes.len() - kept.len()) as u64,
        problem,
    };
    Ok((kept, salvaged))
}

/// Counts the whole frames at the start of a recording: those before its blank end, which may begin
/// within the last one.
#[derive(Clone, Copy, Default)]
pub(crate) struct WholeFrames {
    pub frames: u64,
    pub last_tick: Option<u64>,
    /// The frames before the last one, and its offset, if that may be torn.
    before: Option<(u64, Option<u64>, u64)>,
}

impl WholeFrames {
    /// Adds a frame. If that is blank, returns the end of the whole ones.
    pub fn push(&mut self, frame: &Frame<'_>) -> Option<u64> {
        if frame.is_blank() {
            let now = (self.frames, self.last_tick, frame.offset);
            let end;
            (self.frames, self.last_tick, end) = self.before.unwrap_or(now);
            return Some(end);
        }
        let now = (self.frames, self.last_tick, frame.offset);
        self.before = frame.may_be_torn().then_some(now);
        self.frames += 1;
        self.last_tick = Some(frame.tick);
        None
    }
}
