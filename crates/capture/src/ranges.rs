//! The source of a recording, read range by range.

use std::borrow::Cow;
#[cfg(feature = "tape")]
use std::fmt;
use std::io;

use gametape_core::Input;
#[cfg(feature = "tape")]
use gametape_core::tape::Work;

use crate::rule::Error;

/// The source of a recording: bytes in memory, which are borrowed, or an [`Input`], of which only
/// the necessary ranges are read. An input may be a file, or ranges that other code fetches.
///
/// ```
/// use gametape_capture::{Options, Writer, read};
/// use gametape_core::{Fetched, Input, Missing};
/// use gametape_delta::Schema;
/// use std::sync::Arc;
///
/// let there = Writer::new(Vec::new(), &Schema::empty(), Options::default())?.finish()?;
/// let fetched = Arc::new(Fetched::new(there.len() as u64));
/// let input = Input::ranges(fetched.clone());
/// let capture = loop {
///     match read(&input) {
///         Ok(capture) => break capture,
///         Err(error) => {
///             let Missing { offset, length } = Missing::of(&error).expect("a request");
///             let range = offset as usize..(offset + length) as usize;
///             fetched.supply(offset, there[range].to_vec());
///         }
///     }
/// };
/// assert_eq!(capture.schema(), &Schema::empty());
/// # Ok::<(), gametape_capture::CaptureError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ranges<'a> {
    kind: Kind<'a>,
    /// The bytes from here on are not of the recording.
    end: u64,
}

#[derive(Clone, Debug)]
enum Kind<'a> {
    Memory(&'a [u8]),
    Input(&'a Input),
    /// An input that is kept open.
    Kept(Input),
    #[cfg(feature = "tape")]
    Watched(Watched<'a>),
}

/// An input that is read only while the work is wanted.
#[cfg(feature = "tape")]
#[derive(Clone, Copy)]
struct Watched<'a> {
    input: &'a Input,
    work: &'a Work<'a>,
}

#[cfg(feature = "tape")]
impl fmt::Debug for Watched<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.input.fmt(f)
    }
}

impl<'a> From<&'a [u8]> for Ranges<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::of(Kind::Memory(bytes))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Ranges<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        bytes.as_slice().into()
    }
}

impl<'a> From<&'a Vec<u8>> for Ranges<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        bytes.as_slice().into()
    }
}

impl<'a> From<&'a Input> for Ranges<'a> {
    fn from(input: &'a Input) -> Self {
        input
            .in_memory()
            .map_or(Self::of(Kind::Input(input)), Self::from)
    }
}

/// Keeps the input open, so that whatever reads it may outlive the caller.
impl From<Input> for Ranges<'static> {
    fn from(input: Input) -> Self {
        Self::of(Kind::Kept(input))
    }
}

impl<'a> Ranges<'a> {
    const fn of(kind: Kind<'a>) -> Self {
        Self {
            kind,
            end: u64::MAX,
        }
    }

    /// The same source without the bytes from `end` on.
    pub(crate) fn up_to_byte(self, end: u64) -> Self {
        Self {
            end: self.end.min(end),
            ..self
        }
    }

    /// An input that is read only while the work is wanted.
    #[cfg(feature = "tape")]
    pub(crate) const fn watched(input: &'a Input, work: &'a Work<'a>) -> Self {
        Self::of(Kind::Watched(Watched { input, work }))
    }

    /// The total size in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        let size = match &self.kind {
            Kind::Memory(bytes) => bytes.len() as u64,
            Kind::Input(input) => input.size(),
            Kind::Kept(input) => input.size(),
            #[cfg(feature = "tape")]
            Kind::Watched(Watched { input, .. }) => input.size(),
        };
        if self.end < size { self.end } else { size }
    }

    /// All bytes, if they are in memory.
    #[must_use]
    #[inline]
    pub fn in_memory(&self) -> Option<&'a [u8]> {
        match self.kind {
            Kind::Memory(bytes) => Some(start(bytes, self.end)),
            Kind::Input(_) | Kind::Kept(_) => None,
            #[cfg(feature = "tape")]
            Kind::Watched(_) => None,
        }
    }

    /// A range of bytes, which must exist.
    pub(crate) fn range(&self, offset: u64, length: u64) -> Result<Cow<'a, [u8]>, Error> {
        match &self.kind {
            Kind::Memory(bytes) => part(bytes, offset, length)
                .map(Cow::Borrowed)
                .ok_or_else(|| Error::io(offset, io::ErrorKind::UnexpectedEof.into())),
            Kind::Input(input) => input
                .range(offset, length)
                .map_err(|source| Error::io(offset, source)),
            Kind::Kept(input) => input
                .range(offset, length)
                .map(|range| Cow::Owned(range.into_owned()))
                .map_err(|source| Error::io(offset, source)),
            #[cfg(feature = "tape")]
            Kind::Watched(Watched { input, work }) => work
                .wanted()
                .map_err(io::Error::other)
                .and_then(|()| input.range(offset, length))
                .map_err(|source| Error::io(offset, source)),
        }
    }

    /// A range of at most `most` bytes, as far as they exist.
    pub(crate) fn up_to(&self, offset: u64, most: u64) -> Result<Cow<'a, [u8]>, Error> {
        let there = self.size().saturating_sub(offset);
        self.range(offset.min(self.size()), most.min(there))
    }
}

fn part(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let from = usize::try_from(offset).ok()?;
    bytes.get(from..)?.get(..usize::try_from(length).ok()?)
}

/// The bytes from a position on.
#[inline]
fn rest(bytes: &[u8], at: u64) -> &[u8] {
    let from = usize::try_from(at).unwrap_or(usize::MAX);
    bytes.get(from..).unwrap_or_default()
}

/// The first `count` bytes, or all.
#[inline]
fn start(bytes: &[u8], count: u64) -> &[u8] {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    bytes.get(..count).unwrap_or(bytes)
}

/// The number of bytes that are read after a jump to another place.
const FIRST: u64 = 4 << 10;
/// The most bytes that are read at once during sequential reading, unless more are requested.
const MOST: u64 = 1 << 20;

/// A buffered view of a recording. It keeps the last part that was read, and reads ever larger
/// parts while reading is sequential. Recordings in memory are not copied.
#[derive(Debug)]
pub(crate) struct Window<'a> {
    ranges: Ranges<'a>,
    base: u64,
    held: Vec<u8>,
    first: u64,
    step: u64,
}

impl<'a> Window<'a> {
    pub fn new(ranges: impl Into<Ranges<'a>>) -> Self {
        Self::with_first(ranges.into(), FIRST)
    }

    /// A window that reads exactly the requested bytes.
    pub const fn exact(ranges: Ranges<'a>) -> Self {
        Self::with_first(ranges, 0)
    }

    const fn with_first(ranges: Ranges<'a>, first: u64) -> Self {
        Self {
            ranges,
            base: 0,
            held: Vec::new(),
            first,
            step: first,
        }
    }

    pub const fn size(&self) -> u64 {
        self.ranges.size()
    }

    /// `count` bytes from a position on, or as many as exist. If they cannot be read, the window
    /// does not change.
    #[inline]
    pub fn at(&mut self, at: u64, count: u64) -> Result<&[u8], Error> {
        match self.ranges.in_memory() {
            Some(bytes) => Ok(start(rest(bytes, at), count)),
            None => self.read(at, count),
        }
    }

    /// Reads a recording that is not in memory.
    #[inline(never)]
    fn read(&mut self, at: u64, count: u64) -> Result<&[u8], Error> {
        let count = count.min(self.size().saturating_sub(at));
        if count == 0 {
            return Ok(&[]);
        }
        let end = self.base + self.held.len() as u64;
        if at < self.base || at + count > end {
            let in_a_row = !self.held.is_empty() && (self.base..=end).contains(&at);
            let step = if in_a_row {
                MOST.min(self.step * 2)
            } else {
                self.first
            };
            self.held = self.ranges.up_to(at, count.max(step))?.into_owned();
            self.base = at;
            self.step = step;
        }
        Ok(start(rest(&self.held, at - self.base), count))
    }

    /// At least `least` bytes from a position on, or as many as exist, together with all buffered
    /// bytes after them.
    #[inline]
    pub fn all_from(&mut self, at: u64, least: u64) -> Result<&[u8], Error> {
        if let Some(bytes) = self.ranges.in_memory() {
            return Ok(rest(bytes, at));
        }
        if self.read(at, least)?.is_empty() {
            return Ok(&[]);
        }
        Ok(rest(&self.held, at - self.base))
    }

    /// The next position of these bytes, at or after `from`.
    pub fn find(&mut self, from: u64, bytes: &[u8]) -> Result<Option<u64>, Error> {
        self.find_where(from, bytes.len(), |here| here == bytes)
    }

    /// The next position of `len` bytes for which `is` holds, at or after `from`.
    #[inline]
    pub fn find_where(
        &mut self,
        from: u64,
        len: usize,
        is: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<u64>, Error> {
        let mut at = from;
        loop {
            let piece = self.all_from(at, len as u64)?;
            if let Some(next) = piece.windows(len).position(&is) {
                return Ok(Some(at + next as u64));
            }
            // The bytes may cross the border of two parts.
            let gone = (piece.len() + 1).saturating_sub(len) as u64;
            if gone == 0 || at + piece.len() as u64 >= self.size() {
                return Ok(None);
            }
            at += gone;
        }
    }

    /// The number of zeros at the end, from `from` on.
    pub fn zeros_at_end(&mut self, from: u64) -> Result<u64, Error> {
        let (mut at, mut zeros) = (from, 0);
        while at < self.size() {
            let piece = self.at(at, MOST)?;
            let length = piece.len() as u64;
            match piece.iter().rposition(|byte| *byte != 0) {
                None => zeros += length,
                Some(last) => zeros = length - last as u64 - 1,
            }
            at += length.max(1);
        }
        Ok(zeros)
    }

    /// The checksum of a range of bytes.
    pub fn crc(&mut self, from: u64, to: u64) -> Result<u32, Error> {
        let mut crc = Crc::from(from);
        crc.up_to(to, self)?;
        Ok(crc.finish())
    }
}

/// A checksum from a position on, computed piece by piece while other code reads the same bytes.
#[derive(Debug)]
pub(crate) struct Crc {
    hasher: crc32fast::Hasher,
    at: u64,
}

impl Crc {
    /// A checksum that starts at `at`.
    pub fn from(at: u64) -> Self {
        let hasher = crc32fast::Hasher::new();
        Self { hasher, at }
    }

    /// Extends the checksum up to `to`, unless it is already there.
    pub fn up_to(&mut self, to: u64, window: &mut Window<'_>) -> Result<(), Error> {
        while self.at < to {
            let piece = window.at(self.at, MOST.min(to - self.at))?;
            if piece.is_empty() {
                break;
            }
            self.hasher.update(piece);
            self.at += piece.len() as u64;
        }
        Ok(())
    }

    pub fn finish(self) -> u32 {
        self.hasher.finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Runs a test with a file and with memory.
    fn with_both(bytes: &[u8], each: impl Fn(Window<'_>)) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        each(Window::new(Input::file(file).unwrap()));
        each(Window::new(bytes));
    }

    #[test]
    fn what_stands_across_the_border_of_two_pieces_is_found() {
        let mut bytes = vec![b'.'; 3_500_000];
        // The ends of the parts in sequential reading: 4 KiB, then 8 KiB, and so on.
        let mut places: Vec<usize> = (12..22).map(|power| 1 << power).collect();
        places.extend((1..10).map(|piece| (piece << 12) - 2));
        places.extend([0, 3_499_992]);
        places.sort_unstable();
        places.dedup_by(|a, b| *a - *b < 8);
        for at in &places {
            bytes[*at..*at + 8].copy_from_slice(b"somewhat");
        }
        with_both(&bytes, |mut window| {
            for at in &places {
                let from = (*at as u64).saturating_sub(5000);
                let next = places.iter().find(|place| **place as u64 >= from);
                let found = window.find(from, b"somewhat").unwrap();
                assert_eq!(found, next.map(|at| *at as u64));
            }
            let mut at = 0;
            for place in &places {
                let found = window.find(at, b"somewhat").unwrap().unwrap();
                assert_eq!(found, *place as u64);
                at = found + 1;
            }
            assert_eq!(window.find(at, b"somewhat").unwrap(), None);
            assert_eq!(window.find(u64::MAX, b"somewhat").unwrap(), None);
        });
    }

    #[test]
    fn a_window_is_wherever_it_is_asked_for() {
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at / 7) as u8).collect();
        with_both(&bytes, |mut window| {
            for (at, count) in [
                (0, 3),
                (2, 5000),
                (5000, 1),
                (4000, 3_000_000),
                (2_999_990, 8),
                (2_999_990, 100),
                (0, 0),
                (3_000_000, 5),
                (u64::MAX, u64::MAX),
            ] {
                let from = (at as usize).min(bytes.len());
                let to = from.saturating_add(count as usize).min(bytes.len());
                assert!(window.at(at, count).unwrap() == &bytes[from..to]);
            }
            let crc = window.crc(17, 2_345_678).unwrap();
            assert_eq!(crc, crc32fast::hash(&bytes[17..2_345_678]));
        });
    }
}
