//! A recording as a few tables over one clock: the tables' definitions, and their rows in batches
//! of typed columns.
//!
//! Every row has stamps: its step, its tick if the recording has its own counter, and its time.
//! These are [columns](StampColumn) that every table has. A table's [`Lane`] says how it relates to
//! the clock. A format defines its tables ([`TableDef`]) and passes their rows to [`Scans`].
//! Code that shows, queries or streams recordings needs nothing else from a format.

mod batch;
mod def;
#[cfg(any(test, feature = "kit"))]
#[allow(clippy::panic)] // It is a test.
pub mod kit;
mod playback;
mod scan;
mod scan_error;
mod scanning;
mod value;

pub use crate::clock::Span;
pub use batch::{Batch, Column, Filling, Texts, Values};
pub use def::{ColumnDef, Field, Kind, Lane, Rows, Table, TableDef, plain_name};
pub use playback::{Playback, State, StateAt, Stepped};
pub use scan::{Late, Picked, Scan, StampColumn, is_reserved};
pub use scan_error::{Needs, ScanError};
pub use scanning::{Position, Scanning, Scans, Visit};
pub use value::{Owned, Value};
