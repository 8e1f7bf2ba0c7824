//! Reading from memory, chunk by chunk: in order, at random, or several chunks in parallel.

use std::borrow::Cow;
use std::convert::Infallible;
use std::io::BufRead;
#[cfg(feature = "tape")]
use std::ops::Range;
use std::sync::OnceLock;

use gametape_core::Input;
use gametape_core::feed::Step;

use super::chunk::{ChunkEntry, ChunkFault, Table, inflate, starts};
use super::frame::packed::{KEYFRAME, Layout, Packed};
use super::frame::reference::{Dialect, PauseState};
#[cfg(feature = "tape")]
use super::frame::unpack::Parts;
use super::header::{Compression, Header};
#[cfg(feature = "tape")]
use super::play::Shown;
use super::play::{BACK, Playing, Seen};
use super::stream::{Decoder, Slice, known};
use super::survey::Survey;
use crate::error::{Error, Findings};
#[cfg(feature = "tape")]
use crate::limits::Limits;
use crate::limits::ReadOptions;
use crate::model::{Frame, Time};
use crate::parallel;
use crate::rule::Rule;

/// Reads the header and the table of chunks of a recording in memory. Frames, and faults in chunks, are
/// read on demand.
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
/// Faults in the header or the table.
pub fn read(bytes: &[u8]) -> Result<File<'_>, Error> {
    read_with(bytes, ReadOptions::default())
}

/// Like [`read()`], with other options.
///
/// # Errors
/// Like [`read()`], strict or lenient.
pub fn read_with(bytes: &[u8], options: ReadOptions) -> Result<File<'_>, Error> {
    Ok(File {
        bytes,
        table: Table::of_ranges(bytes, &options.limits)?,
        options,
        dialect: None,
        start: OnceLock::new(),
    })
}

/// The content of a chunk.
#[derive(Clone, PartialEq, Debug)]
pub struct ChunkInfo {
    /// The position of the chunk.
    pub entry: ChunkEntry,
    /// The number of inflated bytes.
    pub inflated: u64,
    /// The number of whole frames.
    pub frames: u64,
    /// The number of keyframes.
    pub keyframes: u64,
    /// When the first keyframe was recorded.
    pub first: Option<Time>,
    /// When the last frame was recorded.
    pub last: Option<Time>,
    /// The fault that breaks the chunk, if there is one.
    pub error: Option<Rule>,
}

/// A recording in memory.
#[derive(Clone, Debug)]
pub struct File<'a> {
    bytes: &'a [u8],
    table: Table,
    options: ReadOptions,
    dialect: Option<Dialect>,
    /// When the first keyframe was recorded; computed on demand.
    start: OnceLock<Option<Time>>,
}

impl<'a> File<'a> {
    /// Names the kind of writer. Otherwise it is detected for each chunk.
    #[must_use]
    pub fn written_by(self, dialect: Dialect) -> Self {
        Self {
            dialect: Some(dialect),
            ..self
        }
    }

    /// The header; `None` for an empty file, which is a recording of no frames.
    #[must_use]
    pub const fn header(&self) -> Option<&Header> {
        self.table.header()
    }

    /// The position of each chunk, in file order.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkEntry] {
        self.table.chunks()
    }

    /// The header and the positions of the chunks.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// Whether frames follow the chunks: the recording was not finished.
    #[must_use]
    pub const fn is_unfinished(&self) -> bool {
        self.table.is_unfinished()
    }

    /// The number of bytes after the chunks that are no frames.
    #[must_use]
    pub const fn trailing_bytes(&self) -> u64 {
        self.table.trailing_bytes()
    }

    /// Returns a reader of all frames.
    #[must_use]
    pub const fn frames(&self) -> Frames<'a> {
        Frames {
            input: Slice::new(self.bytes),
            decoder: Decoder::new(self.options, self.dialect),
        }
    }

    fn stored(&self, entry: &ChunkEntry) -> &'a [u8] {
        let start = usize::try_from(entry.offset).unwrap_or(usize::MAX);
        let end = usize::try_from(entry.offset + entry.there).unwrap_or(usize::MAX);
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Returns a reader of one chunk's frames: random access. `None` if there is no such chunk.
    ///
    /// A keyframe of the reference does not store the timers of a pause; they are taken from up to 64
    /// chunks before.
    ///
    /// A keyframe of the reference may store bones as differences from the chunk before. One chunk is not
    /// enough to decode them, and [`Seen::mended`] counts them as lost. Reading all frames decodes them.
    #[must_use]
    pub fn chunk(&self, index: usize) -> Option<ChunkFrames> {
        let stored = |entry: &ChunkEntry| Ok::<_, Infallible>(Cow::Borrowed(self.stored(entry)));
        let Ok(frames) = self.table.alone(index, self.options, self.dialect, stored);
        let mut frames = frames?;
        frames.playing.start = *self.start.get_or_init(|| self.first_time(0));
        Some(frames)
    }

    /// Calls `map` for each chunk, in parallel if the feature `parallel` is on. Returns the results in the
    /// order of the chunks.
    pub fn par_chunks<T: Send>(&self, map: impl Fn(usize, ChunkFrames) -> T + Sync) -> Vec<T> {
        let chunks: Vec<usize> = (0..self.chunks().len()).collect();
        let mapped = parallel::map(
            &chunks,
            || (),
            |(), &index| self.chunk(index).map(|frames| map(index, frames)),
        );
        mapped.into_iter().flatten().collect()
    }

    /// Returns the content of each chunk without decoding frames, in parallel like [`File::par_chunks`].
    #[must_use]
    pub fn index(&self) -> Vec<ChunkInfo> {
        let Some(header) = self.header() else {
            return Vec::new();
        };
        let layout = Layout::of(header);
        let new = || (Vec::new(), Packed::default());
        let chunks: Vec<(u64, &ChunkEntry)> = (0..).zip(self.chunks()).collect();
        parallel::map(&chunks, new, |(raw, packed), &(chunk, entry)| {
            let (stored, limits) = (self.stored(entry), &self.options.limits);
            let fault = inflate(stored, header.compression, limits, raw).err();
            let survey = Survey::of(raw, layout, packed);
            let rule = |fault: ChunkFault| fault.rule(chunk, survey.frames);
            ChunkInfo {
                entry: *entry,
                inflated: raw.len() as u64,
                frames: survey.frames,
                keyframes: survey.keyframes,
                first: survey.first.map(Time),
                last: survey.first.map(|_| Time(survey.last)),
                error: fault.map(rule).or(survey.error),
            }
        })
    }

    /// Returns the chunk that holds the last frame recorded at or before `time`.
    ///
    /// Chunks that don't start with a keyframe or can't be inflated have no known time. They are skipped,
    /// and count as a part of the chunk before.
    #[must_use]
    pub fn chunk_at(&self, time: Time) -> Option<usize> {
        let (mut low, mut high) = (0, self.chunks().len());
        let mut found = None;
        while low < high {
            let middle = low.midpoint(high);
            let known = (middle..high).find_map(|at| Some((at, self.first_time(at)?)));
            match known {
                Some((at, first)) if first <= time => {
                    found = Some(at);
                    low = at + 1;
                }
                // From the middle on, no time is known, or a later one.
                _ => high = middle,
            }
        }
        found
    }

    /// Returns when the keyframe at the start of a chunk was recorded. Only the chunk's first bytes are
    /// inflated.
    fn first_time(&self, index: usize) -> Option<Time> {
        let entry = self.chunks().get(index)?;
        first_time(self.stored(entry), self.header()?.compression)
    }
}

fn first_time(stored: impl BufRead, compression: Compression) -> Option<Time> {
    match starts::<10>(stored, compression)? {
        [a, b, time @ ..] if [a, b] == KEYFRAME => Some(Time(i64::from_le_bytes(time))),
        _ => None,
    }
}

impl Table {
    /// Returns when the first frame was recorded; `None` if the recording has no chunks, or if the
    /// first one can't be inflated. Of the chunk, at most its first block is read and inflated.
    ///
    /// # Errors
    /// [`Error::Io`], as [`Table::chunk`].
    pub fn started(&self, input: &Input) -> Result<Option<Time>, Error> {
        /// More than the largest block of a compressed chunk.
        const MOST: u64 = 256 << 10;
        let (Some(header), Some(entry)) = (&self.header, self.chunks.first()) else {
            return Ok(None);
        };
        let stored = input.range(entry.offset, entry.there.min(MOST));
        let stored = stored.map_err(|source| Error::io(entry.offset, source))?;
        Ok(first_time(&*stored, header.compression))
    }

    /// Returns a reader of one chunk's frames; `None` if there is no such chunk. Reads only that chunk, and
    /// chunks before it if it does not show its writer or starts within a pause.
    ///
    /// # Errors
    /// [`Error::Io`]. For a recording whose ranges the caller fetches, the error contains the [missing
    /// range](gametape_core::Missing).
    pub fn chunk(
        &self,
        input: &Input,
        index: usize,
        options: ReadOptions,
    ) -> Result<Option<ChunkFrames>, Error> {
        self.alone(index, options, None, |entry| {
            let stored = input.range(entry.offset, entry.there);
            stored.map_err(|source| Error::io(entry.offset, source))
        })
    }

    /// Loads one chunk; `stored` returns the bytes of chunks.
    fn alone<'b, E>(
        &self,
        index: usize,
        options: ReadOptions,
        dialect: Option<Dialect>,
        stored: impl Fn(&ChunkEntry) -> Result<Cow<'b, [u8]>, E>,
    ) -> Result<Option<ChunkFrames>, E> {
        let (Some(entry), Some(header)) = (self.chunks.get(index), &self.header) else {
            return Ok(None);
        };
        let mut playing = Playing::new(header.clone(), options, dialect);
        let (bytes, whole) = (stored(entry)?, entry.there == entry.size);
        let place = (entry.offset, index as u64);
        if index == 0 {
            playing.load(&bytes, place, whole);
        } else {
            let before = || self.dialect_before(index, header, &options, &stored);
            playing.load_alone(&bytes, place, whole, before)?;
            if playing.starts_in_pause() {
                let pause = self.pause_before(index, header, options, dialect, &stored)?;
                playing.set_pause(pause);
            }
        }
        Ok(Some(ChunkFrames { playing }))
    }

    /// Returns the writer of the chunks before this one, from the nearest that shows it.
    fn dialect_before<'b, E>(
        &self,
        index: usize,
        header: &Header,
        options: &ReadOptions,
        stored: impl Fn(&ChunkEntry) -> Result<Cow<'b, [u8]>, E>,
    ) -> Result<Option<Dialect>, E> {
        let layout = Layout::of(header);
        let (mut raw, mut packed) = (Vec::new(), Packed::default());
        for entry in self.chunks.iter().take(index).rev().take(BACK) {
            // A broken chunk shows its writer in the frames that are whole.
            let bytes = stored(entry)?;
            let _ = inflate(&bytes, header.compression, &options.limits, &mut raw);
            if let Some(dialect) = Survey::of(&raw, layout, &mut packed).dialect_of_file() {
                return Ok(Some(dialect));
            }
        }
        Ok(None)
    }

    /// Returns the pause that a chunk continues, computed from the chunk in which it began. Looks at up to
    /// 64 chunks.
    fn pause_before<'b, E>(
        &self,
        index: usize,
        header: &Header,
        options: ReadOptions,
        dialect: Option<Dialect>,
        stored: impl Fn(&ChunkEntry) -> Result<Cow<'b, [u8]>, E>,
    ) -> Result<Option<PauseState>, E> {
        let layout = Layout::of(header);
        let (mut raw, mut packed) = (Vec::new(), Packed::default());
        let furthest = index.saturating_sub(BACK);
        let mut began = index;
        while began > furthest {
            began -= 1;
            let Some(entry) = self.chunks.get(began) else {
                break;
            };
            // A broken chunk has the pause of the frames that are whole.
            let bytes = stored(entry)?;
            let _ = inflate(&bytes, header.compression, &options.limits, &mut raw);
            if !Survey::of(&raw, layout, &mut packed).in_pause {
                break;
            }
        }
        let mut playing = Playing::new(header.clone(), options, dialect);
        playing.know(self.dialect_before(began, header, &options, &stored)?);
        for (at, entry) in self.chunks.iter().enumerate().take(index).skip(began) {
            let whole = entry.there == entry.size;
            playing.load(&stored(entry)?, (entry.offset, at as u64), whole);
            while let Ok(true) = playing.step() {}
        }
        Ok(playing.pause())
    }
}

/// Reads the frames of a recording in memory, one after another.
#[derive(Debug)]
pub struct Frames<'a> {
    input: Slice<'a>,
    decoder: Decoder,
}

impl Frames<'_> {
    /// Returns the next frame, or `None` at the end. The frame borrows from the reader: nothing is
    /// allocated per frame.
    ///
    /// # Errors
    /// Faults, if reading is strict, and exceeded limits. The same error is returned again.
    #[inline]
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        Ok(match self.decoder.step(&mut self.input)? {
            Step::Item => Some(self.decoder.frame()),
            Step::NeedMore | Step::End => None,
        })
    }

    known!(decoder);

    pub(super) const fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}

/// Reads the frames of one chunk.
#[derive(Debug)]
pub struct ChunkFrames {
    playing: Playing,
}

impl ChunkFrames {
    /// Returns the next frame, or `None` at the end of the chunk.
    ///
    /// # Errors
    /// Faults, if reading is strict.
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        Ok(self.playing.step()?.then(|| self.playing.frame()))
    }

    /// The faults found, if reading is lenient, and the values that can be understood in two ways.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.playing.findings
    }

    /// What the chunk has shown so far.
    #[must_use]
    pub const fn seen(&self) -> Seen {
        self.playing.seen
    }
}

#[cfg(feature = "tape")]
/// The largest chunk, stored and inflated, that is opened in parallel with others. Chunks of 300 frames
/// take far less.
const MOST: u64 = 1 << 20;

#[cfg(feature = "tape")]
impl Table {
    /// Whether the recording consists of a header and whole chunks, and of nothing else.
    pub fn is_whole(&self) -> bool {
        self.header().is_some()
            && self.chunks.iter().all(|entry| entry.there == entry.size)
            && !self.is_unfinished()
            && self.trailing_bytes() == 0
            && self.empty_chunks() <= 1
    }

    /// Surveys several chunks in parallel. An element is `None` where anything about the chunk is
    /// irregular, or if it depends on the chunk before it.
    pub fn survey(&self, input: &Input, chunks: Range<usize>) -> Vec<Option<SurveyedChunk>> {
        let chunks: Vec<usize> = chunks.collect();
        parallel::map(&chunks, || (), |(), &index| self.survey_one(input, index))
    }

    fn survey_one(&self, input: &Input, index: usize) -> Option<SurveyedChunk> {
        let (entry, header) = (self.chunks.get(index)?, self.header()?);
        if entry.size > MOST {
            return None;
        }
        let limits = Limits {
            max_chunk_bytes: MOST,
            ..Limits::default()
        };
        let stored = input.range(entry.offset, entry.size).ok()?;
        let options = ReadOptions::lenient().limits(limits);
        let mut playing = Playing::new(header.clone(), options, None).of_parts(Parts::NONE);
        playing.load(&stored, (entry.offset, index as u64), true);
        let raw = playing.raw();
        if !playing.is_sound() || !raw.starts_with(&KEYFRAME) {
            return None;
        }
        let first = raw.get(KEYFRAME.len()..)?.first_chunk()?;
        let first = Time(i64::from_le_bytes(*first));
        Some(SurveyedChunk {
            playing,
            first,
            checksum: crc32fast::hash(&stored),
        })
    }
}

/// A whole chunk whose frames have been counted.
#[cfg(feature = "tape")]
#[derive(Debug)]
pub struct SurveyedChunk {
    playing: Playing,
    /// When its first frame, a keyframe, was recorded.
    pub first: Time,
    /// The CRC-32 of its stored bytes.
    pub checksum: u32,
}

#[cfg(feature = "tape")]
impl SurveyedChunk {
    /// The number of frames.
    pub const fn frames(&self) -> u64 {
        self.playing.loaded().frames
    }

    /// When its last frame was recorded; `None` if the times of its frames may go backwards.
    pub fn last(&self) -> Option<Time> {
        let loaded = self.playing.loaded();
        (loaded.keyframes == 1).then(|| Time(self.first.0.saturating_add(loaded.last)))
    }

    /// Takes from `shown` who wrote the chunks before this one, in case the chunk does not show it, and
    /// updates `shown` for the next chunk. Returns the writer.
    pub fn settle(&mut self, shown: &mut Shown) -> Option<Dialect> {
        self.playing.settle(shown);
        self.playing.dialect()
    }
}

/// Decodes chunks one after another before they are compressed, as [`Reader`](super::Reader) will decode them from the
/// file. Measures what [`Writer::push_shown`](super::Writer::push_shown) wrote.
#[cfg(feature = "tape")]
#[derive(Debug, Default)]
pub struct ChunkDecoder {
    playing: Option<Playing>,
}

#[cfg(feature = "tape")]
impl ChunkDecoder {
    /// Loads the next chunk, with the header as of now.
    pub fn load(&mut self, header: &Header, raw: &[u8]) {
        let plain = || Header {
            compression: Compression::None,
            ..header.clone()
        };
        let playing = self
            .playing
            .get_or_insert_with(|| Playing::new(plain(), ReadOptions::default(), None));
        if playing.header.players.len() != header.players.len() {
            playing.set_header(plain());
        }
        playing.load(raw, (0, playing.seen.chunks), true);
    }

    /// Returns the next frame of the chunk, or `None` at its end. A chunk from a writer never causes an error.
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        match &mut self.playing {
            Some(playing) => Ok(playing.step()?.then(|| playing.frame())),
            None => Ok(None),
        }
    }
}
