//! One packet of a recording, and what the recording says of it.

use gametape_delta::wire::Header;

use crate::error::CaptureError;
use crate::layout::Role;

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

/// One packet of a recording.
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
    pub fn error(&self, source: gametape_delta::Error) -> CaptureError {
        CaptureError::Packet {
            index: self.index,
            tick: Header::read(self.bytes).ok().map(|(header, _)| header.tick),
            // Within a chunk, the offset of a byte means nothing.
            offset: self.offset,
            source,
        }
    }
}
