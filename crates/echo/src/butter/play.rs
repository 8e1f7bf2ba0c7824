//! Frames of one chunk after another: what all readers share.

use super::chunk::{Survey, inflate};
use super::cursor::Cursor;
use super::header::{Compression, Header};
use super::layout::Layout;
use super::packed::Packed;
use super::pause::{PauseState, Untold};
use super::read::{ReadOptions, Strictness};
use super::resync::read_within;
use super::state::{Dialect, Mended, State};
use crate::error::Error;
use crate::finding::{Finding, Findings};
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
    /// Faults of the reference that were undone.
    pub mended: Mended,
}

/// Bytes of frames that are taken at once from a recording that is not finished.
const OPEN: usize = 256 << 10;

/// Chunks back from one that does not show who wrote it in which that is looked for.
pub const BACK: usize = 64;

#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Playing {
    pub header: Header,
    options: ReadOptions,
    /// The chunk's frames, inflated.
    raw: Vec<u8>,
    at: usize,
    /// Where the last frame starts.
    from: usize,
    layout: Layout,
    dialect: Dialect,
    /// What the last chunk has shown that has shown anything, and how many chunks ago.
    known: Option<(Dialect, usize)>,
    /// The chunk itself shows it.
    shows: bool,
    /// Where the chunk starts in the file.
    offset: u64,
    /// The chunk is stored as it is: offsets of its frames are offsets of the file.
    plain: bool,
    /// What stands behind the whole frames.
    cut: Option<Rule>,
    /// It starts within a pause, and does not tell how long that takes.
    in_pause: bool,
    /// Keyframes that don't tell the timers of pauses, if it is the reference's.
    untold: Vec<Untold>,
    state: State,
    packed: Packed,
    frame: Frame,
    fresh: bool,
    /// Frames before, of the whole file where it is read from its start.
    pub index: u64,
    pub findings: Findings,
    pub seen: Seen,
}

impl Playing {
    pub fn new(header: Header, options: ReadOptions) -> Self {
        let layout = Layout::of(&header);
        Self {
            header,
            options,
            raw: Vec::new(),
            at: 0,
            from: 0,
            layout,
            dialect: Dialect::Exact,
            known: None,
            shows: false,
            offset: 0,
            plain: true,
            cut: None,
            in_pause: false,
            untold: Vec::new(),
            state: State::default(),
            packed: Packed::default(),
            frame: Frame::default(),
            fresh: true,
            index: 0,
            findings: Findings::default(),
            seen: Seen::default(),
        }
    }

    /// Goes on with another header: the same recording with more players.
    pub fn set_header(&mut self, header: Header) {
        self.layout = Layout::of(&header);
        self.header = header;
        self.fresh = true;
    }

    /// Takes a chunk from the middle of a file. Where it does not show who wrote it, `before` tells
    /// what the chunks before it show.
    pub fn load_alone(
        &mut self,
        stored: &[u8],
        offset: u64,
        whole: bool,
        before: impl FnOnce() -> Option<Dialect>,
    ) {
        self.state.alone = true;
        self.load(stored, offset, whole);
        if !self.shows
            && self.options.dialect.is_none()
            && let Some(dialect) = before()
        {
            self.dialect = dialect;
            self.seen.reference_chunks += u64::from(dialect == Dialect::Reference);
        }
    }

    /// Goes on behind chunks that show who wrote them.
    pub fn know(&mut self, dialect: Option<Dialect>) {
        self.known = dialect.map(|dialect| (dialect, 0));
    }

    /// Takes a chunk. `whole` is false where the file ends within it.
    pub fn load(&mut self, stored: &[u8], offset: u64, whole: bool) {
        self.offset = offset;
        self.plain = self.header.compression == Compression::None;
        self.at = 0;
        self.cut = inflate(
            stored,
            self.header.compression,
            &self.options.limits,
            &mut self.raw,
        )
        .err();
        let layout = Layout::of(&self.header);
        let survey = Survey::of(&self.raw, layout, &mut self.packed);
        self.layout = survey.layout;
        // One writer writes a file: where nothing shows, what showed shortly before counts.
        let shown = survey.dialect();
        let before = self.known.map(|(dialect, _)| dialect);
        self.shows = shown.is_some();
        self.dialect = self
            .options
            .dialect
            .or(shown)
            .or(before)
            .unwrap_or_default();
        self.known = match survey.dialect_of_file() {
            Some(dialect) => Some((dialect, 0)),
            None => self
                .known
                .and_then(|(dialect, ago)| (ago + 1 < BACK).then_some((dialect, ago + 1))),
        };
        self.seen.chunks += 1;
        self.seen.reference_chunks += u64::from(self.dialect == Dialect::Reference);
        self.seen.early_chunks += u64::from(survey.layout != layout);
        self.raw.truncate(survey.whole);
        self.in_pause = survey.in_pause;
        self.untold = survey.untold;
        // Of a chunk that the file cuts, whoever took it says so.
        self.cut = self.cut.take().or(survey.error).filter(|_| whole);
    }

    /// Takes frames that are stored as they are, some as far as they are whole; the bytes they took.
    pub fn load_open(&mut self, raw: &[u8], offset: u64) -> usize {
        self.offset = offset;
        self.plain = true;
        self.at = 0;
        self.layout = Layout::of(&self.header);
        // A journal is written exactly.
        self.dialect = self.options.dialect.unwrap_or(Dialect::Exact);
        self.cut = None;
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

    fn finding(&self, rule: Rule) -> Finding {
        let at = if self.plain { self.at as u64 } else { 0 };
        let time = self.state.started.then_some(Time(self.state.time));
        Finding::new(rule)
            .at(self.offset + at)
            .in_frame(self.index, time)
    }

    /// Goes on by a frame of the chunk; false at its end.
    pub fn step(&mut self) -> Result<bool, Error> {
        let left = loop {
            if self.at >= self.raw.len() {
                let Some(rule) = self.cut.take() else {
                    return Ok(false);
                };
                let finding = self.finding(rule);
                self.state.started = false;
                return self.tell(finding).map(|()| false);
            }
            let untold = self.untold.iter().find(|untold| untold.at == self.at);
            self.state.least = untold.map_or([0.0; 2], |untold| untold.least);
            let mut input = Cursor::new(self.raw.get(self.at..).unwrap_or_default());
            let read = self.packed.read(&mut input, self.layout).and_then(|()| {
                self.state
                    .apply(&self.packed, self.layout, &self.header, self.dialect)
            });
            let Err(rule) = read else {
                break input.left();
            };
            // It differs from a frame that is not there, as do those behind it up to the next
            // keyframe: each says so by itself, however many are read at a time.
            let finding = self.finding(rule);
            self.at = self.raw.len() - input.left();
            self.state.started = false;
            self.tell(finding)?;
        };
        self.from = self.at;
        self.at = self.raw.len() - left;
        self.state
            .fill(&self.header, self.layout, self.fresh, &mut self.frame);
        self.fresh = false;
        self.index += 1;
        self.seen.frames += 1;
        self.seen.keyframes += u64::from(self.packed.keyframe);
        self.seen.mended = self.state.mended;
        Ok(true)
    }

    /// An error, or a finding where the reader is lenient.
    fn tell(&mut self, finding: Finding) -> Result<(), Error> {
        if self.options.strictness == Strictness::Strict {
            return Err(Error::new(finding));
        }
        self.findings.push(finding);
        Ok(())
    }

    /// A finding of the file.
    pub fn note(&mut self, rule: Rule, offset: u64) -> Result<(), Error> {
        self.tell(Finding::new(rule).at(offset).in_frame(
            self.index,
            self.state.started.then_some(Time(self.state.time)),
        ))
    }

    /// The last frame as it is stored, its layout, and how many chunks were begun.
    pub const fn packed(&self) -> (&Packed, Layout, u64) {
        (&self.packed, self.layout, self.seen.chunks)
    }

    /// Whether the chunk is the reference's.
    pub fn is_reference(&self) -> bool {
        self.dialect == Dialect::Reference
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
        (self.offset + self.from as u64, self.offset + self.at as u64)
    }

    pub const fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Whether the last frame is a keyframe.
    pub const fn is_keyframe(&self) -> bool {
        self.packed.keyframe
    }

    /// A frame of the chunk is still to come.
    pub const fn has_more(&self) -> bool {
        self.at < self.raw.len() || self.cut.is_some()
    }
}
