//! Keeps the intact part of a broken recording.

use crate::error::{Error, Finding};
use crate::layout::Frame;
use crate::limits::ReadOptions;
use crate::read::read_with;

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
