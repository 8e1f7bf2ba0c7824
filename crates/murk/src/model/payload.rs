//! The typed payloads of commands, and commands as text.

use std::fmt::{self, Write as _};

use gametape_core::text::Bytes;
use gametape_core::{ByteReader, Datum, ToDatum};

use crate::model::command::Command;
use crate::model::list::{Coord, Item, List};

/// The typed payload of a command. Lists borrow the bytes of the recording, or the values to be
/// written.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Payload<'a> {
    /// Moves an entity (tag 0).
    Move {
        /// The entity.
        entity_id: u64,
        /// Its new coordinate.
        target: Coord<'a>,
    },
    /// Puts an entity into the world (tag 1).
    Spawn {
        /// The coordinate.
        coord: Coord<'a>,
        /// Its initial values, by field.
        field_values: List<'a, (u32, f32)>,
    },
    /// Takes an entity out of the world (tag 2).
    Despawn {
        /// The entity.
        entity_id: u64,
    },
    /// Sets a field's value in one cell (tag 3).
    SetField {
        /// The cell.
        coord: Coord<'a>,
        /// The field.
        field: u32,
        /// The new value; Murk's engine does not clamp it.
        value: f32,
    },
    /// A payload that the recorder defines (tag 4).
    Custom {
        /// The recorder's number of the type.
        type_id: u32,
        /// The bytes.
        data: &'a [u8],
    },
    /// Sets a parameter of the whole world (tag 5).
    SetParameter {
        /// The parameter.
        key: u32,
        /// The new value.
        value: f64,
    },
    /// Sets several parameters at once (tag 6).
    SetParameterBatch {
        /// The parameters and their new values.
        parameters: List<'a, (u32, f64)>,
    },
}

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

    /// Returns the number of the type in the file.
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

    /// Returns the type's name: `move`, `spawn`, `set_field`, …
    #[must_use]
    pub fn name(&self) -> &'static str {
        Self::NAMES
            .get(usize::from(self.tag()))
            .copied()
            .unwrap_or_default()
    }

    /// Reads a payload of the type `tag`; returns it and the extra bytes after it.
    ///
    /// # Errors
    /// [`PayloadError::UnknownType`], and [`PayloadError::Short`] if the payload ends too early. A
    /// count is checked against the bytes that are left.
    #[inline]
    pub fn decode(tag: u8, bytes: &'a [u8]) -> Result<(Self, &'a [u8]), PayloadError> {
        decode(tag, bytes).ok_or_else(|| PayloadError::of(tag, bytes))
    }

    /// Returns the length of a payload of the type `tag` according to its counts, of which only the
    /// start may have arrived; `None` for a type that is not defined.
    pub(crate) fn counted(tag: u8, start: &[u8]) -> Option<CountedLength> {
        use CountedLength::{AtLeast, Exactly};
        // A list after `at` bytes, and `more` bytes after it.
        let list = |at: u64, item: usize, more: u64| {
            let rest = usize::try_from(at).ok().and_then(|at| start.get(at..));
            match ByteReader::new(rest.unwrap_or_default()).u32_le() {
                Ok(count) => Exactly(at + 4 + u64::from(count) * item as u64 + more),
                Err(_) => AtLeast(at + 4 + more),
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

    /// Returns the size of the payload in bytes.
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
    /// The length of a list that does not fit into 32 bits.
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

    /// Appends the payload's bytes. The lengths of its lists must fit into 32 bits.
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

/// The length of a payload, as far as its counts have arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CountedLength {
    Exactly(u64),
    AtLeast(u64),
}

/// Written by hand, because readers of commands spend most of their time here.
#[inline]
fn decode(tag: u8, bytes: &[u8]) -> Option<(Payload<'_>, &[u8])> {
    Some(match tag {
        0 => {
            let (entity_id, rest) = bytes.split_first_chunk()?;
            let entity_id = u64::from_le_bytes(*entity_id);
            let (target, rest) = List::decode(rest)?;
            (Payload::Move { entity_id, target }, rest)
        }
        1 => {
            let (coord, rest) = List::decode(bytes)?;
            let (field_values, rest) = List::decode(rest)?;
            let payload = Payload::Spawn {
                coord,
                field_values,
            };
            (payload, rest)
        }
        2 => {
            let (entity_id, rest) = bytes.split_first_chunk()?;
            let entity_id = u64::from_le_bytes(*entity_id);
            (Payload::Despawn { entity_id }, rest)
        }
        3 => {
            let (coord, rest) = List::decode(bytes)?;
            let (pair, rest) = rest.split_first_chunk::<8>()?;
            let (field, value) = Item::get(pair);
            let payload = Payload::SetField {
                coord,
                field,
                value,
            };
            (payload, rest)
        }
        4 => {
            let (type_id, rest) = bytes.split_first_chunk()?;
            let type_id = u32::from_le_bytes(*type_id);
            let (length, rest) = rest.split_first_chunk()?;
            let (data, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            (Payload::Custom { type_id, data }, rest)
        }
        5 => {
            let (pair, rest) = bytes.split_first_chunk::<12>()?;
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

/// Why a payload has no typed form.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// The type is not defined.
    #[error("payload type {tag}; types 0 to 6 are defined")]
    UnknownType {
        /// The type.
        tag: u8,
    },
    /// The payload ends before its type's fields do, or a count claims more bytes than there are.
    #[error("the {kind} payload ends too early: {} do not hold its fields", Bytes(*.bytes as u64))]
    Short {
        /// The type's name.
        kind: &'static str,
        /// The payload's length in bytes.
        bytes: usize,
    },
}

impl PayloadError {
    #[cold]
    fn of(tag: u8, bytes: &[u8]) -> Self {
        match Payload::NAMES.get(usize::from(tag)) {
            None => Self::UnknownType { tag },
            Some(kind) => Self::Short {
                kind,
                bytes: bytes.len(),
            },
        }
    }
}

/// A value of a field, shown so that it reads back bit for bit: the shortest decimal, and the bits of
/// a NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownValue(pub f32);

impl fmt::Display for ShownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_nan() {
            write!(f, "NaN ({:#010x})", self.0.to_bits())
        } else {
            write!(f, "{:?}", self.0)
        }
    }
}

/// A number if it is finite; else its bits, as `"0x7fc00000"`.
impl ToDatum for ShownValue {
    fn to_datum(&self) -> Datum {
        if self.0.is_finite() {
            self.0.to_datum()
        } else {
            format!("{:#010x}", self.0.to_bits()).to_datum()
        }
    }
}

/// A command as a line of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandText(pub String);

impl fmt::Display for CommandText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl CommandText {
    /// Returns a command as a line of text.
    #[must_use]
    pub fn of(command: &Command<'_>) -> Self {
        let mut text = match command.payload() {
            Ok(Payload::SetField {
                coord,
                field,
                value,
            }) => format!("set_field {field} at {coord:?} to {}", ShownValue(value)),
            Ok(Payload::Move { entity_id, target }) => format!("move {entity_id} to {target:?}"),
            Ok(Payload::Spawn {
                coord,
                field_values,
            }) => format!("spawn at {coord:?} with {field_values:?}"),
            Ok(Payload::Despawn { entity_id }) => format!("despawn {entity_id}"),
            Ok(Payload::Custom { type_id, data }) => {
                format!("custom {type_id} of {}", Bytes(data.len() as u64))
            }
            Ok(Payload::SetParameter { key, value }) => format!("set_parameter {key} to {value:?}"),
            Ok(Payload::SetParameterBatch { parameters }) => {
                format!("set_parameter_batch {parameters:?}")
            }
            Err(error) => error.to_string(),
        };
        let envelope = &command.envelope;
        // Writing to a string does not fail.
        let _ = write!(text, ", priority {}", envelope.priority_class);
        if let Some(source) = envelope.source_id {
            let _ = write!(text, ", source {source}");
        }
        if let Some(seq) = envelope.source_seq {
            let _ = write!(text, ", seq {seq}");
        }
        if envelope.expires_after_tick != u64::MAX {
            let _ = write!(text, ", expires after {}", envelope.expires_after_tick);
        }
        let _ = write!(text, ", arrival {}", envelope.arrival_seq);
        Self(text)
    }
}
