//! Keeps the intact part of a broken recording.

use crate::error::{Error, Finding};
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
    let (mut count, mut last_tick, mut blank) = (0, None, None);
    // The state before the last frame, if that may be torn.
    let mut before = None;
    for frame in &mut frames {
        let frame = frame?;
        if frame.is_blank() {
            let (end, whole, tick) = before.unwrap_or((frame.offset, count, last_tick));
            (count, last_tick) = (whole, tick);
            blank = Some((end, frame.blank(bytes)));
            break;
        }
        let now = (frame.offset, count, last_tick);
        before = frame.may_be_torn().then_some(now);
        last_tick = Some(frame.tick);
        count += 1;
    }
    let (end, problem) = match blank {
        Some((end, problem)) => (end, Some(problem)),
        None => (frames.offset(), frames.findings().iter().next().cloned()),
    };
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    let kept = bytes.get(..end).unwrap_or(bytes);
    let salvaged = Salvaged {
        frames: count,
        last_tick,
        dropped: (bytes.len() - kept.len()) as u64,
        problem,
    };
    Ok((kept, salvaged))
}
