//! Packets and states as JSON.

use std::io::{self, Write};

use gametape_core::tape::{Dump, Error, Moment, Partial};
use gametape_core::{At, Clocks, Stamp, Time};
use gametape_delta::{Kind, Packet, Section, Tag};

use crate::layout::Role;
use crate::limits::decoder_to_show;
use crate::packets::{Clock, Packets};

pub(super) fn dump(
    packets: &Packets<'_>,
    wanted: &Dump,
    out: &mut dyn Write,
) -> Result<Partial<()>, Error> {
    Clocks::ticks(packets.tick_ns().is_some()).check(wanted.at)?;
    each(packets, wanted.at, out)
}

pub(super) fn stamp(packet: &crate::Packet<'_>, clock: &mut Clock) -> Stamp {
    let tick = packet.tick();
    Stamp {
        step: packet.index,
        tick: tick.map(u64::from),
        time: tick.and_then(|tick| clock.time(tick)),
    }
}

fn each(packets: &Packets<'_>, at: Option<At>, out: &mut dyn Write) -> Result<Partial<()>, Error> {
    let decoder = decoder_to_show(packets.schema());
    let mut clock = Clock::new(packets.tick_ns());
    let mut problem = None;
    let mut moment = Moment::new(at, out);
    // Whether the last packet could be read.
    let mut read = true;
    let mut cursor = packets.cursor();
    while let Some(packet) = cursor.next_or_fault()? {
        let packet = match packet {
            Ok(packet) => packet,
            Err(finding) => {
                problem.get_or_insert(finding.into());
                continue;
            }
        };
        // Packets that the recorder added are not part of the stream.
        if packet.role == Role::Added {
            continue;
        }
        let stamp = stamp(&packet, &mut clock);
        let printed = moment.line(stamp, |out| {
            let decoded = decoder.packet(packet.bytes);
            read = decoded.is_ok();
            match decoded {
                Ok(decoded) => write_packet(stamp, &decoded, packet.bytes.len(), out),
                Err(error) => {
                    problem.get_or_insert(packet.error(error));
                    Ok(())
                }
            }
        })?;
        if printed.is_break() {
            break;
        }
    }
    let found = moment.finish()? && (read || at.is_none());
    let problem = problem.or_else(|| packets.problem()).map(Error::from);
    match (at, problem) {
        // The requested moment may have been in the lost part.
        (Some(_), Some(problem)) if !found => Err(problem),
        (Some(at), None) if !found => Err(Error::not_recorded(at)),
        (_, problem) => Ok(Partial::new((), problem)),
    }
}

/// `{"step":2,"tick":3,"time_ms":100,"kind":"delta","baseline":1,"bytes":65,"sections":[…]}`
fn write_packet(
    stamp: Stamp,
    packet: &Packet,
    bytes: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (step, tick) = (stamp.step, packet.header.tick);
    write!(out, r#"{{"step":{step},"tick":{tick},"#)?;
    if let Some(ms) = stamp.time.map(Time::ms) {
        write!(out, r#""time_ms":{ms},"#)?;
    }
    match packet.header.kind {
        Kind::Full => write!(out, r#""kind":"full","#)?,
        Kind::Delta { baseline } => write!(out, r#""kind":"delta","baseline":{baseline},"#)?,
    }
    write!(out, r#""bytes":{bytes},"sections":["#)?;
    list(&packet.sections, out, write_section)?;
    writeln!(out, "]}}")
}

/// Writes items with commas between them.
fn list<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut dyn Write,
    mut each: impl FnMut(T, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            write!(out, ",")?;
        }
        each(item, out)?;
    }
    Ok(())
}

fn write_section(section: &Section, out: &mut dyn Write) -> io::Result<()> {
    let name = section.tag.name().to_ascii_lowercase();
    write!(out, r#"{{"section":"{name}","entities":["#)?;
    list(&section.entities, out, |entity, out| {
        write!(out, r#"{{"entity":{}"#, entity.id)?;
        if section.tag != Tag::Destroy {
            write!(out, r#","components":{{"#)?;
            list(&entity.components, out, |component, out| {
                write!(out, r#""{}":{{"#, component.id)?;
                list(&component.fields, out, |(field, value), out| {
                    write!(out, r#""{field}":{value}"#)
                })?;
                write!(out, "}}")
            })?;
            write!(out, "}}")?;
        }
        write!(out, "}}")
    })?;
    write!(out, "]}}")
}
