//! The table of chunks, and what comes before the first chunk.

use gametape_core::{ByteReader, Input};

use super::bytes::{Of, or_nothing};
use super::header::{Compression, Header};
use super::packed::KEYFRAME;
use crate::error::Error;
use crate::limits::Limits;
use crate::ranges::Ranges;
use crate::rule::Rule;

/// The largest number of chunks in a file: two months, at 300 frames a chunk and 60 a second.
const MAX_CHUNKS: u32 = 1 << 20;

/// Reads a header and the sizes of the chunks after it.
pub fn head<'a>(
    input: &mut ByteReader<'a>,
    limits: &Limits,
) -> Result<
    (
        Header,
        impl ExactSizeIterator<Item = u32> + DoubleEndedIterator + Clone + use<'a>,
    ),
    Rule,
> {
    const WHAT: &str = "the table of chunks";
    let header = Header::parse(input, limits)?;
    let count = or_nothing(input, |input| match input.u32_le().of(WHAT)? {
        count @ 0..=MAX_CHUNKS => Ok(count),
        count => Err(Rule::Limit {
            what: "a table of chunks",
            size: u64::from(count) * 4,
            limit: u64::from(MAX_CHUNKS) * 4,
        }),
    })?;
    let bytes = input.take((count as usize).saturating_mul(4)).of(WHAT)?;
    let sizes = bytes.as_chunks::<4>().0.iter();
    Ok((header, sizes.map(|size| u32::from_le_bytes(*size))))
}

/// The position of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkEntry {
    /// The offset of its first byte.
    pub offset: u64,
    /// Its size in bytes, by the table.
    pub size: u64,
    /// The number of its bytes that are in the file.
    pub there: u64,
}

/// The header of a recording and the positions of its chunks.
///
/// For a remote recording, this is all that has to be read before a [chunk](Table::chunk).
#[derive(Clone, Default, Debug)]
pub struct Table {
    pub(super) header: Option<Header>,
    pub(super) chunks: Vec<ChunkEntry>,
    /// The size of the whole recording in bytes.
    size: u64,
    /// The offset of the first byte after the chunks.
    rest: u64,
    /// The number of chunks of size 0 at the end of the table.
    empty: u64,
    /// Whether frames follow the chunks.
    open: bool,
}

impl Table {
    /// Reads the header and the table, and next to nothing else.
    ///
    /// ```
    /// # let bytes = gametape_echo::doc_example();
    /// use gametape_core::Input;
    /// use gametape_echo::{ReadOptions, butter};
    ///
    /// let input = Input::from(bytes); // or ranges that somebody fetches
    /// let table = butter::Table::read(&input, ReadOptions::default())?;
    /// let mut frames = table.chunk(&input, 0, ReadOptions::default())?.expect("a chunk");
    /// assert!(frames.next_frame()?.is_some());
    /// # Ok::<(), gametape_echo::Error>(())
    /// ```
    ///
    /// # Errors
    /// Faults in the header or the table; errors of the input.
    pub fn read(input: &Input, options: crate::ReadOptions) -> Result<Self, Error> {
        Self::of_ranges(input, &options.limits)
    }

    pub(super) fn of_ranges(
        input: &(impl Ranges + ?Sized),
        limits: &Limits,
    ) -> Result<Self, Error> {
        /// Far more than most headers and tables need.
        const FIRST: u64 = 4 << 10;
        let io = |source| Error::io(0, source);
        let mut most = FIRST;
        let mut table = loop {
            let start = input.range(0, most.min(input.size())).map_err(io)?;
            match Self::of(&start, input.size(), limits) {
                Ok(table) => break table,
                Err((Rule::Truncated { needed, left, .. }, _)) if most < input.size() => {
                    most = start.len() as u64 + (needed - left).max(most);
                }
                Err((rule, at)) => return Err(Error::at(rule, at)),
            }
        };
        if table.needs_rest() {
            let after = input.range(table.rest, 1).map_err(io)?;
            table.inspect_rest(&after);
        }
        Ok(table)
    }

    /// Parses the start of a recording of `size` bytes. On failure, returns the rule and its offset.
    fn of(start: &[u8], size: u64, limits: &Limits) -> Result<Self, (Rule, u64)> {
        let mut table = Self {
            size,
            ..Self::default()
        };
        if size == 0 {
            return Ok(table);
        }
        let mut input = ByteReader::new(start);
        let read = head(&mut input, limits);
        let mut offset = input.offset() as u64;
        let (header, sizes) = read.map_err(|rule| (rule, offset))?;
        let mut left = size - offset;
        let count = sizes.len() as u64;
        let ends_with_zero = sizes.clone().next_back() == Some(0);
        for (index, size) in (0_u64..).zip(sizes) {
            if size == 0 && index + 2 >= count {
                table.empty = count - index;
                break;
            }
            let there = u64::from(size).min(left);
            table.chunks.push(ChunkEntry {
                offset,
                size: u64::from(size),
                there,
            });
            offset += there;
            left -= there;
        }
        table.rest = offset;
        table.open = ends_with_zero && left > 0;
        table.header = Some(header);
        Ok(table)
    }

    /// Whether the bytes after the chunks have to look like frames. A journal has no chunks, and its frames
    /// need no check.
    fn needs_rest(&self) -> bool {
        let plain = |header: &Header| header.compression == Compression::None;
        let journal = self.chunks.is_empty() && self.empty == 1;
        self.open && !(journal && self.header.as_ref().is_some_and(plain))
    }

    fn inspect_rest(&mut self, after: &[u8]) {
        self.open = after.first() == KEYFRAME.first();
    }

    /// The header; `None` for an empty file, which is a recording of no frames.
    #[must_use]
    pub const fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The position of each chunk, in file order.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkEntry] {
        &self.chunks
    }

    /// Whether frames follow the chunks: the recording was not finished.
    #[must_use]
    pub const fn is_unfinished(&self) -> bool {
        self.open
    }

    /// The number of bytes after the chunks that are no frames.
    #[must_use]
    pub const fn trailing_bytes(&self) -> u64 {
        if self.open { 0 } else { self.size - self.rest }
    }

    /// The offset of the first byte after the chunks.
    pub(super) const fn rest(&self) -> u64 {
        self.rest
    }

    /// The number of empty chunks at the end of the table.
    pub(super) const fn empty_chunks(&self) -> u64 {
        self.empty
    }
}
