//! Commands, recordings and the results of readers, in a form that both sides share.

use std::io;

use gametape_murk::{
    Build, Command, CommandBuf, Envelope, Error, Fed, Feed, Header, List, Payload, PayloadError,
    Reader, Rule, WriteError, read,
};
use murk_core::command::{Command as OriginCommand, CommandPayload};
use murk_core::id::{Coord, FieldId, ParameterKey, ParameterVersion, TickId, WorldGenerationId};
use murk_core::traits::SnapshotAccess;
use murk_replay::codec::deserialize_command;
use murk_replay::{
    BuildMetadata, Frame as OriginFrame, InitDescriptor, ReplayError, ReplayReader, ReplayWriter,
    SerializedCommand,
};

/// The payload of a command in a form that both sides share, with floats as bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    Move(u64, Vec<i32>),
    Spawn(Vec<i32>, Vec<(u32, u32)>),
    Despawn(u64),
    SetField(Vec<i32>, u32, u32),
    Custom(u32, Vec<u8>),
    SetParameter(u32, u64),
    SetParameterBatch(Vec<(u32, u64)>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typed {
    pub body: Body,
    pub envelope: Envelope,
}

impl Typed {
    pub fn of_ours(command: &Command<'_>) -> Result<Self, PayloadError> {
        let list = |coord: List<'_, i32>| coord.iter().collect();
        let body = match command.payload()? {
            Payload::Move { entity_id, target } => Body::Move(entity_id, list(target)),
            Payload::Spawn {
                coord,
                field_values,
            } => Body::Spawn(
                list(coord),
                field_values.iter().map(|(f, v)| (f, v.to_bits())).collect(),
            ),
            Payload::Despawn { entity_id } => Body::Despawn(entity_id),
            Payload::SetField {
                coord,
                field,
                value,
            } => Body::SetField(list(coord), field, value.to_bits()),
            Payload::Custom { type_id, data } => Body::Custom(type_id, data.to_vec()),
            Payload::SetParameter { key, value } => Body::SetParameter(key, value.to_bits()),
            Payload::SetParameterBatch { parameters } => {
                Body::SetParameterBatch(parameters.iter().map(|(k, v)| (k, v.to_bits())).collect())
            }
            other => panic!("an eighth kind: {other:?}"),
        };
        Ok(Self {
            body,
            envelope: command.envelope,
        })
    }

    pub fn of_origin(command: &OriginCommand) -> Self {
        let list = |coord: &Coord| coord.to_vec();
        let body = match &command.payload {
            CommandPayload::Move {
                entity_id,
                target_coord,
            } => Body::Move(*entity_id, list(target_coord)),
            CommandPayload::Spawn {
                coord,
                field_values,
            } => Body::Spawn(
                list(coord),
                field_values
                    .iter()
                    .map(|(f, v)| (f.0, v.to_bits()))
                    .collect(),
            ),
            CommandPayload::Despawn { entity_id } => Body::Despawn(*entity_id),
            CommandPayload::SetField {
                coord,
                field_id,
                value,
            } => Body::SetField(list(coord), field_id.0, value.to_bits()),
            CommandPayload::Custom { type_id, data } => Body::Custom(*type_id, data.clone()),
            CommandPayload::SetParameter { key, value } => {
                Body::SetParameter(key.0, value.to_bits())
            }
            CommandPayload::SetParameterBatch { params } => {
                Body::SetParameterBatch(params.iter().map(|(k, v)| (k.0, v.to_bits())).collect())
            }
        };
        Self {
            body,
            envelope: Envelope {
                priority_class: command.priority_class,
                source_id: command.source_id,
                source_seq: command.source_seq,
                expires_after_tick: command.expires_after_tick.0,
                arrival_seq: command.arrival_seq,
            },
        }
    }

    pub fn origin(&self) -> OriginCommand {
        let coord = |coord: &[i32]| Coord::from_slice(coord);
        let payload = match &self.body {
            Body::Move(entity_id, target) => CommandPayload::Move {
                entity_id: *entity_id,
                target_coord: coord(target),
            },
            Body::Spawn(at, values) => CommandPayload::Spawn {
                coord: coord(at),
                field_values: values
                    .iter()
                    .map(|&(f, bits)| (FieldId(f), f32::from_bits(bits)))
                    .collect(),
            },
            Body::Despawn(entity_id) => CommandPayload::Despawn {
                entity_id: *entity_id,
            },
            Body::SetField(at, field, bits) => CommandPayload::SetField {
                coord: coord(at),
                field_id: FieldId(*field),
                value: f32::from_bits(*bits),
            },
            Body::Custom(type_id, data) => CommandPayload::Custom {
                type_id: *type_id,
                data: data.clone(),
            },
            Body::SetParameter(key, bits) => CommandPayload::SetParameter {
                key: ParameterKey(*key),
                value: f64::from_bits(*bits),
            },
            Body::SetParameterBatch(values) => CommandPayload::SetParameterBatch {
                params: values
                    .iter()
                    .map(|&(k, bits)| (ParameterKey(k), f64::from_bits(bits)))
                    .collect(),
            },
        };
        let envelope = self.envelope;
        OriginCommand {
            payload,
            expires_after_tick: TickId(envelope.expires_after_tick),
            source_id: envelope.source_id,
            source_seq: envelope.source_seq,
            priority_class: envelope.priority_class,
            arrival_seq: envelope.arrival_seq,
        }
    }

    /// Adds it for our writer.
    pub fn push(&self, commands: &mut CommandBuf) -> Result<(), WriteError> {
        let singles: Vec<(u32, f32)>;
        let doubles: Vec<(u32, f64)>;
        let payload = match &self.body {
            Body::Move(entity_id, target) => Payload::Move {
                entity_id: *entity_id,
                target: List::new(target),
            },
            Body::Spawn(at, values) => {
                singles = values
                    .iter()
                    .map(|&(f, bits)| (f, f32::from_bits(bits)))
                    .collect();
                Payload::Spawn {
                    coord: List::new(at),
                    field_values: List::new(&singles),
                }
            }
            Body::Despawn(entity_id) => Payload::Despawn {
                entity_id: *entity_id,
            },
            Body::SetField(at, field, bits) => Payload::SetField {
                coord: List::new(at),
                field: *field,
                value: f32::from_bits(*bits),
            },
            Body::Custom(type_id, data) => Payload::Custom {
                type_id: *type_id,
                data,
            },
            Body::SetParameter(key, bits) => Payload::SetParameter {
                key: *key,
                value: f64::from_bits(*bits),
            },
            Body::SetParameterBatch(values) => {
                doubles = values
                    .iter()
                    .map(|&(k, bits)| (k, f64::from_bits(bits)))
                    .collect();
                Payload::SetParameterBatch {
                    parameters: List::new(&doubles),
                }
            }
        };
        commands.push(&self.envelope, &payload)
    }
}

/// A recording in the origin's form.
#[derive(Clone, PartialEq, Debug)]
pub struct Tape {
    pub meta: BuildMetadata,
    pub init: InitDescriptor,
    pub frames: Vec<OriginFrame>,
}

impl Tape {
    pub fn header(&self) -> Header<'_> {
        Header {
            build: Build {
                toolchain: self.meta.toolchain.as_str().into(),
                target_triple: self.meta.target_triple.as_str().into(),
                murk_version: self.meta.murk_version.as_str().into(),
                compile_flags: self.meta.compile_flags.as_str().into(),
            },
            seed: self.init.seed,
            config_hash: self.init.config_hash,
            field_count: self.init.field_count,
            cell_count: self.init.cell_count,
            space_descriptor: self.init.space_descriptor.as_slice().into(),
        }
    }

    /// Returns the bytes written by the origin.
    pub fn by_origin(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = ReplayWriter::new(&mut bytes, &self.meta, &self.init).unwrap();
        for frame in &self.frames {
            writer.write_raw_frame(frame).unwrap();
        }
        drop(writer);
        bytes
    }

    /// Returns the number of bytes before the first frame.
    pub fn header_size(&self) -> usize {
        let tape = Self {
            frames: vec![],
            ..self.clone()
        };
        tape.by_origin().len()
    }

    /// Reads with the origin.
    pub fn from_origin(bytes: &[u8]) -> Result<Self, ReplayError> {
        let reader = ReplayReader::open(bytes)?;
        Ok(Self {
            meta: reader.metadata().clone(),
            init: reader.init_descriptor().clone(),
            frames: reader.frames().collect::<Result<_, _>>()?,
        })
    }
}

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

pub fn origin_frame(frame: &gametape_murk::Frame<'_>) -> OriginFrame {
    OriginFrame {
        tick_id: frame.tick,
        commands: frame
            .commands()
            .iter()
            .map(|command| serialized(&command))
            .collect(),
        snapshot_hash: frame.snapshot_hash,
    }
}

/// The result of a reader: the whole frames, and the end.
#[derive(PartialEq, Debug)]
pub struct Seen {
    pub frames: Vec<OriginFrame>,
    pub end: End,
}

/// The classes of errors of formats/murk.md, "Errors of the origin".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Clean,
    Truncated,
    Magic,
    Version(u8),
    Malformed,
}

pub fn class_of_origin(error: &ReplayError) -> End {
    match error {
        ReplayError::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => End::Truncated,
        ReplayError::InvalidMagic => End::Magic,
        ReplayError::UnsupportedVersion { found } => End::Version(*found),
        // 1 to 7 bytes of the tick.
        ReplayError::MalformedFrame { detail } if detail.starts_with("truncated frame header") => {
            End::Truncated
        }
        ReplayError::MalformedFrame { .. } => End::Malformed,
        other => panic!("the origin's reader does not raise this: {other:?}"),
    }
}

pub fn class_of_ours(error: &Error) -> End {
    match error.rule() {
        Some(Rule::Magic { .. }) => End::Magic,
        Some(Rule::Version { found }) => End::Version(*found),
        Some(_) if error.is_truncated() => End::Truncated,
        Some(_) => End::Malformed,
        None => panic!("our reader does not raise this: {error:?}"),
    }
}

pub fn seen_by_origin(bytes: &[u8]) -> Seen {
    let mut frames = Vec::new();
    let mut look = || -> Result<(), ReplayError> {
        for frame in ReplayReader::open(bytes)?.frames() {
            frames.push(frame?);
        }
        Ok(())
    };
    let end = look().map_or_else(|error| class_of_origin(&error), |()| End::Clean);
    Seen { frames, end }
}

/// Returns the result of one of our readers.
fn seen_by_ours(look: impl FnOnce(&mut Vec<OriginFrame>) -> Result<(), Error>) -> Seen {
    let mut frames = Vec::new();
    let end = look(&mut frames).map_or_else(|error| class_of_ours(&error), |()| End::Clean);
    Seen { frames, end }
}

pub fn seen_by_slice(bytes: &[u8]) -> Seen {
    seen_by_ours(|frames| {
        for frame in read(bytes)?.frames() {
            frames.push(origin_frame(&frame?));
        }
        Ok(())
    })
}

pub fn seen_by_stream(bytes: &[u8]) -> Seen {
    seen_by_ours(|frames| {
        let mut reader = Reader::new(bytes);
        while let Some(frame) = reader.next_frame()? {
            frames.push(origin_frame(&frame));
        }
        Ok(())
    })
}

pub fn seen_by_feed(bytes: &[u8], piece: usize) -> Seen {
    seen_by_ours(|frames| {
        let mut feed = Feed::new();
        for piece in bytes.chunks(piece).chain([[].as_slice()]) {
            feed.push(piece);
            if piece.is_empty() {
                feed.finish();
            }
            while let Fed::Item(frame) = feed.next_frame()? {
                frames.push(origin_frame(&frame));
            }
        }
        Ok(())
    })
}

/// Checks that all readers agree, and returns their result.
#[track_caller]
pub fn seen(bytes: &[u8], what: &dyn Fn() -> String) -> Seen {
    let origin = seen_by_origin(bytes);
    assert_eq!(seen_by_slice(bytes), origin, "slice, {}", what());
    assert_eq!(seen_by_stream(bytes), origin, "stream, {}", what());
    assert_eq!(seen_by_feed(bytes, 7), origin, "feed, {}", what());
    origin
}

/// Returns true if the count at this place of a payload claims more than there is; the origin would
/// believe it.
pub fn overclaims(payload: &[u8], at: usize, entry: usize) -> bool {
    let Some((count, rest)) = payload
        .get(at..)
        .and_then(|rest| rest.split_first_chunk::<4>())
    else {
        return false;
    };
    rest.len() / entry < u32::from_le_bytes(*count) as usize
}

/// Returns true if calling the origin could end the process.
pub fn would_abort(command: &SerializedCommand) -> bool {
    let payload = &command.payload;
    match command.payload_type {
        1 => payload.first_chunk::<4>().is_some_and(|dimensions| {
            let coord = 4 + 4 * u32::from_le_bytes(*dimensions) as usize;
            overclaims(payload, coord, 8)
        }),
        6 => overclaims(payload, 0, 12),
        _ => false,
    }
}

/// Typed decoding: both return the same command, or both refuse it.
#[track_caller]
pub fn same_typed(command: &SerializedCommand) -> Option<Typed> {
    let ours = Typed::of_ours(&stored(command));
    if would_abort(command) {
        assert!(
            matches!(ours, Err(PayloadError::Short { .. })),
            "{command:?}: {ours:?}"
        );
        return None;
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

/// A state in the origin's form.
#[derive(Clone, Debug)]
pub struct Fields(pub Vec<Option<Vec<f32>>>);

impl SnapshotAccess for Fields {
    fn read_field(&self, field: FieldId) -> Option<&[f32]> {
        self.0.get(field.0 as usize)?.as_deref()
    }

    fn tick_id(&self) -> TickId {
        TickId(77)
    }

    fn world_generation_id(&self) -> WorldGenerationId {
        WorldGenerationId(78)
    }

    fn parameter_version(&self) -> ParameterVersion {
        ParameterVersion(79)
    }
}

impl Fields {
    pub fn slices(&self) -> impl Iterator<Item = &[f32]> {
        self.0
            .iter()
            .map(|field| field.as_deref().unwrap_or_default())
    }

    pub fn origin_hash(&self) -> u64 {
        murk_replay::snapshot_hash(self, self.0.len() as u32)
    }
}
