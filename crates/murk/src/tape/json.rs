//! Frames and commands as JSON: the output of `dump`, which `record` reads.
//!
//! JSON keeps every value bit for bit: numbers that it can't express (NaN, infinities) are strings of their
//! bits, such as `"0x7fc00000"`, and whole numbers beyond 2^53 are strings of their digits.

use std::fmt::Write as _;
use std::io::{self, Write};

use gametape_core::tape::Whole;
use gametape_core::{ByteReader, Short, Time};

use crate::{Command, Frame, Payload};

/// A part of a payload. In the file, parts follow each other; in JSON, each has its own key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PayloadPart {
    /// A 64-bit integer.
    Long,
    /// A 32-bit integer.
    Int,
    /// The number of a field. JSON may give its name instead.
    Field,
    /// A 32-bit floating-point number.
    Single,
    /// A 64-bit floating-point number.
    Double,
    /// Bytes, preceded by their number; hexadecimal digits in JSON.
    Bytes,
    /// A list of integers.
    Coord,
    /// A list of [field, value].
    Values,
    /// A list of [key, value].
    Parameters,
}

use PayloadPart::{Bytes, Coord, Double, Field, Int, Long, Parameters, Single, Values};

/// The parts of each type of payload, by tag, with their keys in JSON.
pub(crate) const PARTS: [&[(&str, PayloadPart)]; Payload::NAMES.len()] = [
    &[("entity_id", Long), ("target", Coord)],
    &[("coord", Coord), ("values", Values)],
    &[("entity_id", Long)],
    &[("coord", Coord), ("field", Field), ("value", Single)],
    &[("type_id", Int), ("data", Bytes)],
    &[("key", Int), ("value", Double)],
    &[("parameters", Parameters)],
];

/// Writes a frame as one line, with its time if that is known.
pub(super) fn write_frame(
    frame: &Frame<'_>,
    time: Option<Time>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = String::with_capacity(64 + 160 * frame.commands().len().min(1 << 16));
    // Writing to a string does not fail.
    let _ = write!(
        line,
        r#"{{"step":{},"tick":{}"#,
        frame.index,
        whole(frame.tick)
    );
    if let Some(time) = time {
        let _ = write!(line, r#","time_ms":{}"#, time.ms());
    }
    line.push_str(r#","commands":["#);
    for (at, command) in frame.commands().into_iter().enumerate() {
        if at > 0 {
            line.push(',');
        }
        put_command(&command, &mut line);
        // Frames of a million commands need not be one string.
        if line.len() > 1 << 20 {
            out.write_all(line.as_bytes())?;
            line.clear();
        }
    }
    let _ = writeln!(line, r#"],"hash":"{:016x}"}}"#, frame.snapshot_hash);
    out.write_all(line.as_bytes())
}

fn put_command(command: &Command<'_>, line: &mut String) {
    let start = line.len();
    if put_payload(command, line).is_none() {
        line.truncate(start);
        let _ = write!(
            line,
            r#"{{"kind":"stored","type":{},"payload":"{}""#,
            command.payload_type,
            hex(command.payload)
        );
    }
    let envelope = &command.envelope;
    let _ = write!(line, r#","priority":{}"#, envelope.priority_class);
    if let Some(source) = envelope.source_id {
        let _ = write!(line, r#","source_id":{}"#, whole(source));
    }
    if let Some(seq) = envelope.source_seq {
        let _ = write!(line, r#","source_seq":{}"#, whole(seq));
    }
    if envelope.expires_after_tick != u64::MAX {
        let _ = write!(
            line,
            r#","expires_after_tick":{}"#,
            whole(envelope.expires_after_tick)
        );
    }
    let _ = write!(line, r#","arrival_seq":{}}}"#, whole(envelope.arrival_seq));
}

/// Writes the kind of a payload and its parts. Returns `None` if the type is unknown or the payload ends too
/// early.
fn put_payload(command: &Command<'_>, line: &mut String) -> Option<()> {
    let tag = usize::from(command.payload_type);
    let (kind, parts) = Payload::NAMES.get(tag).zip(PARTS.get(tag))?;
    let _ = write!(line, r#"{{"kind":"{kind}""#);
    let mut bytes = ByteReader::new(command.payload);
    for (key, part) in *parts {
        let _ = write!(line, r#","{key}":"#);
        part.put(&mut bytes, line).ok()?;
    }
    if !bytes.rest().is_empty() {
        let _ = write!(line, r#","trailing":"{}""#, hex(bytes.rest()));
    }
    Some(())
}

impl PayloadPart {
    /// Reads the part from a payload, and writes it.
    fn put(self, bytes: &mut ByteReader<'_>, line: &mut String) -> Result<(), Short> {
        let _ = match self {
            Self::Long => write!(line, "{}", whole(bytes.u64_le()?)),
            Self::Int | Self::Field => write!(line, "{}", bytes.u32_le()?),
            Self::Single => write!(line, "{}", single(f32::from_bits(bytes.u32_le()?))),
            Self::Double => write!(line, "{}", double(f64::from_bits(bytes.u64_le()?))),
            Self::Bytes => {
                let count = bytes.u32_le()?;
                write!(line, "\"{}\"", hex(bytes.take(count as usize)?))
            }
            Self::Coord => {
                return put_list(bytes, line, |bytes, line| {
                    let number = bytes.u32_le()? as i32;
                    let _ = write!(line, "{number}");
                    Ok(())
                });
            }
            Self::Values => {
                return put_list(bytes, line, |bytes, line| {
                    let (field, value) = (bytes.u32_le()?, f32::from_bits(bytes.u32_le()?));
                    let _ = write!(line, "[{field},{}]", single(value));
                    Ok(())
                });
            }
            Self::Parameters => {
                return put_list(bytes, line, |bytes, line| {
                    let (key, value) = (bytes.u32_le()?, f64::from_bits(bytes.u64_le()?));
                    let _ = write!(line, "[{key},{}]", double(value));
                    Ok(())
                });
            }
        };
        Ok(())
    }
}

/// Writes a list, which is preceded by its length.
fn put_list(
    bytes: &mut ByteReader<'_>,
    line: &mut String,
    item: impl Fn(&mut ByteReader<'_>, &mut String) -> Result<(), Short>,
) -> Result<(), Short> {
    line.push('[');
    for at in 0..bytes.u32_le()? {
        if at > 0 {
            line.push(',');
        }
        item(bytes, line)?;
    }
    line.push(']');
    Ok(())
}

fn whole(number: u64) -> Whole {
    Whole(number.into())
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Returns the shortest decimal that reads back as the same bits, or the bits.
fn single(value: f32) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else {
        format!("\"{:#010x}\"", value.to_bits())
    }
}

fn double(value: f64) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else {
        format!("\"{:#018x}\"", value.to_bits())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tools::read_line;
    use crate::{CommandBuf, Envelope};

    fn stored() -> impl Strategy<Value = (u8, Vec<u8>, Envelope)> {
        let small = prop::collection::vec(any::<u8>(), 0..40);
        let counted =
            (0_u32..4, prop::collection::vec(any::<u8>(), 0..60)).prop_map(|(count, bytes)| {
                let mut payload = count.to_le_bytes().to_vec();
                payload.extend(bytes);
                payload
            });
        let envelope = (
            any::<u8>(),
            any::<Option<u64>>(),
            any::<Option<u64>>(),
            any::<u64>(),
            any::<u64>(),
        )
            .prop_map(
                |(priority_class, source_id, source_seq, expires, arrival)| Envelope {
                    priority_class,
                    source_id,
                    source_seq,
                    expires_after_tick: expires,
                    arrival_seq: arrival,
                },
            );
        (0_u8..9, prop_oneof![small, counted], envelope)
    }

    /// The line of a frame of these commands.
    fn line_of(tick: u64, commands: &CommandBuf) -> String {
        let header = crate::Header::default();
        let mut writer = crate::Writer::new(Vec::new(), &header).unwrap();
        writer.push(tick, commands.as_commands(), 7).unwrap();
        let bytes = writer.finish().unwrap();
        let replay = crate::read(&bytes).unwrap();
        let frame = replay.frames().next().unwrap().unwrap();
        let mut text = Vec::new();
        write_frame(&frame, Some(Time::from_ms(100)), &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn the_parts_are_those_of_the_payloads() {
        for (tag, parts) in (0_u8..).zip(PARTS) {
            // The shortest payload of zeros has exactly these parts.
            let mut size = 0;
            let whole = loop {
                let zeros = vec![0; size];
                if let Ok((_, rest)) = Payload::decode(tag, &zeros) {
                    assert!(rest.is_empty());
                    break zeros;
                }
                size += 1;
            };
            let mut bytes = ByteReader::new(&whole);
            for (_, part) in parts {
                part.put(&mut bytes, &mut String::new()).unwrap();
            }
            assert!(bytes.rest().is_empty(), "{tag}");
        }
    }

    proptest! {
        /// The JSON of any command reads back as the same bytes, and it has a kind if the payload can be
        /// read.
        #[test]
        fn a_dumped_frame_reads_back_as_the_same_bytes(
            tick: u64,
            list in prop::collection::vec(stored(), 0..5),
        ) {
            let mut commands = CommandBuf::new();
            for (payload_type, payload, envelope) in &list {
                commands.push_stored(&Command {
                    payload_type: *payload_type,
                    payload,
                    envelope: *envelope,
                }).unwrap();
            }
            let text = line_of(tick, &commands);
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            for (at, (tag, payload, _)) in list.iter().enumerate() {
                let kind = match Payload::decode(*tag, payload) {
                    Ok((payload, _)) => payload.name(),
                    Err(_) => "stored",
                };
                prop_assert_eq!(&value["commands"][at]["kind"], kind);
            }
            let line = read_line(&text, &|_| None, &|_| 0).unwrap();
            prop_assert_eq!(line.tick, tick);
            prop_assert_eq!(line.commands, commands);
        }
    }
}
