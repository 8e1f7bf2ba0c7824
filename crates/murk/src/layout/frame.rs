//! Frames, as plain data.

use crate::error::{Error, Finding};
use crate::limits::MIN_FRAME_BYTES;
use crate::model::command::{Command, CommandIter, Commands};
use crate::model::payload::PayloadError;
use crate::rule::Rule;

/// One tick: its commands, and the hash of the state after them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Frame<'a> {
    /// The frame's number, from 0.
    pub index: u64,
    /// The offset of the frame in the file.
    pub offset: u64,
    /// The tick. Ticks rise in a sound recording, but the format does not require it.
    pub tick: u64,
    /// The hash of the state after the tick; see [`snapshot_hash`](crate::snapshot_hash).
    pub snapshot_hash: u64,
    pub(crate) commands: Commands<'a>,
}

impl<'a> Frame<'a> {
    /// Returns the commands of the tick in the order in which they were submitted.
    #[must_use]
    pub const fn commands(&self) -> Commands<'a> {
        self.commands
    }

    /// Returns the size of the frame in the file, in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        MIN_FRAME_BYTES + self.commands.as_bytes().len() as u64
    }

    /// Returns true for a frame after the first that is nothing but zeros: tick 0 again, no commands, and a hash
    /// of 0. Space was reserved for it, and it was never written.
    #[must_use]
    pub const fn is_blank(&self) -> bool {
        self.index > 0 && self.tick == 0 && self.snapshot_hash == 0 && self.commands.is_empty()
    }

    /// Returns true if the last byte is zero, so that [blank](Frame::is_blank) space after the frame may begin
    /// within it.
    pub(crate) const fn may_be_torn(&self) -> bool {
        self.snapshot_hash >> 56 == 0
    }

    /// Creates a finding about this frame.
    #[must_use]
    pub fn finding(&self, rule: Rule) -> Finding {
        Finding::new(rule)
            .at(self.offset)
            .step(self.index)
            .tick(Some(self.tick))
    }

    /// The finding about a [blank](Frame::is_blank) frame of a recording.
    pub(crate) fn blank(&self, recording: &[u8]) -> Finding {
        let rest = usize::try_from(self.offset).ok();
        let rest = rest.and_then(|at| recording.get(at..)).unwrap_or_default();
        let zeros = rest.iter().take_while(|byte| **byte == 0);
        let bytes = zeros.count() as u64;
        self.finding(Rule::Blank { bytes })
    }

    /// Creates the error for the payload of command `command`, counted from 0.
    #[must_use]
    pub fn payload_error(&self, command: u32, error: PayloadError) -> Error {
        self.finding(Rule::of_payload(command, error)).into()
    }
}

impl<'a> IntoIterator for Frame<'a> {
    type Item = Command<'a>;
    type IntoIter = CommandIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.commands.iter()
    }
}
