//! A packet of a recording, with its place and times.

use gametape_delta::wire::Header;

use crate::layout::Role;
use crate::rule::{Error, Finding, Rule};

/// The times that a capture records for a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Times {
    /// The sequence number of the message, which is the tick.
    pub sequence: u32,
    /// The tick as a time: nanoseconds since tick 0.
    pub log_time: u64,
    /// The time of recording in nanoseconds since 1970; equal to `log_time` if it is unknown.
    pub publish_time: u64,
}

/// A packet of a recording, or another message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet<'a> {
    /// Its bytes, as they were sent.
    pub bytes: &'a [u8],
    /// Its number in the stream, from 0; an added packet has the number of the packet before it.
    pub index: u64,
    /// Its offset in the file; in captures, the offset of its chunk, or outside of chunks that of its
    /// message.
    pub offset: u64,
    /// Its role in the recording.
    pub role: Role,
    /// Its times; only in captures.
    pub times: Option<Times>,
}

impl Packet<'_> {
    /// An error of the wire format, with the packet's place in the recording.
    #[must_use]
    pub fn error(&self, source: gametape_delta::Error) -> Error {
        self.finding(Rule::Wire(source)).into()
    }

    /// Its tick, if its header can be read.
    #[must_use]
    pub fn tick(&self) -> Option<u32> {
        if self.role.is_beside() {
            return self.times.map(|times| times.sequence);
        }
        Header::read(self.bytes).ok().map(|(header, _)| header.tick)
    }

    /// A finding about this packet, with its place in the recording. The offset of a byte within an
    /// unpacked chunk would mean nothing, so it is not given.
    pub(crate) fn finding(&self, rule: impl Into<Rule>) -> Finding {
        Finding::new(rule.into())
            .step(self.index)
            .tick(self.tick().map(u64::from))
            .at(self.offset)
    }
}
