//! Reading a recording from memory, without copying.

use std::iter::FusedIterator;

use super::line::Line;
use super::scan::{Scan, Scanned};
use crate::error::{Error, Findings};
use crate::limits::ReadOptions;
use crate::model::Frame;

/// Reads a plain .echoreplay in memory, strictly. For a zip, see [`open`](super::open()).
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
/// while let Some(frame) = lines.next_frame()? {
///     println!("{}: {} s", frame.time, frame.session.game_clock);
/// }
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[must_use]
pub fn read(bytes: &[u8]) -> Lines<'_> {
    read_with(bytes, ReadOptions::default())
}

/// Like [`read()`], with other options.
#[must_use]
pub fn read_with(bytes: &[u8], options: ReadOptions) -> Lines<'_> {
    Lines {
        rest: bytes,
        scan: Scan::new(options),
        frame: Frame::default(),
        line: None,
        failed: false,
    }
}

/// The lines of a recording in memory.
///
/// The iterator returns lines as they are and parses only their columns and times. It ends after the first
/// error.
#[derive(Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
    scan: Scan,
    frame: Frame,
    line: Option<Line<'a>>,
    failed: bool,
}

impl<'a> Lines<'a> {
    /// Reads the next line into a frame; `None` at the end. The frame borrows from the reader: nothing is
    /// allocated per frame.
    ///
    /// A lenient reader skips lines that are no session.
    ///
    /// # Errors
    /// The first broken line, if reading is strict. The same error is returned again.
    #[inline]
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        Ok(self.step(true)?.map(|_| &self.frame))
    }

    /// Returns the next line as it is, or `None` at the end.
    ///
    /// # Errors
    /// Like [`Lines::next_frame`], except that the content of the columns is not checked.
    pub fn next_line(&mut self) -> Result<Option<Line<'a>>, Error> {
        self.step(false)
    }

    /// The last frame.
    #[must_use]
    pub const fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The last line, or the line of the last frame.
    #[must_use]
    pub const fn line(&self) -> Option<Line<'a>> {
        self.line
    }

    /// The findings so far.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.scan.findings
    }

    /// The offset of the next line, in bytes.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.scan.offset()
    }

    fn step(&mut self, decode: bool) -> Result<Option<Line<'a>>, Error> {
        let rest = self.rest;
        let frame = decode.then_some(&mut self.frame);
        let (used, step) = self.scan.step(rest, true, frame);
        self.rest = rest.get(used..).unwrap_or_default();
        self.line = match step? {
            Scanned::Line { skip, columns } => rest
                .get(skip..)
                .and_then(|bytes| Line::again(bytes, columns)),
            Scanned::NeedMore | Scanned::End => None,
        };
        Ok(self.line)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Result<Line<'a>, Error>;

    fn next(&mut self) -> Option<Result<Line<'a>, Error>> {
        if self.failed {
            return None;
        }
        let line = self.next_line();
        self.failed = line.is_err();
        line.transpose()
    }
}

impl FusedIterator for Lines<'_> {}
