//! Captures: recorded streams of snapshot/delta packets.
//!
//! A capture is an [MCAP](https://mcap.dev) file with the profile `gametape`; any MCAP tool can
//! list it. Its schema record contains the replication schema as JSON. Packets are messages, byte
//! for byte as they were sent, on the topics `keyframes` (full snapshots) and `deltas`. Full
//! snapshots that the recorder added for seeking are on `keyframes/added`: they are not part of the
//! stream.
//!
//! ```
//! use gametape_capture::{Options, Writer, read};
//! use gametape_delta::{Codec, Component, Encoder, Field, Schema, Snapshot, Value};
//!
//! let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
//! let mut writer = Writer::new(Vec::new(), &schema, Options::default())?;
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
//! let capture = read(&file)?;
//! let state = capture.state_at(50)?;
//! assert_eq!(state.entity(7).and_then(|ship| ship.value(1, 1)), Some(Value::UInt(50)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A recording can be opened from a slice or from an [`Input`](gametape_core::Input). From a file,
//! or from [`Ranges`] that other code fetches, only the necessary parts are read, a chunk at a
//! time.
//!
//! [`Packets`] is a common view of a capture and of a [`DeltaFile`], a file of concatenated
//! packets. [`Replay`] applies packets, and [`migrate()`] converts them to another schema.
//!
//! | to change | look in |
//! |---|---|
//! | names, topics, metadata of a capture | `layout.rs`; `read/facts.rs` reads them |
//! | the MCAP file: records, chunks, index | [`container`] |
//! | reading a recording range by range | `ranges.rs` |
//! | opening a capture; how it ends, and what follows it; ticks that are far off | `read/` |
//! | its keyframes, the state at a tick | `seek.rs` |
//! | packets, and the common view of captures and files | `packets.rs`; `cursor.rs` iterates over them |
//! | packets from bytes as they arrive | `stream.rs` |
//! | applying packets, and which states are kept | `replay.rs`, `follow.rs` |
//! | writing, added keyframes | `write.rs` |
//! | migration to another schema | `migrate.rs` |
//! | the audit | `audit/` |
//! | salvage of intact parts | `salvage/` |
//! | captures and files of packets as recordings of gametape (feature `tape`) | `tape/`; their rows: `tape/tables/` |
//! | captures made from any recording, and back to its tables | `made/` |
//! | rules of a recording; errors of writing; limits | `rule.rs`; `error.rs`; `limits.rs` |
//!
//! A module uses only modules of lower layers. From the lowest to the highest these are: ranges;
//! container and packets; cursor and seek; replay; writer, migration, audit and salvage; captures made
//! from tables; the adapter in `tape/`.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

mod audit;
pub mod container;
mod cursor;
mod error;
#[cfg(feature = "tape")]
mod follow;
mod layout;
mod limits;
#[cfg(feature = "tape")]
mod made;
mod migrate;
mod packets;
mod ranges;
mod read;
mod replay;
mod rule;
mod salvage;
mod seek;
mod stream;
#[cfg(feature = "tape")]
pub mod tape;
mod write;

pub use audit::{Audit, audit};
pub use cursor::{Cursor, DeltaFile};
pub use error::CaptureError;
pub use gametape_core::{Severity, Strictness};
pub use layout::{
    BESIDE_ENCODING, MESSAGE_ENCODING, PROFILE, RISES_METADATA, Role, SCHEMA_ENCODING, SCHEMA_NAME,
    TABLES_METADATA, TOPIC_ADDED, TOPIC_DELTAS, TOPIC_EVENTS, TOPIC_KEYFRAMES, TOPIC_LABELS,
};
pub use limits::{
    Limits, MAX_PACKET_BYTES, MAX_STATE_BYTES, decoder, decoder_to_show, entities_within,
};
pub use migrate::{Migrated, migrate};
pub use packets::{Packet, Packets, Times};
pub use ranges::Ranges;
pub use read::end::{After, Ending};
pub use read::facts::read_schema;
pub use read::{Capture, read, read_with};
pub use replay::{Added, Replay};
pub use rule::{CaptureRule, Error, Finding, Findings, Rule};
pub use salvage::{Repair, Salvaged, salvage};
pub use seek::Keyframe;
pub use stream::{Feed, Reader};
pub use write::{Options, Pushed, Writer};

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
