//! A recording as a few tables over one clock: what tables it has, and their rows in batches of
//! typed columns.
//!
//! Every row is stamped with its step, its tick where the recording has a counter of its own, and
//! its time. How a table relates to the clock is its [`Lane`]. A format says what its tables are
//! ([`TableDef`]) and gives their rows to a [`Scanning`]; who shows, queries or streams a recording
//! needs nothing else of it.

mod batch;
mod book;
mod changes;
mod def;
mod diff;
mod facts;
mod json;
mod kind;
#[cfg(any(test, feature = "kit"))]
#[allow(clippy::panic)] // It is a test.
pub mod kit;
mod markers;
mod needs;
mod playback;
mod playback_scan;
mod scan;
mod scan_each;
mod scan_error;
mod scan_playback;
mod scanning;
mod shown;

pub use batch::{Batch, Column, Owned, Texts, Value, Values};
pub use book::tables_page;
pub use changes::Changes;
pub use def::{ColumnDef, Field, Rows, Table, TableDef, plain_name};
pub use diff::{Cell, RowDiff, TableDiff, TablesDiff, Which, diff_tables};
pub use facts::{Fact, FactTable, flat};
pub use json::JsonRows;
pub use kind::{Kind, Lane};
pub use markers::{EventMarkers, Marker, MarkerKind, event_markers, markers, sort_markers};
pub use needs::Needs;
pub use playback::{Playback, Span, State, StateAt, Stepped};
pub use playback_scan::scan_by_stepping;
pub use scan::Scan;
pub use scan_each::{VisitEach, Visitors, go_on};
pub use scan_error::ScanError;
pub use scan_playback::{ScanPlayback, Scans};
pub use scanning::{Place, Scanning, Visit, Waiting};
pub use shown::{plain, shown};
