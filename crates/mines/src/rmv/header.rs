//! The part of the file before the events.

use std::borrow::Cow;

use gametape_core::{ByteReader, Short};

use super::deviations::{Deviations, truncated};
use super::error::{Error, Finding, Section};
use super::events::EventLog;
use super::rule::Rule;
use crate::game::{DeclaredSize, Encoding};
use crate::rmv::{Extensions, PlayerFields};
use crate::{Board, Cell, Cells, Game, Text, TextRule};
use crate::{Version, property};

/// The first bytes of every RMV file.
pub const SIGNATURE: [u8; 4] = *b"*rmv";

/// A video size that means "not known yet". [`Writer`](super::Writer) writes it until the game is
/// finished; readers then read events up to the end of the file.
pub(crate) const OPEN_ENDED: u32 = u32::MAX;

/// The fixed part: signature, version, and the table of section sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prelude {
    pub version: Version,
    clone_id: u8,
    clone_major: u8,
    pub file_size: u32,
    result: u16,
    version_info: u16,
    player: u16,
    board: u16,
    preflags: u16,
    properties: u16,
    extensions: u16,
    pub video: u32,
    pub checksum: u16,
    /// Length of the fixed part in bytes.
    len: usize,
}

fn no_signature(found: &[u8]) -> Error {
    let found = found.to_vec();
    Error::at(Rule::Signature { found }, 0)
}

impl Prelude {
    /// Parses the fixed part; `None` if more bytes are needed. If no more will come,
    /// [`Prelude::too_short`] gives the error.
    pub fn parse(bytes: &[u8]) -> Result<Option<Self>, Error> {
        let Some(signature) = bytes.get(..4) else {
            return Ok(None);
        };
        if signature != SIGNATURE {
            return Err(no_signature(signature));
        }
        let mut fixed = ByteReader::new(bytes.get(4..).unwrap_or_default());
        let Ok(file_type) = fixed.u16_be() else {
            return Ok(None);
        };
        let version = match file_type {
            1 => Version::V1,
            2 => Version::V2,
            found => return Err(Error::at(Rule::FileType { found }, 4)),
        };
        Ok(Self::sizes(version, &mut fixed).ok())
    }

    /// Reads the fields after the signature and the version.
    fn sizes(version: Version, fixed: &mut ByteReader<'_>) -> Result<Self, Short> {
        let v2 = version == Version::V2;
        let (clone_id, clone_major) = if v2 {
            (fixed.u8()?, fixed.u8()?)
        } else {
            (0, 0)
        };
        Ok(Self {
            version,
            clone_id,
            clone_major,
            file_size: fixed.u32_be()?,
            result: if v2 { 0 } else { fixed.u16_be()? },
            version_info: fixed.u16_be()?,
            player: fixed.u16_be()?,
            board: fixed.u16_be()?,
            preflags: fixed.u16_be()?,
            properties: fixed.u16_be()?,
            extensions: if v2 { fixed.u16_be()? } else { 0 },
            video: fixed.u32_be()?,
            checksum: fixed.u16_be()?,
            len: SIGNATURE.len() + fixed.offset(),
        })
    }

    /// The error for a complete file of these bytes, for which [`Prelude::parse`] returned `None`.
    pub fn too_short(bytes: &[u8]) -> Error {
        let signature = bytes.get(..4).unwrap_or(bytes);
        if !SIGNATURE.starts_with(signature) {
            return no_signature(signature);
        }
        let needed = match bytes.get(4..6) {
            Some([0, 1]) => 28,
            Some([0, 2]) => 30,
            _ => 6,
        };
        let left = bytes.len() as u64;
        truncated(Section::Header, needed, left, left).into()
    }

    /// Parses the fixed part of a file that is completely in memory; an error if the file ends
    /// before its events begin.
    pub fn of_whole(bytes: &[u8]) -> Result<Self, Error> {
        let Some(prelude) = Self::parse(bytes)? else {
            return Err(Self::too_short(bytes));
        };
        let (needed, left) = (prelude.video_start() as u64, bytes.len() as u64);
        if left < needed {
            return Err(truncated(Section::Header, needed, left, left).into());
        }
        Ok(prelude)
    }

    /// The size of the video section; `None` while the game is still being recorded.
    pub fn stated_video(&self) -> Option<u32> {
        (self.video != OPEN_ENDED).then_some(self.video)
    }

    /// The offset at which the video section begins.
    pub fn video_start(&self) -> usize {
        self.len
            + [
                self.result,
                self.version_info,
                self.player,
                self.board,
                self.preflags,
                self.properties,
                self.extensions,
            ]
            .map(usize::from)
            .iter()
            .sum::<usize>()
    }

    /// Parses the sections of `bytes`, which must contain everything up to
    /// [`Prelude::video_start`].
    ///
    /// The resulting game has no events yet.
    pub fn sections<'a>(
        &self,
        bytes: &'a [u8],
        deviations: &mut Deviations,
    ) -> Result<Game<'a>, Error> {
        let mut front = ByteReader::new(bytes);
        let mut next = |section, size: u16| CutSection {
            section,
            at: front.offset() as u64,
            bytes: front.take(size.into()).unwrap_or_default(),
        };
        next(Section::Header, self.len as u16);
        let result = next(Section::Result, self.result);
        let version_info = next(Section::VersionInfo, self.version_info);
        let player_section = next(Section::Player, self.player);
        let board_section = next(Section::Board, self.board);
        let preflags_section = next(Section::Preflags, self.preflags);
        let properties_section = next(Section::Properties, self.properties);
        let extensions_section = next(Section::Extensions, self.extensions);

        let player = player_section.entries(2, PlayerFields::split, deviations)?;
        let board = board(&board_section, deviations)?;
        let preflags = if self.preflags == 0 {
            None
        } else {
            Some(preflags(&preflags_section, &board, deviations)?)
        };
        properties(self.version, &properties_section, deviations)?;
        let encoding = match self.version {
            Version::V1 => Encoding::V1 {
                result: Text::borrowed(result.bytes),
            },
            Version::V2 => Encoding::V2 {
                clone_id: self.clone_id,
                clone_major: self.clone_major,
                extensions: extensions(&extensions_section, deviations)?,
            },
        };
        let game = Game {
            encoding,
            file_size: DeclaredSize::Other(self.file_size),
            version_info: Text::borrowed(version_info.bytes),
            player,
            board,
            preflags,
            properties: Cow::Borrowed(properties_section.bytes),
            events: EventLog::empty(self.version),
            ending: None,
            tail: Cow::Borrowed(&[]),
            checksum: Cow::Borrowed(&[]),
        };
        texts(
            &game,
            result.at,
            version_info.at,
            player_section.at,
            deviations,
        )?;
        Ok(game)
    }
}

/// A section and its offset.
struct CutSection<'a> {
    section: Section,
    bytes: &'a [u8],
    at: u64,
}

impl<'a> CutSection<'a> {
    /// Parses the entries after the first `head` bytes, the last two of which are their count. A
    /// section whose entries do not fit is an error, because the intended content cannot be
    /// guessed. Unused bytes at the end of the section are noted as a deviation.
    fn entries<T>(
        &self,
        head: usize,
        split: impl FnOnce(&'a [u8], u16) -> Option<(T, &'a [u8])>,
        deviations: &mut Deviations,
    ) -> Result<T, Error> {
        let (section, declared) = (self.section, self.bytes.len() as u64);
        let uses = |used| Rule::SectionSize {
            section,
            declared,
            used,
        };
        let short = |_| Error::at(uses(head as u64), self.at);
        let mut fixed = ByteReader::new(self.bytes);
        fixed.take(head - 2).map_err(short)?;
        let count = fixed.u16_be().map_err(short)?;
        let Some((entries, rest)) = split(fixed.rest(), count) else {
            let rule = Rule::SectionCount {
                section,
                count: count.into(),
                bytes: declared,
            };
            return Err(Error::at(rule, self.at));
        };
        if !rest.is_empty() {
            let used = declared - rest.len() as u64;
            deviations.note(Finding::new(uses(used)).at(self.at + used))?;
        }
        Ok(entries)
    }
}

/// Splits `count` cells off the front of `bytes`; also returns the rest.
fn cells(bytes: &[u8], count: u16) -> Option<(Cells<'_>, &[u8])> {
    let (pairs, rest) = bytes.split_at_checked(usize::from(count) * 2)?;
    Some((Cells::from_bytes(pairs), rest))
}

fn board<'a>(cut: &CutSection<'a>, deviations: &mut Deviations) -> Result<Board<'a>, Error> {
    let mines = cut.entries(8, cells, deviations)?;
    let mut fixed = ByteReader::new(cut.bytes);
    // These bytes exist: the mines after them have been read.
    let timestamp = fixed.u32_be().unwrap_or_default();
    let [cols, rows] = fixed.array().unwrap_or_default();
    if cols == 0 || rows == 0 {
        deviations.note(Finding::new(Rule::BoardEmpty { cols, rows }).at(cut.at + 4))?;
    }
    unique_and_inside(
        &mines,
        cols,
        rows,
        |index, cell| Rule::MineOutside {
            index,
            cell,
            cols,
            rows,
        },
        |index, cell| Rule::MineDuplicate { index, cell },
        cut.at + 8,
        deviations,
    )?;
    Ok(Board {
        timestamp,
        cols,
        rows,
        mines,
    })
}

fn preflags<'a>(
    cut: &CutSection<'a>,
    board: &Board<'_>,
    deviations: &mut Deviations,
) -> Result<Cells<'a>, Error> {
    let (cols, rows) = (board.cols, board.rows);
    let flags = cut.entries(2, cells, deviations)?;
    unique_and_inside(
        &flags,
        cols,
        rows,
        |index, cell| Rule::PreflagOutside {
            index,
            cell,
            cols,
            rows,
        },
        |index, cell| Rule::PreflagDuplicate { index, cell },
        cut.at + 2,
        deviations,
    )?;
    Ok(flags)
}

fn unique_and_inside(
    cells: &Cells<'_>,
    cols: u8,
    rows: u8,
    outside: impl Fn(u32, Cell) -> Rule,
    duplicate: impl Fn(u32, Cell) -> Rule,
    at: u64,
    deviations: &mut Deviations,
) -> Result<(), Error> {
    let place = |index: u32| at + 2 * u64::from(index);
    let mut ascending = true;
    let mut before = None;
    for (index, cell) in (0u32..).zip(cells.iter()) {
        if cell.col >= cols || cell.row >= rows {
            deviations.note(Finding::new(outside(index, cell)).at(place(index)))?;
        }
        let key = (cell.row, cell.col);
        ascending &= before.is_none_or(|before| before < key);
        before = Some(key);
    }
    // Row-major lists, which all known files have, cannot contain duplicates.
    if !ascending {
        let mut seen = vec![0u64; 1024];
        for (index, cell) in (0u32..).zip(cells.iter()) {
            let bit = usize::from(cell.row) << 8 | usize::from(cell.col);
            if let Some(word) = seen.get_mut(bit / 64) {
                if *word >> (bit % 64) & 1 == 1 {
                    deviations.note(Finding::new(duplicate(index, cell)).at(place(index)))?;
                }
                *word |= 1 << (bit % 64);
            }
        }
    }
    Ok(())
}

fn properties(
    version: Version,
    cut: &CutSection<'_>,
    deviations: &mut Deviations,
) -> Result<(), Error> {
    let (needed, max_mode) = match version {
        Version::V1 => (4, 3),
        Version::V2 => (7, 13),
    };
    let found = cut.bytes.len() as u16;
    if found < needed {
        deviations.note(Finding::new(Rule::PropertyMissing { found, needed }).at(cut.at))?;
    }
    let get = |at: usize| cut.bytes.get(at).copied();
    let mut yes_or_no = |name, at: usize| match get(at) {
        Some(value @ 2..) => deviations
            .note(Finding::new(Rule::PropertyValue { name, value }).at(cut.at + at as u64)),
        _ => Ok(()),
    };
    yes_or_no("marks", property::MARKS)?;
    yes_or_no("nf", property::NF)?;
    if version == Version::V1 {
        yes_or_no("utf8", property::UTF8)?;
    }
    if let Some(value) = get(property::MODE).filter(|&mode| mode > max_mode) {
        let max = max_mode;
        let rule = Rule::ModeUnknown {
            value,
            version,
            max,
        };
        deviations.note(Finding::new(rule).at(cut.at + property::MODE as u64))?;
    }
    if let Some(value @ 4..) = get(property::LEVEL) {
        let rule = Rule::LevelUnknown { value };
        deviations.note(Finding::new(rule).at(cut.at + property::LEVEL as u64))?;
    }
    if version == Version::V2 && get(property::CELL_SIZE) == Some(0) {
        let at = cut.at + property::CELL_SIZE as u64;
        deviations.note(Finding::new(Rule::CellSizeZero).at(at))?;
    }
    Ok(())
}

fn extensions<'a>(
    cut: &CutSection<'a>,
    deviations: &mut Deviations,
) -> Result<Extensions<'a>, Error> {
    let extensions = cut.entries(2, Extensions::split, deviations)?;
    // Names are texts; values may be binary.
    let mut at = cut.at + 2;
    for extension in extensions.iter() {
        utf8(
            extension.name,
            at + 1,
            deviations,
            "an extension property's name",
        )?;
        at += 2 + extension.name.len() as u64 + extension.value.len() as u64;
    }
    Ok(extensions)
}

/// Checks that texts are UTF-8 where the format promises it.
fn texts(
    game: &Game<'_>,
    result_at: u64,
    version_info_at: u64,
    player_at: u64,
    deviations: &mut Deviations,
) -> Result<(), Error> {
    if game.text_rule() != TextRule::Utf8 {
        return Ok(());
    }
    if let Encoding::V1 { result } = &game.encoding {
        utf8(
            result.as_bytes(),
            result_at,
            deviations,
            "the result string",
        )?;
    }
    utf8(
        game.version_info.as_bytes(),
        version_info_at,
        deviations,
        "the version info",
    )?;
    let mut at = player_at + 2;
    for (name, field) in game.player.named() {
        utf8(field, at + 1, deviations, name)?;
        at += 1 + field.len() as u64;
    }
    Ok(())
}

fn utf8(
    text: &[u8],
    at: u64,
    deviations: &mut Deviations,
    field: &'static str,
) -> Result<(), Error> {
    let Err(error) = std::str::from_utf8(text) else {
        return Ok(());
    };
    let position = error.valid_up_to();
    deviations.note(
        Finding::new(Rule::TextNotUtf8 {
            field,
            at: position,
            byte: text.get(position).copied().unwrap_or(0),
        })
        .at(at + position as u64),
    )
}
