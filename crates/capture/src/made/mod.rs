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
//! | how a value becomes fields, and which | `coding.rs` |
//! | values as JSON | `json.rs` |
//! | which components there are | `plan.rs`; `tile.rs` for grids |
//! | reading all rows of a recording, once | `gather.rs`, through temporary files: `spill.rs` |
//! | rows becoming a state, and packets | `held.rs`, `making.rs` |
//! | a whole recording as a stream; one that is being written | `stream.rs`; `growing.rs` |
//! | packets becoming a capture; segments that are fetched one by one | `make.rs`; `segments.rs` |
//! | a part of a capture | `part.rs` |
//! | reading the tables back | `labels.rs`, `stamps.rs`, `reading.rs`, `scan.rs`, `seek.rs` |
//! | which chunks a range needs | `range.rs` |

mod coding;
mod description;
mod gather;
mod growing;
mod held;
mod json;
mod labels;
mod make;
mod making;
mod part;
mod plan;
mod range;
mod reading;
mod scan;
mod seek;
mod segments;
mod spill;
mod stamps;
mod stream;
mod tile;

pub use description::Moment;
pub use growing::Growing;
pub(crate) use make::{make, secrets};
pub(crate) use part::When;
pub(crate) use range::{ends, pieces};
pub(crate) use reading::{Made, told};
pub(crate) use scan::{problem, scan};
pub(crate) use seek::play;
pub(crate) use segments::segments;
pub use segments::{Piece, RecordKind, Segment, Segmented, push_record};
pub(crate) use stream::{PUBLISHED, Wanted};
