//! Reading from a slice: the fastest way, without copying.

use std::borrow::Cow;

use gametape_core::Strictness;

use super::decode::{Decoded, EventDecoder, Sink};
use super::deviations::{
    Deviations, EventChecker, check_tail, check_video_size, declared_size, ran_out, truncated,
    video_over_limit,
};
use super::error::{Error, Finding, Findings, Section};
use super::events::EventLog;
use super::header::{OPEN_ENDED, Prelude};
use super::rule::Rule;
use crate::{Event, Game, Version};

/// A game and the findings about its file.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading<'a> {
    /// The game, as far as it could be read.
    pub game: Game<'a>,
    /// The rules that the file breaks; empty after strict reading.
    pub findings: Findings,
}

/// Reads a recording strictly, borrowing from `bytes`.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// let game = gametape_mines::rmv::read(&bytes)?;
/// println!("{} x {}, {} events", game.board.cols, game.board.rows, game.events.len());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
///
/// # Errors
/// The first broken rule of the format, see [`Rule`]; [`Rule::Limit`] for a video section that
/// exceeds [`Limits::DEFAULT`](super::Limits::DEFAULT).
pub fn read(bytes: &[u8]) -> Result<Game<'_>, Error> {
    Ok(read_with(bytes, ReadOptions::strict())?.game)
}

/// Reads a recording that is completely in memory.
///
/// Sections and events are borrowed; the amount of memory that is allocated does not depend on the
/// input.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use gametape_mines::rmv::{ReadOptions, read_with};
/// let cut = &bytes[..bytes.len() - 30];
/// assert!(read_with(cut, ReadOptions::strict()).unwrap_err().is_truncated());
///
/// let reading = read_with(cut, ReadOptions::lenient())?;
/// assert!(reading.findings.has("rmv.truncated"));
/// assert!(!reading.game.events.is_empty());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
///
/// # Errors
/// As [`read()`]. Lenient reading fails only if the sections before the events cannot be read, or a
/// limit is exceeded.
pub fn read_with(bytes: &[u8], options: ReadOptions) -> Result<Reading<'_>, Error> {
    read_as(bytes, options, |_| {})
}

/// Checks events and passes them on.
struct Checked<'d, F> {
    checker: EventChecker,
    start: u64,
    deviations: &'d mut Deviations,
    each: F,
}

impl<F: FnMut(Event)> Sink for Checked<'_, F> {
    type Error = Error;

    #[inline(always)]
    fn event(mut self, event: Event, before: u32, at: usize, index: u32) -> Result<Self, Error> {
        let offset = self.start + at as u64;
        self.checker
            .check(&event, before, index, offset, self.deviations)?;
        (self.each)(event);
        Ok(self)
    }
}

/// Reads the sections before the events and the outcome of the game, without decoding the events.
/// Use it to list many files.
///
/// The returned game has no events. Its ending is taken from the place where the video section
/// should end, and is `None` if there is no termination event. A file that ends before its sections
/// do gives a finding, even in strict reading.
///
/// # Errors
/// The part of the file before the events cannot be read.
pub fn read_header(bytes: &[u8], options: ReadOptions) -> Result<Reading<'_>, Error> {
    let real = bytes.len() as u64;
    let prelude = Prelude::of_whole(bytes)?;
    let start = prelude.video_start();
    let mut deviations = Deviations::new(options.strictness);
    let mut game = prelude.sections(bytes, &mut deviations)?;
    let after_header = bytes.get(start..).unwrap_or_default();
    let mut findings = deviations.findings;
    if let Some((video, after)) = after_header.split_at_checked(prelude.video as usize) {
        let with_tail = video.last_chunk::<9>().map(|end| end.split_at(4));
        let without = video.last_chunk::<4>().map(|end| (end.as_slice(), &[][..]));
        for (event, tail) in [with_tail, without].into_iter().flatten() {
            if let Decoded::End(ending) = EventDecoder::new(prelude.version).step(event)
                && (tail.is_empty()
                    || tail == Game::canonical_tail(prelude.version, ending.time_ms))
            {
                game.ending = Some(ending);
                game.tail = Cow::Borrowed(tail);
                break;
            }
        }
        let checksum = after.get(..usize::from(prelude.checksum)).unwrap_or(after);
        let (needed, left) = (prelude.checksum.into(), checksum.len() as u64);
        if left < needed {
            findings.push(truncated(Section::Checksum, needed, left, real));
        }
        game.checksum = Cow::Borrowed(checksum);
    } else if let Some(video) = prelude.stated_video() {
        let left = after_header.len() as u64;
        findings.push(truncated(Section::Video, video.into(), left, real));
    }
    game.file_size = declared_size(
        prelude.version,
        prelude.file_size,
        real,
        &mut Deviations::new(Strictness::Lenient),
    )?;
    Ok(Reading { game, findings })
}

/// Like [`read_with`], but passes each event to `each` as soon as it has been checked. This takes
/// one pass over the file, where reading and then iterating takes two.
///
/// Events are passed on before the rest of the file is known to be valid.
///
/// # Errors
/// As [`read_with`].
pub fn read_each(
    bytes: &[u8],
    options: ReadOptions,
    each: impl FnMut(Event),
) -> Result<Reading<'_>, Error> {
    read_as(bytes, options, each)
}

fn read_as(
    bytes: &[u8],
    options: ReadOptions,
    each: impl FnMut(Event),
) -> Result<Reading<'_>, Error> {
    let real = bytes.len() as u64;
    let prelude = Prelude::of_whole(bytes)?;
    let start = prelude.video_start();
    check_video_size(prelude.stated_video(), start as u64, &options.limits)?;
    let mut deviations = Deviations::new(options.strictness);
    let mut game = prelude.sections(bytes, &mut deviations)?;

    let after_header = bytes.get(start..).unwrap_or_default();
    let section = match prelude.video {
        OPEN_ENDED => None,
        declared => after_header.split_at_checked(declared as usize),
    };
    let whole = section.is_some();
    let (video, after) = section.unwrap_or((after_header, &[]));
    let limit = usize::try_from(options.limits.max_video_bytes).unwrap_or(usize::MAX);
    let cut = VideoCut {
        start: start as u64,
        declared: u64::from(prelude.video),
        whole,
        over: (video.len() > limit).then(|| video_over_limit(start as u64, &options.limits)),
    };
    let held = video.get(..limit).unwrap_or(video);
    cut.read(held, &mut game, &mut deviations, each)?;

    if whole {
        let size = usize::from(prelude.checksum);
        let at = start as u64 + video.len() as u64;
        if let Some((checksum, trailing)) = after.split_at_checked(size) {
            game.checksum = Cow::Borrowed(checksum);
            if !trailing.is_empty() {
                let found = trailing.len() as u64;
                let finding = Finding::new(Rule::TrailingBytes { found });
                deviations.note(finding.at(at + size as u64))?;
            }
        } else {
            game.checksum = Cow::Borrowed(after);
            let left = after.len() as u64;
            deviations.note(truncated(Section::Checksum, size as u64, left, at + left))?;
        }
    }
    game.file_size = declared_size(prelude.version, prelude.file_size, real, &mut deviations)?;
    Ok(Reading {
        game,
        findings: deviations.findings,
    })
}

/// The part of the video section that exists.
struct VideoCut {
    start: u64,
    declared: u64,
    /// False if the file ends before the section does.
    whole: bool,
    /// The error for a section without a stated size that exceeds the limit.
    over: Option<Error>,
}

impl VideoCut {
    fn read<'a>(
        self,
        video: &'a [u8],
        game: &mut Game<'a>,
        deviations: &mut Deviations,
        each: impl FnMut(Event),
    ) -> Result<(), Error> {
        let version = game.version();
        let mut decoder = EventDecoder::new(version);
        let checked = Checked {
            checker: EventChecker::new(game.board.cols, game.board.rows),
            start: self.start,
            deviations,
            each,
        };
        let run = match version {
            Version::V1 => decoder.run::<false, true, _>(video, checked)?,
            Version::V2 => decoder.run::<true, true, _>(video, checked)?,
        };
        let deviations = run.sink.deviations;
        let (at, index, end) = (run.at, run.events, run.end);
        if let Decoded::End(ending) = end {
            game.ending = Some(ending);
            game.tail = Cow::Borrowed(video.get(at + 4..).unwrap_or_default());
        }
        let events = video.get(..at).unwrap_or_default();
        let offset = self.start + at as u64;
        let left = (video.len() - at) as u64;
        let time = decoder.time_ms();
        game.events = EventLog::checked(version, Cow::Borrowed(events), index, self.start, decoder);
        if let Decoded::Bad(fault) = end {
            let rule = fault.rule(version);
            deviations.note_event(rule, offset, index, time)?;
            return self.over.map_or(Ok(()), Err);
        }
        if let Some(over) = self.over {
            return Err(over);
        }
        let video_end = self.start + video.len() as u64;
        match end {
            Decoded::Need(needed) if self.whole => {
                let rule = ran_out(video.get(at).copied(), needed, left, index);
                deviations.note_event(rule, offset, index, time)
            }
            Decoded::Need(_) => {
                let rule = Rule::Truncated {
                    section: Section::Video,
                    needed: self.declared,
                    left: video.len() as u64,
                };
                deviations.note_event(rule, video_end, index, time)
            }
            _ if self.whole => check_tail(game.tail.len() as u64, offset + 4, deviations),
            _ => deviations.note(truncated(
                Section::Tail,
                self.declared.saturating_sub(at as u64 + 4),
                left - 4,
                video_end,
            )),
        }
    }
}

/// How to read a recording. The default is strict, within [`Limits::DEFAULT`].
pub type ReadOptions = gametape_core::ReadOptions<Limits>;

/// Limits, checked before anything is allocated.
///
/// The sections before the events are bounded by the format itself: their sizes are 16-bit numbers,
/// in total at most 448 KiB. Only the events need a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The largest video section, in bytes. The longest known real game takes some 200 KB.
    pub max_video_bytes: u64,
}

impl Limits {
    /// 64 MiB of events: days of play.
    pub const DEFAULT: Self = Self {
        max_video_bytes: 64 << 20,
    };

    /// No limit, for trusted input.
    pub const NONE: Self = Self {
        max_video_bytes: u64::MAX,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
