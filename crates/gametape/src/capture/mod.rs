//! Captures: streams of snapshot/delta packets, recorded.
//!
//! A capture is an [MCAP](https://mcap.dev) file of profile `gametape`, which any MCAP tool can
//! list. Its schema record is the replication schema as JSON; packets are messages, byte for byte
//! as they were sent, on the topics `keyframes` (full snapshots) and `deltas`. Full snapshots that
//! the recorder added to seek by are on `keyframes/added`: they are no part of the stream.
//!
//! ```
//! use gametape::capture::{Capture, CaptureWriter, Options};
//! use gametape::delta::{Codec, Component, Encoder, Field, Schema, Snapshot, Value};
//!
//! let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
//! let mut writer = CaptureWriter::new(Vec::new(), &schema, Options::default())?;
//! let mut encoder = Encoder::new(&schema);
//! let (mut packet, mut held) = (Vec::new(), Snapshot::new(&schema, 1));
//! encoder.full(&held, &mut packet)?;
//! writer.push(&packet)?;
//! for tick in 2..100 {
//!     let mut state = held.clone();
//!     state.set_tick(tick);
//!     state.entry(7).set(1, &[Value::UInt(tick.into())])?;
//!     encoder.delta(&held, &state, &mut packet)?;
//!     writer.push(&packet)?;
//!     held = state;
//! }
//! let file = writer.finish()?;
//!
//! let capture = Capture::open(&file)?;
//! let state = capture.state_at(50)?;
//! assert_eq!(state.entity(7).and_then(|ship| ship.value(1, 1)), Some(Value::UInt(50)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chunk;
mod cursor;
mod error;
mod facts;
mod index;
mod migrate;

mod reader;
mod records;
mod replay;
mod seek;
mod stream;
mod udp;
mod writer;

pub use cursor::{Cursor, Packet, Role, Times};
pub use error::CaptureError;
pub use migrate::{Migrated, migrate};

pub use reader::{Capture, Ending, Keyframe, ReadLimits};
pub use replay::{Added, MAX_STATE_BYTES, Replay};
pub use stream::{DeltaFile, Packets};
pub use udp::{UdpOptions, UdpRecorded, record_udp};
pub use writer::{CaptureWriter, Options, Pushed};

pub(crate) use chunk::{Chunk, Inside, Message, find_chunks, inside};
pub(crate) use facts::read_schema;
pub(crate) use index::{ChunkPlace, WalkEnd, read_message_index, read_summary, unreadable, walk};
pub(crate) use records::starts_as_mcap;
pub(crate) use seek::{reader, reader_to_show};

/// The profile of a capture.
pub const PROFILE: &str = "gametape";

/// The encoding of its messages.
pub const MESSAGE_ENCODING: &str = "snapshot-delta-v0";

/// The name of its schema record.
pub const SCHEMA_NAME: &str = "gametape.Snapshot";

/// The encoding of its schema record: JSON, as the origin of the wire writes it, with names.
pub const SCHEMA_ENCODING: &str = "gametape.schema+json";

/// Where full snapshots of the stream are.
pub const TOPIC_KEYFRAMES: &str = "keyframes";

/// Where its deltas are.
pub const TOPIC_DELTAS: &str = "deltas";

/// Where full snapshots are that the recorder added.
pub const TOPIC_ADDED: &str = "keyframes/added";

/// Largest packet of a capture: a chunk that holds it is within every reader's limits.
pub const MAX_PACKET_BYTES: usize = 64 << 20;
