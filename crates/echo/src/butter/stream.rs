//! Reading as bytes come: from a stream, from a file that still grows.

use std::io::Read;

use super::cursor::Cursor;
use super::header::Header;
use super::packed::{KEYFRAME, NORMAL};
use super::play::{Playing, Seen};
use super::read::{ReadOptions, Strictness, table};
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
    /// Among bytes that are nothing, so many of them so far.
    Behind(u64),
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
            let rest = bytes.get(self.taken..).unwrap_or_default();
            let moved = match self.place {
                Place::Header => self.header_at(rest)?,
                Place::Chunks(_) => self.chunk_at(rest)?,
                Place::Open => self.open_at(rest)?,
                Place::Behind(_) => self.behind_at(rest)?,
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
        let read = Header::parse(&mut input).and_then(|header| {
            let sizes = table(&mut input)?;
            Ok((header, sizes.rev().collect::<Vec<u32>>()))
        });
        match read {
            Ok((header, sizes)) if !self.goes_on_with(&header, &sizes) => {
                // It looks like a header, and is none of this recording.
                self.place = Place::Behind(0);
                Ok(true)
            }
            Ok((header, mut sizes)) => {
                self.taken += rest.len() - input.left();
                self.may_be_open = sizes.first() == Some(&0);
                // The reference may write one or two empty chunks at the end.
                let empty = sizes.iter().take(2).rposition(|&size| size == 0);
                if let Some(empty) = empty {
                    sizes.drain(..=empty);
                }
                match &mut self.playing {
                    Some(playing) => playing.set_header(header),
                    None => self.playing = Some(Playing::new(header, self.options)),
                }
                self.place = Place::Chunks(sizes);
                Ok(true)
            }
            Err(rule @ Rule::Truncated { .. }) if !self.finished => {
                // A table may claim more than will ever come; it costs nothing to wait.
                drop(rule);
                Ok(false)
            }
            Err(rule) => {
                let offset = self.offset() + (rest.len() - input.left()) as u64;
                self.place = Place::End;
                let finding = Finding::new(rule).at(offset);
                match &mut self.playing {
                    // A header in the middle of an unfinished recording: what was read counts.
                    Some(playing) if self.options.strictness == Strictness::Lenient => {
                        playing.findings.push(finding);
                        Ok(true)
                    }
                    _ => Err(Error::new(finding)),
                }
            }
        }
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
        if self.may_be_open && (first == KEYFRAME[0] || first == NORMAL[0]) {
            let whole = playing.load_open(rest, offset);
            self.taken += whole;
            if whole > 0 {
                return Ok(true);
            }
            let mut input = Cursor::new(rest);
            let rule = super::packed::Packed::default()
                .read(&mut input, super::layout::Layout::of(&playing.header))
                .err()
                .unwrap_or(Rule::NoKeyframe);
            if matches!(rule, Rule::Truncated { .. }) && !self.finished {
                return Ok(false);
            }
            // What is no frame will not become one.
            self.place = Place::End;
            self.taken += rest.len();
            playing.note(rule, offset)?;
            return Ok(true);
        }
        if self.may_be_open && first == playing.header.version && playing.seen.frames > 0 {
            self.place = Place::Header;
            return Ok(true);
        }
        self.place = Place::Behind(0);
        Ok(true)
    }

    /// Counts the bytes that are nothing; false where there may be more.
    fn behind_at(&mut self, rest: &[u8]) -> Result<bool, Error> {
        let (Place::Behind(bytes), Some(playing)) = (&mut self.place, &mut self.playing) else {
            return Ok(false);
        };
        *bytes += rest.len() as u64;
        self.taken += rest.len();
        if !self.finished {
            return Ok(false);
        }
        let bytes = *bytes;
        self.place = Place::End;
        let offset = self.base + self.taken as u64 - bytes;
        playing.note(Rule::Trailing { bytes }, offset)?;
        Ok(true)
    }
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
