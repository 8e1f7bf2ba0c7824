//! What programs do with a recording of any format: compare, show and query it, and find related ones.
//! A format needs none of it.

mod diff;
mod json;
mod markers;
mod merged;
mod pull;
mod relations;
mod scan_playback;
mod shown;

pub use crate::book::tables_page;
pub use diff::{Cell, RowDiff, TableDiff, TablesDiff, Which, diff_tables};
pub use json::JsonRows;
pub use markers::{EventMarkers, Marker, MarkerKind, event_markers, markers, sort_markers};
pub use merged::MergeError;
pub use pull::Pull;
pub use relations::{Related, Relations};
pub use scan_playback::{ScanPlayback, Scanned};
pub use shown::{plain, shown};
