//! The frames of one chunk after another: the part that all readers share.

use gametape_core::ByteReader;

use super::chunk::{inflate, is_checked};
use super::frame::packed::{Layout, Packed};
use super::frame::reference::{Dialect, Mended, PauseState, UnstoredTimers};
use super::frame::state::ReaderState;
use super::frame::unpack::{Parts, read_within};
use super::header::{Compression, Header};
use super::survey::Survey;
use crate::error::{Error, Finding, Findings};
use crate::limits::ReadOptions;
use crate::model::{Frame, Time};
use crate::rule::Rule;

/// Chunks that are left out at the start, because none of their frames is wanted. The bytes that are
/// read are those of the header, and of the chunks from there on.
#[cfg(feature = "tape")]
#[derive(Clone, Copy, Debug)]
pub struct Skip {
    pub chunks: usize,
    pub bytes: u64,
    pub frames: u64,
    /// The writer of the chunks before, if it can be recognised.
    pub shown: Shown,
    /// When the first frame of the recording was recorded.
    pub start: Time,
}

/// What a reader has counted and detected, as far as it has read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Seen {
    /// The number of chunks.
    pub chunks: u64,
    /// The number of frames.
    pub frames: u64,
    /// The number of keyframes.
    pub keyframes: u64,
    /// The number of chunks with differences that only the reference writes.
    pub reference_chunks: u64,
    /// The number of chunks of early version 3.
    pub early_chunks: u64,
    /// The number of chunks without a checksum.
    pub unchecked_chunks: u64,
    /// The reference's faults that were undone.
    pub mended: Mended,
}

/// The number of bytes of frames that are taken at once from an unfinished recording.
const OPEN: usize = 256 << 10;

/// For a chunk that does not show its writer, the number of earlier chunks that are looked at.
pub const BACK: usize = 64;

/// The writer of the last chunk that showed it clearly, and how many chunks ago that was.
#[derive(Clone, Copy, Default, Debug)]
pub struct Shown(pub(crate) Option<(Dialect, usize)>);

impl Shown {
    fn dialect(self) -> Option<Dialect> {
        self.0.map(|(dialect, _)| dialect)
    }

    /// The value after a chunk that shows this dialect.
    fn next(self, shows: Option<Dialect>) -> Self {
        Self(match shows {
            Some(dialect) => Some((dialect, 0)),
            None => self
                .0
                .and_then(|(dialect, ago)| (ago + 1 < BACK).then_some((dialect, ago + 1))),
        })
    }
}

/// The content of a chunk.
#[cfg(feature = "tape")]
#[derive(Clone, Copy, Default, Debug)]
pub struct Loaded {
    /// The number of whole frames.
    pub frames: u64,
    pub keyframes: u64,
    /// Milliseconds from the first frame to the last.
    pub last: i64,
}

/// The position of the chunk's bytes in the file.
#[derive(Clone, Copy, Debug)]
enum Stored {
    /// Stored plain, from this byte on.
    Plain(u64),
    /// Compressed, from this byte on; and the ordinal of the chunk, from 0.
    Packed(u64, u64),
}

#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Playing {
    pub header: Header,
    options: ReadOptions,
    /// The requested parts of the frames.
    parts: Parts,
    /// The writer of the file, if the caller names it. Otherwise it is detected for each chunk.
    writer: Option<Dialect>,
    /// The inflated frames of the chunk.
    raw: Vec<u8>,
    at: usize,
    /// The start of the last frame.
    from: usize,
    layout: Layout,
    /// The writer of the chunk, if known.
    dialect: Option<Dialect>,
    /// The writer of the last chunk that shows it.
    known: Shown,
    #[cfg(feature = "tape")]
    loaded: Loaded,
    /// The chunk itself shows its writer.
    shows: bool,
    stored: Stored,
    /// All frames are present, but any of them may be altered.
    altered: Option<Rule>,
    /// The fault after the whole frames, and whether it is in the frames; otherwise it is in the compressed
    /// form.
    cut: Option<(Rule, bool)>,
    /// The chunk starts within a pause and does not store its timers.
    in_pause: bool,
    /// Keyframes that don't store the timers of pauses, if the chunk is the reference's.
    unstored_timers: Vec<UnstoredTimers>,
    state: ReaderState,
    packed: Packed,
    frame: Frame,
    fresh: bool,
    /// The number of frames before the next; `None` if unknown.
    pub index: Option<u64>,
    /// When the recording's first frame was recorded, if known.
    pub start: Option<Time>,
    pub findings: Findings,
    pub seen: Seen,
}

impl Playing {
    pub fn new(header: Header, options: ReadOptions, writer: Option<Dialect>) -> Self {
        let layout = Layout::of(&header);
        Self {
            header,
            options,
            parts: Parts::ALL,
            writer,
            raw: Vec::new(),
            at: 0,
            from: 0,
            layout,
            dialect: None,
            known: Shown::default(),
            #[cfg(feature = "tape")]
            loaded: Loaded::default(),
            shows: false,
            stored: Stored::Plain(0),
            altered: None,
            cut: None,
            in_pause: false,
            unstored_timers: Vec::new(),
            state: ReaderState::default(),
            packed: Packed::default(),
            frame: Frame::default(),
            fresh: true,
            index: Some(0),
            start: None,
            findings: Findings::new(),
            seen: Seen::default(),
        }
    }

    /// Restricts reading to these parts of the frames.
    pub fn of_parts(self, parts: Parts) -> Self {
        Self { parts, ..self }
    }

    /// Returns a copy of the state between two chunks, without the chunk's data.
    pub fn between_chunks(&mut self) -> Self {
        let raw = std::mem::take(&mut self.raw);
        let copy = self.clone();
        self.raw = raw;
        copy
    }

    /// Continues with another header: the same recording with more players.
    pub fn set_header(&mut self, header: Header) {
        self.layout = Layout::of(&header);
        self.header = header;
        self.fresh = true;
    }

    /// Loads a chunk from the middle of a file. If it does not show its writer, `before` returns what the
    /// chunks before it show.
    pub fn load_alone<E>(
        &mut self,
        stored: &[u8],
        (offset, chunk): (u64, u64),
        whole: bool,
        before: impl FnOnce() -> Result<Option<Dialect>, E>,
    ) -> Result<(), E> {
        self.state.bones.alone = true;
        self.index = None;
        self.load(stored, (offset, chunk), whole);
        if !self.shows
            && self.writer.is_none()
            && let Some(dialect) = before()?
        {
            self.dialect = Some(dialect);
            self.seen.reference_chunks += u64::from(dialect == Dialect::Reference);
        }
        Ok(())
    }

    /// Sets the writer that the chunks before have shown.
    pub fn know(&mut self, dialect: Option<Dialect>) {
        self.known = Shown::default().next(dialect);
    }

    /// Loads the chunk with ordinal `chunk`, which starts at byte `offset` of the file. `whole` is false if
    /// the file ends within it.
    pub fn load(&mut self, stored: &[u8], (offset, chunk): (u64, u64), whole: bool) {
        let (compression, limits) = (self.header.compression, &self.options.limits);
        self.stored = match compression {
            Compression::None => Stored::Plain(offset),
            _ => Stored::Packed(offset, chunk),
        };
        self.at = 0;
        let unpacked = inflate(stored, compression, limits, &mut self.raw);
        let layout = Layout::of(&self.header);
        let survey = Survey::of(&self.raw, layout, &mut self.packed);
        self.layout = survey.layout;
        // One writer writes a file. If this chunk shows nothing, the chunks shortly before it count.
        let shown = survey.dialect();
        let before = self.known.dialect();
        self.shows = shown.is_some();
        self.dialect = self.writer.or(shown).or(before);
        self.known = self.known.next(survey.dialect_of_file());
        #[cfg(feature = "tape")]
        {
            self.loaded = Loaded {
                frames: survey.frames,
                keyframes: survey.keyframes,
                last: survey.last,
            };
        }
        self.seen.chunks += 1;
        self.seen.reference_chunks += u64::from(self.is_reference());
        self.seen.early_chunks += u64::from(survey.layout != layout);
        self.seen.unchecked_chunks += u64::from(!is_checked(stored, compression));
        self.raw.truncate(survey.whole);
        self.in_pause = survey.in_pause;
        self.unstored_timers = survey.unstored_timers;
        let of_packing = unpacked.err().map(|fault| {
            let altered = fault.is_checksum();
            (fault.rule(chunk, survey.frames), altered)
        });
        let of_frames = survey.error.map(|rule| (rule, true));
        (self.altered, self.cut) = match of_packing {
            Some((rule, true)) => (Some(rule), of_frames),
            Some((rule, false)) => (None, Some((rule, false))),
            None => (None, of_frames),
        };
        // If the file ends within the chunk, the caller has reported that.
        self.cut.take_if(|_| !whole);
    }

    /// Loads frames that are stored plain, as far as they are whole. Returns the number of bytes taken.
    pub fn load_open(&mut self, raw: &[u8], offset: u64) -> usize {
        self.stored = Stored::Plain(offset);
        self.at = 0;
        self.layout = Layout::of(&self.header);
        // A journal is written in the exact dialect.
        self.dialect = self.writer.or(Some(Dialect::Exact));
        (self.altered, self.cut) = (None, None);
        self.in_pause = false;
        self.unstored_timers.clear();
        self.raw.clear();
        let mut whole = 0;
        while whole < OPEN {
            let rest = raw.get(whole..).unwrap_or_default();
            let limits = &self.options.limits;
            match read_within(&mut self.packed, rest, self.layout, limits) {
                (Ok(()), size) => whole += size,
                _ => break,
            }
        }
        self.raw
            .extend_from_slice(raw.get(..whole).unwrap_or_default());
        whole
    }

    /// Forgets the last frame: frames were lost, and the next one depends on them.
    pub const fn lose(&mut self) {
        self.state.started = false;
    }

    /// The time of the last frame since the first.
    fn time(&self) -> Option<gametape_core::Time> {
        let last = self.state.started.then_some(Time(self.state.time))?;
        Some(last.since(self.start?))
    }

    /// A finding in the next frame.
    fn here(&self, rule: Rule) -> Finding {
        let mut finding = Finding::new(rule).time(self.time());
        finding.place.step = self.index;
        finding
    }

    /// A finding in the next frame of the chunk. `of_frames` is false for a fault of the compressed form.
    fn in_chunk(&self, rule: Rule, of_frames: bool) -> Finding {
        let (finding, at) = (self.here(rule), self.at as u64);
        match self.stored {
            Stored::Plain(offset) => finding.at(offset + at),
            Stored::Packed(_, chunk) if of_frames => {
                finding.at(at).within(format!("chunk {chunk}, inflated"))
            }
            Stored::Packed(offset, _) => finding.at(offset),
        }
    }

    /// Decodes the next frame of the chunk. Returns false at its end.
    #[inline]
    pub fn step(&mut self) -> Result<bool, Error> {
        if self.altered.is_some() {
            self.report_altered()?;
        }
        let left = loop {
            if self.at >= self.raw.len() {
                let Some((rule, of_frames)) = self.cut.take() else {
                    return Ok(false);
                };
                let finding = self.in_chunk(rule, of_frames);
                self.state.started = false;
                return self.report(finding).map(|()| false);
            }
            let unstored_timers = self
                .unstored_timers
                .iter()
                .find(|unstored_timers| unstored_timers.at == self.at);
            self.state.least =
                unstored_timers.map_or([0.0; 2], |unstored_timers| unstored_timers.least);
            let mut input = ByteReader::new(self.raw.get(self.at..).unwrap_or_default());
            let (packed, state) = (&mut self.packed, &mut self.state);
            let (layout, header) = (self.layout, &self.header);
            let read = if self.parts.is_all() {
                let read = packed.read(&mut input, layout);
                read.and_then(|()| state.apply(packed, layout, header, self.dialect))
            } else {
                let parts = self.parts;
                let read = packed.read_parts(&mut input, layout, parts);
                read.and_then(|()| state.apply_parts(packed, layout, header, self.dialect, parts))
            };
            let Err(rule) = read else {
                break input.left();
            };
            // It depends on a frame that is missing. So do the frames after it up to the next keyframe, and
            // each gives a finding of its own, however many are read at a time.
            let finding = self.in_chunk(rule, true);
            self.at = self.raw.len() - input.left();
            self.state.started = false;
            self.report(finding)?;
        };
        self.report_doubts();
        self.from = self.at;
        self.at = self.raw.len() - left;
        self.state.fill(
            &self.header,
            self.layout,
            self.fresh,
            self.parts,
            &mut self.frame,
        );
        self.fresh = false;
        self.index = self.index.map(|index| index + 1);
        if self.start.is_none() {
            self.start = self.index.map(|_| self.frame.time);
        }
        self.seen.frames += 1;
        self.seen.keyframes += u64::from(self.packed.keyframe);
        self.seen.mended = self.state.mended;
        Ok(true)
    }

    /// Reports an altered chunk before its first frame, because no one knows which frame is altered. If
    /// that is an error, none of the chunk's frames is returned.
    #[cold]
    fn report_altered(&mut self) -> Result<(), Error> {
        let Some(rule) = self.altered.take() else {
            return Ok(());
        };
        let reported = self.report(self.in_chunk(rule, false));
        if reported.is_err() {
            self.at = self.raw.len();
            self.cut = None;
        }
        reported
    }

    /// Reports stats of the last frame that can be understood in two ways. They are read all the same.
    fn report_doubts(&mut self) {
        for (team, doubt) in self.state.doubts.into_iter().enumerate() {
            if let Some(doubt) = doubt {
                let finding = self.in_chunk(doubt.rule(team), true);
                self.findings.push(finding);
            }
        }
    }

    /// Returns an error, or adds a finding if the reader is lenient.
    fn report(&mut self, finding: Finding) -> Result<(), Error> {
        if !self.options.is_lenient() {
            return Err(finding.into());
        }
        self.findings.push(finding);
        Ok(())
    }

    /// An error at a byte of the file that even a lenient reader can't continue after.
    pub fn error(&self, rule: Rule, offset: u64) -> Error {
        self.here(rule).at(offset).into()
    }

    /// A fault at a byte of the file: an error, or a finding if the reader is lenient.
    pub fn note(&mut self, rule: Rule, offset: u64) -> Result<(), Error> {
        self.report(self.here(rule).at(offset))
    }

    /// The last frame in its stored form, its layout, and the number of chunks begun.
    pub const fn packed(&self) -> (&Packed, Layout, u64) {
        (&self.packed, self.layout, self.seen.chunks)
    }

    /// The writer of the chunk, if known.
    #[cfg(feature = "tape")]
    pub const fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// Whether the chunk is the reference's.
    pub fn is_reference(&self) -> bool {
        self.dialect == Some(Dialect::Reference)
    }

    /// Whether the chunk continues a pause whose timers only earlier chunks store.
    pub fn starts_in_pause(&self) -> bool {
        self.is_reference() && self.in_pause
    }

    /// The pause after the last frame.
    pub const fn pause(&self) -> Option<PauseState> {
        self.state.pause
    }

    /// Sets the pause before the next frame.
    pub const fn set_pause(&mut self, pause: Option<PauseState>) {
        self.state.pause = pause;
    }

    /// Start and end of the last frame in the file, if it is stored plain.
    pub const fn span(&self) -> (u64, u64) {
        match self.stored {
            Stored::Plain(offset) => (offset + self.from as u64, offset + self.at as u64),
            Stored::Packed(..) => (0, 0),
        }
    }

    pub const fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The inflated bytes of the chunk's whole frames.
    #[cfg(feature = "tape")]
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The content of the chunk.
    #[cfg(feature = "tape")]
    pub const fn loaded(&self) -> Loaded {
        self.loaded
    }

    /// Continues after chunks that are left out.
    #[cfg(feature = "tape")]
    pub const fn skip(&mut self, skip: Skip) {
        self.seen.chunks = skip.chunks as u64;
        self.known = skip.shown;
        self.index = Some(skip.frames);
        self.start = Some(skip.start);
    }

    /// Whether the chunk is whole.
    #[cfg(feature = "tape")]
    pub const fn is_sound(&self) -> bool {
        self.cut.is_none() && self.altered.is_none()
    }

    /// Applies the writer of the chunks before to a chunk that was loaded alone, as if they had been
    /// loaded.
    #[cfg(feature = "tape")]
    pub fn settle(&mut self, shown: &mut Shown) {
        if !self.shows && self.writer.is_none() {
            self.dialect = shown.dialect();
        }
        *shown = shown.next(self.known.dialect());
    }

    /// Whether the last frame is a keyframe.
    pub const fn is_keyframe(&self) -> bool {
        self.packed.keyframe
    }

    /// Whether the chunk has more frames.
    pub const fn has_more(&self) -> bool {
        self.at < self.raw.len() || self.cut.is_some() || self.altered.is_some()
    }
}
