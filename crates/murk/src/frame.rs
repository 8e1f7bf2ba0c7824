//! A frame, as plain data.

use crate::command::{Command, CommandIter, Commands};
use crate::error::{Error, Finding};
use crate::limits::MIN_FRAME_BYTES;
use crate::payload::PayloadError;
use crate::rule::Rule;

/// One tick: its commands, and the hash of the state that they led to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Frame<'a> {
    /// Place in the recording, from 0.
    pub index: u64,
    /// Where in the file the frame starts.
    pub offset: u64,
    /// The tick. Ticks rise in a sound recording; the format does not demand it.
    pub tick: u64,
    /// Hash of the state after the tick, see [`snapshot_hash`](crate::snapshot_hash).
    pub snapshot_hash: u64,
    pub(crate) commands: Commands<'a>,
}

impl<'a> Frame<'a> {
    /// The tick's commands in the order they were submitted.
    #[must_use]
    pub const fn commands(&self) -> Commands<'a> {
        self.commands
    }

    /// Bytes the frame takes in the file.
    #[must_use]
    pub const fn size(&self) -> u64 {
        MIN_FRAME_BYTES + self.commands.as_bytes().len() as u64
    }

    /// A finding about this frame.
    #[must_use]
    pub fn finding(&self, rule: Rule) -> Finding {
        Finding::new(rule)
            .at(self.offset)
            .step(self.index)
            .tick(Some(self.tick))
    }

    /// What is wrong with the payload of command `command`, counted from 0, as an error.
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
