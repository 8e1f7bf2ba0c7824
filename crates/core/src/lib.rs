//! What every format of gametape stands on: [rules](rules!) and [findings](Finding), how
//! [strictly](Strictness) to read, [places](Place), the clock ([`Stamp`], [`At`], [`Time`]), feeding
//! bytes as they come ([`feed`]), what recordings are read from ([`Input`]); and the traits
//! [`Format`](tape::Format) and [`Tape`](tape::Tape), by which whoever shows, checks or converts a
//! recording needs to know no format.
//!
//! | to change | look in |
//! |---|---|
//! | what a rule is, the table of rules, figures as data | `rule.rs` |
//! | where something is; how repeats are counted | `finding.rs` |
//! | what was kept and may be altered | `altered.rs` |
//! | strictness, the errors of readers | `read.rs` |
//! | buffers, streams, recordings that grow | `feed/` |
//! | files read at positions, ranges that others fetch | `input.rs` |
//! | what a format has to say, and its options | `tape/` |
//! | tables, their columns, rows in batches | `table/` |
//!
//! # Features
//!
//! - `std`: readers over any `Read`, inputs, errors that hold what the system says. Without it the
//!   crate is `no_std`, with `alloc`.
//! - `tape`: the traits of formats, and tables.
//! - `kit`: checks of what formats give, for their tests.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

extern crate alloc;

mod altered;
mod book;
mod bytes;
mod clock;
pub mod feed;
mod finding;
#[cfg(feature = "std")]
mod input;
#[cfg(feature = "std")]
mod output;
#[doc(hidden)]
pub mod private;
mod read;
mod rule;
#[cfg(feature = "tape")]
pub mod table;
#[cfg(feature = "tape")]
pub mod tape;
pub mod text;

pub use altered::{AllAltered, Altered, Part};
pub use book::findings_page;
pub use bytes::{ByteReader, Short};
pub use clock::{At, Clocks, NoClock, ParseAtError, Stamp, Time};
pub use finding::{Finding, Findings, Place};
#[cfg(feature = "std")]
pub use input::{Fetched, Input, InputStream, Missing, ReadAt};
#[cfg(feature = "std")]
pub use output::{Output, Stream};
#[cfg(feature = "std")]
pub use read::ReadError;
pub use read::{ReadOptions, Strictness};
pub use rule::{Class, Coded, Datum, Rule, RuleInfo, Severity, ToDatum};
