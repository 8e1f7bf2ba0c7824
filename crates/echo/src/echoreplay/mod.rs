//! .echoreplay, the recordings of the game's API as text. Each line is a frame: its time, the response of
//! `/session` and, if it was recorded, that of `/player_bones`. The text is plain or in a zip.
//!
//! There are two levels. A [`Line`] borrows the bytes of a line and can write them again. A
//! [`Frame`](crate::Frame) is what they mean: [`Line::read_into`] and [`write_frame`] convert between the
//! two.
//!
//! There are three ways to read, which agree on every input: a slice ([`read()`]), any [`std::io::Read`]
//! ([`Reader`]; [`open()`] takes plain files and zips), and bytes as they come ([`Feed`]). Each returns
//! lines as they are or reads them into a frame, strictly or leniently with [`Findings`](crate::Findings).
//! There are two ways to write: [`Writer`] and, with the feature `zip`, `ZipWriter`. [`audit()`] checks a
//! recording, [`salvage()`] keeps its intact lines, and [`Redactor`] removes the players' identities.
//!
//! # Tolerated input
//!
//! Even strict readers accept variants with the same meaning: lines that end with `\n` or `\r`,
//! blank lines, byte order marks, zeros between and after lines, a last line without an ending, times of all
//! regions, a third column that is empty or without bones, numbers and flags in other spellings, the API of
//! 2018 to 2020. Lenient readers also leave out members that can't be read, skip broken lines and responses
//! that are no session, leave out bones of another skeleton, and read as much of a broken zip as there is.
//! Whatever is unusual is a finding.
//!
//! # Fidelity of the model
//!
//! The model keeps every member of the API's responses, bit for bit, including the sign of zero. Members
//! that the API does not have are kept as they are spelled and written into the same object. A line keeps
//! the order of members and the spelling of numbers; a frame does not.
//!
//! Sources: the API's responses, recordings of several recorders, and what .butter's reference reads.

mod audit;
mod decode;
mod encode;
mod json;
pub(crate) mod line;
mod odd;
mod place;
mod read;
mod redact;
mod salvage;
pub(crate) mod scan;
#[cfg(feature = "tape")]
mod spool;
mod stream;
mod text;
mod torn;
#[cfg(feature = "zip")]
mod unpack;
pub(crate) mod write;
#[cfg(feature = "zip")]
mod zip;

#[cfg(feature = "zip")]
pub use self::zip::ZipWriter;
#[cfg(feature = "tape")]
pub(crate) use audit::audit_stream;
pub use audit::{Audit, audit, audit_input, audit_with};
pub use line::{Line, write_frame};
pub use read::{Lines, read, read_with};
pub use redact::Redactor;
pub use salvage::{Salvaged, salvage, salvage_to};
#[cfg(feature = "tape")]
pub(crate) use spool::{Spool, SpoolError};
pub use stream::{Feed, Reader, open, open_with};
#[cfg(feature = "tape")]
pub(crate) use text::is_packed;
pub use write::{Container, Writer, write};

/// Whether a file starts like a zip.
pub(crate) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}
