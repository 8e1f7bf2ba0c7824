//! The container of a capture: chunks, records and indexes of an MCAP file, for programs that check
//! or repair one.
//!
//! To read packets, use [`Capture`](crate::Capture) instead.
//!
//! ```
//! use gametape_capture::container::{WalkEnd, starts_as_mcap, walk};
//! # use gametape_capture::{Writer, Options};
//! # use gametape_delta::Schema;
//! # let mut file = Writer::new(Vec::new(), &Schema::empty(), Options::default())?.finish()?;
//!
//! assert!(starts_as_mcap(&file));
//! assert!(matches!(walk(&file)?.end, WalkEnd::DataEnd { .. }));
//! file.truncate(100); // in the record of its facts
//! assert!(matches!(walk(&file)?.end, WalkEnd::Cut(_)));
//! # Ok::<(), gametape_capture::CaptureError>(())
//! ```

mod chunk;
mod records;
mod summary;
mod walk;

pub use chunk::{Chunk, ChunkPlace, Inside, Message, inside};
pub(crate) use chunk::{Extent, MOST_HEAD, damaged, find_chunks, messages, unpack};
pub use records::{ChannelRecord, SchemaRecord, starts_as_mcap};
pub(crate) use records::{Fields, MOST_RECORD_BYTES, RECORD_HEAD, Record, record_in};

pub(crate) use summary::message_index;
pub use summary::{Summary, read_message_index, read_summary};
pub(crate) use walk::{Leading, MESSAGE_HEAD, profile};
pub use walk::{WalkEnd, Walked, unreadable, walk};
