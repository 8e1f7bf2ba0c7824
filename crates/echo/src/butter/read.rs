//! Reading from memory, and chunk by chunk.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::OnceLock;

use gametape_core::Input;
use gametape_core::feed::Step;

use super::decode::Decoder;
use super::dialect::Dialect;
use super::header::Header;
use super::input::Slice;
use super::layout::Layout;
use super::pack::{Fault, inflate, starts};
use super::packed::{KEYFRAME, Packed};
use super::pause::PauseState;
use super::play::{BACK, Playing, Seen};
use super::stream::known;
use super::survey::Survey;
use super::table::{ChunkEntry, Table};
use crate::error::{Error, Findings};
use crate::limits::ReadOptions;
use crate::model::{Frame, Time};
use crate::parallel;
use crate::rule::Rule;

/// Reads the header and the table of chunks of a recording in memory; frames are read as they are
/// asked for, and with them what is wrong with chunks.
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
/// What is wrong with the header or the table.
pub fn read(bytes: &[u8]) -> Result<File<'_>, Error> {
    read_with(bytes, ReadOptions::default())
}

/// [`read()`], with other options.
///
/// # Errors
/// As [`read()`], lenient or not.
pub fn read_with(bytes: &[u8], options: ReadOptions) -> Result<File<'_>, Error> {
    Ok(File {
        bytes,
        table: Table::of_ranges(bytes, &options.limits)?,
        options,
        dialect: None,
        start: OnceLock::new(),
    })
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
    table: Table,
    options: ReadOptions,
    dialect: Option<Dialect>,
    /// When the first keyframe was recorded, once that was asked for.
    start: OnceLock<Option<Time>>,
}

impl<'a> File<'a> {
    /// The same, taken to be written by `dialect`: else each chunk is looked at for what shows it.
    #[must_use]
    pub fn written_by(self, dialect: Dialect) -> Self {
        Self {
            dialect: Some(dialect),
            ..self
        }
    }

    /// What the file says once; `None` for an empty file, which is a recording of no frames.
    #[must_use]
    pub const fn header(&self) -> Option<&Header> {
        self.table.header()
    }

    /// Where each chunk lies, in the order of the file.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkEntry] {
        self.table.chunks()
    }

    /// Header and chunks alone.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// Frames stand behind the chunks: the recording was not finished.
    #[must_use]
    pub const fn is_unfinished(&self) -> bool {
        self.table.is_unfinished()
    }

    /// Bytes behind the chunks that are no frames.
    #[must_use]
    pub const fn trailing_bytes(&self) -> u64 {
        self.table.trailing_bytes()
    }

    /// All frames, from the first.
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

    /// The frames of a chunk alone: random access. `None` where there is no such chunk.
    ///
    /// The timers of a pause, of which a keyframe of the reference tells nothing, are had from the
    /// chunks before it, up to 64.
    ///
    /// Bones that a keyframe of the reference stores as differences from the chunk before can't be
    /// told from one chunk: [`Seen::mended`] counts them as lost. Reading all frames tells them.
    #[must_use]
    pub fn chunk(&self, index: usize) -> Option<ChunkFrames> {
        let stored = |entry: &ChunkEntry| Ok::<_, Infallible>(Cow::Borrowed(self.stored(entry)));
        let Ok(frames) = self.table.alone(index, self.options, self.dialect, stored);
        let mut frames = frames?;
        frames.playing.start = *self.start.get_or_init(|| self.first_time(0));
        Some(frames)
    }

    /// Gives each chunk to `map`, in parallel with the feature of that name; the results in the order
    /// of the chunks.
    pub fn par_chunks<T: Send>(&self, map: impl Fn(usize, ChunkFrames) -> T + Sync) -> Vec<T> {
        let chunks: Vec<usize> = (0..self.chunks().len()).collect();
        let mapped = parallel::map(
            &chunks,
            || (),
            |(), &index| self.chunk(index).map(|frames| map(index, frames)),
        );
        mapped.into_iter().flatten().collect()
    }

    /// What each chunk holds, without decoding frames; in parallel as [`File::par_chunks`].
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
            let rule = |fault: Fault| fault.rule(chunk, survey.frames);
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

    /// The chunk that holds the frame recorded last before `time`, or at it.
    ///
    /// Chunks that start with no keyframe, or that can't be inflated, tell no time: they are passed
    /// over, and count to the chunk before them.
    #[must_use]
    pub fn chunk_at(&self, time: Time) -> Option<usize> {
        let (mut low, mut high) = (0, self.chunks().len());
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
        let entry = self.chunks().get(index)?;
        let compression = self.header()?.compression;
        match starts::<10>(self.stored(entry), compression)? {
            [a, b, time @ ..] if [a, b] == KEYFRAME => Some(Time(i64::from_le_bytes(time))),
            _ => None,
        }
    }
}

impl Table {
    /// The frames of a chunk alone, of which no more is read than what it says and, where it does
    /// not show who wrote it or starts within a pause, chunks before it. `None` where there is no such chunk.
    ///
    /// # Errors
    /// [`Error::Io`]: of a recording that somebody fetches, with what is
    /// [missing](gametape_core::Missing).
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

    /// The frames of a chunk alone; `stored` gives the bytes of chunks.
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

    /// Who wrote the chunks before one, as the next of them tells that shows it.
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
            // A broken chunk shows what is whole of it.
            let bytes = stored(entry)?;
            let _ = inflate(&bytes, header.compression, &options.limits, &mut raw);
            if let Some(dialect) = Survey::of(&raw, layout, &mut packed).dialect_of_file() {
                return Ok(Some(dialect));
            }
        }
        Ok(None)
    }

    /// The pause that a chunk goes on with, from the chunk on in which it began: of up to 64 chunks
    /// before it.
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
            // A broken chunk shows what is whole of it.
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

/// The frames of a recording in memory, one after another.
#[derive(Debug)]
pub struct Frames<'a> {
    input: Slice<'a>,
    decoder: Decoder,
}

impl Frames<'_> {
    /// The next frame; `None` at the end. It lives until the next is asked for: nothing is
    /// allocated for a frame.
    ///
    /// # Errors
    /// What is broken, where reading is strict; what a limit forbids. The same comes again.
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

/// The frames of one chunk.
#[derive(Debug)]
pub struct ChunkFrames {
    playing: Playing,
}

impl ChunkFrames {
    /// The next frame; `None` at the chunk's end.
    ///
    /// # Errors
    /// What is broken, where reading is strict.
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        Ok(self.playing.step()?.then(|| self.playing.frame()))
    }

    /// What was found wrong, where reading is lenient; and which numbers may be two things.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.playing.findings
    }

    /// What the chunk has shown to be, so far.
    #[must_use]
    pub const fn seen(&self) -> Seen {
        self.playing.seen
    }
}
