//! Captures that are made of the tables of other recordings, and those tables again.
//!
//! What holds at a moment is the state of the stream: an entity for each key of a table, and one for
//! each tile of a grid, whose fields are the columns. Numbers of a stated precision are fixed points
//! within it; all others are exact. An entity of its own, the clock, says which step of the recording
//! a packet is. What packets have no way to say lies beside them, as JSON: the tables themselves in a
//! metadata record ([`description`]), keys, texts and facts on the topic `tables/labels`, events on
//! `tables/events`.
//!
//! | to change | look in |
//! |---|---|
//! | what is said of the tables | `description.rs` |
//! | how a value becomes fields, and which | `coding.rs` |
//! | values as JSON | `json.rs` |
//! | which components there are | `plan.rs`; `tile.rs` for grids |
//! | reading all rows of a recording, once | `gather.rs`, through temporary files: `spill.rs` |
//! | rows becoming a state, and packets | `held.rs`, `making.rs` |
//! | a whole recording as a stream; one that is being written | `stream.rs`; `growing.rs` |
//! | packets becoming a capture; pieces that are fetched one by one | `make.rs`; `segments.rs` |
//! | a part of a capture | `part.rs` |
//! | reading them back | `labels.rs`, `reading.rs`, `scan.rs`, `seek.rs` |

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
mod reading;
mod scan;
mod seek;
mod segments;
mod spill;
mod stream;
mod tile;

pub use description::Moment;
pub use growing::Growing;
pub(crate) use make::{make, secrets};
pub(crate) use part::When;
pub(crate) use reading::{Made, told};
pub(crate) use scan::{problem, scan, scan_each};
pub(crate) use seek::play;
pub(crate) use segments::segments;
pub use segments::{Piece, RecordKind, Segment, Segmented, push_record};
pub(crate) use stream::{PUBLISHED, Wanted};
