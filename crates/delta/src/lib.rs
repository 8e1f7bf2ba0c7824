//! Snapshot/delta wire, version 0: replicates game state over lossy transports and in files.
//!
//! A [`Schema`] defines the components and how each field is encoded. A [`Snapshot`] is the state
//! at a tick. An [`Encoder`] writes full snapshots and deltas; a [`Decoder`] applies them
//! completely or not at all. [`Sender`] and [`Receiver`] are the two ends of a session over a
//! transport that loses, repeats and reorders packets; the senders of all receivers share a
//! [`World`]. A [`Playout`] draws a receiver's view evenly. [`Packet`] and [`Sizes`] show the content
//! of packets and the use of their bytes. The crate does no I/O and uses no clock.
//!
//! ```
//! use gametape_delta::{Codec, Component, Decoder, Encoder, Field, Schema, Snapshot, Value};
//!
//! let schema = Schema::new([Component::new(1, [
//!     Field::new(1, Codec::FixedPoint { min_q: -51_200, max_q: 51_200, scale: 100 }).named("x"),
//!     Field::new(2, Codec::UInt { bits: 7 }).named("hull"),
//! ])])?;
//! let mut before = Snapshot::new(&schema, 1);
//! before.insert(7)?.set(1, &[Value::FixedPoint(150), Value::UInt(100)])?;
//! let mut now = before.clone();
//! now.set_tick(2);
//! now.entry(7).set_value(1, 2, Value::UInt(75))?;
//!
//! let mut packet = Vec::new();
//! Encoder::new(&schema).delta(&before, &now, &mut packet)?;
//! assert_eq!(packet.len(), 28 + 9); // header; tag, length, count, id, masks and 7 bits
//!
//! let mut received = Snapshot::new(&schema, 0);
//! Decoder::new(&schema).delta(&before, &packet, &mut received)?;
//! assert_eq!(received, now);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to change | look in |
//! |---|---|
//! | bits, varuints, alignment | `bits.rs` |
//! | schemas, their hash, codecs, values | `schema/`; `plan.rs` has the form that encoder and decoder use |
//! | header, flags, framing of sections | `wire.rs` |
//! | the state, how it is stored, and older states | `snapshot/`, `replicate.rs` |
//! | writing packets | `encode/`; `entity.rs` writes an entity, `stencil.rs` those of the same shape |
//! | reading and applying packets | `decode/`; `body.rs` reads entities |
//! | real numbers, angles | `quantise.rs` |
//! | parts of components, and their encodings | `field/` |
//! | packets without a state, and their sizes | `packet.rs`, `sizes.rs` |
//! | migrating states to another schema | `migrate.rs` |
//! | rules, limits, errors of encoders | `rule.rs`, `limits.rs`, `error.rs` |
//! | sessions | `session/`; `world.rs` has what all senders share; `audience.rs` and `bytes.rs` who sees which components of it, `grid.rs` what is near; in the sender, `scan.rs` finds the changes to send, `groups.rs` what travels together, `pack.rs` selects what fits and makes the packet, `rate.rs` adapts the budget; `receiver/` has what a client sees, `playout/` when it draws it |
//! | the simulated network | `network/` |
//!
//! # Features
//!
//! - `derive`: `#[derive(Replicate)]`, which makes structs and enums components, and
//!   `#[derive(ReplicateField)]`, which makes them parts of components.
//! - `glam`: [`ReplicateField`] for the vectors and quaternions of glam 0.33, which Bevy 0.20 has.
//! - `network`: a simulated network, for tests of games and of sessions.
//! - `serde`: schemas as JSON, in the form of the origin implementation.
//!
//! The crate is `no_std` and uses `alloc`.
//!
//! Sources: the wire format specification, version 0, and the origin implementation (`sdec-codec`
//! 0.5.0) where the specification leaves a choice.

#![cfg_attr(not(test), no_std)]
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

extern crate alloc;

pub mod bits;
mod decode;
mod encode;
mod error;
mod field;
mod limits;
mod migrate;
#[cfg(feature = "network")]
pub mod network;
mod packet;
mod quantise;
mod replicate;
mod rule;
mod schema;
mod session;
mod sizes;
mod snapshot;
pub mod wire;

pub use decode::Decoder;
pub use encode::{Encoder, settle};
pub use error::{EncodeError, QuantiseError, ValueError};
pub use field::{Bits, Clamped, FieldList, ReplicateField, VarInt};
pub use gametape_core::{Severity, Strictness};
#[cfg(feature = "derive")]
pub use gametape_delta_derive::{Replicate, ReplicateField};
pub use limits::{Limit, Limits, ReadOptions};
pub use migrate::{Incompatible, Loss, MigrateError, Migration};
pub use packet::{ComponentChange, EntityChange, Packet, PacketError, Section};
pub use quantise::{Angle, FixedPoint, Range, SmallestThree};
pub use replicate::{Replicate, ValueReader, ValueWriter};
pub use rule::{Error, Rule};
pub use schema::{
    Change, Codec, Component, Difference, Field, MAX_MASK_BITS, Schema, SchemaError, Value,
};
pub use session::{
    Area, Audience, Between, Blend, BlendError, Confirmed, DEFAULT_WINDOW, Estimates, Feedback,
    Grid, GridError, HeldBack, Mode, Near, Playout, PlayoutOptions, ReceiveError, Received,
    Receiver, ReceiverOptions, Relevance, RestrictError, SendError, Sender, SenderOptions, Sent,
    Timing, Totals, ViewEvent, World,
};
pub use sizes::{ComponentSize, Share, Size, Sizes};
pub use snapshot::{Baselines, Entity, EntityMut, NotNewer, Part, Snapshot};
pub use wire::{Header, Kind, Tag};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
