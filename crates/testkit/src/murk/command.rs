//! Commands in a form that ours and the origin can both express.

use gametape_murk::{Command, CommandBuf, Envelope, List, Payload, PayloadError, WriteError};
use murk_core::command::{Command as OriginCommand, CommandPayload};
use murk_core::id::{Coord, FieldId, ParameterKey, TickId};
use murk_replay::codec::deserialize_command;
use murk_replay::{ReplayError, SerializedCommand};

/// The largest number of entries of a list for which the origin is called: it reserves memory for as
/// many as the list claims, which can end the process.
const MANY: u64 = 1 << 16;

/// The payload of a command. It owns its lists, and keeps floats as their bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// An entity, and where it goes.
    Move(u64, Vec<i32>),
    /// A cell, and the fields of the new entity with their values.
    Spawn(Vec<i32>, Vec<(u32, u32)>),
    /// An entity.
    Despawn(u64),
    /// A cell, a field and its value.
    SetField(Vec<i32>, u32, u32),
    /// The type of the data, and the data.
    Custom(u32, Vec<u8>),
    /// A parameter and its value.
    SetParameter(u32, u64),
    /// Parameters and their values.
    SetParameterBatch(Vec<(u32, u64)>),
}

/// A command with a typed payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typed {
    /// The payload.
    pub body: Body,
    /// The other members.
    pub envelope: Envelope,
}

impl Body {
    /// The body of a payload of ours.
    pub fn of(payload: &Payload<'_>) -> Self {
        let list = |coord: List<'_, i32>| coord.iter().collect();
        match *payload {
            Payload::Move { entity_id, target } => Self::Move(entity_id, list(target)),
            Payload::Spawn {
                coord,
                field_values,
            } => Self::Spawn(
                list(coord),
                field_values.iter().map(|(f, v)| (f, v.to_bits())).collect(),
            ),
            Payload::Despawn { entity_id } => Self::Despawn(entity_id),
            Payload::SetField {
                coord,
                field,
                value,
            } => Self::SetField(list(coord), field, value.to_bits()),
            Payload::Custom { type_id, data } => Self::Custom(type_id, data.to_vec()),
            Payload::SetParameter { key, value } => Self::SetParameter(key, value.to_bits()),
            Payload::SetParameterBatch { parameters } => {
                Self::SetParameterBatch(parameters.iter().map(|(k, v)| (k, v.to_bits())).collect())
            }
            ref other => panic!("an eighth kind: {other:?}"),
        }
    }

    /// The number of entries in its lists.
    pub fn entries(&self) -> usize {
        match self {
            Self::Move(_, coord) | Self::SetField(coord, ..) => coord.len(),
            Self::Spawn(coord, values) => coord.len() + values.len(),
            Self::Custom(_, data) => data.len(),
            Self::SetParameterBatch(parameters) => parameters.len(),
            Self::Despawn(_) | Self::SetParameter(..) => 0,
        }
    }

    /// The body of a payload of the origin's.
    pub fn of_origin(payload: &CommandPayload) -> Self {
        let list = |coord: &Coord| coord.to_vec();
        match payload {
            CommandPayload::Move {
                entity_id,
                target_coord,
            } => Self::Move(*entity_id, list(target_coord)),
            CommandPayload::Spawn {
                coord,
                field_values,
            } => Self::Spawn(
                list(coord),
                field_values
                    .iter()
                    .map(|(f, v)| (f.0, v.to_bits()))
                    .collect(),
            ),
            CommandPayload::Despawn { entity_id } => Self::Despawn(*entity_id),
            CommandPayload::SetField {
                coord,
                field_id,
                value,
            } => Self::SetField(list(coord), field_id.0, value.to_bits()),
            CommandPayload::Custom { type_id, data } => Self::Custom(*type_id, data.clone()),
            CommandPayload::SetParameter { key, value } => {
                Self::SetParameter(key.0, value.to_bits())
            }
            CommandPayload::SetParameterBatch { params } => {
                Self::SetParameterBatch(params.iter().map(|(k, v)| (k.0, v.to_bits())).collect())
            }
        }
    }

    /// The payload as the origin takes it.
    pub fn origin(&self) -> CommandPayload {
        let coord = |coord: &[i32]| Coord::from_slice(coord);
        match self {
            Self::Move(entity_id, target) => CommandPayload::Move {
                entity_id: *entity_id,
                target_coord: coord(target),
            },
            Self::Spawn(at, values) => CommandPayload::Spawn {
                coord: coord(at),
                field_values: values
                    .iter()
                    .map(|&(f, bits)| (FieldId(f), f32::from_bits(bits)))
                    .collect(),
            },
            Self::Despawn(entity_id) => CommandPayload::Despawn {
                entity_id: *entity_id,
            },
            Self::SetField(at, field, bits) => CommandPayload::SetField {
                coord: coord(at),
                field_id: FieldId(*field),
                value: f32::from_bits(*bits),
            },
            Self::Custom(type_id, data) => CommandPayload::Custom {
                type_id: *type_id,
                data: data.clone(),
            },
            Self::SetParameter(key, bits) => CommandPayload::SetParameter {
                key: ParameterKey(*key),
                value: f64::from_bits(*bits),
            },
            Self::SetParameterBatch(values) => CommandPayload::SetParameterBatch {
                params: values
                    .iter()
                    .map(|&(k, bits)| (ParameterKey(k), f64::from_bits(bits)))
                    .collect(),
            },
        }
    }

    /// Adds it to commands, with this envelope, as our writer takes it.
    pub fn push(&self, envelope: &Envelope, commands: &mut CommandBuf) -> Result<(), WriteError> {
        let singles: Vec<(u32, f32)>;
        let doubles: Vec<(u32, f64)>;
        let payload = match self {
            Self::Move(entity_id, target) => Payload::Move {
                entity_id: *entity_id,
                target: List::new(target),
            },
            Self::Spawn(at, values) => {
                singles = values
                    .iter()
                    .map(|&(f, bits)| (f, f32::from_bits(bits)))
                    .collect();
                Payload::Spawn {
                    coord: List::new(at),
                    field_values: List::new(&singles),
                }
            }
            Self::Despawn(entity_id) => Payload::Despawn {
                entity_id: *entity_id,
            },
            Self::SetField(at, field, bits) => Payload::SetField {
                coord: List::new(at),
                field: *field,
                value: f32::from_bits(*bits),
            },
            Self::Custom(type_id, data) => Payload::Custom {
                type_id: *type_id,
                data,
            },
            Self::SetParameter(key, bits) => Payload::SetParameter {
                key: *key,
                value: f64::from_bits(*bits),
            },
            Self::SetParameterBatch(values) => {
                doubles = values
                    .iter()
                    .map(|&(k, bits)| (k, f64::from_bits(bits)))
                    .collect();
                Payload::SetParameterBatch {
                    parameters: List::new(&doubles),
                }
            }
        };
        commands.push(envelope, &payload)
    }
}

impl Typed {
    /// A command of ours.
    pub fn of_ours(command: &Command<'_>) -> Result<Self, PayloadError> {
        Ok(Self {
            body: Body::of(&command.payload()?),
            envelope: command.envelope,
        })
    }

    /// A command of the origin's.
    pub fn of_origin(command: &OriginCommand) -> Self {
        Self {
            body: Body::of_origin(&command.payload),
            envelope: Envelope {
                priority_class: command.priority_class,
                source_id: command.source_id,
                source_seq: command.source_seq,
                expires_after_tick: command.expires_after_tick.0,
                arrival_seq: command.arrival_seq,
            },
        }
    }

    /// The command as the origin takes it.
    pub fn origin(&self) -> OriginCommand {
        let envelope = self.envelope;
        OriginCommand {
            payload: self.body.origin(),
            expires_after_tick: TickId(envelope.expires_after_tick),
            source_id: envelope.source_id,
            source_seq: envelope.source_seq,
            priority_class: envelope.priority_class,
            arrival_seq: envelope.arrival_seq,
        }
    }

    /// Adds it to commands, as our writer takes it.
    pub fn push(&self, commands: &mut CommandBuf) -> Result<(), WriteError> {
        self.body.push(&self.envelope, commands)
    }
}

/// A stored command of the origin's, as ours.
pub fn stored(command: &SerializedCommand) -> Command<'_> {
    Command {
        payload_type: command.payload_type,
        payload: &command.payload,
        envelope: Envelope {
            priority_class: command.priority_class,
            source_id: command.source_id,
            source_seq: command.source_seq,
            expires_after_tick: command.expires_after_tick,
            arrival_seq: command.arrival_seq,
        },
    }
}

/// A stored command of ours, as the origin's.
pub fn serialized(command: &Command<'_>) -> SerializedCommand {
    SerializedCommand {
        payload_type: command.payload_type,
        payload: command.payload.to_vec(),
        priority_class: command.envelope.priority_class,
        source_id: command.envelope.source_id,
        source_seq: command.envelope.source_seq,
        expires_after_tick: command.envelope.expires_after_tick,
        arrival_seq: command.envelope.arrival_seq,
    }
}

/// The number of entries that a list claims, and for which the origin reserves memory.
fn claimed_entries(command: &SerializedCommand) -> u64 {
    let number = |at: u64| {
        let bytes = command.payload.get(usize::try_from(at).ok()?..)?;
        Some(u64::from(u32::from_le_bytes(*bytes.first_chunk()?)))
    };
    let entries = match command.payload_type {
        1 => number(0).and_then(|dimensions| number(4 + 4 * dimensions)),
        6 => number(0),
        _ => None,
    };
    entries.unwrap_or(0)
}

/// Decodes a command with ours and with the origin: both give the same, or both refuse it. Returns the
/// command.
#[track_caller]
pub fn same_typed(command: &SerializedCommand) -> Option<Typed> {
    let ours = Typed::of_ours(&stored(command));
    if claimed_entries(command) > MANY {
        let entries = ours.as_ref().map_or(0, |typed| typed.body.entries() as u64);
        assert!(
            matches!(ours, Err(PayloadError::Short { .. })) || entries > MANY,
            "{command:?}: {ours:?}"
        );
        return ours.ok();
    }
    match deserialize_command(command) {
        Ok(origin) => {
            let origin = Typed::of_origin(&origin);
            assert_eq!(ours.as_ref(), Ok(&origin), "{command:?}");
            Some(origin)
        }
        Err(ReplayError::UnknownPayloadType { tag }) => {
            assert_eq!(ours, Err(PayloadError::UnknownType { tag }), "{command:?}");
            None
        }
        Err(ReplayError::MalformedFrame { .. }) => {
            assert!(
                matches!(ours, Err(PayloadError::Short { .. })),
                "{command:?}: {ours:?}"
            );
            None
        }
        Err(other) => panic!("{other:?}"),
    }
}
