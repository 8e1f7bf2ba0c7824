//! Builds recordings of any parts from a script.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use gametape_murk::{Build, Command, CommandBuf, Envelope, Header, Payload, Writer};

use super::payload::{double, signed, single};

/// The content of a recording.
#[derive(Debug)]
pub(super) struct Recording {
    pub header: Header<'static>,
    pub frames: Vec<Tick>,
}

#[derive(Debug)]
pub(super) struct Tick {
    pub number: u64,
    pub commands: Vec<(Envelope, Deed)>,
    pub hash: u64,
}

/// A payload that owns its lists.
#[derive(Debug)]
pub(super) enum Deed {
    Move(u64, Vec<i32>),
    Spawn(Vec<i32>, Vec<(u32, f32)>),
    Despawn(u64),
    SetField(Vec<i32>, u32, f32),
    Custom(u32, Vec<u8>),
    SetParameter(u32, f64),
    SetParameterBatch(Vec<(u32, f64)>),
    /// Any type with any bytes.
    Stored(u8, Vec<u8>),
}

impl Deed {
    /// The typed payload; `None` if only bytes are known.
    pub fn payload(&self) -> Option<Payload<'_>> {
        Some(match self {
            Self::Move(entity_id, target) => Payload::Move {
                entity_id: *entity_id,
                target: target.as_slice().into(),
            },
            Self::Spawn(coord, field_values) => Payload::Spawn {
                coord: coord.as_slice().into(),
                field_values: field_values.as_slice().into(),
            },
            Self::Despawn(entity_id) => Payload::Despawn {
                entity_id: *entity_id,
            },
            Self::SetField(coord, field, value) => Payload::SetField {
                coord: coord.as_slice().into(),
                field: *field,
                value: *value,
            },
            Self::Custom(type_id, data) => Payload::Custom {
                type_id: *type_id,
                data,
            },
            Self::SetParameter(key, value) => Payload::SetParameter {
                key: *key,
                value: *value,
            },
            Self::SetParameterBatch(parameters) => Payload::SetParameterBatch {
                parameters: parameters.as_slice().into(),
            },
            Self::Stored(..) => return None,
        })
    }

    /// The numbers that [`words`](super::payload::words) gives for the payload, computed
    /// independently.
    pub fn words(&self) -> Vec<u64> {
        fn list<T: Copy, I: IntoIterator<Item = u64>>(
            list: &[T],
            of: impl Fn(T) -> I,
        ) -> impl Iterator<Item = u64> {
            let items = list.iter().flat_map(move |&item| of(item));
            std::iter::once(list.len() as u64).chain(items)
        }
        let coord = |values| list(values, |value| [signed(value)]);
        match self {
            Self::Move(entity, target) => [0, *entity].into_iter().chain(coord(target)).collect(),
            Self::Spawn(at, values) => {
                let values = list(values, single);
                [1].into_iter().chain(coord(at)).chain(values).collect()
            }
            Self::Despawn(entity) => vec![2, *entity],
            Self::SetField(at, field, value) => {
                let pair = single((*field, *value));
                [3].into_iter().chain(coord(at)).chain(pair).collect()
            }
            Self::Custom(type_id, data) => {
                let data = list(data, |byte| [u64::from(byte)]);
                [4, (*type_id).into()].into_iter().chain(data).collect()
            }
            Self::SetParameter(key, value) => {
                [5].into_iter().chain(double((*key, *value))).collect()
            }
            Self::SetParameterBatch(pairs) => [6].into_iter().chain(list(pairs, double)).collect(),
            Self::Stored(..) => Vec::new(),
        }
    }
}

impl Recording {
    /// Writes the recording.
    pub fn write(&self) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), &self.header).expect("short texts");
        for tick in &self.frames {
            let commands = tick.collect();
            writer
                .push(tick.number, commands.as_commands(), tick.hash)
                .expect("memory");
        }
        assert_eq!(writer.frames(), self.frames.len() as u64);
        writer.finish().expect("memory")
    }
}

impl Tick {
    /// Encodes its commands.
    pub fn collect(&self) -> CommandBuf {
        let mut commands = CommandBuf::new();
        for (envelope, deed) in &self.commands {
            match (deed.payload(), deed) {
                (Some(payload), _) => commands.push(envelope, &payload),
                (None, Deed::Stored(payload_type, payload)) => commands.push_stored(&Command {
                    payload_type: *payload_type,
                    payload,
                    envelope: *envelope,
                }),
                (None, deed) => panic!("{deed:?} has no payload"),
            }
            .expect("short payloads");
        }
        assert_eq!(commands.as_commands().len(), self.commands.len());
        commands
    }
}

/// Builds a recording; the rest of the script is left for later use.
pub(super) fn recording(script: &mut Unstructured<'_>) -> Result<Recording> {
    let build = Build {
        toolchain: text(script)?,
        target_triple: text(script)?,
        murk_version: text(script)?,
        compile_flags: text(script)?,
    };
    let header = Header {
        build,
        seed: script.arbitrary()?,
        config_hash: script.arbitrary()?,
        field_count: script.arbitrary()?,
        cell_count: script.arbitrary()?,
        space_descriptor: Cow::Owned(bytes(script, 40)?),
    };
    let end = script.len() / 8;
    let mut frames = Vec::new();
    let mut next = 1_u64;
    while script.len() > end {
        let kind: u8 = script.arbitrary()?;
        let tick = match kind >> 5 {
            0 => script.arbitrary()?,
            1 => next.wrapping_add(u64::from(kind)),
            _ => next,
        };
        next = tick.wrapping_add(1);
        let commands = (0..kind % 6)
            .map(|_| Ok((envelope(script)?, deed(script)?)))
            .collect::<Result<_>>()?;
        frames.push(Tick {
            number: tick,
            commands,
            hash: script.arbitrary()?,
        });
    }
    Ok(Recording { header, frames })
}

pub(super) fn envelope(script: &mut Unstructured<'_>) -> Result<Envelope> {
    let kind: u8 = script.arbitrary()?;
    if kind < 64 {
        return Ok(Envelope::default());
    }
    let source = |script: &mut Unstructured<'_>, given: bool| -> Result<Option<u64>> {
        Ok(if given {
            Some(script.arbitrary::<u64>()? >> (8 * (kind & 7)))
        } else {
            None
        })
    };
    Ok(Envelope {
        priority_class: script.arbitrary()?,
        source_id: source(script, kind & 8 != 0)?,
        source_seq: source(script, kind & 16 != 0)?,
        expires_after_tick: script.arbitrary()?,
        arrival_seq: script.arbitrary()?,
    })
}

pub(super) fn deed(script: &mut Unstructured<'_>) -> Result<Deed> {
    Ok(match script.arbitrary::<u8>()? % 8 {
        0 => Deed::Move(script.arbitrary()?, coord(script)?),
        1 => {
            let count = script.int_in_range(0..=5)?;
            let pair = |script: &mut Unstructured<'_>| {
                Ok((script.arbitrary()?, f32::from_bits(script.arbitrary()?)))
            };
            let coord = coord(script)?;
            Deed::Spawn(
                coord,
                (0..count).map(|_| pair(script)).collect::<Result<_>>()?,
            )
        }
        2 => Deed::Despawn(script.arbitrary()?),
        3 => Deed::SetField(
            coord(script)?,
            script.arbitrary()?,
            f32::from_bits(script.arbitrary()?),
        ),
        4 => Deed::Custom(script.arbitrary()?, bytes(script, 60)?),
        5 => Deed::SetParameter(script.arbitrary()?, f64::from_bits(script.arbitrary()?)),
        6 => {
            let count = script.int_in_range(0..=5)?;
            let pair = |script: &mut Unstructured<'_>| {
                Ok((script.arbitrary()?, f64::from_bits(script.arbitrary()?)))
            };
            Deed::SetParameterBatch((0..count).map(|_| pair(script)).collect::<Result<_>>()?)
        }
        _ => Deed::Stored(script.arbitrary::<u8>()? % 9, bytes(script, 40)?),
    })
}

fn coord(script: &mut Unstructured<'_>) -> Result<Vec<i32>> {
    let kind: u8 = script.arbitrary()?;
    let dimensions = if kind < 240 { kind % 5 } else { kind - 240 };
    (0..dimensions)
        .map(|_| {
            Ok(if kind & 0x10 == 0 {
                script.arbitrary::<i8>()?.into()
            } else {
                script.arbitrary()?
            })
        })
        .collect()
}

fn bytes(script: &mut Unstructured<'_>, max: usize) -> Result<Vec<u8>> {
    let len = script.int_in_range(0..=max)?.min(script.len());
    Ok(script.bytes(len)?.to_vec())
}

fn text(script: &mut Unstructured<'_>) -> Result<Cow<'static, str>> {
    let bytes = bytes(script, 12)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned().into())
}
