//! A recording as a few tables over one clock: the tables' definitions, and their rows in batches
//! of typed columns.
//!
//! Every row has stamps: its step, its tick if the recording has its own counter, and its time.
//! These are [columns](StampColumn) that every table has. A table's [`Lane`] says how it relates to
//! the clock. A format defines its tables ([`TableDef`]) and passes their rows to [`Scans`].
//! Code that shows, queries or streams recordings needs nothing else from a format.

mod batch;
mod book;
mod def;
mod diff;
mod json;
mod kind;
#[cfg(any(test, feature = "kit"))]
#[allow(clippy::panic)] // It is a test.
pub mod kit;
mod markers;
mod merged;
mod needs;
mod playback;
mod pull;
mod scan;
mod scan_error;
mod scan_playback;
mod scanning;
mod shown;
mod stamps;
mod value;

pub use crate::clock::Span;
pub use batch::{Batch, Column, Filling, Texts, Values};
pub use book::tables_page;
pub use def::{ColumnDef, Field, Rows, Table, TableDef, plain_name};
pub use diff::{Cell, RowDiff, TableDiff, TablesDiff, Which, diff_tables};
pub use json::JsonRows;
pub use kind::{Kind, Lane};
pub use markers::{EventMarkers, Marker, MarkerKind, event_markers, markers, sort_markers};
pub use merged::MergeError;
pub use needs::Needs;
pub use playback::{Playback, State, StateAt, Stepped};
pub use pull::Pull;
pub use scan::{Late, Picked, Scan};
pub use scan_error::ScanError;
pub use scan_playback::{ScanPlayback, Scanned};
pub use scanning::{Position, Scanning, Scans, Visit};
pub use shown::{plain, shown};
pub use stamps::{StampColumn, is_reserved};
pub use value::{Owned, Value};
