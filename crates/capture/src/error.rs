//! Why a capture can't be read, or a packet not be kept.

use std::io;

use gametape_delta as delta;

/// What is wrong with a capture, or with what is to be put into one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The output can't be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Not an MCAP file.
    #[error("the file does not start as an MCAP file does")]
    NotMcap,
    /// Packets one behind the other, under the name of a capture.
    #[error(
        "no MCAP file, but bare packets: with the name .delta, and their schema beside it, it can be read"
    )]
    BarePackets,
    /// An MCAP file of somebody else.
    #[error(
        "an MCAP file, but no capture: its profile is {profile:?}, that of captures is \"gametape\""
    )]
    Foreign {
        /// The profile in its header.
        profile: String,
    },
    /// The file ends inside something that is needed.
    #[error("the file ends inside its {what}")]
    Truncated {
        /// In what.
        what: &'static str,
        /// Where that starts.
        offset: u64,
    },
    /// A record that breaks the rules of MCAP.
    #[error("the {what} record is damaged")]
    Record {
        /// Which kind.
        what: &'static str,
        /// Where it starts.
        offset: u64,
    },
    /// The capture has no schema.
    #[error("the capture has no schema: neither in its metadata nor in its first chunk")]
    NoSchema,
    /// The schema can't be read.
    #[error("the schema in the capture can't be read: {reason}")]
    Schema {
        /// Why.
        reason: String,
    },
    /// The facts in the capture's metadata can't be read.
    #[error("the capture's metadata has {key} = {value:?}, which is {wanted}")]
    Metadata {
        /// Which fact.
        key: &'static str,
        /// What it says.
        value: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// A chunk claims more bytes than the reader is willing to unpack.
    #[error("the chunk claims {claimed} bytes when unpacked, the limit is {limit}")]
    ChunkTooLarge {
        /// Where the chunk starts.
        offset: u64,
        /// What it claims.
        claimed: u64,
        /// The limit.
        limit: u64,
    },
    /// A compression this reader does not have.
    #[error("the chunk is packed with {name:?}; zstd can be unpacked")]
    Compression {
        /// Where the chunk starts.
        offset: u64,
        /// Which.
        name: String,
    },
    /// A chunk can't be unpacked.
    #[error("the chunk can't be unpacked: {reason}")]
    Unpack {
        /// Where the chunk starts.
        offset: u64,
        /// Why.
        reason: String,
    },
    /// A checksum is wrong.
    #[error("the checksum of the {what} is {found:08x}, {recorded:08x} is recorded")]
    Crc {
        /// Of what.
        what: &'static str,
        /// Where that starts.
        offset: u64,
        /// What the file says.
        recorded: u32,
        /// What its bytes give.
        found: u32,
    },
    /// A message on a channel that captures do not have.
    #[error("a message on channel {channel}, which is none of the capture's")]
    ForeignMessage {
        /// Where its chunk starts.
        offset: u64,
        /// The channel's id.
        channel: u16,
    },
    /// Messages outside of chunks.
    #[error(
        "{messages} messages are outside of chunks, where captures have none: they are not read"
    )]
    Loose {
        /// How many.
        messages: u64,
    },
    /// A packet can't be read or applied.
    #[error("packet {index}{}: {source}", of_tick(*.tick))]
    Packet {
        /// Which, from 0.
        index: u64,
        /// Its tick, where its header can be read.
        tick: Option<u32>,
        /// Where it starts; in captures, where its chunk starts.
        offset: u64,
        /// What is wrong with it.
        source: delta::Error,
    },
    /// Bytes between packets.
    #[error("{bytes} bytes are no packet: {}", if *.at_end { "none follows".to_owned() } else { format!("the next one starts at byte {}", .offset + .bytes) })]
    LostSync {
        /// Where they start.
        offset: u64,
        /// How many.
        bytes: u64,
        /// True where no packet follows.
        at_end: bool,
    },
    /// The recording has no state this early.
    #[error("there is no state at tick {tick}: {}", first_state(*.first))]
    NoState {
        /// The tick asked for.
        tick: u32,
        /// The first full snapshot's tick.
        first: Option<u32>,
    },
    /// The state at a tick builds on one that is not recorded.
    #[error(
        "the state at tick {tick} can't be told: it builds on tick {baseline}, which is not recorded"
    )]
    Unreachable {
        /// The tick.
        tick: u32,
        /// The tick of the missing baseline.
        baseline: u32,
    },
    /// More states would have to be held than the limit allows.
    #[error(
        "packet {index} (tick {tick}) builds on tick {baseline}, whose state was let go: more than {limit} bytes of states would have to be held"
    )]
    TooManyStates {
        /// Which packet.
        index: u64,
        /// Its tick.
        tick: u32,
        /// Its baseline's.
        baseline: u32,
        /// The limit.
        limit: u64,
    },
    /// A packet that does not come after what is recorded.
    #[error("a packet of tick {tick} comes after tick {last}: the ticks of a capture ascend")]
    TickOrder {
        /// Its tick.
        tick: u32,
        /// The last recorded tick.
        last: u32,
    },
    /// A packet larger than what readers unpack.
    #[error("a packet of {bytes} bytes, captures hold packets of up to {limit}")]
    PacketTooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// A packet that does not fit the capture.
    #[error("{0}")]
    BadPacket(delta::Error),
    /// The recording can't be carried over to another schema.
    #[error("the recording can't be carried over to the schema: {0}")]
    Migrate(String),
    /// An option out of range.
    #[error("{0}")]
    Option(String),
    /// The MCAP library refuses.
    #[error("the capture can't be written: {0}")]
    Write(String),
}

fn of_tick(tick: Option<u32>) -> String {
    tick.map_or_else(String::new, |tick| format!(" (tick {tick})"))
}

fn first_state(first: Option<u32>) -> String {
    first.map_or_else(
        || "the recording has no full snapshot".to_owned(),
        |first| format!("the first full snapshot is of tick {first}"),
    )
}

impl From<mcap::McapError> for CaptureError {
    fn from(error: mcap::McapError) -> Self {
        match error {
            mcap::McapError::Io(error) => Self::Io(error),
            other => Self::Write(other.to_string()),
        }
    }
}

impl CaptureError {
    /// The stable code, documented in the book; that of a packet is the wire's own.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::NotMcap | Self::BarePackets => "capture.magic",
            Self::Foreign { .. } => "capture.foreign",
            Self::Truncated { .. } => "capture.truncated",
            Self::Record { .. } => "capture.record",
            Self::NoSchema => "capture.no-schema",
            Self::Schema { .. } => "capture.schema",
            Self::Metadata { .. } => "capture.metadata",
            Self::ChunkTooLarge { .. }
            | Self::PacketTooLarge { .. }
            | Self::TooManyStates { .. } => "capture.limit",
            Self::Compression { .. } => "capture.compression",
            Self::Unpack { .. } => "capture.unpack",
            Self::Crc { .. } => "capture.crc",
            Self::ForeignMessage { .. } => "capture.foreign-message",
            Self::Loose { .. } => "capture.loose-message",
            Self::Packet { source, .. } => source.code(),
            Self::BadPacket(error) => error.code(),
            Self::LostSync { .. } => "delta.lost-sync",
            Self::NoState { .. } => "capture.no-state",
            Self::Unreachable { .. } => "capture.unreachable",
            Self::TickOrder { .. } => "capture.tick-order",
            Self::Migrate(_) => "capture.migrate",
            Self::Option(_) => "capture.option",
            Self::Write(_) => "capture.write",
        }
    }

    /// Where in the file.
    #[must_use]
    pub const fn offset(&self) -> Option<u64> {
        match self {
            Self::Truncated { offset, .. }
            | Self::Record { offset, .. }
            | Self::ChunkTooLarge { offset, .. }
            | Self::Compression { offset, .. }
            | Self::Unpack { offset, .. }
            | Self::Crc { offset, .. }
            | Self::ForeignMessage { offset, .. }
            | Self::Packet { offset, .. }
            | Self::LostSync { offset, .. } => Some(*offset),
            Self::NotMcap | Self::BarePackets => Some(0),
            _ => None,
        }
    }

    /// The tick it is about.
    #[must_use]
    pub const fn tick(&self) -> Option<u32> {
        match self {
            Self::Packet { tick, .. } => *tick,
            Self::NoState { tick, .. }
            | Self::Unreachable { tick, .. }
            | Self::TooManyStates { tick, .. }
            | Self::TickOrder { tick, .. } => Some(*tick),
            _ => None,
        }
    }

    /// True where a limit was reached: larger limits might mend it.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::ChunkTooLarge { .. } | Self::PacketTooLarge { .. } | Self::TooManyStates { .. }
        )
    }
}
