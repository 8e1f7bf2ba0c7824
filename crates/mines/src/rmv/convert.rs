//! Conversion between the two versions, with a list of the losses.

use std::borrow::Cow;
use std::fmt;

use gametape_core::text::{Counted, Grouped};

use super::error::WriteError;
use super::events::EventLog;
use super::redact::Personal;
use super::result_string::ResultParts;
use crate::game::Encoding;
use crate::metrics::bbbv;
use crate::minefield::Minefield;
use crate::rmv::{Extensions, PlayerFields};
use crate::{
    DeclaredSize, Event, Game, Level, Mode, Text, TextEncoding, V1_CELL_SIZE, Version, property,
};

/// Converts a game to the other version of the format; also returns what that version cannot store.
///
/// A game that already has version `to` is returned unchanged.
///
/// # Errors
/// [`WriteError`] if `to` cannot store the game at all: modes above 3, or positions further off the
/// board than v1 allows.
pub fn convert(game: &Game<'_>, to: Version) -> Result<(Game<'static>, Vec<Loss>), WriteError> {
    if game.version() == to {
        return Ok((game.clone().into_owned(), Vec::new()));
    }
    let mut losses = Vec::new();
    let mut converted = match to {
        Version::V1 => to_v1(game, &mut losses)?,
        Version::V2 => to_v2(game, &mut losses)?,
    };
    converted.file_size = match to {
        Version::V1 => DeclaredSize::Exact,
        Version::V2 => DeclaredSize::LessTwo,
    };
    if !game.checksum.is_empty() {
        losses.push(Loss::Checksum);
    }
    let time_ms = game.ending.map_or(0, |ending| ending.time_ms);
    if !game.tail.is_empty() {
        if *game.tail != Game::canonical_tail(game.version(), time_ms) {
            losses.push(Loss::Tail);
        }
        converted.tail = Cow::Owned(Game::canonical_tail(to, time_ms).to_vec());
    }
    // A text may have grown when it was converted to UTF-8.
    super::write::front(&converted, 0)?;
    Ok((converted, losses))
}

/// Returns the decoded text; calls `lose` if its encoding had to be guessed.
pub(super) fn utf8(
    field: &'static str,
    (text, from): (Cow<'_, str>, TextEncoding),
    lose: impl FnOnce(Loss),
) -> String {
    if !matches!(from, TextEncoding::Ascii | TextEncoding::Utf8) {
        lose(Loss::TextReencoded { field, from });
    }
    text.into_owned()
}

/// Decodes the texts that both versions have. `decode` receives each text with its name as used in
/// sentences.
pub(super) fn utf8_texts(
    game: &Game<'_>,
    mut decode: impl FnMut(&'static str, &[u8]) -> String,
) -> Result<(Text<'static>, PlayerFields<'static>), WriteError> {
    let version_info = decode("the version info", game.version_info.as_bytes());
    let fields = game.player.named().map(|(name, field)| decode(name, field));
    Ok((Text::from(version_info), PlayerFields::new(fields)?))
}

/// Decodes the texts and records those whose encoding had to be guessed.
fn guessed_texts(
    game: &Game<'_>,
    losses: &mut Vec<Loss>,
) -> Result<(Text<'static>, PlayerFields<'static>), WriteError> {
    utf8_texts(game, |field, bytes| {
        utf8(field, game.decode(bytes), |loss| losses.push(loss))
    })
}

/// Records the properties after the last known one as lost.
fn extra_properties(game: &Game<'_>, last: usize, losses: &mut Vec<Loss>) {
    let count = game.properties.len().saturating_sub(last + 1);
    if count > 0 {
        losses.push(Loss::Properties { count });
    }
}

/// The recorded 3BV or, without one, that of the board.
fn declared_bbbv(game: &Game<'_>) -> u32 {
    let computed = || bbbv(&Minefield::new(&game.board));
    game.declared_bbbv().unwrap_or_else(computed)
}

fn to_v2(game: &Game<'_>, losses: &mut Vec<Loss>) -> Result<Game<'static>, WriteError> {
    let (version_info, player) = guessed_texts(game, losses)?;
    let declared = declared_bbbv(game);
    let [high, low] = u16::try_from(declared)
        .map_err(|_| {
            WriteError::Invalid(
                format!(
                    "a 3BV of {}; version 2 holds at most 65,535",
                    Grouped(declared.into())
                )
                .into(),
            )
        })?
        .to_be_bytes();
    let mut properties = game.properties.get(..4).unwrap_or_default().to_vec();
    properties.extend([low, high, V1_CELL_SIZE]);
    extra_properties(game, property::UTF8, losses);
    losses.push(Loss::ResultString);
    let mut events = EventLog::empty(Version::V2);
    let mut timestamps = 0;
    for event in &game.events {
        match event {
            Event::Timestamp(_) => timestamps += 1,
            other => events.push_shortest(other)?,
        }
    }
    if timestamps > 0 {
        losses.push(Loss::TimestampEvents { count: timestamps });
    }
    Ok(Game {
        encoding: Encoding::V2 {
            clone_id: 0,
            clone_major: 0,
            extensions: Extensions::new([("clone_name", "gametape")])?,
        },
        version_info,
        player,
        properties: Cow::Owned(properties),
        events,
        checksum: Cow::Owned(Vec::new()),
        ..game.clone().into_owned()
    })
}

fn to_v1(game: &Game<'_>, losses: &mut Vec<Loss>) -> Result<Game<'static>, WriteError> {
    let mode = game.properties.get(property::MODE).copied().unwrap_or(0);
    if mode > Mode::Density.code() {
        let name = Mode::from_code(mode).map_or("unknown", Mode::name);
        return Err(WriteError::Invalid(
            format!("version 1 has game modes 0 to 3, this is mode {mode} ({name})").into(),
        ));
    }
    if let Encoding::V2 {
        clone_id,
        clone_major,
        extensions,
    } = &game.encoding
    {
        losses.push(Loss::CloneId {
            id: *clone_id,
            major: *clone_major,
        });
        losses.extend(extensions.iter().map(|extension| Loss::Extension {
            name: String::from_utf8_lossy(extension.name).into_owned(),
        }));
    }
    extra_properties(game, property::CELL_SIZE, losses);
    let (version_info, player) = guessed_texts(game, losses)?;
    let events = v1_events(game, losses)?;
    let text = |bytes| game.decode(bytes).0.into_owned();
    let parts = ResultParts {
        level: game.declared_level().unwrap_or(Level::Custom),
        ending: game.ending.ok_or(WriteError::NoEnding)?,
        name: &text(game.player.name()),
        nick: &text(game.player.nickname()),
        bbbv: declared_bbbv(game),
        nf: game.declared_nf(),
        timestamp: game.board.timestamp,
    };
    let mut properties = game.properties.get(..4).unwrap_or_default().to_vec();
    properties.push(1);
    Ok(Game {
        encoding: Encoding::V1 {
            result: Text::from(parts.write()?),
        },
        version_info,
        player,
        properties: Cow::Owned(properties),
        events,
        checksum: Cow::Owned(Vec::new()),
        ..game.clone().into_owned()
    })
}

/// The events on cells of 16 pixels, in the long form.
fn v1_events(game: &Game<'_>, losses: &mut Vec<Loss>) -> Result<EventLog<'static>, WriteError> {
    let from = game.cell_size();
    if from != V1_CELL_SIZE {
        losses.push(Loss::PositionsRescaled { from });
    }
    let scale = |px: i32| {
        let size = i32::from(from.max(1));
        (px * i32::from(V1_CELL_SIZE)).div_euclid(size)
    };
    let mut events = EventLog::empty(Version::V1);
    for mut event in &game.events {
        if let Event::Mouse(mouse) = &mut event {
            mouse.reduced = false;
            if from != V1_CELL_SIZE {
                (mouse.x, mouse.y) = (scale(mouse.x), scale(mouse.y));
            }
        }
        events.push(event)?;
    }
    Ok(events)
}

/// Something that a conversion, a repair or a redaction left out or changed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs)] // Fields are the figures of the sentence.
pub enum Loss {
    /// The checksum: it covers the old bytes, and a new one cannot be computed.
    Checksum,
    /// Personal data that was to be removed.
    Personal(Personal),
    /// Parts of the result string other than ViennaSweeper's keys, which were to be removed.
    ResultExtra,
    /// v1's result string; 3BV, names and time are kept in other fields.
    ResultString,
    /// v1's timestamp events.
    TimestampEvents { count: u32 },
    /// Properties beyond those the version defines.
    Properties { count: usize },
    /// v2's clone id and major version.
    CloneId { id: u8, major: u8 },
    /// An extension property.
    Extension { name: String },
    /// Positions on cells of a size other than 16 pixels, the only size that v1 has.
    PositionsRescaled { from: u8 },
    /// A text whose encoding was guessed; it is now UTF-8.
    TextReencoded {
        field: &'static str,
        from: TextEncoding,
    },
    /// The bytes after the termination event had another form.
    Tail,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checksum => f.write_str(
                "the checksum: it covers the old form, and its algorithm is unpublished",
            ),
            Self::Personal(what) => f.write_str(what.name()),
            Self::ResultExtra => f.write_str("the other parts of the result string"),
            Self::ResultString => f.write_str("the result string"),
            Self::TimestampEvents { count } => Counted(u64::from(*count), "timestamp event").fmt(f),
            Self::Properties { count } => Counted(*count as u64, "unknown property").fmt(f),
            Self::CloneId { id, major } => write!(f, "clone id {id}, major version {major}"),
            Self::Extension { name } => write!(f, "extension property {name:?}"),
            Self::PositionsRescaled { from } => write!(
                f,
                "exact cursor positions: rescaled from cells of {from} pixels to 16"
            ),
            Self::TextReencoded { field, from } => write!(
                f,
                "the bytes of {field}: read as {} (a guess), written as UTF-8",
                from.name()
            ),
            Self::Tail => f.write_str("the unusual bytes after the termination event"),
        }
    }
}
