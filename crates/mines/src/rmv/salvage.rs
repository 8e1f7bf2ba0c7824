//! Keeping what is whole of a broken recording.

use std::borrow::Cow;
use std::fmt;

use super::convert::Loss;
use super::error::{Error, WriteError};
use super::events::EventLog;
use super::header::Prelude;
use super::read::{Reading, read_lenient};
use super::result_string::{score, split_pair};
use super::rule::{Findings, Rule, Section};
use crate::engine::Status;
use crate::fields::{Extensions, PlayerFields};
use crate::game::Encoding;
use crate::{DeclaredSize, Ending, Event, Game, Outcome, Text, TextEncoding, Version, replay};

/// One thing a salvage did.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Repair {
    /// The stated file size was set right; nothing is lost.
    FileSize {
        /// What it said.
        was: u32,
    },
    /// A section had bytes its content does not use; they were dropped.
    Slack {
        /// Which section.
        section: Section,
        /// How many bytes.
        bytes: u64,
    },
    /// Bytes behind the checksum were dropped.
    TrailingBytes {
        /// How many.
        bytes: u64,
    },
    /// The video section was cut or unreadable behind the last whole event.
    EventsCut {
        /// How many events were kept.
        kept: u32,
        /// Where in the file the first lost byte stood.
        offset: u64,
    },
    /// The termination event was missing: one was put there at the last mouse event's time, with
    /// the outcome that the rules give for the events that were kept.
    TerminationAdded {
        /// The outcome.
        outcome: Outcome,
        /// The time.
        time_ms: u32,
    },
    /// The bytes behind the termination event were missing or of another size.
    TailRewritten,
    /// Something was given up.
    Lost(Loss),
}

impl Repair {
    /// True where the repaired file holds less than the broken one did.
    #[must_use]
    pub const fn is_loss(&self) -> bool {
        !matches!(self, Self::FileSize { .. })
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FileSize { was } => write!(f, "set file_size right, it said {was}"),
            Self::Slack { section, bytes } => {
                write!(f, "dropped {bytes} unused bytes of the {section}")
            }
            Self::TrailingBytes { bytes } => {
                write!(f, "dropped {bytes} bytes behind the checksum")
            }
            Self::EventsCut { kept, offset } => {
                write!(
                    f,
                    "kept {kept} whole events; lost what stood from byte {offset} on"
                )
            }
            Self::TerminationAdded { outcome, time_ms } => write!(
                f,
                "ended the game as \"{outcome}\" at {}.{:03} s: its termination event was lost",
                time_ms / 1000,
                time_ms % 1000
            ),
            Self::TailRewritten => f.write_str("rewrote the bytes behind the termination event"),
            Self::Lost(loss) => write!(f, "lost {loss}"),
        }
    }
}

/// What a salvage gives.
#[derive(Clone, PartialEq, Debug)]
pub struct Salvaged {
    /// A game that [`write`](super::write()) accepts.
    pub game: Game<'static>,
    /// What was done; empty for a file that is whole.
    pub repairs: Vec<Repair>,
    /// The rules that the file broke.
    pub findings: Findings,
}

/// Why nothing can be salvaged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SalvageError {
    /// Not even the sections before the events can be read.
    #[error(transparent)]
    Read(#[from] Error),
    /// The file breaks a rule that nobody can mend: the right value is not in the file.
    #[error("can't be repaired: {0}")]
    Hopeless(Box<str>),
}

/// Keeps what is whole of a broken recording: every event up to the first one that is cut or
/// breaks a rule.
///
/// ```
/// # let bytes = gametape_samples::mines::example();
/// use gametape_mines::rmv;
/// let salvaged = rmv::salvage(&bytes[..bytes.len() - 40])?;
/// let whole = rmv::write(&salvaged.game)?;
/// assert!(rmv::read(&whole).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn salvage(bytes: &[u8]) -> Result<Salvaged, SalvageError> {
    let Reading { game, findings } = read_lenient(bytes)?;
    let mut repairs = Vec::new();
    let mut game = game.into_owned();
    let mut covered_by_checksum = false;
    let mut cut_at: Option<(u32, u64)> = None;
    for finding in &findings {
        let place = (
            finding.event.unwrap_or(game.events.len()),
            finding.offset.unwrap_or(0),
        );
        match &finding.rule {
            Rule::FileSize { declared, .. } => repairs.push(Repair::FileSize { was: *declared }),
            Rule::SectionSize {
                section,
                declared,
                used,
            } => {
                repairs.push(Repair::Slack {
                    section: *section,
                    bytes: declared - used,
                });
                covered_by_checksum = true;
            }
            Rule::TrailingBytes { found } => repairs.push(Repair::TrailingBytes { bytes: *found }),
            Rule::Truncated {
                section: Section::Checksum,
                ..
            } => covered_by_checksum = true,
            Rule::Truncated {
                section: Section::Tail,
                ..
            }
            | Rule::TailSize { .. } => {
                let time_ms = game.ending.map_or(0, |ending| ending.time_ms);
                game.tail = Cow::Owned(Game::canonical_tail(game.version(), time_ms).to_vec());
                repairs.push(Repair::TailRewritten);
                covered_by_checksum = true;
            }
            Rule::Truncated { .. }
            | Rule::EventCode { .. }
            | Rule::EventCut { .. }
            | Rule::ReducedFirst
            | Rule::TimeOrder { .. }
            | Rule::TimeRange { .. }
            | Rule::PositionRange { .. }
            | Rule::EventCell { .. }
            | Rule::TerminationMissing { .. } => {
                if cut_at.is_none_or(|(event, _)| place.0 < event) {
                    cut_at = Some(place);
                }
            }
            Rule::TextNotUtf8 { .. } => {
                reencode(&mut game, &mut repairs)
                    .map_err(|error| SalvageError::Hopeless(error.to_string().into()))?;
                covered_by_checksum = true;
            }
            rule => return Err(SalvageError::Hopeless(rule.to_string().into())),
        }
    }
    if let Some((event, offset)) = cut_at {
        // Where only the termination event is missing, no byte is.
        let lost_bytes = !findings.has("rmv.termination-missing");
        cut(&mut game, event, offset, lost_bytes, &mut repairs)?;
        rewrite_score(&mut game);
        covered_by_checksum = true;
    }
    let had_checksum = Prelude::parse(bytes)?.is_some_and(|prelude| prelude.checksum > 0);
    if had_checksum && covered_by_checksum {
        game.checksum = Cow::Borrowed(&[]);
        repairs.push(Repair::Lost(Loss::Checksum));
    }
    if !repairs.is_empty() {
        game.file_size = match game.encoding {
            Encoding::V2 { clone_id: 1, .. } => DeclaredSize::LessTwo,
            _ => DeclaredSize::Exact,
        };
    }
    // What is kept must be whole: a text that was mended may have grown beyond its section.
    super::write::write(&game).map_err(|error| SalvageError::Hopeless(error.to_string().into()))?;
    Ok(Salvaged {
        game,
        repairs,
        findings,
    })
}

/// Ends the game before event `first_lost`.
fn cut(
    game: &mut Game<'static>,
    first_lost: u32,
    offset: u64,
    lost_bytes: bool,
    repairs: &mut Vec<Repair>,
) -> Result<(), SalvageError> {
    let whole = game.events.len();
    let hopeless = |error: WriteError| SalvageError::Hopeless(error.to_string().into());
    game.events = first_events(&game.events, first_lost).map_err(hopeless)?;
    // A cut among the board events of a click leaves a click that is not whole, either.
    let replayed = replay(game);
    if let Some(unmet) = replayed.unmet_from {
        game.events = first_events(&game.events, unmet).map_err(hopeless)?;
    }
    let kept = game.events.len();
    if kept < whole || lost_bytes {
        repairs.push(Repair::EventsCut { kept, offset });
    }
    let time_ms = last_time(&game.events);
    let outcome = match replay(game).status {
        Status::Won => Outcome::Win,
        Status::Lost => Outcome::Blast,
        Status::Playing => Outcome::Other,
    };
    game.ending = Some(Ending { outcome, time_ms });
    repairs.push(Repair::TerminationAdded { outcome, time_ms });
    game.tail = Cow::Owned(Game::canonical_tail(game.version(), time_ms).to_vec());
    Ok(())
}

fn first_events(events: &EventLog<'_>, count: u32) -> Result<EventLog<'static>, WriteError> {
    let mut kept = EventLog::empty(events.version());
    for event in events.iter().take(count as usize) {
        kept.push(event)?;
    }
    Ok(kept)
}

/// The result string's SCORE follows the new time; the rest of it stays as it was.
fn rewrite_score(game: &mut Game<'static>) {
    let Some(ending) = game.ending else {
        return;
    };
    if let Encoding::V1 { result } = &mut game.encoding {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for pair in result.as_bytes().split(|&b| b == b'#') {
            parts.push(match split_pair(pair) {
                Some((b"SCORE", old)) => {
                    let key = pair.get(..pair.len() - old.len()).unwrap_or_default();
                    [key, score(ending).as_bytes()].concat()
                }
                _ => pair.to_vec(),
            });
        }
        *result = Text(Cow::Owned(parts.join(&b'#')));
    }
}

fn last_time(events: &EventLog<'_>) -> u32 {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Mouse(mouse) => Some(mouse.time_ms),
            _ => None,
        })
        .last()
        .unwrap_or(0)
}

/// Texts that claim to be UTF-8 and are not, decoded as an old file's would be.
fn reencode(game: &mut Game<'static>, repairs: &mut Vec<Repair>) -> Result<(), WriteError> {
    let mut decode = |field: &'static str, bytes: &[u8]| {
        let (text, from) = crate::TextRule::Undefined.decode(bytes);
        if !matches!(from, TextEncoding::Ascii | TextEncoding::Utf8) {
            repairs.push(Repair::Lost(Loss::TextReencoded { field, from }));
        }
        text.into_owned()
    };
    let version_info = decode("the version info", game.version_info.as_bytes());
    let fields: Vec<String> = game
        .player
        .named()
        .map(|(name, field)| decode(name, field))
        .collect();
    match &mut game.encoding {
        Encoding::V1 { result } => {
            *result = Text::from(decode("the result string", result.as_bytes()));
        }
        Encoding::V2 { extensions, .. } => {
            let renamed: Vec<(String, Vec<u8>)> = extensions
                .iter()
                .map(|e| {
                    (
                        decode("an extension property's name", e.name),
                        e.value.to_vec(),
                    )
                })
                .collect();
            *extensions = Extensions::new(renamed)?;
        }
    }
    game.version_info = Text::from(version_info);
    game.player = PlayerFields::new(fields)?;
    debug_assert!(game.version() == Version::V2 || game.text_rule() == crate::TextRule::Utf8);
    Ok(())
}
