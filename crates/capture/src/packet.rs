//! One packet of a recording, and what the recording says of it.

use gametape_delta::wire::Header;

use crate::layout::Role;
use crate::rule::{Error, Finding, Rule};

/// What a capture says of a packet besides the packet itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// The message's sequence number: the tick.
    pub sequence: u32,
    /// The tick as a time: nanoseconds since tick 0.
    pub log_time: u64,
    /// When it was recorded: nanoseconds since 1970; as `log_time` where nobody knew.
    pub publish_time: u64,
}

/// One packet of a recording, or a message that lies beside the packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet<'a> {
    /// As it was sent.
    pub bytes: &'a [u8],
    /// Which packet of the stream it is, from 0; one that was added has the number of the packet
    /// before it.
    pub index: u64,
    /// Where it starts in the file; in captures, where its chunk starts.
    pub offset: u64,
    /// What it is to the recording.
    pub role: Role,
    /// In captures.
    pub times: Option<Times>,
}

impl Packet<'_> {
    /// An error of the wire, with its place in the recording.
    #[must_use]
    pub fn error(&self, source: gametape_delta::Error) -> Error {
        self.finding(Rule::Wire(source)).into()
    }

    /// Its tick, where its header can be read.
    #[must_use]
    pub fn tick(&self) -> Option<u32> {
        if self.role.is_beside() {
            return self.times.map(|times| times.sequence);
        }
        Header::read(self.bytes).ok().map(|(header, _)| header.tick)
    }

    /// What it breaks, with its place in the recording; within a chunk, the offset of a byte means
    /// nothing.
    pub(crate) fn finding(&self, rule: impl Into<Rule>) -> Finding {
        Finding::new(rule.into())
            .step(self.index)
            .tick(self.tick().map(u64::from))
            .at(self.offset)
    }
}
