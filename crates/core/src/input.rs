//! Inputs: bytes in memory, a file read at offsets, or ranges fetched by the caller. Each reader of
//! an [`Input`] has its own position.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A source that can be read at any offset, by several readers at once.
pub trait ReadAt: Send + Sync {
    /// Returns the size in bytes.
    ///
    /// # Errors
    /// Any error of the source.
    fn size(&self) -> io::Result<u64>;

    /// Reads at `offset` into `into` and returns the number of bytes read, which may be fewer than
    /// requested; 0 at the end.
    ///
    /// # Errors
    /// Any error of the source. A [`Missing`] inside the [`io::Error`] means that the caller must
    /// fetch this range first.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl ReadAt for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, into, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, into, offset)
    }
}

/// A request for bytes that must be fetched before reading can continue. [`Fetched`] returns it
/// inside an [`io::Error`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("{length} bytes at byte {offset} are not fetched yet")]
pub struct Missing {
    /// The offset of the first missing byte.
    pub offset: u64,
    /// The number of missing bytes.
    pub length: u64,
}

impl Missing {
    /// Finds the request in an error or in any of the error's sources.
    ///
    /// ```
    /// use gametape_core::{Input, Missing, Fetched};
    /// use std::sync::Arc;
    ///
    /// let there = b"a recording that lies somewhere else";
    /// let fetched = Arc::new(Fetched::new(there.len() as u64));
    /// let input = Input::ranges(fetched.clone());
    /// let piece = loop {
    ///     match input.range(2, 9) {
    ///         Ok(piece) => break piece.into_owned(),
    ///         Err(error) => {
    ///             let Missing { offset, length } = Missing::of(&error).expect("a request");
    ///             let range = offset as usize..(offset + length) as usize;
    ///             fetched.supply(offset, there[range].to_vec());
    ///         }
    ///     }
    /// };
    /// assert_eq!(piece, b"recording");
    /// ```
    #[must_use]
    pub fn of(error: &(dyn std::error::Error + 'static)) -> Option<Self> {
        let mut error = Some(error);
        while let Some(this) = error {
            if let Some(missing) = this.downcast_ref::<Self>() {
                return Some(*missing);
            }
            let inner = this
                .downcast_ref::<io::Error>()
                .and_then(io::Error::get_ref)
                .and_then(|inner| inner.downcast_ref::<Self>());
            if let Some(missing) = inner {
                return Some(*missing);
            }
            error = this.source();
        }
        None
    }
}

impl From<Missing> for io::Error {
    fn from(missing: Missing) -> Self {
        Self::new(io::ErrorKind::WouldBlock, missing)
    }
}

/// Ranges of a recording that the caller fetches, for example from an object store or in a browser.
/// Reading a range that is not available yet fails with a [`Missing`] request; supply that range
/// and try again.
#[derive(Debug)]
pub struct Fetched {
    size: u64,
    /// Keyed by start offset; ranges neither overlap nor touch.
    ranges: Mutex<BTreeMap<u64, Vec<u8>>>,
}

impl Fetched {
    /// Creates an empty store for a recording of `size` bytes.
    #[must_use]
    pub const fn new(size: u64) -> Self {
        Self {
            size,
            ranges: Mutex::new(BTreeMap::new()),
        }
    }

    /// Adds fetched bytes. Bytes that are already available are kept; bytes past the end of the
    /// recording are ignored.
    pub fn supply(&self, offset: u64, mut bytes: Vec<u8>) {
        let room = self.size.saturating_sub(offset);
        bytes.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        if bytes.is_empty() {
            return;
        }
        let mut ranges = self.ranges.lock().unwrap_or_else(PoisonError::into_inner);
        let end = offset + bytes.len() as u64;
        let touching: Vec<u64> = ranges
            .range(..=end)
            .rev()
            .take_while(|(start, held)| *start + held.len() as u64 >= offset)
            .map(|(start, _)| *start)
            .collect();
        let (mut start, mut whole) = (offset, bytes);
        for at in touching {
            let Some(held) = ranges.remove(&at) else {
                continue;
            };
            (start, whole) = joined((start, whole), (at, held));
        }
        ranges.insert(start, whole);
    }
}

/// Joins two ranges that overlap or touch.
fn joined(a: (u64, Vec<u8>), b: (u64, Vec<u8>)) -> (u64, Vec<u8>) {
    let ((start, mut first), (then, second)) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    let there = usize::try_from(start + first.len() as u64 - then).unwrap_or(usize::MAX);
    first.extend_from_slice(second.get(there..).unwrap_or_default());
    (start, first)
}

impl ReadAt for Fetched {
    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset >= self.size || into.is_empty() {
            return Ok(0);
        }
        let wanted = (into.len() as u64).min(self.size - offset);
        let ranges = self.ranges.lock().unwrap_or_else(PoisonError::into_inner);
        let held = ranges
            .range(..=offset)
            .next_back()
            .and_then(|(start, held)| {
                let from = usize::try_from(offset - start).ok()?;
                held.get(from..).filter(|rest| !rest.is_empty())
            });
        let Some(held) = held else {
            // Ask only for the gap before the next available range.
            let next = ranges
                .range(offset..)
                .next()
                .map_or(u64::MAX, |(at, _)| *at);
            let length = wanted.min(next - offset);
            return Err(Missing { offset, length }.into());
        };
        let count = held.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), held.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }
}

/// Bytes in memory, owned or mapped by the caller.
type Memory = Arc<dyn AsRef<[u8]> + Send + Sync>;

#[derive(Clone)]
enum InputKind {
    Memory(Memory),
    At(Arc<dyn ReadAt>),
}

/// The bytes of a recording. Cloning an input is cheap; the clones share the bytes.
///
/// ```
/// use gametape_core::Input;
/// use std::io::Read;
///
/// let input = Input::from(b"*rmv".to_vec());
/// let (mut one, mut other) = (input.stream(), input.stream());
/// let mut bytes = [0; 2];
/// one.read_exact(&mut bytes)?;
/// other.read_exact(&mut bytes)?; // has a position of its own
/// assert_eq!(&bytes, b"*r");
/// assert_eq!(&*input.range(1, 3)?, b"rmv");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Input {
    kind: InputKind,
    size: u64,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            InputKind::Memory(_) => "memory",
            InputKind::At(_) => "positions",
        };
        f.debug_struct("Input")
            .field("kind", &kind)
            .field("size", &self.size)
            .finish()
    }
}

impl From<Vec<u8>> for Input {
    fn from(bytes: Vec<u8>) -> Self {
        Self::memory(bytes)
    }
}

impl Input {
    /// Uses bytes in memory, owned or mapped. A caller that maps a file accepts that the process is
    /// killed if another program truncates the file. Recordings are truncated when writing resumes,
    /// so a server never maps them.
    #[must_use]
    pub fn memory(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        let size = bytes.as_ref().len() as u64;
        Self {
            kind: InputKind::Memory(Arc::new(bytes)),
            size,
        }
    }

    /// Uses a file, read at offsets. The size is fixed now: bytes appended later are not read.
    ///
    /// # Errors
    /// Any error of the operating system.
    pub fn file(file: File) -> io::Result<Self> {
        let size = file.size()?;
        Ok(Self {
            kind: InputKind::At(Arc::new(file)),
            size,
        })
    }

    /// Uses a source that can be read at any offset, such as [fetched](Fetched) ranges.
    ///
    /// # Errors
    /// Any error while reading the source's size.
    pub fn at(source: Arc<dyn ReadAt>) -> io::Result<Self> {
        let size = source.size()?;
        Ok(Self {
            kind: InputKind::At(source),
            size,
        })
    }

    /// Uses ranges that the caller fetches.
    #[must_use]
    pub fn ranges(fetched: Arc<Fetched>) -> Self {
        let size = fetched.size;
        Self {
            kind: InputKind::At(fetched),
            size,
        }
    }

    /// Reads a stream of at most `limit` bytes to its end. If the stream is longer, returns
    /// `Ok(Err(n))`, where `n` is the number of bytes read so far.
    ///
    /// # Errors
    /// Any error of the source.
    pub fn take(source: impl Read, limit: u64) -> io::Result<Result<Self, u64>> {
        let mut bytes = Vec::new();
        source
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)?;
        let size = bytes.len() as u64;
        Ok(if size > limit {
            Err(size)
        } else {
            Ok(bytes.into())
        })
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the first `bytes` bytes as an input that ends there.
    #[must_use]
    pub fn first(&self, bytes: u64) -> Self {
        Self {
            kind: self.kind.clone(),
            size: self.size.min(bytes),
        }
    }

    /// Returns all bytes if they are in memory.
    #[must_use]
    pub fn in_memory(&self) -> Option<&[u8]> {
        match &self.kind {
            InputKind::Memory(bytes) => {
                let bytes = (**bytes).as_ref();
                let size = usize::try_from(self.size).unwrap_or(usize::MAX);
                Some(bytes.get(..size).unwrap_or(bytes))
            }
            InputKind::At(_) => None,
        }
    }

    /// Returns all bytes: borrowed if they are in memory, read otherwise.
    ///
    /// # Errors
    /// Any error of the source.
    pub fn bytes(&self) -> io::Result<Cow<'_, [u8]>> {
        self.range(0, self.size)
    }

    /// Returns the first `most` bytes, or all bytes if there are fewer.
    ///
    /// # Errors
    /// Any error of the source.
    pub fn head(&self, most: u64) -> io::Result<Cow<'_, [u8]>> {
        self.range(0, most.min(self.size))
    }

    /// Returns a range: borrowed if it is in memory, read otherwise. The range is checked against
    /// the input's size before memory is reserved.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the recording ends before the range does; any error of
    /// the source.
    pub fn range(&self, offset: u64, length: u64) -> io::Result<Cow<'_, [u8]>> {
        let end = offset.checked_add(length).filter(|end| *end <= self.size);
        let Some(end) = end else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        match &self.kind {
            InputKind::Memory(bytes) => {
                let range = usize::try_from(offset)
                    .ok()
                    .zip(usize::try_from(end).ok())
                    .and_then(|(from, to)| (**bytes).as_ref().get(from..to));
                // A mapped file may have become shorter.
                range
                    .map(Cow::Borrowed)
                    .ok_or(io::ErrorKind::UnexpectedEof.into())
            }
            InputKind::At(source) => {
                let mut bytes = vec![0; usize::try_from(length).map_err(|_| too_large())?];
                let mut filled = 0;
                while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
                    match source.read_at(rest, offset + filled as u64) {
                        Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                        Ok(count) => filled += count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(bytes.into())
            }
        }
    }

    /// Returns how many bytes from an offset on are zero, one after another.
    ///
    /// # Errors
    /// Any error of the source.
    pub fn zeros_from(&self, offset: u64) -> io::Result<u64> {
        let mut at = offset;
        while at < self.size {
            let piece = self.range(at, (self.size - at).min(64 << 10))?;
            if let Some(other) = piece.iter().position(|byte| *byte != 0) {
                return Ok(at + other as u64 - offset);
            }
            at += piece.len() as u64;
        }
        Ok(at.saturating_sub(offset))
    }

    /// Returns the bytes as a stream with its own position.
    #[must_use]
    pub fn stream(&self) -> InputStream {
        InputStream {
            input: self.clone(),
            position: 0,
        }
    }
}

/// Reads an [`Input`] from its own position, which can be changed with [`Seek`].
#[derive(Clone, Debug)]
pub struct InputStream {
    input: Input,
    position: u64,
}

impl Read for InputStream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.input.size.saturating_sub(self.position);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(into.len());
        let Some(into) = into.get_mut(..most).filter(|into| !into.is_empty()) else {
            return Ok(0);
        };
        let count = match &self.input.kind {
            InputKind::Memory(bytes) => {
                let bytes = (**bytes).as_ref();
                let at = usize::try_from(self.position).unwrap_or(usize::MAX);
                bytes.get(at..).unwrap_or_default().read(into)?
            }
            InputKind::At(source) => source.read_at(into, self.position)?,
        };
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for InputStream {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => {
                self.position = at;
                return Ok(at);
            }
            SeekFrom::End(by) => (self.input.size, by),
            SeekFrom::Current(by) => (self.position, by),
        };
        self.position = from
            .checked_add_signed(by)
            .ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// The destination of a recording that is written frame by frame. It can remove the last bytes
/// again, so that a failed write leaves no partial frame.
///
/// Implemented for [`File`], `Vec<u8>`, a [`Cursor`](io::Cursor) over a `Vec<u8>`, and `&mut`
/// references to these. [`Stream`] wraps any [`Write`].
pub trait Output: Write {
    /// Removes the last `bytes` bytes that were written.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if the destination cannot remove bytes.
    fn take_back(&mut self, bytes: u64) -> io::Result<()>;
}

impl Output for File {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        let end = self.stream_position()?.saturating_sub(bytes);
        self.set_len(end)?;
        self.seek(SeekFrom::Start(end))?;
        Ok(())
    }
}

impl Output for Vec<u8> {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        let keep = (self.len() as u64).saturating_sub(bytes);
        self.truncate(usize::try_from(keep).unwrap_or(usize::MAX));
        Ok(())
    }
}

impl Output for io::Cursor<Vec<u8>> {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        let keep = self.position().saturating_sub(bytes);
        self.get_mut()
            .truncate(usize::try_from(keep).unwrap_or(usize::MAX));
        self.set_position(keep);
        Ok(())
    }
}

impl<O: Output + ?Sized> Output for &mut O {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        (**self).take_back(bytes)
    }
}

/// Wraps any [`Write`] as an [`Output`]: a pipe, a socket, a compressor. It cannot remove bytes
/// that were already written, so after an error the output may end inside a frame until a later
/// flush completes it.
#[derive(Debug)]
pub struct Stream<W>(pub W);

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.0.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Output for Stream<W> {
    fn take_back(&mut self, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(bytes: &[u8]) -> Vec<Input> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let fetched = Fetched::new(bytes.len() as u64);
        let size = bytes.len() / 20;
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        for (at, piece) in pieces.into_iter().enumerate().rev() {
            fetched.supply((at * size) as u64, piece.to_vec());
        }
        vec![
            Input::from(bytes.to_vec()),
            Input::file(file).unwrap(),
            Input::ranges(Arc::new(fetched)),
        ]
    }

    #[test]
    fn all_inputs_say_the_same() {
        let bytes: Vec<u8> = (0..=99).collect();
        for input in inputs(&bytes) {
            assert_eq!(input.size(), 100, "{input:?}");
            assert_eq!(&*input.bytes().unwrap(), bytes);
            assert_eq!(&*input.range(98, 2).unwrap(), [98, 99]);
            assert!(input.range(100, 0).unwrap().is_empty());
            let first = input.first(9);
            assert_eq!((first.size(), first.first(99).size()), (9, 9));
            assert_eq!(&*first.bytes().unwrap(), &bytes[..9]);
            assert!(first.in_memory().is_none_or(|all| all.len() == 9));
            assert!(first.range(8, 2).is_err());
            let mut all = Vec::new();
            first.stream().read_to_end(&mut all).unwrap();
            assert_eq!(all, &bytes[..9]);
            assert_eq!(&*input.head(1000).unwrap(), bytes);
            for (offset, length) in [(99, 2), (101, 0), (u64::MAX, 2), (1, u64::MAX)] {
                let error = input.range(offset, length).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{input:?}");
            }
            let mut stream = input.stream();
            stream.seek(SeekFrom::End(-3)).unwrap();
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).unwrap();
            assert_eq!(rest, [97, 98, 99]);
            assert!(stream.seek(SeekFrom::Current(-101)).is_err());
            stream.seek(SeekFrom::Start(1000)).unwrap();
            assert_eq!(stream.read(&mut [0]).unwrap(), 0);
        }
    }

    #[test]
    fn streams_on_many_threads_do_not_move_each_other() {
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at / 7) as u8).collect();
        for input in inputs(&bytes) {
            std::thread::scope(|scope| {
                for at in 0..4_u64 {
                    let (input, bytes) = (&input, &bytes);
                    scope.spawn(move || {
                        let mut stream = input.stream();
                        stream.seek(SeekFrom::Start(at * 1000)).unwrap();
                        let mut seen = Vec::new();
                        stream.read_to_end(&mut seen).unwrap();
                        assert!(seen == bytes[at as usize * 1000..]);
                    });
                }
            });
        }
    }

    #[test]
    fn what_is_not_fetched_is_asked_for_and_no_more() {
        let fetched = Arc::new(Fetched::new(20));
        let input = Input::ranges(fetched.clone());
        fetched.supply(10, vec![10, 11, 12]);
        let missing = |offset, length| {
            let error = input.range(offset, length).unwrap_err();
            Missing::of(&error).unwrap()
        };
        assert_eq!(
            missing(4, 4),
            Missing {
                offset: 4,
                length: 4
            }
        );
        assert_eq!(
            missing(4, 9),
            Missing {
                offset: 4,
                length: 6
            }
        );
        assert_eq!(
            missing(11, 4),
            Missing {
                offset: 13,
                length: 2
            }
        );
        fetched.supply(4, (4..12).collect());
        assert_eq!(&*input.range(4, 9).unwrap(), (4..13).collect::<Vec<u8>>());
        fetched.supply(13, vec![13; 100]);
        assert_eq!(input.range(4, 16).unwrap().len(), 16);
    }

    #[test]
    fn a_stream_is_held_up_to_the_limit_and_no_further() {
        assert_eq!(Input::take(&b"four"[..], 4).unwrap().unwrap().size(), 4);
        assert_eq!(Input::take(io::repeat(0), 4).unwrap().unwrap_err(), 5);
    }
}
