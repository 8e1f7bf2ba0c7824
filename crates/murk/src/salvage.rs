//! Keeping what is whole of a broken recording.

use crate::error::{Error, Finding};
use crate::read::{ReadOptions, read_with};

/// What is whole of a recording.
#[derive(Clone, Debug)]
pub struct Salvaged<'a> {
    /// The bytes that are worth keeping: the header and the whole frames, as they are.
    pub bytes: &'a [u8],
    /// Whole frames.
    pub frames: u64,
    /// The tick of the last of them.
    pub last_tick: Option<u64>,
    /// Bytes behind them.
    pub dropped: u64,
    /// What is wrong with those; `None` where the recording is whole.
    pub problem: Option<Finding>,
}

/// Finds the whole frames at the start of a recording.
///
/// A command log with a hole can't be replayed, so nothing behind the first broken frame is kept,
/// sound or not: [`Index::mend`](crate::Index::mend) turns flipped bits back where an index was
/// made in time.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// let cut = &bytes[..bytes.len() - 1];
/// let salvaged = gametape_murk::salvage(cut)?;
/// assert_eq!(salvaged.frames, 2);
/// assert!(gametape_murk::read(salvaged.bytes)?.frames().all(|frame| frame.is_ok()));
/// # Ok::<(), gametape_murk::Error>(())
/// ```
///
/// # Errors
/// Where the header is broken nothing can be kept.
pub fn salvage(bytes: &[u8]) -> Result<Salvaged<'_>, Error> {
    let replay = read_with(bytes, ReadOptions::lenient())?;
    let mut frames = replay.frames();
    let (mut count, mut last_tick) = (0, None);
    for frame in &mut frames {
        last_tick = Some(frame?.tick);
        count += 1;
    }
    let end = usize::try_from(frames.offset()).unwrap_or(usize::MAX);
    let kept = bytes.get(..end).unwrap_or(bytes);
    Ok(Salvaged {
        bytes: kept,
        frames: count,
        last_tick,
        dropped: (bytes.len() - kept.len()) as u64,
        problem: frames.findings().iter().next().cloned(),
    })
}
