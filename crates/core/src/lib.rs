//! The foundation of every gametape format: [rules](rules!) and [findings](Finding), [`Strictness`]
//! and other read options, [places](Place), the clock ([`Stamp`], [`At`], [`Time`]), incremental
//! decoding ([`feed`]) and inputs ([`Input`]). It also defines the traits [`Format`](tape::Format)
//! and [`Tape`](tape::Tape). Programs that show, check or convert recordings use these traits and
//! need no knowledge of individual formats.
//!
//! | to change | look in |
//! |---|---|
//! | rules, the `rules!` macro, data of a rule | `rule.rs` |
//! | places; how repeated findings are counted | `finding.rs` |
//! | what was kept and may be altered | `altered.rs` |
//! | strictness, errors of readers | `read.rs` |
//! | buffers, streams, growing recordings | `feed/` |
//! | files read at offsets, ranges fetched by the caller | `input.rs` |
//! | what a format provides, and its options | `tape/` |
//! | tables, their columns, batches of rows | `table/` |
//! | what programs do with any recording: compare, follow, find related ones | `surface/` |
//!
//! The author of a format needs `tape/` and `table/` and never `surface/`.
//!
//! # Features
//!
//! - `std`: readers over any `Read`, inputs, and I/O errors. Without this feature the crate is
//!   `no_std` and uses `alloc`.
//! - `tape`: the format traits, and tables.
//! - `scratch`: temporary files for long tasks.
//! - `kit`: checks that formats use in their tests.

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
mod read;
mod rule;
#[cfg(feature = "std")]
mod spell;
#[cfg(feature = "tape")]
pub mod surface;
#[cfg(feature = "tape")]
pub mod table;
#[cfg(feature = "tape")]
pub mod tape;
pub mod text;

pub use altered::{AllAltered, Altered, Part};
pub use book::findings_page;
pub use bytes::{ByteReader, Short};
pub use clock::{At, Clocks, NoClock, ParseAtError, Span, Stamp, Time};
pub use finding::{Finding, Findings, Place};
#[cfg(feature = "std")]
pub use input::{Fetched, Input, InputStream, Missing, Output, ReadAt, Stream};
#[cfg(feature = "std")]
pub use read::ReadError;
pub use read::{ReadOptions, Strictness};
pub use rule::{Class, Coded, Datum, Rule, RuleInfo, Severity, ToDatum};
#[cfg(feature = "std")]
pub use spell::Spell;

/// Items that the macros use, for crates without `alloc`.
#[doc(hidden)]
pub mod private {
    pub use alloc::vec;
    pub use alloc::vec::Vec;
}
