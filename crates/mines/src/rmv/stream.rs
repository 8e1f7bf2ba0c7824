//! Reading from a stream, and from a file that is still growing.

use std::borrow::Cow;
use std::io::Read;

use super::decode::{EventDecoder, Step};
use super::deviations::{
    Deviations, EventChecker, check_tail, check_video_size, declared_size, ran_out, truncated,
    video_over_limit,
};
use super::error::Error;
use super::events::EventLog;
use super::header::Prelude;
use super::read::{ReadOptions, Reading};
use super::rule::{Finding, Findings, Rule, Section};
use crate::{Event, Game};

/// What a [`Decoder`] has to say next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The sections before the events are complete: see [`Decoder::game`].
    Header,
    /// The next event.
    Event(Event),
    /// More bytes are needed to go on; there is none where [`Decoder::finish_input`] was called.
    NeedMore,
    /// The recording is read to its end.
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Header,
    Events,
    /// Behind the termination event, or behind an event that can't be read.
    RestOfVideo {
        is_tail: bool,
    },
    Checksum,
    Trailing,
    Done,
}

/// Reads a recording from bytes as they come, without doing I/O itself.
///
/// Feed it any pieces; it holds one event at a time (and the sections before the events, at
/// most 448 KiB). Where a growing file ends in the middle of an event it says
/// [`Progress::NeedMore`] and goes on when more is fed.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use gametape_mines::rmv::{Decoder, Progress, ReadOptions};
/// let mut decoder = Decoder::new(ReadOptions::default());
/// let mut events = 0;
/// for piece in bytes.chunks(7) {
///     decoder.feed(piece);
///     while let progress @ (Progress::Header | Progress::Event(_)) = decoder.next()? {
///         events += usize::from(progress != Progress::Header);
///     }
/// }
/// decoder.finish_input();
/// assert_eq!(decoder.next()?, Progress::Done);
/// assert_eq!(events, gametape_mines::rmv::read(&bytes)?.events.iter().count());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    options: ReadOptions,
    deviations: Deviations,
    buffer: Vec<u8>,
    /// Bytes of the buffer that are used up.
    used: usize,
    /// Bytes of the file that lie before the buffer.
    before: u64,
    finished: bool,
    state: State,
    prelude: Option<Prelude>,
    game: Option<Game<'static>>,
    events: EventDecoder,
    checker: EventChecker,
    index: u32,
    trailing: u64,
}

impl Decoder {
    /// A decoder at the start of a file.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        Self {
            options,
            deviations: Deviations::new(options.strictness),
            buffer: Vec::new(),
            used: 0,
            before: 0,
            finished: false,
            state: State::Header,
            prelude: None,
            game: None,
            events: EventDecoder::new(crate::Version::V1),
            checker: EventChecker::new(0, 0),
            index: 0,
            trailing: 0,
        }
    }

    /// Adds bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.used > 0 {
            self.buffer.drain(..self.used);
            self.before += self.used as u64;
            self.used = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Says that no more bytes will come.
    pub const fn finish_input(&mut self) {
        self.finished = true;
    }

    /// The game without its events: the sections before them once [`Progress::Header`] was
    /// said, ending, tail and checksum once they were read.
    #[must_use]
    pub const fn game(&self) -> Option<&Game<'static>> {
        self.game.as_ref()
    }

    /// The rules that were found broken so far (lenient reading).
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.deviations.findings
    }

    /// Byte offset of what is read next.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.before + self.used as u64
    }

    /// True where the recording is there to its last byte, although more might follow.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self.state, State::Trailing | State::Done)
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.used..).unwrap_or_default()
    }

    /// Bytes of the video section that were read, and its stated size.
    fn video_position(&self) -> (u64, Option<u64>) {
        let (start, stated) = self.prelude.map_or((0, None), |prelude| {
            (prelude.video_start() as u64, prelude.stated_video())
        });
        let stated = stated.map(u64::from);
        (self.offset() - start, stated)
    }

    /// What is left of the video section in the buffer, and whether the section ends there.
    fn video_rest(&self) -> (usize, bool) {
        let have = self.rest().len();
        let (read, stated) = self.video_position();
        match stated {
            Some(stated) if stated - read <= have as u64 => ((stated - read) as usize, true),
            _ => (have, false),
        }
    }

    /// Goes one step further.
    #[allow(clippy::should_implement_trait)] // Fallible, and None would not mean the end.
    pub fn next(&mut self) -> Result<Progress, Error> {
        loop {
            match self.state {
                State::Header => return self.header(),
                State::Events => {
                    if let Some(progress) = self.event()? {
                        return Ok(progress);
                    }
                }
                State::RestOfVideo { is_tail } => {
                    if !self.rest_of_video(is_tail)? {
                        return Ok(Progress::NeedMore);
                    }
                }
                State::Checksum => {
                    if !self.checksum()? {
                        return Ok(Progress::NeedMore);
                    }
                }
                State::Trailing => {
                    let found = self.rest().len();
                    self.used += found;
                    self.trailing += found as u64;
                    if !self.finished {
                        return Ok(Progress::NeedMore);
                    }
                    self.finish()?;
                }
                State::Done => return Ok(Progress::Done),
            }
        }
    }

    fn header(&mut self) -> Result<Progress, Error> {
        let bytes = self.rest();
        let Some(prelude) = Prelude::parse(bytes)? else {
            return if self.finished {
                Err(Prelude::too_short(bytes))
            } else {
                Ok(Progress::NeedMore)
            };
        };
        let (needed, have) = (prelude.video_start(), bytes.len());
        if have < needed {
            return if self.finished {
                let (needed, have) = (needed as u64, have as u64);
                Err(truncated(Section::Header, needed, have, have).into())
            } else {
                Ok(Progress::NeedMore)
            };
        }
        check_video_size(prelude.stated_video(), needed as u64, &self.options.limits)?;
        let game = prelude.sections(
            self.buffer.get(..needed).unwrap_or_default(),
            &mut self.deviations,
        )?;
        self.events = EventDecoder::new(game.version());
        self.checker = EventChecker::new(game.board.cols, game.board.rows);
        self.game = Some(game.into_owned());
        self.prelude = Some(prelude);
        self.used = needed;
        self.state = State::Events;
        Ok(Progress::Header)
    }

    /// `None` where the state has changed.
    fn event(&mut self) -> Result<Option<Progress>, Error> {
        let (have, section_ends) = self.video_rest();
        let limit = self.options.limits.max_video_bytes;
        let (read, stated) = self.video_position();
        let offset = self.offset();
        // A section without a stated size is cut at the limit, as the slice reader does.
        let allowed = match stated {
            None => have.min(usize::try_from(limit.saturating_sub(read)).unwrap_or(usize::MAX)),
            Some(_) => have,
        };
        let over = allowed < have;
        let bytes = self
            .buffer
            .get(self.used..self.used + allowed)
            .unwrap_or_default();
        let code = bytes.first().copied();
        match self.events.step(bytes) {
            Step::Event(event, len) => {
                self.checker
                    .check(&event, self.index, offset, &mut self.deviations)?;
                self.used += len;
                self.index += 1;
                Ok(Some(Progress::Event(event)))
            }
            Step::End(ending) => {
                if let Some(game) = &mut self.game {
                    game.ending = Some(ending);
                }
                self.used += 4;
                self.state = State::RestOfVideo { is_tail: true };
                Ok(None)
            }
            Step::Bad(fault) => {
                let version = self.events.version();
                let finding = Finding::new(fault.rule(version)).at(offset);
                self.deviations
                    .note(finding.event(self.index, self.events.time_ms()))?;
                self.state = State::RestOfVideo { is_tail: false };
                Ok(None)
            }
            Step::Need(_) if over => Err(self.over_limit()),
            Step::Need(needed) => {
                let finding = if section_ends {
                    let rule = ran_out(code, needed, have as u64, self.index);
                    Finding::new(rule).at(offset)
                } else if self.finished {
                    let declared = self.prelude.map_or(0, |prelude| u64::from(prelude.video));
                    let end = offset + have as u64;
                    truncated(Section::Video, declared, read + have as u64, end)
                } else {
                    return Ok(Some(Progress::NeedMore));
                };
                self.deviations
                    .note(finding.event(self.index, self.events.time_ms()))?;
                self.used += have;
                self.state = if section_ends {
                    State::Checksum
                } else {
                    State::Trailing
                };
                Ok(None)
            }
        }
    }

    fn over_limit(&self) -> Error {
        let start = self.prelude.map_or(0, |prelude| prelude.video_start());
        video_over_limit(start as u64, &self.options.limits)
    }

    /// True where the section is behind us.
    fn rest_of_video(&mut self, is_tail: bool) -> Result<bool, Error> {
        let (have, section_ends) = self.video_rest();
        let (read, stated) = self.video_position();
        if stated.is_none() && read + have as u64 > self.options.limits.max_video_bytes {
            return Err(self.over_limit());
        }
        let offset = self.offset();
        if is_tail && let Some(game) = &mut self.game {
            let bytes = self.buffer.get(self.used..self.used + have);
            game.tail
                .to_mut()
                .extend_from_slice(bytes.unwrap_or_default());
        }
        self.used += have;
        if !section_ends && !self.finished {
            return Ok(false);
        }
        if is_tail {
            let found = self.game.as_ref().map_or(0, |game| game.tail.len() as u64);
            let end = offset + have as u64;
            if section_ends {
                check_tail(found, end - found, &mut self.deviations)?;
            } else {
                let declared = self.prelude.map_or(0, |prelude| u64::from(prelude.video));
                let behind_termination = read + have as u64 - found;
                let needed = declared.saturating_sub(behind_termination);
                self.deviations
                    .note(truncated(Section::Tail, needed, found, end))?;
            }
        }
        self.state = if section_ends {
            State::Checksum
        } else {
            State::Trailing
        };
        Ok(true)
    }

    /// True where the checksum is behind us.
    fn checksum(&mut self) -> Result<bool, Error> {
        let size = self
            .prelude
            .map_or(0, |prelude| usize::from(prelude.checksum));
        let have = self.rest().len();
        if have < size && !self.finished {
            return Ok(false);
        }
        let taken = have.min(size);
        let offset = self.offset();
        let bytes = self.rest().get(..taken).unwrap_or_default().to_vec();
        if let Some(game) = &mut self.game {
            game.checksum = Cow::Owned(bytes);
        }
        self.used += taken;
        if taken < size {
            let (needed, left) = (size as u64, taken as u64);
            let finding = truncated(Section::Checksum, needed, left, offset + left);
            self.deviations.note(finding)?;
        }
        self.state = State::Trailing;
        Ok(true)
    }

    fn finish(&mut self) -> Result<(), Error> {
        let real = self.offset();
        if self.trailing > 0 {
            let found = self.trailing;
            let finding = Finding::new(Rule::TrailingBytes { found });
            self.deviations.note(finding.at(real - found))?;
        }
        if let (Some(prelude), Some(game)) = (&self.prelude, &mut self.game) {
            game.file_size = declared_size(
                prelude.version,
                prelude.file_size,
                real,
                &mut self.deviations,
            )?;
        }
        self.state = State::Done;
        Ok(())
    }
}

/// Reads events from any [`Read`], one at a time.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use gametape_mines::rmv::{ReadOptions, Reader};
/// let mut reader = Reader::new(&bytes[..], ReadOptions::default())?;
/// println!("{} mines", reader.game().board.mines.len());
/// while let Some(event) = reader.next_event()? {
///     # let _ = event;
/// }
/// assert!(reader.game().ending.is_some());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    decoder: Decoder,
    piece: Box<[u8]>,
    game: Game<'static>,
    done: bool,
}

impl<R: Read> Reader<R> {
    /// Reads the sections before the events.
    pub fn new(source: R, options: ReadOptions) -> Result<Self, Error> {
        let mut reader = Self {
            source,
            decoder: Decoder::new(options),
            piece: vec![0; 16 << 10].into_boxed_slice(),
            game: Game::new(
                crate::Version::V2,
                crate::Board {
                    timestamp: 0,
                    cols: 1,
                    rows: 1,
                    mines: crate::Cells::default(),
                },
            ),
            done: false,
        };
        while reader.step()? != Progress::Header {}
        if let Some(game) = reader.decoder.game() {
            reader.game = game.clone();
        }
        Ok(reader)
    }

    /// The next thing the decoder says, with bytes from the source as they are needed.
    fn step(&mut self) -> Result<Progress, Error> {
        loop {
            match self.decoder.next()? {
                Progress::NeedMore => self.fill()?,
                progress => return Ok(progress),
            }
        }
    }

    fn fill(&mut self) -> Result<(), Error> {
        loop {
            match self.source.read(&mut self.piece) {
                Ok(0) => self.decoder.finish_input(),
                Ok(got) => self.decoder.feed(self.piece.get(..got).unwrap_or_default()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => {
                    let offset = self.decoder.before + self.decoder.buffer.len() as u64;
                    return Err(Error::Io { offset, source });
                }
            }
            return Ok(());
        }
    }

    /// The game without its events; ending, tail, checksum and file size are known when
    /// [`Reader::next_event`] has said `None`.
    pub const fn game(&self) -> &Game<'static> {
        &self.game
    }

    /// The rules that were found broken so far (lenient reading).
    pub const fn findings(&self) -> &Findings {
        self.decoder.findings()
    }

    /// The next event; `None` when the file has been read and checked to its end.
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        if self.done {
            return Ok(None);
        }
        loop {
            match self.step()? {
                Progress::Event(event) => return Ok(Some(event)),
                Progress::Done => {
                    self.done = true;
                    if let Some(game) = self.decoder.game() {
                        self.game = game.clone();
                    }
                    return Ok(None);
                }
                Progress::Header | Progress::NeedMore => {}
            }
        }
    }
}

/// Reads a whole recording from any [`Read`].
///
/// Says the same as [`ReadOptions::read`] does of the same bytes in memory.
pub fn read_from<R: Read>(source: R, options: ReadOptions) -> Result<Reading<'static>, Error> {
    let mut reader = Reader::new(source, options)?;
    let mut events = EventLog::empty(reader.game.version());
    while let Some(event) = reader.next_event()? {
        // What was decoded can be encoded again.
        let appended = events.append(event);
        debug_assert!(appended.is_ok(), "{appended:?}");
    }
    events.set_offset(
        reader
            .decoder
            .prelude
            .map_or(0, |prelude| prelude.video_start() as u64),
    );
    let mut game = reader.game;
    game.events = events;
    Ok(Reading {
        game,
        findings: reader.decoder.deviations.findings,
    })
}
