//! Snapshot/delta wire, version 0: game state over lossy transports, in files, anywhere.

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

mod apply;
mod baseline;
pub mod bits;
mod body;
mod encode;
mod error;
mod limits;
mod packet;
mod quantise;
mod replicate;
pub mod samples;
mod schema;
mod session;
mod sizes;
mod snapshot;
mod value;
mod walk;
pub mod wire;

pub use apply::{Decoder, Strictness};
pub use baseline::{Baselines, NotNewer};
pub use encode::{Encoder, settle};
pub use error::{EncodeError, Error, Rule};
#[cfg(feature = "derive")]
pub use gametape_delta_derive::Replicate;
pub use limits::{Limit, Limits};
pub use packet::{ComponentChange, EntityChange, Packet, PacketError, Section};
pub use quantise::{FixedPoint, QuantiseError, SmallestThree};
pub use replicate::{Replicate, ValueReader, ValueWriter};
pub use schema::{Change, Codec, Component, Difference, Field, MAX_MASK_BITS, Schema, SchemaError};
pub use session::{
    DEFAULT_WINDOW, Feedback, ReceiveError, Received, Receiver, SendError, Sender, SenderOptions,
    Sent,
};
pub use sizes::{ComponentSize, Size, Sizes};
pub use snapshot::{Entity, EntityMut, Part, Snapshot};
pub use value::{Value, ValueError};
pub use wire::{Header, Kind, Tag};
