//! The tables of any recording as [Apache Arrow](https://arrow.apache.org).
//!
//! ```
//! use arrow_array::RecordBatchReader;
//! use gametape_core::table::Scan;
//! use gametape_core::tape::Secrets;
//! use gametape_tables::ArrowTable;
//!
//! # let bytes = gametape_samples::mines::example();
//! let recording = gametape::Recording::from_bytes(bytes, "game.rmv")?;
//! let scan = Scan::table("mouse_events");
//! let tables = recording.tables()?;
//! let table = ArrowTable::new(scan.find(&tables)?, Secrets::Hide);
//! let rows = table.reader("game.rmv", recording.tape(), &scan, None)?;
//! assert_eq!(rows.schema().field(0).name(), "recording");
//! for batch in rows {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Columns
//!
//! A table has the column `recording`, which names the file; then, unless it is a table of facts, the
//! stamps `step`, `tick` and `time_ms`; in a table of states also `ended`; then its own columns.
//! Columns that are secret are left out unless they are asked for.
//!
//! | column | Arrow type |
//! |---|---|
//! | `recording`, and a text whose values are all known | dictionary of `Utf8`, with keys of `Int32` |
//! | another text | `Utf8` |
//! | a text with the unit `UTC`, or `local time` | `Timestamp` in microseconds, with the zone `UTC` or without one |
//! | an integer, with or without a sign | `Int64`, so that a difference of two can be negative |
//! | an unsigned integer that may use [all 64 bits](gametape_core::table::ColumnDef::wide) | `UInt64` |
//! | an integer in milliseconds | `Float64`, as `time_ms`, so that `/ 1000` gives seconds with a fraction |
//! | `float32`, `float64`, `bool` | `Float32`, `Float64`, `Boolean` |
//!
//! A missing value is null, and so is an empty text. NaN is no missing value: it is recorded, and stays NaN.
//!
//! A field has its documentation in the metadata `doc`, and where they exist its `unit` and
//! `precision`; `key` and `secret` are `true` where a column is one. The schema has the table's name,
//! lane, documentation and, for a grid, its shape (`table`, `lane`, `doc`, `shape`).

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

mod array;
mod grid;
mod reader;
mod table;

pub use array::ArrayError;
pub use grid::GridReader;
pub use reader::{Problem, ReadError, Reader};
pub use table::{ArrowTable, Differs, Merge};

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
