//! Reads commands from lines of JSON, in the form that `dump` writes.

use serde_json::{Map, Value};

use crate::tape::{PARTS, PayloadPart};
use crate::{Command, CommandBuf, Envelope, Payload, WriteError};

/// A line of commands: a tick, and the commands that are added to it.
#[derive(Debug, Default)]
pub struct CommandLine {
    pub tick: u64,
    pub commands: CommandBuf,
}

/// Reads a line: a frame as `dump` writes it, or a single command with its `tick`. `field` returns
/// the number of a field by its name, `made` the number of commands that a tick has already.
pub fn read_line(
    text: &str,
    field: &dyn Fn(&str) -> Option<u32>,
    made: &dyn Fn(u64) -> u64,
) -> Result<CommandLine, String> {
    let value = serde_json::from_str(text).map_err(|error| {
        // The parser's line number is always 1, so it is replaced.
        let (column, message) = (error.column(), error.to_string());
        let place = format!(" at line {} column {column}", error.line());
        let what = message.strip_suffix(&place).unwrap_or(&message);
        format!("not JSON: {what} at column {column}")
    })?;
    of_value(value, field, made)
}

/// Reads a line that was parsed already, as [`read_line`] does.
pub fn of_value(
    line: Value,
    field: &dyn Fn(&str) -> Option<u32>,
    made: &dyn Fn(u64) -> u64,
) -> Result<CommandLine, String> {
    let Value::Object(map) = line else {
        return Err("not a JSON object".into());
    };
    let place = String::new();
    let mut object = Object { map, place };
    let tick = object.number("tick")?;
    object.commands(tick, field, made(tick))
}

fn push_all(
    list: Vec<Value>,
    field: &dyn Fn(&str) -> Option<u32>,
    made: u64,
    commands: &mut CommandBuf,
) -> Result<(), String> {
    for (at, value) in (0_u64..).zip(list) {
        let Value::Object(map) = value else {
            return Err(format!("command {at} is not an object"));
        };
        let place = format!("command {at}: ");
        command(Object { map, place }, field, made + at, commands)?;
    }
    Ok(())
}

/// An object whose keys are taken out one by one; keys that are left over are an error.
struct Object {
    map: Map<String, Value>,
    /// The start of messages.
    place: String,
}

impl Object {
    /// Reads the commands of a line: one, or a list.
    fn commands(
        mut self,
        tick: u64,
        field: &dyn Fn(&str) -> Option<u32>,
        made: u64,
    ) -> Result<CommandLine, String> {
        let mut commands = CommandBuf::new();
        match self.map.remove("commands") {
            None => command(self, field, made, &mut commands)?,
            Some(Value::Array(list)) => {
                // The other keys of a dumped frame are ignored, because the recording is made anew.
                for key in ["step", "frame", "time_ms", "hash"] {
                    self.map.remove(key);
                }
                self.end()?;
                push_all(list, field, made, &mut commands)?;
            }
            Some(_) => return Err("\"commands\" must be a list".into()),
        }
        Ok(CommandLine { tick, commands })
    }

    fn take(&mut self, key: &str) -> Result<Value, String> {
        self.map
            .remove(key)
            .ok_or_else(|| format!("{}{key:?} is missing", self.place))
    }

    fn wrong(&self, key: &str, wanted: &str) -> String {
        format!("{}{key:?} must be {wanted}", self.place)
    }

    fn number<T: TryFrom<u64>>(&mut self, key: &str) -> Result<T, String> {
        let value = self.take(key)?;
        // Large numbers are texts, as `dump` prints them, so that all programs keep their digits.
        let large = || {
            value
                .as_str()?
                .parse()
                .ok()
                .filter(|number: &u64| number >> 53 != 0)
        };
        let number = value.as_u64().or_else(large);
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| {
                let most = u64::MAX >> (64 - 8 * size_of::<T>());
                self.wrong(key, &format!("a whole number from 0 to {most}"))
            })
    }

    fn optional<T: TryFrom<u64>>(&mut self, key: &str) -> Result<Option<T>, String> {
        match self.map.get(key) {
            None => Ok(None),
            Some(Value::Null) => {
                self.map.remove(key);
                Ok(None)
            }
            Some(_) => self.number(key).map(Some),
        }
    }

    fn bytes(&mut self, key: &str) -> Result<Vec<u8>, String> {
        let value = self.take(key)?;
        value
            .as_str()
            .and_then(read_hex)
            .ok_or_else(|| self.wrong(key, "a string of bytes, two hexadecimal digits each"))
    }

    /// Reads a part of a payload, encoded as in the file. `field` returns the number of a field by
    /// its name.
    fn part(
        &mut self,
        key: &str,
        part: PayloadPart,
        field: &dyn Fn(&str) -> Option<u32>,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let number = |value: &Value| match value {
            Value::String(name) => field(name),
            other => read_u32(other),
        };
        match part {
            PayloadPart::Long => out.extend(self.number::<u64>(key)?.to_le_bytes()),
            PayloadPart::Int => out.extend(self.number::<u32>(key)?.to_le_bytes()),
            PayloadPart::Field => {
                let named = self.take(key)?;
                let number = number(&named)
                    .ok_or_else(|| format!("{}the world has no field {named}", self.place))?;
                out.extend(number.to_le_bytes());
            }
            PayloadPart::Single => {
                let wanted = "a number that 32 bits hold, or its bits as \"0x7fc00000\"";
                out.extend(self.read(key, wanted, read_single)?);
            }
            PayloadPart::Double => {
                let wanted = "a number, or its bits as \"0x7ff8000000000000\"";
                out.extend(self.read(key, wanted, read_double)?);
            }
            PayloadPart::Bytes => {
                let bytes = self.bytes(key)?;
                out.extend(count(bytes.len())?);
                out.extend(bytes);
            }
            PayloadPart::Coord => {
                let wanted = "a list of whole numbers of 32 bits";
                self.list(key, wanted, out, |value| {
                    let number = i32::try_from(value.as_i64()?).ok()?;
                    Some(number.to_le_bytes())
                })?;
            }
            PayloadPart::Values => {
                let wanted = "a list of [field, value], of fields that the world has";
                self.list(key, wanted, out, |pair| {
                    let [field, value] = pair.as_array()?.as_slice() else {
                        return None;
                    };
                    let bytes = [number(field)?.to_le_bytes(), read_single(value)?];
                    Some(bytes.concat())
                })?;
            }
            PayloadPart::Parameters => {
                self.list(key, "a list of [key, value]", out, |pair| {
                    let [key, value] = pair.as_array()?.as_slice() else {
                        return None;
                    };
                    let mut bytes = read_u32(key)?.to_le_bytes().to_vec();
                    bytes.extend(read_double(value)?);
                    Some(bytes)
                })?;
            }
        }
        Ok(())
    }

    /// Reads a value; it is an error if `read` returns none.
    fn read<T>(
        &mut self,
        key: &str,
        wanted: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, String> {
        let value = self.take(key)?;
        read(&value).ok_or_else(|| self.wrong(key, wanted))
    }

    /// Reads a list: its count, and the bytes of its items.
    fn list<T: AsRef<[u8]>>(
        &mut self,
        key: &str,
        wanted: &str,
        out: &mut Vec<u8>,
        item: impl Fn(&Value) -> Option<T>,
    ) -> Result<(), String> {
        let items: Vec<T> = self.read(key, wanted, |value| {
            value.as_array()?.iter().map(&item).collect()
        })?;
        out.extend(count(items.len())?);
        for item in &items {
            out.extend_from_slice(item.as_ref());
        }
        Ok(())
    }

    fn end(&self) -> Result<(), String> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("{}{key:?} is not a known key", self.place)),
        }
    }
}

fn count(size: usize) -> Result<[u8; 4], String> {
    u32::try_from(size)
        .map(u32::to_le_bytes)
        .map_err(|_| format!("a list of {size} entries"))
}

/// Returns the bytes of a 32-bit number.
fn read_single(value: &Value) -> Option<[u8; 4]> {
    let bits = match value {
        // The text is parsed directly, because going through f64 would round twice.
        Value::Number(number) => number
            .to_string()
            .parse()
            .ok()
            .filter(|v: &f32| v.is_finite())?
            .to_bits(),
        Value::String(bits) => u32::try_from(read_bits(bits)?).ok()?,
        _ => return None,
    };
    Some(bits.to_le_bytes())
}

/// Returns the bytes of a 64-bit number.
fn read_double(value: &Value) -> Option<[u8; 8]> {
    let bits = match value {
        Value::Number(number) => number.as_f64()?.to_bits(),
        Value::String(bits) => read_bits(bits)?,
        _ => return None,
    };
    Some(bits.to_le_bytes())
}

/// Parses bits such as `0x7fc00000`.
fn read_bits(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x")?;
    // Parsing alone would take a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(digits, 16).ok()
}

fn read_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

fn read_u32(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn command(
    mut object: Object,
    field: &dyn Fn(&str) -> Option<u32>,
    arrival_seq: u64,
    commands: &mut CommandBuf,
) -> Result<(), String> {
    let kind = object.take("kind")?;
    let envelope = Envelope {
        priority_class: object.optional("priority")?.unwrap_or(1),
        source_id: object.optional("source_id")?,
        source_seq: object.optional("source_seq")?,
        expires_after_tick: object.optional("expires_after_tick")?.unwrap_or(u64::MAX),
        arrival_seq: object.optional("arrival_seq")?.unwrap_or(arrival_seq),
    };
    let trailing = if object.map.contains_key("trailing") {
        object.bytes("trailing")?
    } else {
        Vec::new()
    };
    let kind_of = |name: &str| {
        let tag = Payload::NAMES.iter().position(|known| *known == name)?;
        Some((u8::try_from(tag).ok()?, PARTS.get(tag)?))
    };
    let (payload_type, payload) = match kind.as_str().map(|name| (name, kind_of(name))) {
        Some((_, Some((tag, parts)))) => {
            let mut payload = Vec::new();
            for (key, part) in *parts {
                object.part(key, *part, field, &mut payload)?;
            }
            payload.extend(trailing);
            (tag, payload)
        }
        Some(("stored", _)) => (object.number("type")?, object.bytes("payload")?),
        _ => {
            return Err(format!(
                "{}the kind {kind} is none of {}, stored",
                object.place,
                Payload::NAMES.join(", ")
            ));
        }
    };
    object.end()?;
    commands
        .push_stored(&Command {
            payload_type,
            payload: &payload,
            envelope,
        })
        .map_err(|error: WriteError| error.to_string())
}
