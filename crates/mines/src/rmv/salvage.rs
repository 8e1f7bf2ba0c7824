//! Keeping the intact part of a broken recording.

use std::borrow::Cow;
use std::fmt;

use gametape_core::text::{Bytes, Counted, Grouped};
use gametape_core::{Class, Coded};

use super::convert::Loss;
use super::convert::{utf8, utf8_texts};
use super::error::{Error, Finding, Findings, Section, WriteError};
use super::events::EventLog;
use super::header::Prelude;
use super::read::ReadOptions;
use super::read::{Reading, read_with};
use super::result_string::{score, with_values};
use super::rule::Rule;
use super::write::write;
use crate::event::game_time;
use crate::game::Encoding;
use crate::rmv::Extensions;
use crate::{DeclaredSize, Ending, Event, Game, Outcome, Text, Version, replay};

/// A single repair.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs)] // Fields are the figures of the sentence.
pub enum Repair {
    /// The stated file size was corrected; nothing is lost.
    FileSize { was: u32 },
    /// A section had bytes that its content does not use; they were dropped.
    Slack { section: Section, bytes: u64 },
    /// Bytes after the checksum were dropped.
    TrailingBytes { bytes: u64 },
    /// The video section was cut off or unreadable after the last complete event. `dropped` whole events
    /// before that are lost, too: a click whose board events are not all there.
    EventsCut {
        kept: u32,
        dropped: u32,
        offset: u64,
    },
    /// Mouse events whose time was before that of the event before them got its time.
    TimesRaised { events: u32 },
    /// The termination event was missing. One was added at the time of the last mouse event, with
    /// the outcome that the rules give for the events that were kept.
    TerminationAdded { outcome: Outcome, time_ms: u32 },
    /// The bytes after the termination event were missing or had another size.
    TailRewritten,
    /// Something was lost.
    Lost(Loss),
}

impl Repair {
    /// True if the repaired file contains less than the broken one did.
    #[must_use]
    pub const fn is_loss(&self) -> bool {
        !matches!(self, Self::FileSize { .. })
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FileSize { was } => {
                write!(f, "set file_size right, it said {}", Grouped((*was).into()))
            }
            Self::Slack { section, bytes } => {
                write!(
                    f,
                    "dropped {} of the {section}",
                    Counted(*bytes, "unused byte")
                )
            }
            Self::TrailingBytes { bytes } => {
                write!(f, "dropped {} after the checksum", Bytes(*bytes))
            }
            Self::EventsCut {
                kept,
                dropped,
                offset,
            } => {
                let (kept, offset) = (Counted((*kept).into(), "whole event"), Grouped(*offset));
                write!(f, "kept {kept}; lost what stood from byte {offset} on")?;
                match dropped {
                    0 => Ok(()),
                    1 => f.write_str(
                        ", and the event before it: a click whose board events are not all there",
                    ),
                    dropped => write!(
                        f,
                        ", and {} before it: a click whose board events are not all there",
                        Counted((*dropped).into(), "event")
                    ),
                }
            }
            Self::TimesRaised { events } => write!(
                f,
                "gave {} the time of the one before, since time ran backwards there",
                Counted((*events).into(), "mouse event")
            ),
            Self::TerminationAdded { outcome, time_ms } => write!(
                f,
                "ended the game as \"{outcome}\" at {}: its termination event was lost",
                game_time(*time_ms)
            ),
            Self::TailRewritten => f.write_str("rewrote the bytes after the termination event"),
            Self::Lost(loss) => write!(f, "lost {loss}"),
        }
    }
}

/// The result of a salvage.
#[derive(Clone, PartialEq, Debug)]
pub struct Salvaged {
    /// The game that was kept.
    pub game: Game<'static>,
    /// The repairs; empty for a file that is intact.
    pub repairs: Vec<Repair>,
    /// The rules that the original file broke.
    pub findings: Findings,
}

/// Why nothing can be salvaged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SalvageError {
    /// The file cannot be read even leniently: the sections before the events are unreadable, or a
    /// limit is exceeded.
    #[error(transparent)]
    Read(#[from] Error),
    /// The file breaks a rule that cannot be repaired, because the right value is not in the file.
    #[error("can't be repaired: {0}")]
    Hopeless(Box<str>),
}

impl Coded for SalvageError {
    fn code(&self) -> &'static str {
        match self {
            Self::Read(error) => error.code(),
            Self::Hopeless(_) => "unwritable",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Read(error) => error.class(),
            Self::Hopeless(_) => Class::File,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Read(error) => error.offset(),
            Self::Hopeless(_) => None,
        }
    }
}

/// Keeps the intact part of a broken recording: every event up to the first one that is incomplete
/// or breaks a rule. Returns the new file and a description of it.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use gametape_mines::rmv;
/// let (whole, salvaged) = rmv::salvage(&bytes[..bytes.len() - 40])?;
/// assert_eq!(rmv::read(&whole).unwrap(), salvaged.game);
/// # Ok::<(), rmv::SalvageError>(())
/// ```
///
/// # Errors
/// [`SalvageError`] if the sections before the events cannot be read, or if the file breaks a rule
/// that cannot be repaired.
pub fn salvage(bytes: &[u8]) -> Result<(Vec<u8>, Salvaged), SalvageError> {
    let Reading { game, findings } = read_with(bytes, ReadOptions::lenient())?;
    let mut mender = Mender {
        game: game.into_owned(),
        repairs: Vec::new(),
        covered_by_checksum: false,
        cut_at: None,
    };
    if let Some(event) = zeros(&mender.game.events) {
        mender.cut_at = Some(event);
    }
    for finding in &findings {
        mender.mend(finding)?;
    }
    if let Some((event, offset)) = mender.cut_at {
        // If only the termination event is missing, no bytes are lost.
        let lost_bytes = !findings.has("rmv.termination-missing");
        mender.cut(event, offset, lost_bytes)?;
    }
    let had_checksum = Prelude::parse(bytes)?.is_some_and(|prelude| prelude.checksum > 0);
    let (game, repairs) = mender.finish(had_checksum);
    // The kept game must be valid: a repaired text may have outgrown its section.
    let written = write(&game).map_err(|error| hopeless(&error))?;
    let salvaged = Salvaged {
        game,
        repairs,
        findings,
    };
    Ok((written, salvaged))
}

fn hopeless(error: &WriteError) -> SalvageError {
    SalvageError::Hopeless(error.to_string().into())
}

/// At most one event of so many may have a time that is raised.
const FEW_OF: u32 = 100;

/// A game under repair.
struct Mender {
    game: Game<'static>,
    repairs: Vec<Repair>,
    /// Whether anything that the checksum covers has changed.
    covered_by_checksum: bool,
    /// The first lost event, and the offset of the first lost byte.
    cut_at: Option<(u32, u64)>,
}

impl Mender {
    /// Repairs what a finding reports, or notes where to cut.
    fn mend(&mut self, finding: &Finding) -> Result<(), SalvageError> {
        match &finding.rule {
            Rule::FileSize { declared, .. } => {
                self.repairs.push(Repair::FileSize { was: *declared });
            }
            Rule::SectionSize {
                section,
                declared,
                used,
            } => {
                self.repairs.push(Repair::Slack {
                    section: *section,
                    bytes: declared - used,
                });
                self.covered_by_checksum = true;
            }
            Rule::TrailingBytes { found } => {
                self.repairs.push(Repair::TrailingBytes { bytes: *found });
            }
            Rule::Truncated {
                section: Section::Checksum,
                ..
            } => self.covered_by_checksum = true,
            Rule::Truncated {
                section: Section::Tail,
                ..
            }
            | Rule::TailSize { .. } => {
                let time_ms = self.game.ending.map_or(0, |ending| ending.time_ms);
                self.rewrite_tail(time_ms);
                self.repairs.push(Repair::TailRewritten);
            }
            // What is cut off needs no time.
            Rule::TimeOrder { .. } if self.is_cut_before(finding) => {}
            Rule::TimeOrder { .. } => {
                if !self.raise_times().map_err(|error| hopeless(&error))? {
                    self.cut_at(finding);
                }
            }
            Rule::Truncated { .. }
            | Rule::EventCode { .. }
            | Rule::EventCut { .. }
            | Rule::ReducedFirst
            | Rule::TimeRange { .. }
            | Rule::PositionRange { .. }
            | Rule::EventCell { .. }
            | Rule::TerminationMissing { .. } => self.cut_at(finding),
            Rule::TextNotUtf8 { .. } => {
                reencode(&mut self.game, &mut self.repairs).map_err(|error| hopeless(&error))?;
                self.covered_by_checksum = true;
            }
            rule => return Err(SalvageError::Hopeless(rule.to_string().into())),
        }
        Ok(())
    }

    /// Notes that the game ends before the event of a finding.
    fn cut_at(&mut self, finding: &Finding) {
        let event = finding.place.step.and_then(|step| u32::try_from(step).ok());
        let event = event.unwrap_or(self.game.events.len());
        if self.cut_at.is_none_or(|(first, _)| event < first) {
            self.cut_at = Some((event, finding.place.offset.unwrap_or(0)));
        }
    }

    /// Whether the game ends before the event of a finding.
    fn is_cut_before(&self, finding: &Finding) -> bool {
        let event = finding.place.step.unwrap_or(u64::MAX);
        self.cut_at
            .is_some_and(|(first, _)| u64::from(first) <= event)
    }

    /// Gives mouse events that are too early the time of the event before them, if they are few:
    /// where many are, it is not known which times are right. Returns whether they are few.
    fn raise_times(&mut self) -> Result<bool, WriteError> {
        let events = &self.game.events;
        let mut raised = EventLog::empty(events.version());
        let (mut time_ms, mut count) = (0, 0);
        for mut event in events {
            if let Event::Mouse(mouse) = &mut event {
                count += u32::from(mouse.time_ms < time_ms);
                time_ms = time_ms.max(mouse.time_ms);
                mouse.time_ms = time_ms;
            }
            raised.push(event)?;
        }
        if count.saturating_mul(FEW_OF) > raised.len() {
            return Ok(false);
        }
        raised.set_offset(events.offset());
        self.game.events = raised;
        self.covered_by_checksum = true;
        self.repairs.push(Repair::TimesRaised { events: count });
        Ok(true)
    }

    /// Replaces the bytes after the termination event by the form of known files.
    fn rewrite_tail(&mut self, time_ms: u32) {
        let tail = Game::canonical_tail(self.game.version(), time_ms);
        self.game.tail = Cow::Owned(tail.to_vec());
        self.covered_by_checksum = true;
    }

    /// Ends the game before event `first_lost`.
    fn cut(&mut self, first_lost: u32, offset: u64, lost_bytes: bool) -> Result<(), SalvageError> {
        let game = &mut self.game;
        let whole = game.events.len();
        game.events = first_events(&game.events, first_lost).map_err(|error| hopeless(&error))?;
        let readable = game.events.len();
        // A cut among the board events of a click leaves that click incomplete, too.
        if let Some(unmet) = replay(game).unmet_from {
            game.events = first_events(&game.events, unmet).map_err(|error| hopeless(&error))?;
        }
        let kept = game.events.len();
        if kept < whole || lost_bytes {
            self.repairs.push(Repair::EventsCut {
                kept,
                dropped: readable.saturating_sub(kept),
                offset,
            });
        }
        let time_ms = game.events.last_time_ms();
        let outcome = replay(game).status.outcome();
        game.ending = Some(Ending { outcome, time_ms });
        rewrite_score(game);
        self.repairs
            .push(Repair::TerminationAdded { outcome, time_ms });
        self.rewrite_tail(time_ms);
        Ok(())
    }

    /// Drops a checksum that no longer fits, and corrects the stated file size.
    fn finish(mut self, had_checksum: bool) -> (Game<'static>, Vec<Repair>) {
        if had_checksum && self.covered_by_checksum {
            self.game.checksum = Cow::Borrowed(&[]);
            self.repairs.push(Repair::Lost(Loss::Checksum));
        }
        if !self.repairs.is_empty() {
            self.game.file_size = match self.game.encoding {
                Encoding::V2 { clone_id: 1, .. } => DeclaredSize::LessTwo,
                _ => DeclaredSize::Exact,
            };
        }
        (self.game, self.repairs)
    }
}

/// The first event that a run of zeros overwrote, and its offset. A run reads as timestamps of 0, one after
/// another; a single one is what a redaction leaves.
fn zeros(events: &EventLog<'_>) -> Option<(u32, u64)> {
    const RUN: u32 = 4;
    let mut all = events.iter();
    let (mut before, mut run) = (0, 0);
    for index in 0_u32.. {
        let at = all.position();
        if all.next()? == Event::Timestamp(0) {
            run += 1;
        } else {
            (before, run) = (at, 0);
        }
        if run == RUN {
            let start = at - 5 * (RUN as usize - 1);
            // The event before is torn if it ends in zeros.
            let torn = start > 0 && events.as_bytes().get(start - 1) == Some(&0);
            let (first, start) = if torn {
                (index - RUN, before)
            } else {
                (index + 1 - RUN, start)
            };
            return Some((first, events.offset() + start as u64));
        }
    }
    None
}

fn first_events(events: &EventLog<'_>, count: u32) -> Result<EventLog<'static>, WriteError> {
    let mut kept = EventLog::empty(events.version());
    for event in events.iter().take(count as usize) {
        kept.push(event)?;
    }
    Ok(kept)
}

/// Changes SCORE in the result string to the new time; the rest stays as it was.
fn rewrite_score(game: &mut Game<'static>) {
    let Some(ending) = game.ending else {
        return;
    };
    if let Encoding::V1 { result } = &mut game.encoding {
        let scored = with_values(result.as_bytes(), |key, _| {
            (key == b"SCORE").then(|| score(ending).into_bytes())
        });
        *result = Text(Cow::Owned(scored));
    }
}

/// Decodes texts that are declared as UTF-8 but are not. It decodes them like the texts of old files.
fn reencode(game: &mut Game<'static>, repairs: &mut Vec<Repair>) -> Result<(), WriteError> {
    let mut decode = |field, bytes: &[u8]| {
        let decoded = crate::TextRule::Undefined.decode(bytes);
        utf8(field, decoded, |loss| repairs.push(Repair::Lost(loss)))
    };
    let (version_info, player) = utf8_texts(game, &mut decode)?;
    match &mut game.encoding {
        Encoding::V1 { result } => {
            *result = Text::from(decode("the result string", result.as_bytes()));
        }
        Encoding::V2 { extensions, .. } => {
            let mut name = |name| decode("an extension property's name", name);
            let renamed = extensions.iter().map(|e| (name(e.name), e.value));
            *extensions = Extensions::new(renamed)?;
        }
    }
    (game.version_info, game.player) = (version_info, player);
    debug_assert!(game.version() == Version::V2 || game.text_rule() == crate::TextRule::Utf8);
    Ok(())
}
