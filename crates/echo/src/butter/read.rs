//! Reading from memory.

use rayon::prelude::*;

use super::chunk::{Survey, inflate, starts};
use super::cursor::Cursor;
use super::header::{Compression, Header};
use super::layout::Layout;
use super::packed::{KEYFRAME, Packed};
use super::pause::PauseState;
use super::play::{BACK, Playing, Seen};
use super::state::Dialect;
use super::stream::{Decoder, Step};
use crate::error::Error;
use crate::finding::Findings;
use crate::limits::Limits;
use crate::model::{Frame, Time};
use crate::rule::Rule;

/// How much a reader puts up with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Strictness {
    /// The format: the first broken rule is the error.
    #[default]
    Strict,
    /// Whole frames are worth having: a broken chunk gives those before its fault, and reading
    /// goes on with the next; what is wrong is a finding.
    Lenient,
}

/// How to read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReadOptions {
    /// What a broken frame is.
    pub strictness: Strictness,
    /// What is too large.
    pub limits: Limits,
    /// What parts mean that are left out. Found out for each chunk, unless it is given.
    pub dialect: Option<Dialect>,
}

impl ReadOptions {
    /// [`Strictness::Lenient`], within the default limits.
    #[must_use]
    pub fn lenient() -> Self {
        Self {
            strictness: Strictness::Lenient,
            ..Self::default()
        }
    }

    /// Reads the header and the table of chunks; frames are read as they are asked for, and with them
    /// what is wrong with chunks.
    ///
    /// # Errors
    /// [`Error::Malformed`] where the header or the table is broken.
    pub fn read<'a>(&self, bytes: &'a [u8]) -> Result<File<'a>, Error> {
        let mut file = File {
            bytes,
            header: None,
            chunks: Vec::new(),
            rest: 0,
            empty: 0,
            open: false,
            options: *self,
        };
        if bytes.is_empty() {
            return Ok(file);
        }
        let mut input = Cursor::new(bytes);
        let at = |input: &Cursor<'_>| (bytes.len() - input.left()) as u64;
        let header =
            Header::parse(&mut input, &self.limits).map_err(|rule| Error::at(rule, at(&input)))?;
        let mut sizes = table(&mut input).map_err(|rule| Error::at(rule, at(&input)))?;
        let mut offset = at(&input);
        let mut left = input.left() as u64;
        let count = sizes.len() as u64;
        let last = sizes.len().saturating_sub(2);
        let ends_with_zero = sizes.clone().next_back() == Some(0);
        for (index, size) in sizes.by_ref().enumerate() {
            if size == 0 && index >= last {
                file.empty = count - index as u64;
                break;
            }
            let there = u64::from(size).min(left);
            file.chunks.push(ChunkEntry {
                offset,
                size: u64::from(size),
                there,
            });
            offset += there;
            left -= there;
        }
        file.rest = offset;
        // A journal has no chunks; behind those of others, bytes have to look like frames.
        let journal = count == 1 && header.compression == Compression::None;
        file.open = ends_with_zero && left > 0 && (journal || is_open(bytes, offset));
        file.header = Some(header);
        Ok(file)
    }
}

/// Whether frames stand behind the chunks, as in a file that is still being recorded.
fn is_open(bytes: &[u8], offset: u64) -> bool {
    usize::try_from(offset)
        .ok()
        .and_then(|offset| bytes.get(offset))
        .is_some_and(|&byte| byte == KEYFRAME[0])
}

/// Most chunks of a file: at 300 frames each and 60 a second, two months.
const MAX_CHUNKS: u32 = 1 << 20;

/// The sizes of the chunks.
pub(super) fn table<'a>(
    input: &mut Cursor<'a>,
) -> Result<impl ExactSizeIterator<Item = u32> + DoubleEndedIterator + Clone + use<'a>, Rule> {
    const WHAT: &str = "the table of chunks";
    let count = input.u32(WHAT)?;
    if count > MAX_CHUNKS {
        return Err(Rule::Limit {
            what: "a table of chunks",
            size: u64::from(count) * 4,
            limit: u64::from(MAX_CHUNKS) * 4,
        });
    }
    let bytes = input.bytes(WHAT, (count as usize).saturating_mul(4))?;
    Ok(bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|size| u32::from_le_bytes(*size)))
}

/// Reads the header and the table of chunks of a recording in memory; frames are read as they are
/// asked for.
///
/// ```
/// # let bytes = gametape_echo::doc_example();
/// let file = gametape_echo::butter::read(&bytes)?;
/// let mut frames = file.frames();
/// while let Some(frame) = frames.next_frame()? {
///     println!("{} {}", frame.time, frame.session.game_clock_display);
/// }
/// # Ok::<(), gametape_echo::Error>(())
/// ```
///
/// # Errors
/// [`Error::Malformed`].
pub fn read(bytes: &[u8]) -> Result<File<'_>, Error> {
    ReadOptions::default().read(bytes)
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

/// What a chunk holds.
#[derive(Clone, PartialEq, Debug)]
pub struct ChunkInfo {
    /// Where it lies.
    pub entry: ChunkEntry,
    /// Its bytes, inflated.
    pub inflated: u64,
    /// Whole frames.
    pub frames: u64,
    /// Keyframes among them.
    pub keyframes: u64,
    /// When its first keyframe was recorded.
    pub first: Option<Time>,
    /// When its last frame was.
    pub last: Option<Time>,
    /// What breaks it, if anything does.
    pub error: Option<Rule>,
}

/// A recording in memory.
#[derive(Clone, Debug)]
pub struct File<'a> {
    bytes: &'a [u8],
    header: Option<Header>,
    chunks: Vec<ChunkEntry>,
    /// The first byte behind the chunks.
    rest: u64,
    /// Chunks of size 0 at the end of the table.
    empty: u64,
    /// Frames stand there.
    open: bool,
    options: ReadOptions,
}

impl<'a> File<'a> {
    /// What the file says once; `None` for an empty file, which is a recording of no frames.
    #[must_use]
    pub const fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Its chunks.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkEntry] {
        &self.chunks
    }

    /// Frames stand behind the chunks: the recording was not finished.
    #[must_use]
    pub const fn is_unfinished(&self) -> bool {
        self.open
    }

    /// The first byte behind the chunks.
    pub(crate) const fn rest(&self) -> u64 {
        self.rest
    }

    /// Empty chunks at the end of the table.
    pub(crate) const fn empty_chunks(&self) -> u64 {
        self.empty
    }

    /// Bytes behind the chunks that are no frames.
    #[must_use]
    pub const fn trailing_bytes(&self) -> u64 {
        if self.open {
            0
        } else {
            self.bytes.len() as u64 - self.rest
        }
    }

    /// All frames, from the first.
    #[must_use]
    pub fn frames(&self) -> Frames<'a> {
        let mut decoder = Decoder::with_options(self.options);
        decoder.finish();
        Frames {
            source: self.bytes,
            decoder,
        }
    }

    fn stored(&self, entry: &ChunkEntry) -> &'a [u8] {
        let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
        let end = usize::try_from(entry.offset + entry.there).unwrap_or(usize::MAX);
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Who wrote the chunks before one, as the next of them tells that shows it.
    fn dialect_before(&self, index: usize) -> Option<Dialect> {
        let header = self.header.as_ref()?;
        let layout = Layout::of(header);
        let (mut raw, mut packed) = (Vec::new(), Packed::default());
        let chunks = self.chunks.get(..index)?.iter().rev();
        chunks.take(BACK).find_map(|entry| {
            // A broken chunk shows what is whole of it.
            let limits = &self.options.limits;
            let _ = inflate(self.stored(entry), header.compression, limits, &mut raw);
            Survey::of(&raw, layout, &mut packed).dialect_of_file()
        })
    }

    /// The pause that a chunk goes on with, from the chunk on in which it began: of up to 64 chunks
    /// before it.
    fn pause_before(&self, index: usize) -> Option<PauseState> {
        let header = self.header.as_ref()?;
        let layout = Layout::of(header);
        let (mut raw, mut packed) = (Vec::new(), Packed::default());
        let limits = &self.options.limits;
        let furthest = index.saturating_sub(BACK);
        let chunks = self.chunks.get(furthest..index)?;
        let began = chunks.iter().rposition(|entry| {
            // A broken chunk shows what is whole of it.
            let _ = inflate(self.stored(entry), header.compression, limits, &mut raw);
            !Survey::of(&raw, layout, &mut packed).in_pause
        });
        let began = began.unwrap_or(0);
        let mut playing = Playing::new(header.clone(), self.options);
        playing.know(self.dialect_before(furthest + began));
        for entry in chunks.iter().skip(began) {
            playing.load(self.stored(entry), entry.offset, entry.there == entry.size);
            while let Ok(true) = playing.step() {}
        }
        playing.pause()
    }

    /// The frames of a chunk alone: random access. `None` where there is no such chunk.
    ///
    /// The timers of a pause, of which a keyframe of the reference tells nothing, are had from the
    /// chunks before it, up to 64.
    ///
    /// Bones that a keyframe of the reference stores as differences from the chunk before can't be
    /// told from one chunk: [`Seen::mended`] counts them as lost. Reading all frames tells them.
    #[must_use]
    pub fn chunk(&self, index: usize) -> Option<ChunkFrames> {
        let entry = self.chunks.get(index)?;
        let mut playing = Playing::new(self.header.clone()?, self.options);
        let whole = entry.there == entry.size;
        if index == 0 {
            playing.load(self.stored(entry), entry.offset, whole);
        } else {
            let before = || self.dialect_before(index);
            playing.load_alone(self.stored(entry), entry.offset, whole, before);
            if playing.starts_in_pause() {
                playing.set_pause(self.pause_before(index));
            }
        }
        Some(ChunkFrames { playing })
    }

    /// Gives each chunk to `map`, in parallel; the results in the order of the chunks.
    pub fn par_chunks<T: Send>(&self, map: impl Fn(usize, ChunkFrames) -> T + Sync) -> Vec<T> {
        (0..self.chunks.len())
            .into_par_iter()
            .filter_map(|index| self.chunk(index).map(|frames| map(index, frames)))
            .collect()
    }

    /// What each chunk holds, without decoding frames; in parallel.
    #[must_use]
    pub fn index(&self) -> Vec<ChunkInfo> {
        let Some(header) = &self.header else {
            return Vec::new();
        };
        let layout = Layout::of(header);
        self.chunks
            .par_iter()
            .map_init(
                || (Vec::new(), Packed::default()),
                |(raw, packed), entry| {
                    let stored = self.stored(entry);
                    let broken =
                        inflate(stored, header.compression, &self.options.limits, raw).err();
                    let survey = Survey::of(raw, layout, packed);
                    ChunkInfo {
                        entry: *entry,
                        inflated: raw.len() as u64,
                        frames: survey.frames,
                        keyframes: survey.keyframes,
                        first: survey.first.map(Time),
                        last: survey.first.map(|_| Time(survey.last)),
                        error: broken.or(survey.error),
                    }
                },
            )
            .collect()
    }

    /// The chunk that holds the frame recorded last before `time`, or at it.
    ///
    /// Chunks that start with no keyframe, or that can't be inflated, tell no time: they are passed
    /// over, and count to the chunk before them.
    #[must_use]
    pub fn chunk_at(&self, time: Time) -> Option<usize> {
        let (mut low, mut high) = (0, self.chunks.len());
        let mut found = None;
        while low < high {
            let middle = low.midpoint(high);
            let told = (middle..high).find_map(|at| Some((at, self.first_time(at)?)));
            match told {
                Some((at, first)) if first <= time => {
                    found = Some(at);
                    low = at + 1;
                }
                // None from the middle on is told, or what is told is later.
                _ => high = middle,
            }
        }
        found
    }

    /// When the keyframe was recorded that a chunk starts with. Its first bytes are all that is
    /// inflated.
    fn first_time(&self, index: usize) -> Option<Time> {
        let entry = self.chunks.get(index)?;
        let compression = self.header.as_ref()?.compression;
        match starts::<10>(self.stored(entry), compression)? {
            [a, b, time @ ..] if [a, b] == KEYFRAME => Some(Time(i64::from_le_bytes(time))),
            _ => None,
        }
    }
}

/// The frames of a recording in memory, one after another.
#[derive(Debug)]
pub struct Frames<'a> {
    source: &'a [u8],
    decoder: Decoder,
}

impl Frames<'_> {
    /// The next frame; `None` at the end. It lives until the next is asked for: nothing is
    /// allocated for a frame.
    ///
    /// # Errors
    /// [`Error::Malformed`].
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        Ok(match self.decoder.step(self.source)? {
            Step::Frame => Some(self.decoder.frame()),
            Step::Need | Step::End => None,
        })
    }

    /// What was found wrong, where reading is lenient.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        self.decoder.findings()
    }

    /// The header: of a recording that was not finished, with the players so far.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        self.decoder.header()
    }

    /// The decoder.
    pub(super) const fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    pub(super) fn frame_span(&self) -> (u64, u64) {
        self.decoder.frame_span()
    }

    /// The last frame as it is stored, its layout, and how many chunks were begun.
    pub(crate) fn packed(&self) -> Option<(&Packed, Layout, u64)> {
        self.decoder.playing().map(Playing::packed)
    }

    /// When the last frame was recorded.
    pub(crate) fn time(&self) -> Time {
        self.decoder.frame().time
    }

    /// Whether the last chunk is the reference's.
    pub(crate) fn is_reference(&self) -> bool {
        self.decoder.playing().is_some_and(Playing::is_reference)
    }

    /// What the file has shown to be, so far.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.decoder.seen()
    }

    /// Whether the last frame is a keyframe.
    #[must_use]
    pub fn is_keyframe(&self) -> bool {
        self.decoder.is_keyframe()
    }
}

/// The frames of one chunk.
#[derive(Debug)]
pub struct ChunkFrames {
    playing: Playing,
}

impl ChunkFrames {
    /// The next frame; `None` at the chunk's end.
    ///
    /// # Errors
    /// [`Error::Malformed`].
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        Ok(self.playing.step()?.then(|| self.playing.frame()))
    }

    /// What the chunk has shown to be, so far.
    #[must_use]
    pub const fn seen(&self) -> Seen {
        self.playing.seen
    }
}
