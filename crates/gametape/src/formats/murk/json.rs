//! Frames and commands as JSON: what `dump` prints, and what `record` reads back.
//!
//! Every value survives the way through JSON bit for bit: numbers that JSON has no way to write
//! (NaN, infinities) are strings of their bits, as `"0x7fc00000"`.

use std::fmt::Write as _;
use std::io::{self, Write};

use gametape_murk::{Command, Coord, Frame, Payload};

/// Writes a frame as one line.
pub(crate) fn write_frame(frame: &Frame<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::with_capacity(64 + 160 * frame.commands().len().min(1 << 16));
    // Writing to a string does not fail.
    let _ = write!(
        line,
        r#"{{"frame":{},"tick":{},"commands":["#,
        frame.index, frame.tick
    );
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
    let typed = Payload::decode(command.payload_type, command.payload);
    match &typed {
        Ok((payload, rest)) => {
            let _ = write!(line, r#"{{"kind":"{}""#, payload.name());
            put_payload(payload, line);
            if !rest.is_empty() {
                let _ = write!(line, r#","trailing":"{}""#, hex(rest));
            }
        }
        Err(_) => {
            let _ = write!(
                line,
                r#"{{"kind":"stored","type":{},"payload":"{}""#,
                command.payload_type,
                hex(command.payload)
            );
        }
    }
    let envelope = &command.envelope;
    let _ = write!(line, r#","priority":{}"#, envelope.priority_class);
    if let Some(source) = envelope.source_id {
        let _ = write!(line, r#","source_id":{source}"#);
    }
    if let Some(seq) = envelope.source_seq {
        let _ = write!(line, r#","source_seq":{seq}"#);
    }
    if envelope.expires_after_tick != u64::MAX {
        let _ = write!(
            line,
            r#","expires_after_tick":{}"#,
            envelope.expires_after_tick
        );
    }
    let _ = write!(line, r#","arrival_seq":{}}}"#, envelope.arrival_seq);
}

fn put_payload(payload: &Payload<'_>, line: &mut String) {
    let _ = match payload {
        Payload::Move { entity_id, target } => {
            write!(
                line,
                r#","entity_id":{entity_id},"target":{}"#,
                numbers(*target)
            )
        }
        Payload::Spawn {
            coord,
            field_values,
        } => {
            let _ = write!(line, r#","coord":{},"values":["#, numbers(*coord));
            for (at, (field, value)) in field_values.iter().enumerate() {
                let comma = if at > 0 { "," } else { "" };
                let _ = write!(line, "{comma}[{field},{}]", single(value));
            }
            write!(line, "]")
        }
        Payload::Despawn { entity_id } => write!(line, r#","entity_id":{entity_id}"#),
        Payload::SetField {
            coord,
            field,
            value,
        } => write!(
            line,
            r#","coord":{},"field":{field},"value":{}"#,
            numbers(*coord),
            single(*value)
        ),
        Payload::Custom { type_id, data } => {
            write!(line, r#","type_id":{type_id},"data":"{}""#, hex(data))
        }
        Payload::SetParameter { key, value } => {
            write!(line, r#","key":{key},"value":{}"#, double(*value))
        }
        Payload::SetParameterBatch { parameters } => {
            let _ = write!(line, r#","parameters":["#);
            for (at, (key, value)) in parameters.iter().enumerate() {
                let comma = if at > 0 { "," } else { "" };
                let _ = write!(line, "{comma}[{key},{}]", double(value));
            }
            write!(line, "]")
        }
        // A kind that this version does not know is never decoded.
        _ => Ok(()),
    };
}

fn numbers(coord: Coord<'_>) -> String {
    let mut text = "[".to_owned();
    for (at, number) in coord.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let _ = write!(text, "{comma}{number}");
    }
    text.push(']');
    text
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// The shortest decimal that reads back as the same bits, or the bits.
pub(super) fn single(value: f32) -> String {
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
    use super::super::jsonl::read_line;
    use super::*;
    use gametape_murk::{CommandBuf, Envelope};
    use proptest::prelude::*;

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

    proptest! {
        /// Whatever a command is, its JSON form reads back as the same bytes.
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
            let header = gametape_murk::Header::default();
            let mut writer = gametape_murk::Writer::new(Vec::new(), &header).unwrap();
            writer.push(tick, commands.as_commands(), 7).unwrap();
            let bytes = writer.finish().unwrap();
            let replay = gametape_murk::read(&bytes).unwrap();
            let frame = replay.frames().next().unwrap().unwrap();
            let mut text = Vec::new();
            write_frame(&frame, &mut text).unwrap();
            let line = read_line(std::str::from_utf8(&text).unwrap(), &|_| None, &|_| 0).unwrap();
            prop_assert_eq!(line.tick, tick);
            prop_assert_eq!(line.commands, commands);
        }
    }
}
