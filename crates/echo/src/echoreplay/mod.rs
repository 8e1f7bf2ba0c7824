//! .echoreplay, the recordings of the game's API as text: a line a frame, with its time, the answer of
//! `/session` and, where it was recorded, that of `/player_bones`; plain, or in a zip.
//!
//! Two levels. A [`Line`] is the bytes of a line, borrowed, and writes them again. A
//! [`Frame`](crate::Frame) is what they say: [`Line::read_into`] and [`write_frame`] go from one to
//! the other.
//!
//! Three ways in, which agree on every input: a slice ([`read()`]), any [`std::io::Read`]
//! ([`Reader`]; [`open()`] takes plain files and zips), and bytes as they come ([`Feed`]). Each
//! gives lines as they are, or reads them into a frame; reads strictly, or leniently with
//! [`Findings`](crate::Findings). Two ways out: [`Writer`] and, with the
//! feature `zip`, `ZipWriter`. [`audit()`] checks a recording, [`salvage()`] keeps what is whole. [`Redactor`] takes out
//! who played.
//!
//! # What is tolerated
//!
//! Even strictly, because it means the same: lines that end with `\n`, blank lines, a byte order mark,
//! a last line without an ending, times with dots or with another number of digits, a third column
//! that is empty or without bones, flags as 0, 0.0 or `true`. Leniently: broken lines and answers
//! that are no session are skipped, bones of another skeleton are left out, and of a broken zip is
//! read what is there.
//!
//! # What the model keeps
//!
//! Every member of the API's answers, bit for bit, the sign of zero included; members that are not
//! the API's as they are spelled, to come out again in their object. How members are ordered and how
//! numbers are spelled, a line keeps and a frame does not.
//!
//! Sources: the API as it answers, recordings of several recorders, and what the reference of
//! .butter reads.

mod audit;
pub(crate) mod container;
mod decode;
mod encode;
mod foreign;
mod json;
pub(crate) mod line;
mod place;
mod read;
mod redact;
mod resume;
mod salvage;
pub(crate) mod scan;
mod spans;
#[cfg(feature = "tape")]
mod spool;
mod stream;
mod text;
#[cfg(feature = "zip")]
mod unzip;
mod write;
#[cfg(feature = "zip")]
mod zip;

#[cfg(feature = "zip")]
pub use self::zip::ZipWriter;
pub use audit::{Audit, audit, audit_input, audit_with};
pub use container::Container;
pub use line::{LeftOut, Line, write_frame};
pub use read::{Lines, read, read_with};
pub use redact::Redactor;
pub use salvage::{Salvaged, salvage, salvage_to};
#[cfg(feature = "tape")]
pub(crate) use spool::{Spool, SpoolError};
pub use stream::{Feed, Reader, open, open_with};
#[cfg(feature = "tape")]
pub(crate) use text::is_zip;
pub use write::{Writer, write};
