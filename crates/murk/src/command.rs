//! Commands: what was submitted to the simulation, typed and as stored.

use std::fmt;

use crate::bytes::{array, i32_le, u32_le, u64_le};
use crate::error::PayloadError;

/// When a command counts, and before which others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Envelope {
    /// Lower is applied earlier. (The last write to a cell stays, so the *higher* class wins it.)
    pub priority_class: u8,
    /// Who submitted it.
    pub source_id: Option<u64>,
    /// The submitter's own count.
    pub source_seq: Option<u64>,
    /// The last tick at which it is still applied.
    pub expires_after_tick: u64,
    /// The recorder's count.
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

/// A command as it is stored: the payload's bytes are kept as they are, so that unknown types and
/// bytes behind a payload survive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Command<'a> {
    /// The payload's type: see [`Payload::tag`].
    pub payload_type: u8,
    /// The payload's bytes.
    pub payload: &'a [u8],
    /// When it counts.
    pub envelope: Envelope,
}

impl<'a> Command<'a> {
    /// The payload, typed. Bytes behind it are passed over; see [`Command::trailing`].
    ///
    /// # Errors
    /// [`PayloadError::UnknownType`]; [`PayloadError::Short`] where the payload ends too early.
    #[inline]
    pub fn payload(&self) -> Result<Payload<'a>, PayloadError> {
        Payload::decode(self.payload_type, self.payload).map(|(payload, _)| payload)
    }

    /// Bytes behind the typed payload: none in what the origin's writer writes.
    ///
    /// # Errors
    /// As [`Command::payload`].
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
    /// `bytes` must hold `count` well-formed commands and nothing else.
    #[inline]
    pub(crate) const fn new(bytes: &'a [u8], count: u32) -> Self {
        Self { bytes, count }
    }

    /// How many.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// True if there is none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The commands as they are stored, one after the other.
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// One after the other.
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

/// The commands of one frame, one after the other.
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
        // The bytes were checked when the frame was read: nothing here comes up short.
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

/// The first command of well-formed bytes, and what follows it.
#[inline]
fn split(bytes: &[u8]) -> Option<(Command<'_>, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<5>()?;
    let [payload_type, length @ ..] = *head;
    let (payload, rest) = rest.split_at_checked(u32::from_le_bytes(length) as usize)?;
    let (&priority_class, rest) = rest.split_first()?;
    let (source_id, rest) = optional(rest)?;
    let (source_seq, rest) = optional(rest)?;
    let (expires_after_tick, rest) = u64_le(rest)?;
    let (arrival_seq, rest) = u64_le(rest)?;
    Some((
        Command {
            payload_type,
            payload,
            envelope: Envelope {
                priority_class,
                source_id,
                source_seq,
                expires_after_tick,
                arrival_seq,
            },
        },
        rest,
    ))
}

#[inline]
fn optional(bytes: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let (&flag, rest) = bytes.split_first()?;
    if flag == 0 {
        return Some((None, rest));
    }
    let (value, rest) = u64_le(rest)?;
    Some((Some(value), rest))
}

/// What a command asks for. Lists are borrowed from the recording, or from the caller who writes
/// one.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Payload<'a> {
    /// Moves an entity (tag 0).
    Move {
        /// Which entity.
        entity_id: u64,
        /// Where to.
        target: Coord<'a>,
    },
    /// Puts an entity into the world (tag 1).
    Spawn {
        /// Where.
        coord: Coord<'a>,
        /// What it starts with.
        field_values: List<'a, (u32, f32)>,
    },
    /// Takes an entity out of the world (tag 2).
    Despawn {
        /// Which entity.
        entity_id: u64,
    },
    /// Sets a field's value in one cell (tag 3).
    SetField {
        /// Which cell.
        coord: Coord<'a>,
        /// Which field.
        field: u32,
        /// The value.
        value: f32,
    },
    /// Something of the recorder's own (tag 4).
    Custom {
        /// What it is, by the recorder's own count.
        type_id: u32,
        /// Its bytes.
        data: &'a [u8],
    },
    /// Sets a parameter of the whole world (tag 5).
    SetParameter {
        /// Which parameter.
        key: u32,
        /// The value.
        value: f64,
    },
    /// Sets several parameters at once (tag 6).
    SetParameterBatch {
        /// Which, and to what.
        parameters: List<'a, (u32, f64)>,
    },
}

/// A coordinate: as many numbers as the space has dimensions.
pub type Coord<'a> = List<'a, i32>;

impl<'a> Payload<'a> {
    /// The names of the types, by tag.
    pub const NAMES: [&'static str; 7] = [
        "move",
        "spawn",
        "despawn",
        "set_field",
        "custom",
        "set_parameter",
        "set_parameter_batch",
    ];

    /// The number that stands for the type in the file.
    #[must_use]
    pub const fn tag(&self) -> u8 {
        match self {
            Self::Move { .. } => 0,
            Self::Spawn { .. } => 1,
            Self::Despawn { .. } => 2,
            Self::SetField { .. } => 3,
            Self::Custom { .. } => 4,
            Self::SetParameter { .. } => 5,
            Self::SetParameterBatch { .. } => 6,
        }
    }

    /// The type's name: `move`, `spawn`, `set_field`, …
    #[must_use]
    pub fn name(&self) -> &'static str {
        Self::NAMES
            .get(usize::from(self.tag()))
            .copied()
            .unwrap_or_default()
    }

    /// Reads a payload of the type `tag`; gives it and the bytes behind it.
    ///
    /// # Errors
    /// [`PayloadError::UnknownType`]; [`PayloadError::Short`] where the payload ends too early:
    /// a count is never believed beyond the bytes that are there.
    #[inline]
    pub fn decode(tag: u8, bytes: &'a [u8]) -> Result<(Self, &'a [u8]), PayloadError> {
        decode(tag, bytes).ok_or_else(|| PayloadError::of(tag, bytes))
    }

    /// Bytes of the payload.
    #[inline]
    pub(crate) const fn size(&self) -> usize {
        match self {
            Self::Move { target, .. } => 8_usize.saturating_add(target.size()),
            Self::Spawn {
                coord,
                field_values,
            } => coord.size().saturating_add(field_values.size()),
            Self::Despawn { .. } => 8,
            Self::SetField { coord, .. } => coord.size().saturating_add(8),
            Self::Custom { data, .. } => 8_usize.saturating_add(data.len()),
            Self::SetParameter { .. } => 12,
            Self::SetParameterBatch { parameters } => parameters.size(),
        }
    }

    /// Appends the payload's bytes.
    ///
    /// # Errors
    /// Gives the length of a list that 32 bits can't count.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), usize> {
        for length in match self {
            Self::Move { target, .. } => [target.len(), 0],
            Self::Spawn {
                coord,
                field_values,
            } => [coord.len(), field_values.len()],
            Self::SetField { coord, .. } => [coord.len(), 0],
            Self::Custom { data, .. } => [data.len(), 0],
            Self::SetParameterBatch { parameters } => [parameters.len(), 0],
            Self::Despawn { .. } | Self::SetParameter { .. } => [0, 0],
        } {
            u32::try_from(length).map_err(|_| length)?;
        }
        self.put(out);
        Ok(())
    }

    /// Appends the payload's bytes; 32 bits count its lists.
    #[inline]
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Move { entity_id, target } => {
                out.extend_from_slice(&entity_id.to_le_bytes());
                target.encode(out);
            }
            Self::Spawn {
                coord,
                field_values,
            } => {
                coord.encode(out);
                field_values.encode(out);
            }
            Self::Despawn { entity_id } => out.extend_from_slice(&entity_id.to_le_bytes()),
            Self::SetField {
                coord,
                field,
                value,
            } => {
                coord.encode(out);
                (*field, *value).put(out);
            }
            Self::Custom { type_id, data } => {
                out.extend_from_slice(&type_id.to_le_bytes());
                out.extend_from_slice(&(data.len() as u32).to_le_bytes());
                out.extend_from_slice(data);
            }
            Self::SetParameter { key, value } => (*key, *value).put(out),
            Self::SetParameterBatch { parameters } => parameters.encode(out),
        }
    }
}

#[inline]
fn decode(tag: u8, bytes: &[u8]) -> Option<(Payload<'_>, &[u8])> {
    Some(match tag {
        0 => {
            let (entity_id, rest) = u64_le(bytes)?;
            let (target, rest) = List::decode(rest)?;
            (Payload::Move { entity_id, target }, rest)
        }
        1 => {
            let (coord, rest) = List::decode(bytes)?;
            let (field_values, rest) = List::decode(rest)?;
            (
                Payload::Spawn {
                    coord,
                    field_values,
                },
                rest,
            )
        }
        2 => {
            let (entity_id, rest) = u64_le(bytes)?;
            (Payload::Despawn { entity_id }, rest)
        }
        3 => {
            let (coord, rest) = List::decode(bytes)?;
            let (pair, rest) = array::<8>(rest)?;
            let (field, value) = Item::get(pair);
            (
                Payload::SetField {
                    coord,
                    field,
                    value,
                },
                rest,
            )
        }
        4 => {
            let (type_id, rest) = u32_le(bytes)?;
            let (length, rest) = u32_le(rest)?;
            let (data, rest) = rest.split_at_checked(length as usize)?;
            (Payload::Custom { type_id, data }, rest)
        }
        5 => {
            let (pair, rest) = array::<12>(bytes)?;
            let (key, value) = Item::get(pair);
            (Payload::SetParameter { key, value }, rest)
        }
        6 => {
            let (parameters, rest) = List::decode(bytes)?;
            (Payload::SetParameterBatch { parameters }, rest)
        }
        _ => return None,
    })
}

/// One entry of a [`List`]: implemented for what the format has lists of.
pub trait Item: Copy + PartialEq + fmt::Debug + sealed::Sealed {
    /// Bytes in the file.
    #[doc(hidden)]
    const BYTES: usize;
    #[doc(hidden)]
    fn get(bytes: &[u8]) -> Self;
    #[doc(hidden)]
    fn put(self, out: &mut Vec<u8>);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for (u32, f32) {}
    impl Sealed for (u32, f64) {}
}

impl Item for i32 {
    const BYTES: usize = 4;

    #[inline]
    fn get(bytes: &[u8]) -> Self {
        i32_le(bytes)
    }

    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
}

impl Item for (u32, f32) {
    const BYTES: usize = 8;

    #[inline]
    fn get(bytes: &[u8]) -> Self {
        match u32_le(bytes) {
            Some((field, rest)) => (
                field,
                u32_le(rest).map_or(0.0, |(bits, _)| f32::from_bits(bits)),
            ),
            None => Self::default(),
        }
    }

    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&self.0.to_le_bytes());
        bytes[4..].copy_from_slice(&self.1.to_le_bytes());
        out.extend_from_slice(&bytes);
    }
}

impl Item for (u32, f64) {
    const BYTES: usize = 12;

    #[inline]
    fn get(bytes: &[u8]) -> Self {
        match u32_le(bytes) {
            Some((key, rest)) => (
                key,
                u64_le(rest).map_or(0.0, |(bits, _)| f64::from_bits(bits)),
            ),
            None => Self::default(),
        }
    }

    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&self.0.to_le_bytes());
        bytes[4..].copy_from_slice(&self.1.to_le_bytes());
        out.extend_from_slice(&bytes);
    }
}

/// A list in a payload: borrowed from the recording's bytes, or from values to be written.
#[derive(Clone, Copy)]
pub struct List<'a, T: Item>(Stored<'a, T>);

#[derive(Clone, Copy)]
enum Stored<'a, T> {
    /// Whole items, encoded.
    Bytes(&'a [u8]),
    Values(&'a [T]),
}

impl<'a, T: Item> List<'a, T> {
    /// A list of these values.
    #[must_use]
    pub const fn new(values: &'a [T]) -> Self {
        Self(Stored::Values(values))
    }

    #[inline]
    fn decode(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (count, rest) = u32_le(bytes)?;
        let (items, rest) = rest.split_at_checked((count as usize).checked_mul(T::BYTES)?)?;
        Some((Self(Stored::Bytes(items)), rest))
    }

    /// Bytes of the list, its count included.
    #[inline]
    const fn size(&self) -> usize {
        self.len().saturating_mul(T::BYTES).saturating_add(4)
    }

    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.len() as u32).to_le_bytes());
        match self.0 {
            Stored::Bytes(bytes) => out.extend_from_slice(bytes),
            Stored::Values(values) => values.iter().for_each(|value| value.put(out)),
        }
    }

    /// How many.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Stored::Bytes(bytes) => bytes.len() / T::BYTES,
            Stored::Values(values) => values.len(),
        }
    }

    /// True if there is none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One after the other.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> ListIter<'a, T> {
        ListIter(self.0)
    }
}

impl<'a, T: Item> From<&'a [T]> for List<'a, T> {
    fn from(values: &'a [T]) -> Self {
        Self::new(values)
    }
}

impl<'a, T: Item, const N: usize> From<&'a [T; N]> for List<'a, T> {
    fn from(values: &'a [T; N]) -> Self {
        Self::new(values)
    }
}

impl<T: Item> PartialEq for List<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(*other)
    }
}

impl<T: Item> PartialEq<[T]> for List<'_, T> {
    fn eq(&self, other: &[T]) -> bool {
        self.iter().eq(other.iter().copied())
    }
}

impl<T: Item> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<'a, T: Item> IntoIterator for List<'a, T> {
    type Item = T;
    type IntoIter = ListIter<'a, T>;

    #[inline]
    fn into_iter(self) -> ListIter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Item> IntoIterator for &List<'a, T> {
    type Item = T;
    type IntoIter = ListIter<'a, T>;

    #[inline]
    fn into_iter(self) -> ListIter<'a, T> {
        self.iter()
    }
}

/// The entries of a [`List`], one after the other.
#[derive(Clone)]
pub struct ListIter<'a, T: Item>(Stored<'a, T>);

impl<T: Item> Iterator for ListIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match &mut self.0 {
            Stored::Bytes(bytes) => {
                let (item, rest) = bytes.split_at_checked(T::BYTES)?;
                *bytes = rest;
                Some(T::get(item))
            }
            Stored::Values(values) => {
                let (value, rest) = values.split_first()?;
                *values = rest;
                Some(*value)
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = List(self.0).len();
        (left, Some(left))
    }
}

impl<T: Item> ExactSizeIterator for ListIter<'_, T> {}
