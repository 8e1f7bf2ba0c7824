//! Reading from a stream, from pieces, and from a file that is still growing.

use std::borrow::Cow;
use std::io::Read;

use gametape_core::feed::{self, Buffer, Decode, Fed};

use super::decode::{Decoded, EventDecoder};
use super::deviations::{
    Deviations, EventChecker, check_tail, check_video_size, declared_size, ran_out, truncated,
    video_over_limit,
};
use super::error::{Error, Finding, Findings, Section};
use super::events::EventLog;
use super::header::Prelude;
use super::read::ReadOptions;
use super::read::Reading;
use super::rule::Rule;
use crate::{Board, Cells, DeclaredSize, Event, Game, Version};

/// Reads a recording from bytes as they arrive, without doing I/O itself.
///
/// Push pieces of any size. The feed keeps one event at a time (and the sections before the events,
/// at most 448 KiB). If a growing file ends in the middle of an event, [`Feed::next_event`] returns
/// [`Fed::NeedMore`] and continues once more bytes are pushed.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use gametape_mines::rmv::{Fed, Feed};
/// let mut feed = Feed::new();
/// let mut events = 0;
/// for piece in bytes.chunks(7) {
///     feed.push(piece);
///     while let Fed::Item(_) = feed.next_event()? {
///         events += 1;
///     }
/// }
/// feed.finish();
/// assert_eq!(feed.next_event()?, Fed::End);
/// assert_eq!(events, gametape_mines::rmv::read(&bytes)?.events.len());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[derive(Default, Debug)]
pub struct Feed(feed::Feed<Decoder>);

impl Feed {
    /// Creates a strict feed at the start of a file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a feed at the start of a file.
    #[must_use]
    pub fn with_options(options: ReadOptions) -> Self {
        Self(feed::Feed::new(Decoder::new(options)))
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    /// Declares that no more bytes will come. Pushing more bytes revokes this.
    pub const fn finish(&mut self) {
        self.0.finish();
    }

    /// The next event.
    ///
    /// # Errors
    /// As [`read_with`](super::read_with). An incomplete file is an error only after
    /// [`Feed::finish`]; pushing the rest then resolves it.
    #[inline]
    pub fn next_event(&mut self) -> Result<Fed<Event>, Error> {
        self.0.next()
    }

    /// The game without its events. The sections before the events are available as soon as they
    /// have arrived; ending, tail, checksum and file size once they have been read.
    #[must_use]
    pub fn game(&self) -> Option<&Game<'static>> {
        self.0.decoder().game()
    }

    /// The broken rules found so far (lenient reading).
    #[must_use]
    pub const fn findings(&self) -> &Findings {
        &self.0.decoder().deviations.findings
    }

    /// The offset of the next event, which is the end of the complete part.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// True if the recording is complete to its last byte, even if more bytes might follow.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.decoder().is_complete()
    }
}

/// Reads events from any [`Read`], one at a time.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// let mut reader = gametape_mines::rmv::Reader::new(&bytes[..]);
/// println!("{} mines", reader.game()?.board.mines.len());
/// while let Some(event) = reader.next_event()? {
///     # let _ = event;
/// }
/// assert!(reader.game()?.ending.is_some());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R>(feed::Reader<R, Decoder>);

impl<R: Read> Reader<R> {
    /// Creates a strict reader at the start of a recording.
    #[must_use]
    pub fn new(source: R) -> Self {
        Self::with_options(source, ReadOptions::default())
    }

    /// Like [`Reader::new`], with other options.
    #[must_use]
    pub fn with_options(source: R, options: ReadOptions) -> Self {
        Self(feed::Reader::new(source, Decoder::new(options)))
    }

    /// The game without its events: the sections before them. Ending, tail, checksum and file size
    /// are known once [`Reader::next_event`] has returned `None`.
    ///
    /// # Errors
    /// As [`read_with`](super::read_with), and errors of the source.
    pub fn game(&mut self) -> Result<&Game<'static>, Error> {
        if self.0.decoder().game().is_none() {
            self.0
                .until(|decoder, input| Ok(decoder.header(input)?.then_some(())))?;
        }
        Ok(&self.0.decoder().game)
    }

    /// The next event; `None` once the file has been read and checked to its end. In a growing
    /// file, more events may follow later.
    ///
    /// # Errors
    /// As [`read_with`](super::read_with), and errors of the source.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        self.0.next()
    }

    /// The broken rules found so far (lenient reading).
    pub const fn findings(&self) -> &Findings {
        &self.0.decoder().deviations.findings
    }

    /// The offset of the next event, which is the end of the complete part.
    pub const fn offset(&self) -> u64 {
        self.0.offset()
    }
}

/// Reads a whole recording from any [`Read`].
///
/// The result is the same as that of [`read_with`](super::read_with) for the same bytes in memory.
///
/// # Errors
/// As [`read_with`](super::read_with), and errors of the source.
pub fn read_from<R: Read>(source: R, options: ReadOptions) -> Result<Reading<'static>, Error> {
    let mut reader = Reader::with_options(source, options);
    let mut events = EventLog::empty(reader.game()?.version());
    while let Some(event) = reader.next_event()? {
        // An event that was decoded can be encoded again.
        let appended = events.append(event);
        debug_assert!(appended.is_ok(), "{appended:?}");
    }
    let (decoder, _) = reader.0.parts();
    let decoder = std::mem::take(decoder);
    events.set_offset(decoder.video.start);
    Ok(Reading {
        findings: decoder.deviations.findings,
        game: Game {
            events,
            ..decoder.game
        },
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StreamState {
    Header,
    Events,
    /// After the termination event (`is_tail`), or after an event that cannot be read.
    RestOfVideo {
        is_tail: bool,
    },
    Checksum,
    Trailing,
    Done,
}

/// The video section, as described by the fixed part of the file.
#[derive(Clone, Copy, Debug)]
struct Video {
    version: Version,
    file_size: u32,
    checksum: usize,
    start: u64,
    /// The end of the section if its size is stated, otherwise the end that the limit allows.
    end: u64,
    is_open_ended: bool,
    /// The stated size, [`OPEN_ENDED`](super::header::OPEN_ENDED) included.
    stated: u64,
}

impl Video {
    fn new(prelude: &Prelude, options: &ReadOptions) -> Self {
        let start = prelude.video_start() as u64;
        let stated = prelude.stated_video().map(u64::from);
        Self {
            version: prelude.version,
            file_size: prelude.file_size,
            checksum: prelude.checksum.into(),
            start,
            end: start.saturating_add(stated.unwrap_or(options.limits.max_video_bytes)),
            is_open_ended: stated.is_none(),
            stated: prelude.video.into(),
        }
    }
}

/// Decodes the events, one at a time, and the game around them.
#[derive(Debug)]
struct Decoder {
    options: ReadOptions,
    deviations: Deviations,
    state: StreamState,
    /// Without meaning until the [header](Self::header) has been read.
    game: Game<'static>,
    video: Video,
    events: EventDecoder,
    checker: EventChecker,
    index: u32,
    event: Event,
    trailing: u64,
    /// State and findings from before the end of the input was taken for the end of the file.
    before_end: Option<(StreamState, Findings)>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new(ReadOptions::default())
    }
}

impl Decoder {
    fn new(options: ReadOptions) -> Self {
        let no_board = Board {
            timestamp: 0,
            cols: 0,
            rows: 0,
            mines: Cells::default(),
        };
        Self {
            options,
            deviations: Deviations::new(options.strictness),
            state: StreamState::Header,
            game: Game::new(Version::V1, no_board),
            video: Video {
                version: Version::V1,
                file_size: 0,
                checksum: 0,
                start: 0,
                end: 0,
                is_open_ended: false,
                stated: 0,
            },
            events: EventDecoder::new(Version::V1),
            checker: EventChecker::new(0, 0),
            index: 0,
            event: Event::Timestamp(0),
            trailing: 0,
            before_end: None,
        }
    }

    /// The game without its events, once the sections before the events have been read.
    fn game(&self) -> Option<&Game<'static>> {
        (self.state != StreamState::Header).then_some(&self.game)
    }

    fn is_complete(&self) -> bool {
        match (self.state, &self.before_end) {
            (StreamState::Done, Some((before, _))) => *before == StreamState::Trailing,
            (state, _) => state == StreamState::Trailing,
        }
    }

    /// Returns true once the sections before the events have been read.
    fn header(&mut self, input: &mut Buffer) -> Result<bool, Error> {
        let bytes = input.rest();
        let Some(prelude) = Prelude::parse(bytes)? else {
            return if input.is_ended() {
                Err(Prelude::too_short(bytes))
            } else {
                Ok(false)
            };
        };
        let (needed, have) = (prelude.video_start(), bytes.len());
        let Some(front) = bytes.get(..needed) else {
            let (needed, have) = (needed as u64, have as u64);
            return if input.is_ended() {
                Err(truncated(Section::Header, needed, have, have).into())
            } else {
                input.want(needed);
                Ok(false)
            };
        };
        check_video_size(prelude.stated_video(), needed as u64, &self.options.limits)?;
        let game = prelude.sections(front, &mut self.deviations)?;
        self.events = EventDecoder::new(game.version());
        self.checker = EventChecker::new(game.board.cols, game.board.rows);
        self.game = game.into_owned();
        self.video = Video::new(&prelude, &self.options);
        self.state = StreamState::Events;
        input.take(needed);
        Ok(true)
    }

    /// Decodes the next event; `None` if the state has changed.
    #[inline]
    fn event(&mut self, input: &mut Buffer) -> Result<Option<feed::Step>, Error> {
        let offset = input.offset();
        let rest = input.rest();
        let room = usize::try_from(self.video.end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let bytes = rest.get(..room).unwrap_or(rest);
        let before = self.events;
        match self.events.step(bytes) {
            Decoded::Event(event, len) => {
                let (deviations, time) = (&mut self.deviations, before.time_ms());
                let checked = self
                    .checker
                    .check(&event, time, self.index, offset, deviations);
                if let Err(error) = checked {
                    // The event is not consumed, so that the next call returns it again.
                    self.events = before;
                    return Err(error);
                }
                input.take(len);
                self.index += 1;
                self.event = event;
                return Ok(Some(feed::Step::Item));
            }
            Decoded::End(ending) => {
                self.game.ending = Some(ending);
                input.take(4);
                self.state = StreamState::RestOfVideo { is_tail: true };
            }
            Decoded::Bad(fault) => {
                self.note_event(fault.rule(self.video.version), offset)?;
                self.state = StreamState::RestOfVideo { is_tail: false };
            }
            Decoded::Need(_) if self.video.is_open_ended && rest.len() > room => {
                return Err(self.over_limit());
            }
            Decoded::Need(needed) if !self.video.is_open_ended && rest.len() >= room => {
                let code = bytes.first().copied();
                self.note_event(ran_out(code, needed, room as u64, self.index), offset)?;
                input.take(room);
                self.state = StreamState::Checksum;
            }
            Decoded::Need(_) if input.is_ended() => self.cut_event(input)?,
            Decoded::Need(needed) => {
                input.want(needed.min(room) as u64);
                return Ok(Some(feed::Step::NeedMore));
            }
        }
        Ok(None)
    }

    #[cold]
    fn note_event(&mut self, rule: Rule, offset: u64) -> Result<(), Error> {
        let time_ms = self.events.time_ms();
        self.deviations
            .note_event(rule, offset, self.index, time_ms)
    }

    /// The file ends before or inside the next event.
    fn cut_event(&mut self, input: &Buffer) -> Result<(), Error> {
        self.remember();
        let rule = Rule::Truncated {
            section: Section::Video,
            needed: self.video.stated,
            left: input.end() - self.video.start,
        };
        self.note_event(rule, input.end())?;
        self.end(input)
    }

    fn over_limit(&self) -> Error {
        video_over_limit(self.video.start, &self.options.limits)
    }

    /// Returns true once the section has been read.
    fn rest_of_video(&mut self, input: &mut Buffer, is_tail: bool) -> Result<bool, Error> {
        let room = self.video.end.saturating_sub(input.offset());
        let have = input.rest().len() as u64;
        if self.video.is_open_ended && have > room {
            return Err(self.over_limit());
        }
        input.take(usize::try_from(have.min(room)).unwrap_or(usize::MAX));
        if is_tail {
            self.game.tail.to_mut().extend_from_slice(input.piece());
        }
        let section_ends = !self.video.is_open_ended && have >= room;
        if !section_ends && !input.is_ended() {
            return Ok(false);
        }
        let end = input.offset();
        let tail = self.game.tail.len() as u64;
        if section_ends {
            if is_tail {
                check_tail(tail, end - tail, &mut self.deviations)?;
            }
            self.state = StreamState::Checksum;
            return Ok(true);
        }
        self.remember();
        if is_tail {
            let after_termination = end - self.video.start - tail;
            let needed = self.video.stated.saturating_sub(after_termination);
            let finding = truncated(Section::Tail, needed, tail, end);
            self.deviations.note(finding)?;
        }
        self.end(input)?;
        Ok(true)
    }

    /// Returns true once the checksum has been read.
    fn checksum(&mut self, input: &mut Buffer) -> Result<bool, Error> {
        let (size, rest) = (self.video.checksum, input.rest());
        if rest.len() < size && !input.is_ended() {
            input.want(size as u64);
            return Ok(false);
        }
        let checksum = rest.get(..size).unwrap_or(rest);
        self.game.checksum = Cow::Owned(checksum.to_vec());
        if rest.len() < size {
            self.remember();
            let (needed, left) = (size as u64, rest.len() as u64);
            let finding = truncated(Section::Checksum, needed, left, input.end());
            self.deviations.note(finding)?;
            self.end(input)?;
        } else {
            input.take(size);
            self.state = StreamState::Trailing;
        }
        Ok(true)
    }

    /// Returns true at the end of the file.
    fn trailing(&mut self, input: &mut Buffer) -> Result<bool, Error> {
        let found = input.rest().len();
        input.take(found);
        self.trailing += found as u64;
        if !input.is_ended() {
            return Ok(false);
        }
        self.remember();
        if self.trailing > 0 {
            let found = self.trailing;
            let finding = Finding::new(Rule::TrailingBytes { found });
            self.deviations.note(finding.at(input.end() - found))?;
        }
        self.end(input)?;
        Ok(true)
    }

    fn remember(&mut self) {
        if self.before_end.is_none() {
            self.before_end = Some((self.state, self.deviations.findings.clone()));
        }
    }

    /// Called when the end of the input is the end of the file.
    fn end(&mut self, input: &Buffer) -> Result<(), Error> {
        let (version, declared) = (self.video.version, self.video.file_size);
        self.game.file_size = declared_size(version, declared, input.end(), &mut self.deviations)?;
        self.state = StreamState::Done;
        Ok(())
    }
}

impl Decode for Decoder {
    type Item<'a> = Event;
    type Error = Error;

    #[inline]
    fn decode(&mut self, input: &mut Buffer) -> Result<feed::Step, Error> {
        loop {
            let goes_on = match self.state {
                StreamState::Events => match self.event(input)? {
                    Some(step) => return Ok(step),
                    None => true,
                },
                StreamState::Header => self.header(input)?,
                StreamState::RestOfVideo { is_tail } => self.rest_of_video(input, is_tail)?,
                StreamState::Checksum => self.checksum(input)?,
                StreamState::Trailing => self.trailing(input)?,
                StreamState::Done => return Ok(feed::Step::End),
            };
            if !goes_on {
                return Ok(feed::Step::NeedMore);
            }
        }
    }

    #[inline]
    fn item<'a>(&'a mut self, _: &'a Buffer) -> Event {
        self.event
    }

    fn reopen(&mut self) {
        let Some((state, findings)) = self.before_end.take() else {
            return;
        };
        self.state = state;
        self.deviations.findings = findings;
        self.game.file_size = DeclaredSize::Other(self.video.file_size);
    }
}
