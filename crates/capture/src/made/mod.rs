//! Captures that are made from the tables of other recordings, and the way back to these tables.
//!
//! The state of the stream contains the current rows: one entity per key of a state table, and one
//! per tile of a grid. The fields of an entity are the columns. Numbers with a stated precision are
//! fixed-point numbers within that precision; all others are exact. A separate entity, the clock,
//! contains the stamp of each packet. Everything that packets cannot express is stored as JSON: the
//! tables themselves in a metadata record ([`description`]); keys, texts and facts on the topic
//! `tables/labels`; events on `tables/events`.
//!
//! | to change | look in |
//! |---|---|
//! | the description of the tables | `description.rs` |
//! | how a value becomes fields, and which; values as JSON | `coding.rs` |
//! | the tiles of a grid | `tile.rs` |
//! | making a whole recording into a stream, and into a capture | `write/`; `growing.rs` for one that is being written |
//! | reading all rows of a recording, once | `write/gather.rs`, through temporary files: `write/spill.rs` |
//! | which components there are | `write/plan.rs` |
//! | rows becoming a state, and packets | `write/held.rs`, `write/making.rs` |
//! | segments that are fetched one by one | `write/segments.rs` |
//! | reading the tables back | `read/`: `labels.rs`, `scan.rs`, `seek.rs` |
//! | which chunks a range needs | `read/range.rs` |

mod coding;
mod description;
mod read;
mod tile;
mod write;

pub use description::Moment;
pub(crate) use read::range::{ends, pieces};
pub(crate) use read::scan::{problem, scan};
pub(crate) use read::seek::play;
pub(crate) use read::{Made, told};
pub use write::growing::Growing;
pub(crate) use write::segments::segments;
pub use write::segments::{Piece, RecordKind, Segment, Segmented, push_record};
pub(crate) use write::{PUBLISHED, Wanted, make, secrets};
