//! The container that a capture is: chunks, records and indexes of an MCAP file, for those who check
//! or mend one.
//!
//! Whoever wants packets needs none of it: [`Capture`](crate::Capture) reads them.
//!
//! ```
//! use gametape_capture::container::{WalkEnd, starts_as_mcap, walk};
//! # use gametape_capture::{CaptureWriter, Options};
//! # use gametape_delta::Schema;
//! # let mut file = CaptureWriter::new(Vec::new(), &Schema::empty(), Options::default())?.finish()?;
//!
//! assert!(starts_as_mcap(&file));
//! assert!(matches!(walk(&file).end, WalkEnd::DataEnd { .. }));
//! file.truncate(100); // in the record of its facts
//! assert!(matches!(walk(&file).end, WalkEnd::Cut(_)));
//! # Ok::<(), gametape_capture::CaptureError>(())
//! ```

mod chunk;
mod index;
mod records;

pub(crate) use chunk::unpack;
pub use chunk::{Chunk, Inside, Message, find_chunks, inside};
pub use index::{
    ChunkPlace, Summary, WalkEnd, Walked, read_message_index, read_summary, unreadable, walk,
};
pub(crate) use index::{leading, profile};
pub(crate) use records::Fields;
pub use records::{ChannelRecord, SchemaRecord, starts_as_mcap};
