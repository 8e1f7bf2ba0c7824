//! What commands ask for, typed.

use std::fmt;

use crate::bytes::{array, i32_le, u32_le, u64_le};
use crate::error::PayloadError;

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

    /// How long a payload of the type `tag` is by the counts in it, of which the start is there;
    /// `None` for a type that is not defined.
    pub(crate) fn counted(tag: u8, start: &[u8]) -> Option<Counted> {
        use Counted::{AtLeast, Exactly};
        // A list behind `at` bytes, and `more` bytes behind it.
        let list = |at: u64, item: usize, more: u64| {
            let count = usize::try_from(at).ok().and_then(|at| start.get(at..));
            match count.and_then(u32_le) {
                Some((count, _)) => Exactly(at + 4 + u64::from(count) * item as u64 + more),
                None => AtLeast(at + 4 + more),
            }
        };
        Some(match tag {
            0 => list(8, i32::BYTES, 0),
            1 => match list(0, i32::BYTES, 0) {
                Exactly(coord) => list(coord, <(u32, f32)>::BYTES, 0),
                AtLeast(coord) => AtLeast(coord + 4),
            },
            2 => Exactly(8),
            3 => list(0, i32::BYTES, 8),
            4 => list(4, 1, 0),
            5 => Exactly(12),
            6 => list(0, <(u32, f64)>::BYTES, 0),
            _ => return None,
        })
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

/// How long a payload is, as far as what is there of it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Counted {
    Exactly(u64),
    AtLeast(u64),
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
