//! What a capture is made of: its names, its topics, and what it says of itself.

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

/// Where the names are of what the packets speak of by numbers, and what holds throughout: of a capture
/// that was made of another recording's tables.
pub const TOPIC_LABELS: &str = "tables/labels";

/// Where the events of another recording are that a capture was made of.
pub const TOPIC_EVENTS: &str = "tables/events";

/// The encoding of the messages that are no packets.
pub const BESIDE_ENCODING: &str = "json";

/// The name of the metadata record that says of which tables a capture was made.
pub const TABLES_METADATA: &str = "gametape.tables";
/// What stands in it.
pub(crate) const KEY_TABLES: &str = "tables";

/// The name of the metadata record with the facts of a capture.
pub(crate) const METADATA: &str = "gametape";
/// The length of a tick in nanoseconds, where it is known.
pub(crate) const KEY_TICK: &str = "tick_ns";
/// What log times are multiples of.
pub(crate) const KEY_LOG_TICK: &str = "log_tick_ns";
/// The schema, once more: the record of it is in the first chunk, which may be lost.
pub(crate) const KEY_SCHEMA: &str = "schema";
/// Its hash, which tells whether it is damaged.
pub(crate) const KEY_SCHEMA_HASH: &str = "schema_hash";

/// What log times are multiples of where the length of a tick is not known: 1 ms.
pub(crate) const DEFAULT_TICK_NS: u64 = 1_000_000;

/// What a packet is to the recording.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// A full snapshot of the stream.
    Keyframe,
    /// A delta of the stream.
    Delta,
    /// A full snapshot that the recorder added to seek by: no part of the stream, and the state
    /// that the stream has at that tick anyway.
    Added,
    /// No packet: names of what the packets speak of by numbers, and what holds throughout.
    Labels,
    /// No packet: events of another recording that the capture was made of.
    Events,
}

impl Role {
    /// The channels that our writer gives them.
    pub(crate) const NUMBERED: [(u16, Self); 5] = [
        (1, Self::Keyframe),
        (2, Self::Delta),
        (3, Self::Added),
        (4, Self::Labels),
        (5, Self::Events),
    ];

    /// The number that our writer gives its channel.
    pub(crate) fn number(self) -> u16 {
        let number = Self::NUMBERED.iter().find(|(_, role)| *role == self);
        number.map_or(0, |(number, _)| *number)
    }

    /// True of what is no packet, and lies beside them.
    #[must_use]
    pub const fn is_beside(self) -> bool {
        matches!(self, Self::Labels | Self::Events)
    }

    /// True of the packets of the stream.
    #[must_use]
    pub const fn is_of_stream(self) -> bool {
        matches!(self, Self::Keyframe | Self::Delta)
    }

    /// The topic its messages are on.
    #[must_use]
    pub const fn topic(self) -> &'static str {
        match self {
            Self::Keyframe => TOPIC_KEYFRAMES,
            Self::Delta => TOPIC_DELTAS,
            Self::Added => TOPIC_ADDED,
            Self::Labels => TOPIC_LABELS,
            Self::Events => TOPIC_EVENTS,
        }
    }

    pub(crate) fn of_topic(topic: &str) -> Option<Self> {
        let mut roles = Self::NUMBERED.into_iter().map(|(_, role)| role);
        roles.find(|role| role.topic() == topic)
    }
}
