//! Builds recordings of any parts from a script.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use gametape_murk::{Build, Command, CommandBuf, Envelope, Header, Writer};
use gametape_testkit::murk::Body;

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

/// The payload of a command.
#[derive(Debug)]
pub(super) enum Deed {
    Typed(Body),
    /// Any type with any bytes.
    Stored(u8, Vec<u8>),
}

impl Deed {
    /// Adds it to commands, with this envelope.
    pub fn push(&self, envelope: &Envelope, commands: &mut CommandBuf) {
        match self {
            Self::Typed(body) => body.push(envelope, commands),
            Self::Stored(payload_type, payload) => commands.push_stored(&Command {
                payload_type: *payload_type,
                payload,
                envelope: *envelope,
            }),
        }
        .expect("short payloads");
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
            deed.push(envelope, &mut commands);
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
    let count = |script: &mut Unstructured<'_>| script.int_in_range(0..=5);
    Ok(Deed::Typed(match script.arbitrary::<u8>()? % 8 {
        0 => Body::Move(script.arbitrary()?, coord(script)?),
        1 => {
            let count = count(script)?;
            let at = coord(script)?;
            let values = (0..count).map(|_| script.arbitrary());
            Body::Spawn(at, values.collect::<Result<_>>()?)
        }
        2 => Body::Despawn(script.arbitrary()?),
        3 => Body::SetField(coord(script)?, script.arbitrary()?, script.arbitrary()?),
        4 => Body::Custom(script.arbitrary()?, bytes(script, 60)?),
        5 => Body::SetParameter(script.arbitrary()?, script.arbitrary()?),
        6 => {
            let parameters = (0..count(script)?).map(|_| script.arbitrary());
            Body::SetParameterBatch(parameters.collect::<Result<_>>()?)
        }
        _ => {
            return Ok(Deed::Stored(
                script.arbitrary::<u8>()? % 9,
                bytes(script, 40)?,
            ));
        }
    }))
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
