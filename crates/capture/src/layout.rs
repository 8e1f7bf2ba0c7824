//! The structure of a capture: its names, topics and metadata.

use gametape_core::Clocks;

/// The MCAP profile of a capture.
pub const PROFILE: &str = "gametape";

/// The encoding of its packet messages.
pub const MESSAGE_ENCODING: &str = "snapshot-delta-v0";

/// The name of its schema record.
pub const SCHEMA_NAME: &str = "gametape.Snapshot";

/// The encoding of its schema record: JSON as written by the origin of the wire format, with names
/// added.
pub const SCHEMA_ENCODING: &str = "gametape.schema+json";

/// The topic of the stream's full snapshots.
pub const TOPIC_KEYFRAMES: &str = "keyframes";

/// The topic of the stream's deltas.
pub const TOPIC_DELTAS: &str = "deltas";

/// The topic of full snapshots that the recorder added.
pub const TOPIC_ADDED: &str = "keyframes/added";

/// The topic of labels, in a capture that was made from another recording's tables: names for the
/// numbers in the packets, and values that are constant throughout.
pub const TOPIC_LABELS: &str = "tables/labels";

/// The topic of the events of the recording from which a capture was made.
pub const TOPIC_EVENTS: &str = "tables/events";

/// The encoding of messages that are not packets.
pub const BESIDE_ENCODING: &str = "json";

/// The name of the metadata record that describes the tables from which a capture was made.
pub const TABLES_METADATA: &str = "gametape.tables";
/// The key of the description in that record.
pub(crate) const KEY_TABLES: &str = "tables";

/// The name of the metadata record after the last chunk of such a capture that names the clocks which
/// never go back and which every packet has: ranges of these are found without reading all.
pub const RISES_METADATA: &str = "gametape.rises";
/// The names of these clocks in that record.
pub(crate) const KEY_CLOCKS: &str = "clocks";

/// The name of the metadata record with the facts of a capture.
pub(crate) const METADATA: &str = "gametape";
/// The length of a tick in nanoseconds, if it is known.
pub(crate) const KEY_TICK: &str = "tick_ns";
/// The unit of log times, in nanoseconds.
pub(crate) const KEY_LOG_TICK: &str = "log_tick_ns";
/// A copy of the schema: its record is in the first chunk, which may be lost.
/// Its value is [`VIEW`] if the packets are not those of a wire.
pub(crate) const KEY_CONTENT: &str = "content";
pub(crate) const VIEW: &str = "view";

pub(crate) const KEY_SCHEMA: &str = "schema";
/// The schema's hash, which shows whether the schema is damaged.
pub(crate) const KEY_SCHEMA_HASH: &str = "schema_hash";

/// The unit of log times if the length of a tick is not known: 1 ms.
pub(crate) const DEFAULT_TICK_NS: u64 = 1_000_000;

/// The role of a message in the recording.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// A full snapshot of the stream.
    Keyframe,
    /// A delta of the stream.
    Delta,
    /// A full snapshot that the recorder added for seeking. It is not part of the stream, and
    /// repeats the state that the stream has at that tick.
    Added,
    /// Not a packet: names for the numbers in the packets, and values that are constant throughout.
    Labels,
    /// Not a packet: events of the recording from which the capture was made.
    Events,
}

impl Role {
    /// The channels that our writer uses.
    pub(crate) const NUMBERED: [(u16, Self); 5] = [
        (1, Self::Keyframe),
        (2, Self::Delta),
        (3, Self::Added),
        (4, Self::Labels),
        (5, Self::Events),
    ];

    /// The number of the role's channel in our writer.
    pub(crate) fn number(self) -> u16 {
        let number = Self::NUMBERED.iter().find(|(_, role)| *role == self);
        number.map_or(0, |(number, _)| *number)
    }

    /// True for messages that are not packets.
    #[must_use]
    pub const fn is_beside(self) -> bool {
        matches!(self, Self::Labels | Self::Events)
    }

    /// True for packets of the stream.
    #[must_use]
    pub const fn is_of_stream(self) -> bool {
        matches!(self, Self::Keyframe | Self::Delta)
    }

    /// The topic of its messages.
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

const TICKS: &str = "ticks";
const TIMES: &str = "times";

/// The names of clocks, with a comma between them.
pub(crate) fn clock_names(clocks: Clocks) -> String {
    let names = [(clocks.ticks, TICKS), (clocks.times, TIMES)];
    let names = names.into_iter().filter(|(has, _)| *has);
    names.map(|(_, name)| name).collect::<Vec<_>>().join(",")
}

/// The clocks with these names.
pub(crate) fn clocks_named(names: &str) -> Clocks {
    let has = |clock: &str| names.split(',').any(|name| name == clock);
    Clocks {
        ticks: has(TICKS),
        times: has(TIMES),
    }
}
