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
mod encode;
mod error;
mod events;
mod fields;
mod header;
mod limits;
mod loss;
mod properties;
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
pub use convert::convert;
pub use error::{Error, Finding, Findings, Section, WriteError};
#[cfg(feature = "tape")]
pub(crate) use events::EventPlace;
pub use events::{EventLog, Events};
pub use fields::{Extension, Extensions, PlayerFields};
pub use header::SIGNATURE;
pub use limits::{Limits, ReadOptions};
pub use loss::Loss;
pub use properties::{V1_CELL_SIZE, Version, property};
pub(crate) use quiet::{MoveSlots, Packed};
pub use read::{Reading, read, read_each, read_header, read_with};
pub use redact::{Personal, redact};
pub use release::Release;
pub use result_string::{ResultParts, ResultString};
pub use rule::Rule;
pub use salvage::{Repair, SalvageError, Salvaged, salvage};
pub use stream::{Feed, Reader, read_from};
pub use write::{RecordError, ResumeError, Resumed, Writer, write};
