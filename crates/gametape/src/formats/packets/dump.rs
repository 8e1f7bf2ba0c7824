//! Packets and states as JSON.

use std::io::{self, Write};
use std::path::Path;

use gametape_capture::{CaptureError, Packets, Role, decoder_to_show};
use gametape_delta::wire::Header;
use gametape_delta::{Kind, Packet, Section, Snapshot, Tag};

use super::{broken, open};
use crate::Error;
use crate::format::{Dump, Partial};
use crate::source::Source;

pub(super) fn dump(
    path: &Path,
    source: &Source,
    wanted: &Dump,
    out: &mut dyn Write,
) -> io::Result<Result<Partial<()>, Error>> {
    let packets = match open(path, source) {
        Ok(packets) => packets,
        Err(error) => return Ok(Err(error)),
    };
    // Ticks have 32 bits: none comes after the last.
    let tick = match wanted.tick.map(u32::try_from) {
        None => None,
        Some(Ok(tick)) => Some(tick),
        Some(Err(_)) if wanted.state => Some(u32::MAX),
        Some(Err(_)) => return Ok(Err(no_tick(path, wanted.tick))),
    };
    if wanted.state {
        let state = match packets.state_at(tick.unwrap_or(u32::MAX)) {
            Ok(state) => state,
            Err(CaptureError::NoState { first: None, .. }) if tick.is_none() => {
                return Ok(Err(Error::Unsupported {
                    path: path.to_owned(),
                    message: "there is no state: the recording has no full snapshot".into(),
                }));
            }
            Err(error) => return Ok(Err(broken(path, error))),
        };
        write_state(&state, out)?;
        return Ok(Ok(Partial {
            value: (),
            problem: None,
        }));
    }
    each(path, &packets, tick, out)
}

fn no_tick(path: &Path, tick: Option<u64>) -> Error {
    Error::NoTick {
        path: path.to_owned(),
        tick: tick.unwrap_or_default(),
    }
}

fn each(
    path: &Path,
    packets: &Packets<'_>,
    tick: Option<u32>,
    out: &mut dyn Write,
) -> io::Result<Result<Partial<()>, Error>> {
    let decoder = decoder_to_show(packets.schema());
    let mut problem = None;
    let mut found = false;
    let mut cursor = packets.cursor();
    loop {
        let packet = match cursor.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => break,
            Err(error) => {
                problem.get_or_insert(error);
                continue;
            }
        };
        // What the recorder added is no part of the stream.
        if packet.role == Role::Added {
            continue;
        }
        if let Some(tick) = tick
            && !matches!(Header::read(packet.bytes), Ok((header, _)) if header.tick == tick)
        {
            continue;
        }
        match decoder.packet(packet.bytes) {
            Ok(decoded) => {
                found = true;
                write_packet(&decoded, packet.bytes.len(), out)?;
            }
            Err(error) => {
                let error = packet.error(error);
                problem.get_or_insert(error);
            }
        }
    }
    if let Packets::Capture(capture) = packets
        && problem.is_none()
    {
        problem = capture.problem();
    }
    let problem = problem.map(|problem| broken(path, problem));
    if let (Some(tick), false) = (tick, found) {
        return Ok(Err(
            problem.unwrap_or_else(|| no_tick(path, Some(tick.into())))
        ));
    }
    Ok(Ok(Partial { value: (), problem }))
}

/// `{"tick":3,"kind":"delta","baseline":1,"bytes":65,"sections":[…]}`
fn write_packet(packet: &Packet, bytes: usize, out: &mut dyn Write) -> io::Result<()> {
    write!(out, r#"{{"tick":{},"#, packet.header.tick)?;
    match packet.header.kind {
        Kind::Full => write!(out, r#""kind":"full","#)?,
        Kind::Delta { baseline } => write!(out, r#""kind":"delta","baseline":{baseline},"#)?,
    }
    write!(out, r#""bytes":{bytes},"sections":["#)?;
    for (at, section) in packet.sections.iter().enumerate() {
        write_section(section, at > 0, out)?;
    }
    writeln!(out, "]}}")
}

fn write_section(section: &Section, comma: bool, out: &mut dyn Write) -> io::Result<()> {
    let comma = if comma { "," } else { "" };
    let name = section.tag.name().to_ascii_lowercase();
    write!(out, r#"{comma}{{"section":"{name}","entities":["#)?;
    for (at, entity) in section.entities.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        write!(out, r#"{comma}{{"entity":{}"#, entity.id)?;
        if section.tag != Tag::Destroy {
            write!(out, r#","components":{{"#)?;
            for (at, component) in entity.components.iter().enumerate() {
                let comma = if at > 0 { "," } else { "" };
                write!(out, r#"{comma}"{}":{{"#, component.id)?;
                for (at, (field, value)) in component.fields.iter().enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    write!(out, r#"{comma}"{field}":{value}"#)?;
                }
                write!(out, "}}")?;
            }
            write!(out, "}}")?;
        }
        write!(out, "}}")?;
    }
    write!(out, "]}}")
}

/// `{"tick":60,"entity":1,"components":{"1":[31003,-25726,true]}}`
fn write_state(state: &Snapshot, out: &mut dyn Write) -> io::Result<()> {
    for entity in state.iter() {
        let (tick, id) = (state.tick(), entity.id());
        write!(out, r#"{{"tick":{tick},"entity":{id},"components":{{"#)?;
        for (at, part) in entity.components().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(out, r#"{comma}"{}":["#, part.id())?;
            for (at, value) in part.values().enumerate() {
                let comma = if at > 0 { "," } else { "" };
                write!(out, "{comma}{value}")?;
            }
            write!(out, "]")?;
        }
        writeln!(out, "}}}}")?;
    }
    Ok(())
}
