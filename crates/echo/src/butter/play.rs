//! Frames of one chunk after another: what all readers share.

use gametape_core::ByteReader;

use super::dialect::{Dialect, Mended};
use super::header::{Compression, Header};
use super::layout::Layout;
use super::pack::{inflate, is_checked};
use super::packed::Packed;
use super::parts::Parts;
use super::pause::{PauseState, Untold};
use super::resync::read_within;
use super::state::State;
use super::survey::Survey;
use crate::error::{Error, Finding, Findings};
use crate::limits::ReadOptions;
use crate::model::{Frame, Time};
use crate::rule::Rule;

/// What a file has shown to be, as far as it was read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Seen {
    /// Chunks read.
    pub chunks: u64,
    /// Frames read.
    pub frames: u64,
    /// Keyframes among them.
    pub keyframes: u64,
    /// Chunks whose differences only the reference writes.
    pub reference_chunks: u64,
    /// Chunks of early version 3.
    pub early_chunks: u64,
    /// Chunks without a checksum.
    pub unchecked_chunks: u64,
    /// Faults of the reference that were undone.
    pub mended: Mended,
}

/// Bytes of frames that are taken at once from a recording that is not finished.
const OPEN: usize = 256 << 10;

/// Chunks back from one that does not show who wrote it in which that is looked for.
pub const BACK: usize = 64;

/// Who wrote the last chunk that has shown it clearly, and how many chunks ago.
#[derive(Clone, Copy, Default, Debug)]
pub struct Shown(Option<(Dialect, usize)>);

impl Shown {
    fn dialect(self) -> Option<Dialect> {
        self.0.map(|(dialect, _)| dialect)
    }

    /// Behind a chunk that shows this.
    fn next(self, shows: Option<Dialect>) -> Self {
        Self(match shows {
            Some(dialect) => Some((dialect, 0)),
            None => self
                .0
                .and_then(|(dialect, ago)| (ago + 1 < BACK).then_some((dialect, ago + 1))),
        })
    }
}

/// Where the bytes of the chunk that is being read stand.
#[derive(Clone, Copy, Debug)]
enum Stored {
    /// In the file as they are, from this byte on.
    Plain(u64),
    /// Packed, from this byte on: which chunk, from 0.
    Packed(u64, u64),
}

#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Playing {
    pub header: Header,
    options: ReadOptions,
    /// What of the frames is wanted.
    parts: Parts,
    /// Who is said to have written the file; else each chunk is looked at.
    said: Option<Dialect>,
    /// The chunk's frames, inflated.
    raw: Vec<u8>,
    at: usize,
    /// Where the last frame starts.
    from: usize,
    layout: Layout,
    /// Who wrote the chunk, where that shows.
    dialect: Option<Dialect>,
    /// What the last chunk has shown that has shown anything.
    known: Shown,
    /// Whole frames of the chunk.
    #[cfg(feature = "tape")]
    loaded: u64,
    /// The chunk itself shows it.
    shows: bool,
    stored: Stored,
    /// Its frames are all there, and any of them may be altered.
    altered: Option<Rule>,
    /// What stands behind the whole frames, and whether it is the frames that are broken, or what
    /// they are packed in.
    cut: Option<(Rule, bool)>,
    /// It starts within a pause, and does not tell how long that takes.
    in_pause: bool,
    /// Keyframes that don't tell the timers of pauses, if it is the reference's.
    untold: Vec<Untold>,
    state: State,
    packed: Packed,
    frame: Frame,
    fresh: bool,
    /// Frames before; `None` where nobody knows.
    pub index: Option<u64>,
    /// When the recording's first frame was recorded, if that is known.
    pub start: Option<Time>,
    pub findings: Findings,
    pub seen: Seen,
}

impl Playing {
    pub fn new(header: Header, options: ReadOptions, said: Option<Dialect>) -> Self {
        let layout = Layout::of(&header);
        Self {
            header,
            options,
            parts: Parts::ALL,
            said,
            raw: Vec::new(),
            at: 0,
            from: 0,
            layout,
            dialect: None,
            known: Shown::default(),
            #[cfg(feature = "tape")]
            loaded: 0,
            shows: false,
            stored: Stored::Plain(0),
            altered: None,
            cut: None,
            in_pause: false,
            untold: Vec::new(),
            state: State::default(),
            packed: Packed::default(),
            frame: Frame::default(),
            fresh: true,
            index: Some(0),
            start: None,
            findings: Findings::new(),
            seen: Seen::default(),
        }
    }

    /// The same, of whose frames these parts are wanted.
    pub fn of_parts(self, parts: Parts) -> Self {
        Self { parts, ..self }
    }

    /// The same between two chunks: nothing is held of the last.
    pub fn between_chunks(&mut self) -> Self {
        let raw = std::mem::take(&mut self.raw);
        let copy = self.clone();
        self.raw = raw;
        copy
    }

    /// Goes on with another header: the same recording with more players.
    pub fn set_header(&mut self, header: Header) {
        self.layout = Layout::of(&header);
        self.header = header;
        self.fresh = true;
    }

    /// Takes a chunk from the middle of a file. Where it does not show who wrote it, `before` tells
    /// what the chunks before it show.
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
            && self.said.is_none()
            && let Some(dialect) = before()?
        {
            self.dialect = Some(dialect);
            self.seen.reference_chunks += u64::from(dialect == Dialect::Reference);
        }
        Ok(())
    }

    /// Goes on behind chunks that show who wrote them.
    pub fn know(&mut self, dialect: Option<Dialect>) {
        self.known = Shown::default().next(dialect);
    }

    /// Takes a chunk, which starts at a byte of the file and is one of its chunks, from 0. `whole` is
    /// false where the file ends within it.
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
        // One writer writes a file: where nothing shows, what showed shortly before counts.
        let shown = survey.dialect();
        let before = self.known.dialect();
        self.shows = shown.is_some();
        self.dialect = self.said.or(shown).or(before);
        self.known = self.known.next(survey.dialect_of_file());
        #[cfg(feature = "tape")]
        {
            self.loaded = survey.frames;
        }
        self.seen.chunks += 1;
        self.seen.reference_chunks += u64::from(self.is_reference());
        self.seen.early_chunks += u64::from(survey.layout != layout);
        self.seen.unchecked_chunks += u64::from(!is_checked(stored, compression));
        self.raw.truncate(survey.whole);
        self.in_pause = survey.in_pause;
        self.untold = survey.untold;
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
        // Of a chunk that the file cuts, whoever took it says so.
        self.cut.take_if(|_| !whole);
    }

    /// Takes frames that are stored as they are, some as far as they are whole; the bytes they took.
    pub fn load_open(&mut self, raw: &[u8], offset: u64) -> usize {
        self.stored = Stored::Plain(offset);
        self.at = 0;
        self.layout = Layout::of(&self.header);
        // A journal is written exactly.
        self.dialect = self.said.or(Some(Dialect::Exact));
        (self.altered, self.cut) = (None, None);
        self.in_pause = false;
        self.untold.clear();
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

    /// What stood here is lost: the next frame differs from one that is not there.
    pub const fn lose(&mut self) {
        self.state.started = false;
    }

    /// Since the first frame, when the last one was recorded.
    fn time(&self) -> Option<gametape_core::Time> {
        let last = self.state.started.then_some(Time(self.state.time))?;
        Some(last.since(self.start?))
    }

    /// In the frame that comes next.
    fn here(&self, rule: Rule) -> Finding {
        let mut finding = Finding::new(rule).time(self.time());
        finding.place.step = self.index;
        finding
    }

    /// In the frame that comes next, of the chunk; `of_frames` where it is not what they are packed
    /// in.
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

    /// Goes on by a frame of the chunk; false at its end.
    #[inline]
    pub fn step(&mut self) -> Result<bool, Error> {
        if self.altered.is_some() {
            self.tell_altered()?;
        }
        let left = loop {
            if self.at >= self.raw.len() {
                let Some((rule, of_frames)) = self.cut.take() else {
                    return Ok(false);
                };
                let finding = self.in_chunk(rule, of_frames);
                self.state.started = false;
                return self.tell(finding).map(|()| false);
            }
            let untold = self.untold.iter().find(|untold| untold.at == self.at);
            self.state.least = untold.map_or([0.0; 2], |untold| untold.least);
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
            // It differs from a frame that is not there, as do those behind it up to the next
            // keyframe: each says so by itself, however many are read at a time.
            let finding = self.in_chunk(rule, true);
            self.at = self.raw.len() - input.left();
            self.state.started = false;
            self.tell(finding)?;
        };
        self.tell_doubts();
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

    /// Before the first frame of the chunk: which of them is altered, nobody knows. None of them is given
    /// where that is an error.
    #[cold]
    fn tell_altered(&mut self) -> Result<(), Error> {
        let Some(rule) = self.altered.take() else {
            return Ok(());
        };
        let told = self.tell(self.in_chunk(rule, false));
        if told.is_err() {
            self.at = self.raw.len();
            self.cut = None;
        }
        told
    }

    /// What the frame of the chunk leaves open, whose numbers are read all the same.
    fn tell_doubts(&mut self) {
        for (team, doubt) in self.state.doubts.into_iter().enumerate() {
            if let Some(doubt) = doubt {
                let finding = self.in_chunk(doubt.rule(team), true);
                self.findings.push(finding);
            }
        }
    }

    /// An error, or a finding where the reader is lenient.
    fn tell(&mut self, finding: Finding) -> Result<(), Error> {
        if !self.options.is_lenient() {
            return Err(finding.into());
        }
        self.findings.push(finding);
        Ok(())
    }

    /// At a byte of the file, what is an error however lenient one reads.
    pub fn error(&self, rule: Rule, offset: u64) -> Error {
        self.here(rule).at(offset).into()
    }

    /// At a byte of the file, an error, or a finding where the reader is lenient.
    pub fn note(&mut self, rule: Rule, offset: u64) -> Result<(), Error> {
        self.tell(self.here(rule).at(offset))
    }

    /// The last frame as it is stored, its layout, and how many chunks were begun.
    pub const fn packed(&self) -> (&Packed, Layout, u64) {
        (&self.packed, self.layout, self.seen.chunks)
    }

    /// Whether the chunk is the reference's.
    pub fn is_reference(&self) -> bool {
        self.dialect == Some(Dialect::Reference)
    }

    /// Whether the chunk goes on with a pause, of whose timers only those before can tell.
    pub fn starts_in_pause(&self) -> bool {
        self.is_reference() && self.in_pause
    }

    /// The pause as it is after the last frame.
    pub const fn pause(&self) -> Option<PauseState> {
        self.state.pause
    }

    /// Takes the pause as it was before the next frame.
    pub const fn set_pause(&mut self, pause: Option<PauseState>) {
        self.state.pause = pause;
    }

    /// Where the last frame stands, if it is stored as it is.
    pub const fn span(&self) -> (u64, u64) {
        match self.stored {
            Stored::Plain(offset) => (offset + self.from as u64, offset + self.at as u64),
            Stored::Packed(..) => (0, 0),
        }
    }

    pub const fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The chunk's bytes, inflated, as far as its frames are whole.
    #[cfg(feature = "tape")]
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Whole frames of the chunk.
    #[cfg(feature = "tape")]
    pub const fn frames_loaded(&self) -> u64 {
        self.loaded
    }

    /// Whether the chunk is whole.
    #[cfg(feature = "tape")]
    pub const fn is_sound(&self) -> bool {
        self.cut.is_none() && self.altered.is_none()
    }

    /// Takes who wrote the chunks before the one that was loaded alone: as if they had been loaded.
    #[cfg(feature = "tape")]
    pub fn settle(&mut self, shown: &mut Shown) {
        if !self.shows && self.said.is_none() {
            self.dialect = shown.dialect();
        }
        *shown = shown.next(self.known.dialect());
    }

    /// Whether the last frame is a keyframe.
    pub const fn is_keyframe(&self) -> bool {
        self.packed.keyframe
    }

    /// A frame of the chunk is still to come.
    pub const fn has_more(&self) -> bool {
        self.at < self.raw.len() || self.cut.is_some() || self.altered.is_some()
    }
}
