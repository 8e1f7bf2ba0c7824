//! Following a recording that is being written.

use std::borrow::Cow;
use std::io;

use super::error::Error;
use super::info::Partial;
use crate::clock::Stamp;
use crate::input::Input;
use crate::table::Visit;

/// Gives the rows of a recording that is being written, as its bytes arrive. The result is that of
/// [`Tape::scan`](super::Tape::scan) on the whole recording, piece by piece. Each call
/// continues where the last one stopped, so its cost does not depend on the recording's length. A
/// `Follow` may outlive its tape.
///
/// Each call gets the recording in its current state. After an error, following cannot continue.
/// [`Error::Changed`] means that the recording was truncated or replaced and must be opened again.
pub trait Follow: Send {
    /// Gives the rows that became complete since the last call, those of each scan in order. An
    /// incomplete tail stays for later. Returns the last step up to which all rows of all scans
    /// have been given, or `None` if there is none yet. Facts are not included, because they may
    /// change until the end.
    ///
    /// # Errors
    /// [`Error::Changed`]; [`Error::Io`]; the visitor's error.
    fn more(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<Option<Stamp>, Error>;

    /// Ends following when nobody writes to the recording any more. Gives the remaining rows,
    /// including those of an incomplete tail and of facts, and returns the problem of the recording
    /// for each scan. Together with the rows of [`Follow::more`], the result is that of `scan`
    /// on the same bytes.
    ///
    /// # Errors
    /// Same as [`Follow::more`] and `scan`.
    fn end(
        self: Box<Self>,
        input: &Input,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error>;
}

/// At least this many of the last bytes are read again, to check that they are unchanged.
const LOOKED_AT: usize = 64;
/// The number of bytes read at once.
const PIECE: u64 = 64 << 10;

/// The reading position in a growing recording.
///
/// ```
/// use gametape_core::{Input, tape::{Error, Grown}};
///
/// let mut grown = Grown::default();
/// let now = Input::from(b"3 whol".to_vec());
/// grown.look(&now, b"")?;
/// assert_eq!(grown.next(&now)?.as_deref(), Some(&b"3 whol"[..]));
/// assert_eq!(grown.next(&now)?, None);
///
/// // Of these, the last word is not whole, and was kept.
/// let later = Input::from(b"3 whole words".to_vec());
/// grown.look(&later, b"whol")?;
/// assert_eq!(grown.next(&later)?.as_deref(), Some(&b"e words"[..]));
///
/// // Somebody has cut it, and gone on with other words.
/// let other = Input::from(b"3 other words here".to_vec());
/// assert!(matches!(grown.look(&other, b"words"), Err(Error::Changed { .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Grown {
    end: u64,
    /// The last bytes that were read.
    last: Vec<u8>,
}

impl Grown {
    /// Checks cheaply that the bytes read so far are unchanged: compares the last bytes, and all of
    /// `unread`. `unread` is the part that was read but not decoded yet; a writer that resumes the
    /// recording may cut it off.
    ///
    /// # Errors
    /// [`Error::Changed`], [`Error::Io`].
    pub fn look(&self, input: &Input, unread: &[u8]) -> Result<(), Error> {
        let known = if unread.len() > self.last.len() {
            unread
        } else {
            &self.last
        };
        let Some(from) = self.end.checked_sub(known.len() as u64) else {
            return Err(self.changed());
        };
        if input.size() < self.end || *self.range(input, from, known.len() as u64)? != *known {
            return Err(self.changed());
        }
        Ok(())
    }

    /// Returns the next bytes; `None` if there are no more for now.
    ///
    /// # Errors
    /// [`Error::Changed`] if the recording is shorter than before; [`Error::Io`].
    pub fn next<'i>(&mut self, input: &'i Input) -> Result<Option<Cow<'i, [u8]>>, Error> {
        let left = input.size().checked_sub(self.end);
        let left = left.ok_or_else(|| self.changed())?;
        if left == 0 {
            return Ok(None);
        }
        let piece = self.range(input, self.end, left.min(PIECE))?;
        self.end += piece.len() as u64;
        self.last.extend_from_slice(&piece);
        let old = self.last.len().saturating_sub(LOOKED_AT);
        self.last.drain(..old);
        Ok(Some(piece))
    }

    /// Returns the number of bytes read.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.end
    }

    fn range<'i>(&self, input: &'i Input, from: u64, size: u64) -> Result<Cow<'i, [u8]>, Error> {
        input.range(from, size).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.changed(),
            _ => Error::Io(error),
        })
    }

    const fn changed(&self) -> Error {
        Error::Changed { read: self.end }
    }
}
