//! RMV, the recordings of ViennaSweeper: versions 1 and 2.
//!
//! Read a slice with [`read()`] or [`read_with`], any [`std::io::Read`] with [`Reader`] or
//! [`read_from`], and bytes as they arrive with [`Feed`]. Write whole games with [`write()`] and
//! games in progress with [`Writer`]. [`audit()`] checks whether a file is what it claims to be,
//! [`salvage()`] keeps the intact part of a broken file, [`convert()`] converts between the
//! versions, and [`redact()`] removes personal data.
//!
//! Sources: the RMV specification (a draft), and 17 real files of ViennaSweeper 2.2 to 5.0.0b4 for
//! what it leaves open. Where the two disagree, this crate follows the files; the book's RMV page
//! lists the differences.

mod audit;
mod convert;
mod decode;
mod deviations;
mod error;
mod events;
mod fields;
mod header;
mod quiet;
mod read;
mod redact;
mod release;
mod result_string;
mod rule;
mod salvage;
mod stream;
mod write;

pub use gametape_core::feed::Fed;
pub use gametape_core::{Output, Severity, Strictness};

#[cfg(feature = "tape")]
pub(crate) use audit::audit_watched;
pub use audit::{Audit, audit, audit_at, audit_game, audit_with};
pub use convert::{Loss, convert};
pub use error::{Error, Finding, Findings, Section, WriteError};
#[cfg(feature = "tape")]
pub(crate) use events::EventPlace;
pub use events::{EventLog, Events};
pub use fields::{Extension, Extensions, PlayerFields};
pub use header::SIGNATURE;
pub(crate) use quiet::{MoveSlots, Packed};
pub use read::{Limits, ReadOptions, Reading, read, read_each, read_header, read_with};
pub use redact::{Personal, redact};
pub use release::Release;
pub use result_string::{ResultParts, ResultString};
pub use rule::Rule;
pub use salvage::{Repair, SalvageError, Salvaged, salvage};
pub use stream::{Feed, Reader, read_from};
pub use write::{RecordError, ResumeError, Resumed, Writer, write};

/// The two versions of the format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Version {
    /// `file_type` 1.
    V1,
    /// `file_type` 2.
    V2,
}

impl Version {
    /// 1 or 2, as stored in `file_type`.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
        }
    }
}

/// Positions of the properties. The first four are the same in both versions.
pub mod property {
    /// Whether question marks were enabled.
    pub const MARKS: usize = 0;
    /// Whether the game was a non-flagging game.
    pub const NF: usize = 1;
    /// The game mode.
    pub const MODE: usize = 2;
    /// The code of the level, 0 to 3.
    pub const LEVEL: usize = 3;
    /// v1 only, since ViennaSweeper 4.0.0: whether texts are UTF-8.
    pub const UTF8: usize = 4;
    /// v2 only: the low 8 bits of the 3BV.
    pub const BBBV_LOW: usize = 4;
    /// v2 only: the high 8 bits of the 3BV.
    pub const BBBV_HIGH: usize = 5;
    /// v2 only: the side of a cell in pixels.
    pub const CELL_SIZE: usize = 6;
}

/// The side of a cell in v1 recordings, which do not store it: ViennaSweeper's cells were 16
/// pixels wide.
pub const V1_CELL_SIZE: u8 = 16;
