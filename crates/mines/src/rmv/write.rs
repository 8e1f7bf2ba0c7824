//! Writing: whole games, and games in progress.

use gametape_core::text::{Bytes, Grouped};
use std::io::{self, Read, Seek, SeekFrom, Write};

use gametape_core::{Class, Coded, Output};

use super::decode::{Decoded, EventDecoder, MAX_TIME};
use super::error::{Error, Finding, Section, WriteError};
use super::events::EventLog;
use super::events::{encode, reducible};
use super::header::{OPEN_ENDED, SIGNATURE};
use super::read::read_with;
use super::read::{Limits, ReadOptions};
use super::rule::Rule;
use crate::game::{DeclaredSize, Encoding};
use crate::{Cells, Ending, Event, Game};

/// Encodes a game in its version.
///
/// A game that [`read`](super::read()) returned gives the same bytes again. A game that the format
/// cannot store, or that the strict reader would refuse, is an error; nothing is cut to fit.
///
/// # Errors
/// See [`WriteError`]; its variants are the limits of the format.
pub fn write(game: &Game<'_>) -> Result<Vec<u8>, WriteError> {
    let ending = game.ending.ok_or(WriteError::NoEnding)?;
    if ending.time_ms > MAX_TIME {
        return Err(WriteError::TimeTooLong { ms: ending.time_ms });
    }
    let video = game.events.as_bytes().len() as u64 + 4 + game.tail.len() as u64;
    let video = u32::try_from(video)
        .ok()
        .filter(|&size| size != OPEN_ENDED)
        .ok_or(WriteError::SectionTooLarge {
            section: Section::Video,
            bytes: video,
            max: u64::from(OPEN_ENDED) - 1,
        })?;
    let mut out = front(game, video)?;
    out.extend_from_slice(game.events.as_bytes());
    out.extend_from_slice(&ending_bytes(ending));
    out.extend_from_slice(&game.tail);
    out.extend_from_slice(&game.checksum);
    let real = u32::try_from(out.len()).map_err(|_| WriteError::SectionTooLarge {
        section: Section::Header,
        bytes: out.len() as u64,
        max: u64::from(u32::MAX),
    })?;
    let declared = declared(game, real);
    let at = file_size_at(game);
    if let Some(field) = out.get_mut(at..at + 4) {
        field.copy_from_slice(&declared.to_be_bytes());
    }
    match read_with(&out, ReadOptions::strict().limits(Limits::NONE)) {
        Ok(_) => Ok(out),
        Err(error) => Err(WriteError::Invalid(error.to_string().into())),
    }
}

fn declared(game: &Game<'_>, real: u32) -> u32 {
    match game.file_size {
        DeclaredSize::Exact => real,
        DeclaredSize::LessTwo => real - 2,
        DeclaredSize::Other(size) => size,
    }
}

/// The offset of the `file_size` field.
fn file_size_at(game: &Game<'_>) -> usize {
    match game.encoding {
        Encoding::V1 { .. } => 6,
        Encoding::V2 { .. } => 8,
    }
}

fn ending_bytes(ending: Ending) -> [u8; 4] {
    let [_, a, b, c] = ending.time_ms.to_be_bytes();
    [ending.outcome.code(), a, b, c]
}

/// Everything before the events, with a file size of 0.
pub(super) fn front(game: &Game<'_>, video: u32) -> Result<Vec<u8>, WriteError> {
    if game.events.version() != game.version() {
        return Err(WriteError::EventsOfOtherVersion);
    }
    let mut out = Vec::with_capacity(512 + game.events.as_bytes().len());
    sizes(game, video, &mut out)?;
    sections(game, &mut out);
    Ok(out)
}

/// The fixed part: signature, version, and the table of section sizes.
fn sizes(game: &Game<'_>, video: u32, out: &mut Vec<u8>) -> Result<(), WriteError> {
    out.extend_from_slice(&SIGNATURE);
    out.extend_from_slice(&game.version().number().to_be_bytes());
    if let Encoding::V2 {
        clone_id,
        clone_major,
        ..
    } = game.encoding
    {
        out.extend_from_slice(&[clone_id, clone_major]);
    }
    out.extend_from_slice(&[0; 4]);
    let put = |section, bytes: usize, out: &mut Vec<u8>| {
        let size = u16::try_from(bytes).map_err(|_| WriteError::SectionTooLarge {
            section,
            bytes: bytes as u64,
            max: u16::MAX.into(),
        })?;
        out.extend_from_slice(&size.to_be_bytes());
        Ok(())
    };
    if let Encoding::V1 { result } = &game.encoding {
        put(Section::Result, result.as_bytes().len(), out)?;
    }
    let preflags = game.preflags.as_ref();
    let preflags = preflags.map_or(0, |flags| 2 + flags.as_bytes().len());
    let version_info = game.version_info.as_bytes().len();
    put(Section::VersionInfo, version_info, out)?;
    put(Section::Player, 2 + game.player.as_bytes().len(), out)?;
    put(Section::Board, 8 + game.board.mines.as_bytes().len(), out)?;
    put(Section::Preflags, preflags, out)?;
    put(Section::Properties, game.properties.len(), out)?;
    if let Encoding::V2 { extensions, .. } = &game.encoding {
        put(Section::Extensions, 2 + extensions.as_bytes().len(), out)?;
    }
    out.extend_from_slice(&video.to_be_bytes());
    put(Section::Checksum, game.checksum.len(), out)
}

/// The sections before the events.
fn sections(game: &Game<'_>, out: &mut Vec<u8>) {
    // The count fits in 16 bits: larger lists have failed the check of the section's size.
    let count = |cells: &Cells<'_>| (cells.len() as u16).to_be_bytes();
    if let Encoding::V1 { result } = &game.encoding {
        out.extend_from_slice(result.as_bytes());
    }
    out.extend_from_slice(game.version_info.as_bytes());
    out.extend_from_slice(&game.player.len().to_be_bytes());
    out.extend_from_slice(game.player.as_bytes());
    let board = &game.board;
    out.extend_from_slice(&board.timestamp.to_be_bytes());
    out.extend_from_slice(&[board.cols, board.rows]);
    out.extend_from_slice(&count(&board.mines));
    out.extend_from_slice(board.mines.as_bytes());
    if let Some(flags) = &game.preflags {
        out.extend_from_slice(&count(flags));
        out.extend_from_slice(flags.as_bytes());
    }
    out.extend_from_slice(&game.properties);
    if let Encoding::V2 { extensions, .. } = &game.encoding {
        out.extend_from_slice(&extensions.len().to_be_bytes());
        out.extend_from_slice(extensions.as_bytes());
    }
}

/// Why a recording could not be written to its destination.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The caller asked for something that the format cannot store.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The destination failed.
    #[error("writing failed: {0}")]
    Io(#[from] io::Error),
    /// The file is not a recording that can be continued.
    #[error("this file can't be resumed: {0}")]
    Resume(#[from] ResumeError),
}

impl Coded for RecordError {
    fn code(&self) -> &'static str {
        match self {
            Self::Write(error) => error.code(),
            Self::Io(_) => "io",
            Self::Resume(error) => error.code(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Write(error) => error.class(),
            Self::Io(_) => Class::Io,
            Self::Resume(error) => error.class(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Resume(error) => error.offset(),
            Self::Write(_) | Self::Io(_) => None,
        }
    }
}

/// The place at which a recording was continued.
#[derive(Clone, PartialEq, Debug)]
pub struct Resumed {
    /// The number of complete events in the file.
    pub events: u32,
    /// The time of the last event, in milliseconds of the game.
    pub last_time_ms: Option<u32>,
    /// The number of bytes after these events that were cut off.
    pub dropped: u64,
    /// The problem of those bytes; `None` if the recording ended with a complete event.
    pub problem: Option<Finding>,
}

/// Why a recording cannot be continued. [`Writer::resume`] returns an error before it changes the
/// file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(Error),
    /// The game is over.
    #[error("it has its termination event")]
    Ended,
    /// The bytes after the last complete event are not the start of an event. There may be events
    /// after them, which [`salvage`](super::salvage()) does not find either; but once overwritten
    /// they would be lost for good.
    #[error(
        "{} from byte {} on are not an event that was cut: the file is damaged, and repair keeps what is whole",
        Bytes(*left),
        Grouped(*offset)
    )]
    NotTorn {
        /// The offset of these bytes.
        offset: u64,
        /// Their number.
        left: u64,
    },
    /// [`Writer::finish`] found more bytes after the recording that it wrote: the file is an older,
    /// longer one.
    #[error("{} of an older recording follow this one", Bytes(*bytes))]
    Older {
        /// The number of these bytes.
        bytes: u64,
    },
}

impl Coded for ResumeError {
    fn code(&self) -> &'static str {
        match self {
            Self::Read(error) => error.code(),
            Self::Ended | Self::NotTorn { .. } | Self::Older { .. } => "unwritable",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Read(error) => error.class(),
            Self::Ended | Self::Older { .. } => Class::Caller,
            Self::NotTorn { .. } => Class::File,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Read(error) => error.offset(),
            Self::NotTorn { offset, .. } => Some(*offset),
            Self::Ended | Self::Older { .. } => None,
        }
    }
}

/// Records a game while it is played.
///
/// [`Writer::finish`] fills in the sizes in the header. Until then the video section has no stated
/// end. If the program is killed at any byte, [`salvage`](super::salvage()) and the lenient reader
/// find all complete events of the file, and [`Writer::resume`] continues after them.
///
/// ```
/// use std::io::Cursor;
/// use gametape_mines::{rmv, Board, Cell, Ending, Game, Outcome, Version};
/// let board = Board::new(8, 8, [Cell::new(0, 0)], 0)?;
/// let mut file = Cursor::new(Vec::new());
/// let writer = rmv::Writer::new(&mut file, Game::new(Version::V2, board))?;
/// writer.finish(Ending { outcome: Outcome::Other, time_ms: 0 })?;
/// assert!(rmv::read(file.get_ref())?.events.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer<W: Write + Seek> {
    out: W,
    game: Game<'static>,
    last: EventDecoder,
    /// The offset of the end of the last complete event.
    written: u64,
    video_start: u64,
    event: Vec<u8>,
}

impl<W: Write + Seek> Writer<W> {
    /// Writes everything before the events at the start of `out`, and the events that `game`
    /// already has.
    pub fn new(mut out: W, game: Game<'_>) -> Result<Self, RecordError> {
        let game = game.into_owned();
        let mut front = front(&game, OPEN_ENDED)?;
        let video_start = front.len() as u64;
        front.extend_from_slice(game.events.as_bytes());
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&front)?;
        Ok(Self {
            written: front.len() as u64,
            last: *game.events.decoder(),
            out,
            game,
            video_start,
            event: Vec::with_capacity(9),
        })
    }

    /// Writes an event; a mouse move gets the reduced form if possible. After an error the file
    /// ends with the previous event, or with a part of this one that readers skip.
    pub fn push(&mut self, mut event: Event) -> Result<(), RecordError> {
        if let Event::Mouse(mouse) = &mut event {
            if mouse.time_ms < self.last.time_ms() {
                return Err(WriteError::TimeOrder {
                    before: self.last.time_ms(),
                    now: mouse.time_ms,
                }
                .into());
            }
            mouse.reduced = reducible(&self.last, mouse);
        }
        self.event.clear();
        let mut next = self.last;
        encode(&mut next, event, &mut self.event)?;
        if let Err(error) = self.out.write_all(&self.event) {
            // The next event overwrites the incomplete one.
            self.out.seek(SeekFrom::Start(self.written))?;
            return Err(error.into());
        }
        self.last = next;
        self.written += self.event.len() as u64;
        Ok(())
    }

    /// The offset of the end of the last complete event.
    pub const fn position(&self) -> u64 {
        self.written
    }

    /// Flushes the destination.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes the termination event, the tail and the checksum of the game, then the sizes.
    pub fn finish(mut self, ending: Ending) -> Result<W, RecordError> {
        if ending.time_ms > MAX_TIME {
            return Err(WriteError::TimeTooLong { ms: ending.time_ms }.into());
        }
        let mut end = ending_bytes(ending).to_vec();
        end.extend_from_slice(&self.game.tail);
        let video_end = self.written + end.len() as u64;
        end.extend_from_slice(&self.game.checksum);
        let real = self.written + end.len() as u64;
        let video = u32::try_from(video_end - self.video_start).ok();
        let (Some(video), Ok(real)) = (video, u32::try_from(real)) else {
            return Err(WriteError::SectionTooLarge {
                section: Section::Video,
                bytes: video_end - self.video_start,
                max: u64::from(OPEN_ENDED) - 1,
            }
            .into());
        };
        self.out.write_all(&end)?;
        self.out.flush()?;
        let rest = self
            .out
            .seek(SeekFrom::End(0))?
            .saturating_sub(u64::from(real));
        if rest > 0 {
            return Err(ResumeError::Older { bytes: rest }.into());
        }
        self.game.file_size = match self.game.file_size {
            DeclaredSize::Other(_) => DeclaredSize::Exact,
            known => known,
        };
        self.game.events = EventLog::empty(self.game.version());
        let header = front(&self.game, video)?;
        let video_at = match self.game.encoding {
            Encoding::V1 { .. } => 22,
            Encoding::V2 { .. } => 24,
        };
        let file_size_at = file_size_at(&self.game);
        self.out.seek(SeekFrom::Start(file_size_at as u64))?;
        self.out
            .write_all(&declared(&self.game, real).to_be_bytes())?;
        self.out.seek(SeekFrom::Start(video_at))?;
        let sizes = header.get(video_at as usize..video_at as usize + 6);
        self.out.write_all(sizes.unwrap_or_default())?;
        self.out.seek(SeekFrom::Start(u64::from(real)))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl<F: Output + Read + Seek> Writer<F> {
    /// Continues a recording that was interrupted, after its last complete event. An incomplete
    /// event at the end is cut off. The file must be open for reading and writing.
    ///
    /// ```no_run
    /// use gametape_mines::rmv::Writer;
    /// let file = std::fs::File::options().read(true).write(true).open("game.rmv")?;
    /// let (writer, resumed) = Writer::resume(file)?;
    /// println!("{} events; {} bytes were cut off", resumed.events, resumed.dropped);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RecordError::Resume`]; the file is then unchanged, and in any case nothing but an
    /// incomplete event at the end is ever removed. [`RecordError::Io`].
    pub fn resume(mut file: F) -> Result<(Self, Resumed), RecordError> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        let reading = read_with(&bytes, ReadOptions::lenient()).map_err(ResumeError::Read)?;
        if reading.game.ending.is_some() {
            return Err(ResumeError::Ended.into());
        }
        let video_start = reading.game.events.offset();
        let game = reading.game.into_owned();
        let written = video_start + game.events.as_bytes().len() as u64;
        let rest = usize::try_from(written).ok().and_then(|at| bytes.get(at..));
        let rest = rest.unwrap_or_default();
        let dropped = rest.len() as u64;
        if !matches!({ *game.events.decoder() }.step(rest), Decoded::Need(_)) {
            let (offset, left) = (written, dropped);
            return Err(ResumeError::NotTorn { offset, left }.into());
        }
        file.seek(SeekFrom::End(0))?;
        if dropped > 0 {
            file.take_back(dropped)?;
        }
        let cut = |finding: &&Finding| matches!(finding.rule, Rule::Truncated { .. });
        let problem = reading.findings.iter().find(cut).cloned();
        let resumed = Resumed {
            events: game.events.len(),
            last_time_ms: (!game.events.is_empty()).then(|| game.events.last_time_ms()),
            dropped,
            problem: problem.filter(|_| dropped > 0),
        };
        let writer = Self {
            written,
            last: *game.events.decoder(),
            out: file,
            game,
            video_start,
            event: Vec::with_capacity(9),
        };
        Ok((writer, resumed))
    }
}
