//! Commands of a simulation, typed and as stored.

use std::fmt;

use crate::model::payload::{Payload, PayloadError};

/// When a command is applied, and in which order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Envelope {
    /// The priority; lower classes are applied earlier. (The last write to a cell wins, so the
    /// *higher* class does.)
    pub priority_class: u8,
    /// The source that submitted the command.
    pub source_id: Option<u64>,
    /// The source's own count.
    pub source_seq: Option<u64>,
    /// The last tick at which the command is still applied.
    pub expires_after_tick: u64,
    /// The count of the recorder.
    pub arrival_seq: u64,
}

impl Default for Envelope {
    /// An anonymous command of class 1 that never expires.
    fn default() -> Self {
        Self {
            priority_class: 1,
            source_id: None,
            source_seq: None,
            expires_after_tick: u64::MAX,
            arrival_seq: 0,
        }
    }
}

/// A command as it is stored. The payload's bytes are kept unchanged, so that unknown types and
/// extra bytes after a payload survive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Command<'a> {
    /// The type of the payload: see [`Payload::tag`].
    pub payload_type: u8,
    /// The bytes of the payload.
    pub payload: &'a [u8],
    /// When it is applied.
    pub envelope: Envelope,
}

impl<'a> Command<'a> {
    /// Returns the typed payload. Extra bytes after it are ignored; see [`Command::trailing`].
    ///
    /// # Errors
    /// [`PayloadError::UnknownType`], and [`PayloadError::Short`] if the payload ends too early.
    #[inline]
    pub fn payload(&self) -> Result<Payload<'a>, PayloadError> {
        Payload::decode(self.payload_type, self.payload).map(|(payload, _)| payload)
    }

    /// Returns the extra bytes after the typed payload. The origin's writer writes none.
    ///
    /// # Errors
    /// Same as [`Command::payload`].
    pub fn trailing(&self) -> Result<&'a [u8], PayloadError> {
        Payload::decode(self.payload_type, self.payload).map(|(_, rest)| rest)
    }
}

/// The commands of one frame, encoded. Iterating decodes them; nothing is allocated.
#[derive(Clone, Copy, Default)]
pub struct Commands<'a> {
    bytes: &'a [u8],
    count: u32,
}

impl<'a> Commands<'a> {
    /// Creates the list. `bytes` must hold `count` well-formed commands and nothing else.
    #[inline]
    pub(crate) const fn new(bytes: &'a [u8], count: u32) -> Self {
        Self { bytes, count }
    }

    /// Returns the number of commands.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns true if there is no command.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the commands as they are stored, one after the other.
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns an iterator over the commands.
    #[inline]
    #[must_use]
    pub const fn iter(&self) -> CommandIter<'a> {
        CommandIter {
            bytes: self.bytes,
            left: self.count,
        }
    }
}

impl PartialEq for Commands<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.bytes == other.bytes
    }
}

impl Eq for Commands<'_> {}

impl fmt::Debug for Commands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<'a> IntoIterator for Commands<'a> {
    type Item = Command<'a>;
    type IntoIter = CommandIter<'a>;

    #[inline]
    fn into_iter(self) -> CommandIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Commands<'a> {
    type Item = Command<'a>;
    type IntoIter = CommandIter<'a>;

    #[inline]
    fn into_iter(self) -> CommandIter<'a> {
        self.iter()
    }
}

/// An iterator over the commands of one frame.
#[derive(Clone, Debug)]
pub struct CommandIter<'a> {
    bytes: &'a [u8],
    left: u32,
}

impl<'a> Iterator for CommandIter<'a> {
    type Item = Command<'a>;

    #[inline]
    fn next(&mut self) -> Option<Command<'a>> {
        self.left = self.left.checked_sub(1)?;
        // The bytes were checked when the frame was read, so none is missing here.
        let (command, rest) = split(self.bytes)?;
        self.bytes = rest;
        Some(command)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for CommandIter<'_> {}
impl std::iter::FusedIterator for CommandIter<'_> {}

/// Splits the first command off well-formed bytes. It is written by hand because readers spend most
/// of their time here.
#[inline]
fn split(bytes: &[u8]) -> Option<(Command<'_>, &[u8])> {
    let (&[payload_type, a, b, c, d], rest) = bytes.split_first_chunk()?;
    let (payload, rest) = rest.split_at_checked(u32::from_le_bytes([a, b, c, d]) as usize)?;
    let (&priority_class, rest) = rest.split_first()?;
    let (source_id, rest) = optional(rest)?;
    let (source_seq, rest) = optional(rest)?;
    let (expires, rest) = rest.split_first_chunk()?;
    let (arrival, rest) = rest.split_first_chunk()?;
    let envelope = Envelope {
        priority_class,
        source_id,
        source_seq,
        expires_after_tick: u64::from_le_bytes(*expires),
        arrival_seq: u64::from_le_bytes(*arrival),
    };
    let command = Command {
        payload_type,
        payload,
        envelope,
    };
    Some((command, rest))
}

#[inline]
fn optional(bytes: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let (&flag, rest) = bytes.split_first()?;
    if flag == 0 {
        return Some((None, rest));
    }
    let (value, rest) = rest.split_first_chunk()?;
    Some((Some(u64::from_le_bytes(*value)), rest))
}
