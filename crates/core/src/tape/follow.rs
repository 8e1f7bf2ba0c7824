//! A recording that is being written, whose rows are had as its bytes come.

use std::borrow::Cow;
use std::io;

use super::error::Error;
use super::info::Partial;
use crate::clock::Stamp;
use crate::input::Input;
use crate::table::VisitEach;

/// The rows of a recording that is being written, as its bytes come: what
/// [`Tape::scan_each`](super::Tape::scan_each) gives of the whole, piece by piece. It goes on where it
/// stopped, whatever the recording's length, and outlives the tape that it came from.
///
/// Each call gets the recording as it lies there then. After an error nothing more can be had:
/// [`Error::Changed`] says that the recording was cut or replaced, so that it has to be opened anew.
pub trait Follow: Send {
    /// Gives the rows that are whole now and were not given before, those of each scan in their order.
    /// What is cut off at the end is waited for. Says up to which step all rows of all scans have been
    /// given, those of facts aside, which may change to the end; `None` while there is no such step.
    ///
    /// # Errors
    /// [`Error::Changed`]; [`Error::Io`]; what the visitor says.
    fn more(&mut self, input: &Input, visit: &mut VisitEach<'_>) -> Result<Option<Stamp>, Error>;

    /// Nobody writes to the recording any more: gives the rows that are left, those of what is cut off
    /// and of facts among them, and of each scan what is wrong with the recording. What
    /// [`Follow::more`] gave and this are together what `scan_each` gives of the same bytes.
    ///
    /// # Errors
    /// As [`Follow::more`]; as `scan_each`.
    fn end(
        self: Box<Self>,
        input: &Input,
        visit: &mut VisitEach<'_>,
    ) -> Result<Vec<Partial<()>>, Error>;
}

/// Bytes of what was read that are looked at again, at least, to see whether they are still there.
const LOOKED_AT: usize = 64;
/// Bytes that are read at a time.
const PIECE: u64 = 64 << 10;

/// How far a recording that grows was read.
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
    /// What was read last.
    last: Vec<u8>,
}

impl Grown {
    /// Makes sure that what was read is still there, as far as that is cheaply seen: the last bytes, and
    /// all of what was read and is not done with, which whoever goes on with a recording may cut off.
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

    /// The next bytes; `None` where there are no more for now.
    ///
    /// # Errors
    /// [`Error::Changed`] where it is shorter than it was; [`Error::Io`].
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

    /// How far it was read.
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
