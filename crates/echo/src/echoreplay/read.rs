//! Reading a whole recording from memory: borrowed, nothing copied.

use std::iter::FusedIterator;

use super::line::Line;
use super::options::ReadOptions;
use super::scan::{Scan, Step};
use crate::error::Error;
use crate::finding::Findings;
use crate::model::Frame;

/// Reads a plain .echoreplay in memory, strictly; for a zip, see [`open`](super::open).
///
/// ```
/// use gametape_echo::{Frame, echoreplay};
/// let text = b"2022/01/02 03:00:00.000\t{\"game_clock\":300.0}\r\n\
///     2022/01/02 03:00:00.034\t{\"game_clock\":299.97}\r\n";
///
/// // The lines as they are …
/// let mut copy = Vec::new();
/// for line in echoreplay::read(text) {
///     line?.write(&mut copy);
/// }
/// assert_eq!(copy, text);
///
/// // … or what they say, in one frame that is used again and again.
/// let mut lines = echoreplay::read(text);
/// let mut frame = Frame::default();
/// while let Some(line) = lines.next_frame(&mut frame)? {
///     println!("frame {}: {} s", line.index, frame.session.game_clock);
/// }
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[must_use]
pub fn read(bytes: &[u8]) -> Lines<'_> {
    ReadOptions::strict().read(bytes)
}

impl ReadOptions {
    /// [`read()`], with these options.
    #[must_use]
    pub fn read(self, bytes: &[u8]) -> Lines<'_> {
        Lines {
            rest: bytes,
            scan: Scan::new(self),
            failed: false,
        }
    }
}

/// The lines of a recording in memory.
///
/// As an iterator it gives lines as they are and looks at their columns and times only. It ends after
/// the first error.
#[derive(Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
    scan: Scan,
    failed: bool,
}

impl<'a> Lines<'a> {
    /// The next line, read into a frame; `None` at the end.
    ///
    /// A lenient reader skips lines that are no session. What is in the frame when there is no line
    /// is of no use.
    ///
    /// # Errors
    /// The first broken line, where reading is strict; the same comes again.
    pub fn next_frame(&mut self, frame: &mut Frame) -> Result<Option<Line<'a>>, Error> {
        self.step(Some(frame))
    }

    /// What was found so far.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.scan.findings
    }

    /// Where the next line starts, in bytes.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.scan.offset()
    }

    fn step(&mut self, frame: Option<&mut Frame>) -> Result<Option<Line<'a>>, Error> {
        let rest = self.rest;
        let (used, step) = self.scan.step(rest, true, frame)?;
        self.rest = rest.get(used..).unwrap_or_default();
        Ok(match step {
            Step::Line { skip, columns } => rest
                .get(skip..)
                .and_then(|bytes| Line::again(bytes, columns)),
            Step::NeedMore | Step::End => None,
        })
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Result<Line<'a>, Error>;

    fn next(&mut self) -> Option<Result<Line<'a>, Error>> {
        if self.failed {
            return None;
        }
        let line = self.step(None);
        self.failed = line.is_err();
        line.transpose()
    }
}

impl FusedIterator for Lines<'_> {}
