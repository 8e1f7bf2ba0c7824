//! Commands and values as text.

use gametape_core::text::Bytes;
use std::fmt::{self, Write as _};

use gametape_core::{Datum, ToDatum};

use crate::model::command::Command;
use crate::model::payload::Payload;

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
