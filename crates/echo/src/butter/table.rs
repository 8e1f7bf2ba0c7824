//! Where the chunks of a recording lie: its header and its table.

use gametape_core::{ByteReader, Input};

use super::bytes::{Of, or_nothing};
use super::header::{Compression, Header};
use super::packed::KEYFRAME;
use crate::error::Error;
use crate::limits::Limits;
use crate::ranges::Ranges;
use crate::rule::Rule;

/// Most chunks of a file: at 300 frames each and 60 a second, two months.
const MAX_CHUNKS: u32 = 1 << 20;

/// Reads a header and the sizes of the chunks that follow it.
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

/// Where a chunk lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkEntry {
    /// Its first byte.
    pub offset: u64,
    /// Its bytes, as the table says.
    pub size: u64,
    /// Those of them that are there.
    pub there: u64,
}

/// What a recording says before its first chunk.
///
/// Of a recording that lies elsewhere, it is all that has to be read before a
/// [chunk](Table::chunk) is.
#[derive(Clone, Default, Debug)]
pub struct Table {
    pub(super) header: Option<Header>,
    pub(super) chunks: Vec<ChunkEntry>,
    /// Bytes of the whole recording.
    size: u64,
    /// The first byte behind the chunks.
    rest: u64,
    /// Chunks of size 0 at the end of the table.
    empty: u64,
    /// Frames stand there.
    open: bool,
}

impl Table {
    /// Reads header and table, and next to nothing else.
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
    /// What is wrong with them; what the input says.
    pub fn read(input: &Input, options: crate::ReadOptions) -> Result<Self, Error> {
        Self::of_ranges(input, &options.limits)
    }

    pub(super) fn of_ranges(
        input: &(impl Ranges + ?Sized),
        limits: &Limits,
    ) -> Result<Self, Error> {
        /// Far more than most headers and tables take.
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
        if table.asks_behind() {
            let behind = input.range(table.rest, 1).map_err(io)?;
            table.look_behind(&behind);
        }
        Ok(table)
    }

    /// Of a recording that starts so, and has so many bytes. Else what is wrong, and where.
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

    /// A journal has no chunks; behind those of others, bytes have to look like frames.
    fn asks_behind(&self) -> bool {
        let plain = |header: &Header| header.compression == Compression::None;
        let journal = self.chunks.is_empty() && self.empty == 1;
        self.open && !(journal && self.header.as_ref().is_some_and(plain))
    }

    fn look_behind(&mut self, behind: &[u8]) {
        self.open = behind.first() == KEYFRAME.first();
    }

    /// What the file says once; `None` for an empty file, which is a recording of no frames.
    #[must_use]
    pub const fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Where each chunk lies, in the order of the file.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkEntry] {
        &self.chunks
    }

    /// Frames stand behind the chunks: the recording was not finished.
    #[must_use]
    pub const fn is_unfinished(&self) -> bool {
        self.open
    }

    /// Bytes behind the chunks that are no frames.
    #[must_use]
    pub const fn trailing_bytes(&self) -> u64 {
        if self.open { 0 } else { self.size - self.rest }
    }

    /// The first byte behind the chunks.
    pub(super) const fn rest(&self) -> u64 {
        self.rest
    }

    /// Empty chunks at the end of the table.
    pub(super) const fn empty_chunks(&self) -> u64 {
        self.empty
    }
}
