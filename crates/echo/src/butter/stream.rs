//! Reading as bytes come: from a stream, from a file that still grows.

use std::io::Read;

use super::chunk::chunk_start;
use super::cursor::Cursor;
use super::header::{Compression, Header};
use super::layout::Layout;
use super::packed::{KEYFRAME, NORMAL, Packed};
use super::play::{Playing, Seen};
use super::read::{ReadOptions, Strictness, table};
use super::resync::{Found, Search, read_within};
use crate::error::Error;
use crate::finding::{Finding, Findings};
use crate::model::Frame;
use crate::rule::Rule;

/// What a step of the decoder gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Frame,
    Need,
    End,
}

/// Where the decoder stands.
#[derive(Debug)]
enum Place {
    /// Before the header.
    Header,
    /// Among the chunks: sizes still to come, the last first.
    Chunks(Vec<u32>),
    /// Behind the chunks, where a recording that is not finished has its frames.
    Open,
    /// Behind a fault there: frames count again from the next keyframe or header.
    Lost(Box<Search>),
    /// Among bytes that are nothing, so many of them so far, and how they start.
    Behind(u64, [u8; 4]),
    End,
}

/// The core: takes what stands at `consumed` of the bytes, by whatever way they came.
///
/// [`Decoder::push`] gives it bytes, [`Decoder::next_frame`] takes frames: `None` where the bytes so
/// far hold no further whole frame. It can go on whenever there are more. Chunks are taken whole;
/// of a recording that [`Journal`](super::Journal) is writing, each frame as it comes.
///
/// ```
/// # let bytes = gametape_echo::doc_example();
/// let mut decoder = gametape_echo::butter::Decoder::new();
/// let mut frames = 0;
/// for piece in bytes.chunks(100) {
///     decoder.push(piece);
///     while let Some(frame) = decoder.next_frame()? {
///         frames += 1;
///     }
/// }
/// assert_eq!(frames, 3);
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    options: ReadOptions,
    place: Place,
    /// Bytes that were pushed and not taken.
    held: Vec<u8>,
    /// Of `held`, bytes taken.
    taken: usize,
    /// Offset of the first byte of `held` in the recording; for slices, of the next byte.
    base: u64,
    /// No more bytes come.
    finished: bool,
    playing: Option<Playing>,
    /// The table ends with a size of 0: frames may stand behind the chunks.
    may_be_open: bool,
    /// Without bytes up to there, nothing more can be told.
    need: u64,
    /// Bytes of headers in the middle.
    headers: u64,
    /// Faults behind which reading went on.
    gaps: u64,
    /// Bytes that were tried there in vain.
    tried: u64,
    findings: Findings,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// A strict decoder within the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(ReadOptions::default())
    }

    /// A decoder.
    #[must_use]
    pub fn with_options(options: ReadOptions) -> Self {
        Self {
            options,
            place: Place::Header,
            held: Vec::new(),
            taken: 0,
            base: 0,
            finished: false,
            playing: None,
            may_be_open: false,
            need: 0,
            headers: 0,
            gaps: 0,
            tried: 0,
            findings: Findings::default(),
        }
    }

    /// Takes bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.held.drain(..self.taken);
            self.base += self.taken as u64;
            self.taken = 0;
        }
        if matches!(self.place, Place::End) {
            self.base += bytes.len() as u64;
        } else {
            self.held.extend_from_slice(bytes);
        }
    }

    /// No more bytes come: what is incomplete is cut off.
    pub const fn finish(&mut self) {
        self.finished = true;
    }

    /// The next frame; `None` where the bytes so far hold no further one.
    ///
    /// # Errors
    /// [`Error::Malformed`].
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        let held = std::mem::take(&mut self.held);
        let step = self.step_at(&held);
        self.held = held;
        Ok((step? == Step::Frame).then(|| self.frame()))
    }

    /// The header, once it was read.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        self.playing.as_ref().map(|playing| &playing.header)
    }

    /// What was found wrong, where reading is lenient.
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        match &self.playing {
            Some(playing) => &playing.findings,
            None => &self.findings,
        }
    }

    /// What the file has shown to be, so far.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.playing
            .as_ref()
            .map(|playing| playing.seen)
            .unwrap_or_default()
    }

    /// Whether the last frame is a keyframe.
    #[must_use]
    pub fn is_keyframe(&self) -> bool {
        self.playing.as_ref().is_some_and(Playing::is_keyframe)
    }

    /// So far, what was read is a recording that was not finished.
    pub(super) fn is_unfinished(&self) -> bool {
        self.may_be_open && self.seen().chunks == 0
    }

    /// In a recording that was not finished, bytes of headers but the first, and faults behind which
    /// reading went on.
    pub(super) const fn open_counts(&self) -> (u64, u64) {
        (self.headers, self.gaps)
    }

    pub(super) const fn playing(&self) -> Option<&Playing> {
        self.playing.as_ref()
    }

    /// Where the last frame stands, in a recording whose frames stand there as they are.
    pub(super) fn frame_span(&self) -> (u64, u64) {
        self.playing.as_ref().map_or((0, 0), Playing::span)
    }

    /// Bytes that were taken.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.base + self.taken as u64
    }

    /// Bytes that a next step lacks, at least; 0 where none is known.
    fn wanted(&self) -> usize {
        match &self.place {
            Place::Chunks(sizes) => sizes.last().map_or(0, |&size| size as usize),
            _ => 0,
        }
    }

    pub(super) fn frame(&self) -> &Frame {
        /// Never shown: there is a frame before it is asked for.
        static NONE: std::sync::LazyLock<Frame> = std::sync::LazyLock::new(Frame::default);
        self.playing.as_ref().map_or(&NONE, Playing::frame)
    }

    /// A step over a recording that lies whole in memory.
    pub(super) fn step(&mut self, whole: &[u8]) -> Result<Step, Error> {
        self.step_at(whole)
    }

    fn step_at(&mut self, bytes: &[u8]) -> Result<Step, Error> {
        loop {
            if let Some(playing) = &mut self.playing
                && playing.has_more()
                && playing.step()?
            {
                return Ok(Step::Frame);
            }
            if !self.finished && self.base + (bytes.len() as u64) < self.need {
                return Ok(Step::Need);
            }
            let rest = bytes.get(self.taken..).unwrap_or_default();
            let moved = match self.place {
                Place::Header => self.header_at(rest)?,
                Place::Chunks(_) => self.chunk_at(rest)?,
                Place::Open => self.open_at(rest)?,
                Place::Lost(_) => self.lost_at(rest),
                Place::Behind(..) => self.behind_at(rest)?,
                Place::End => return Ok(Step::End),
            };
            if !moved {
                return Ok(if self.finished { Step::End } else { Step::Need });
            }
        }
    }

    /// Whether a header may stand here: the first, or in an unfinished recording one like the last
    /// with more players.
    fn goes_on_with(&self, header: &Header, sizes: &[u32]) -> bool {
        let Some(playing) = &self.playing else {
            return true;
        };
        let last = &playing.header;
        let known = last.players.iter().map(|player| player.userid);
        let players = header.players.iter().map(|player| player.userid);
        sizes == [0]
            && (header.version, header.compression, header.map)
                == (last.version, last.compression, last.map)
            && header.players.len() >= last.players.len()
            && known.eq(players.take(last.players.len()))
    }

    /// Reads header and table; false where bytes lack.
    fn header_at(&mut self, rest: &[u8]) -> Result<bool, Error> {
        if rest.is_empty() {
            return Ok(false);
        }
        let mut input = Cursor::new(rest);
        let read = Header::parse(&mut input, &self.options.limits).and_then(|header| {
            let sizes = table(&mut input)?;
            Ok((header, sizes.rev().collect::<Vec<u32>>()))
        });
        match read {
            Ok((header, sizes)) if !self.goes_on_with(&header, &sizes) => {
                // It looks like a header, and is none of this recording.
                self.lose(marker(rest), rest)
            }
            Ok((header, mut sizes)) => {
                let size = rest.len() - input.left();
                self.taken += size;
                self.may_be_open = sizes.first() == Some(&0);
                // The reference may write one or two empty chunks at the end.
                let empty = sizes.iter().take(2).rposition(|&size| size == 0);
                if let Some(empty) = empty {
                    sizes.drain(..=empty);
                }
                match &mut self.playing {
                    Some(playing) => {
                        self.headers += size as u64;
                        playing.set_header(header);
                    }
                    None => self.playing = Some(Playing::new(header, self.options)),
                }
                self.place = Place::Chunks(sizes);
                Ok(true)
            }
            Err(Rule::Truncated { needed, left, .. }) if !self.finished => {
                // A table may claim more than will ever come; it costs nothing to wait.
                self.wait(rest, needed.saturating_sub(left));
                Ok(false)
            }
            // A header in the middle of an unfinished recording: what was read counts.
            Err(rule) if self.playing.is_some() => self.lose(rule, rest),
            Err(rule) => {
                let offset = self.offset() + (rest.len() - input.left()) as u64;
                self.place = Place::End;
                Err(Error::at(rule, offset))
            }
        }
    }

    /// Nothing can be told before there are so many bytes more than `rest`.
    const fn wait(&mut self, rest: &[u8], more: u64) {
        self.need = self.offset() + rest.len() as u64 + more;
    }

    /// A recording that is not finished is broken here: reading goes on behind it, or ends.
    fn lose(&mut self, rule: Rule, rest: &[u8]) -> Result<bool, Error> {
        let offset = self.offset();
        let Some(playing) = &mut self.playing else {
            return Ok(false);
        };
        if self.options.strictness == Strictness::Strict {
            self.place = Place::End;
            self.taken += rest.len();
        } else {
            self.place = Place::Lost(Box::new(Search::of(&playing.header)));
            self.taken += rest.len().min(1);
        }
        let told = playing.note(rule, offset);
        playing.lose();
        told.map(|()| true)
    }

    /// Looks for where frames count again; false where bytes lack.
    fn lost_at(&mut self, rest: &[u8]) -> bool {
        let offset = self.base + self.taken as u64;
        let (Place::Lost(search), Some(playing)) = (&mut self.place, &self.playing) else {
            return false;
        };
        let layout = Layout::of(&playing.header);
        let limits = &self.options.limits;
        let (finished, tried) = (self.finished, &mut self.tried);
        match search.next(rest, offset, layout, limits, finished, tried) {
            Found::Nothing(size) => {
                self.taken += size;
                return false;
            }
            Found::Tired => {
                self.taken += rest.len();
                self.place = Place::End;
            }
            Found::Keyframe(size) => {
                self.taken += size;
                self.gaps += 1;
                self.place = Place::Open;
            }
            Found::Header(size) => {
                let here = rest.get(size..).unwrap_or_default();
                let mut input = Cursor::new(here);
                let read = Header::parse(&mut input, limits).and_then(|header| {
                    let sizes = table(&mut input)?;
                    Ok((header, sizes.collect::<Vec<u32>>()))
                });
                let more = matches!(read, Err(Rule::Truncated { .. }));
                let good = read.is_ok_and(|(header, sizes)| self.goes_on_with(&header, &sizes));
                self.taken += size;
                if good {
                    self.gaps += 1;
                    self.place = Place::Header;
                } else if more && !self.finished {
                    return false;
                } else {
                    self.taken += 1;
                }
            }
        }
        true
    }

    /// Takes the next chunk; false where bytes lack.
    fn chunk_at(&mut self, rest: &[u8]) -> Result<bool, Error> {
        let (Place::Chunks(sizes), Some(playing)) = (&mut self.place, &mut self.playing) else {
            return Ok(false);
        };
        let Some(&size) = sizes.last() else {
            self.place = Place::Open;
            return Ok(true);
        };
        let offset = self.base + self.taken as u64;
        if u64::from(size) > self.options.limits.max_chunk_bytes {
            self.place = Place::End;
            return Err(Error::new(
                Finding::new(Rule::Limit {
                    what: "a chunk",
                    size: size.into(),
                    limit: self.options.limits.max_chunk_bytes,
                })
                .at(offset)
                .in_frame(playing.index, None),
            ));
        }
        if let Some(stored) = rest.get(..size as usize) {
            sizes.pop();
            self.taken += stored.len();
            playing.load(stored, offset, true);
            return Ok(true);
        }
        if !self.finished {
            return Ok(false);
        }
        // The file ends within the chunk: its whole frames still count.
        self.place = Place::End;
        self.taken += rest.len();
        if self.options.strictness == Strictness::Lenient && !rest.is_empty() {
            playing.load(rest, offset, false);
        }
        playing.note(
            Rule::Truncated {
                what: "a chunk",
                needed: size.into(),
                left: rest.len() as u64,
            },
            offset,
        )?;
        Ok(true)
    }

    /// Takes frames behind the chunks; false where bytes lack.
    fn open_at(&mut self, rest: &[u8]) -> Result<bool, Error> {
        let Some(playing) = &mut self.playing else {
            return Ok(false);
        };
        let Some(&first) = rest.first() else {
            return Ok(false);
        };
        let offset = self.base + self.taken as u64;
        let frames = first == KEYFRAME[0] || first == NORMAL[0];
        // Behind the chunks of a finished recording may be anything.
        let journal = playing.seen.chunks == 0 && playing.header.compression == Compression::None;
        if !self.may_be_open || !frames && !journal {
            self.place = Place::Behind(0, [0; 4]);
            return Ok(true);
        }
        if first == playing.header.version && playing.seen.frames > 0 {
            self.place = Place::Header;
            return Ok(true);
        }
        let whole = playing.load_open(rest, offset);
        self.taken += whole;
        if whole > 0 {
            return Ok(true);
        }
        let layout = Layout::of(&playing.header);
        let limits = &self.options.limits;
        let (read, _) = read_within(&mut Packed::default(), rest, layout, limits);
        match read.err().unwrap_or(Rule::NoKeyframe) {
            Rule::Truncated { needed, left, .. } if !self.finished => {
                self.wait(rest, needed.saturating_sub(left));
                Ok(false)
            }
            // What is no frame will not become one.
            rule => self.lose(rule, rest),
        }
    }

    /// Counts the bytes that are nothing; false where there may be more.
    fn behind_at(&mut self, rest: &[u8]) -> Result<bool, Error> {
        let (Place::Behind(bytes, start), Some(playing)) = (&mut self.place, &mut self.playing)
        else {
            return Ok(false);
        };
        let at = usize::try_from(*bytes).unwrap_or(usize::MAX);
        for (to, from) in start.iter_mut().skip(at).zip(rest) {
            *to = *from;
        }
        *bytes += rest.len() as u64;
        self.taken += rest.len();
        if !self.finished {
            return Ok(false);
        }
        let (bytes, start) = (*bytes, *start);
        self.place = Place::End;
        let offset = self.base + self.taken as u64 - bytes;
        let rule = if start.starts_with(chunk_start(playing.header.compression)) {
            Rule::Unlisted { bytes }
        } else {
            Rule::Trailing { bytes }
        };
        playing.note(rule, offset)?;
        Ok(true)
    }
}

/// What stands here is no frame.
fn marker(rest: &[u8]) -> Rule {
    let mut found = [0; 2];
    for (to, from) in found.iter_mut().zip(rest) {
        *to = *from;
    }
    Rule::Marker { found }
}

/// Reads frames from any source, in memory bounded by a chunk.
///
/// ```
/// # let bytes = gametape_echo::doc_example();
/// let mut reader = gametape_echo::butter::Reader::new(bytes.as_slice());
/// while let Some(frame) = reader.next_frame()? {
///     println!("{}", frame.session.game_clock);
/// }
/// # Ok::<(), gametape_echo::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    decoder: Decoder,
    buffer: Vec<u8>,
}

/// Bytes read at once.
const PIECE: usize = 64 << 10;

impl<R: Read> Reader<R> {
    /// A strict reader within the default limits.
    pub fn new(source: R) -> Self {
        Self::with_options(source, ReadOptions::default())
    }

    /// A reader.
    pub fn with_options(source: R, options: ReadOptions) -> Self {
        Self {
            source,
            decoder: Decoder::with_options(options),
            buffer: Vec::new(),
        }
    }

    /// The next frame; `None` at the end.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Malformed`].
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        loop {
            let held = std::mem::take(&mut self.decoder.held);
            let step = self.decoder.step_at(&held);
            self.decoder.held = held;
            match step? {
                Step::Frame => return Ok(Some(self.decoder.frame())),
                Step::End => return Ok(None),
                Step::Need => {}
            }
            let size = PIECE.max(self.decoder.wanted().min(1 << 20));
            self.buffer.resize(size, 0);
            let read = match self.source.read(&mut self.buffer) {
                Ok(0) => {
                    self.decoder.finish();
                    continue;
                }
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => {
                    return Err(Error::Io {
                        offset: self.decoder.base + self.decoder.held.len() as u64,
                        source,
                    });
                }
            };
            self.decoder
                .push(self.buffer.get(..read).unwrap_or_default());
        }
    }

    /// The decoder: header, findings, what was seen.
    pub const fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}
