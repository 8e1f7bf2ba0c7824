//! Commands out of lines of JSON: the form that [`json`](super::json) writes.

use gametape_murk::{Command, CommandBuf, Envelope, Payload, WriteError};
use serde_json::{Map, Value};

/// What a line of commands is about: a tick, and commands that are added to it.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub tick: u64,
    pub commands: CommandBuf,
}

/// Reads a line: a frame as [`write_frame`](super::json::write_frame) writes it, or a single command with its `tick`.
/// `field` gives the number of a field's name, `made` how many commands a tick has already.
pub(crate) fn read_line(
    text: &str,
    field: &dyn Fn(&str) -> Option<u32>,
    made: &dyn Fn(u64) -> u64,
) -> Result<Line, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        // The line is ours to name: the parser's is 1, always.
        let (column, error) = (error.column(), error.to_string());
        let what = error.split(" at line ").next().unwrap_or_default();
        format!("not JSON: {what} at column {column}")
    })?;
    let Value::Object(map) = value else {
        return Err("not a JSON object".into());
    };
    let mut object = Object {
        map,
        place: String::new(),
    };
    let tick = object.number("tick")?;
    let mut commands = CommandBuf::new();
    match object.map.remove("commands") {
        None => command(object, field, made(tick), &mut commands)?,
        Some(Value::Array(list)) => {
            // What a dump says of the frame is passed over: the recording is made anew.
            object.map.remove("frame");
            object.map.remove("hash");
            object.end()?;
            for (at, value) in (0_u64..).zip(list) {
                let Value::Object(map) = value else {
                    return Err(format!("command {at} is not an object"));
                };
                let place = format!("command {at}: ");
                command(Object { map, place }, field, made(tick) + at, &mut commands)?;
            }
        }
        Some(_) => return Err("\"commands\" must be a list".into()),
    }
    Ok(Line { tick, commands })
}

/// An object whose keys are taken out one by one; what is left over is a mistake.
struct Object {
    map: Map<String, Value>,
    /// What messages begin with.
    place: String,
}

impl Object {
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
        value
            .as_u64()
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

    fn coord(&mut self, key: &str) -> Result<Vec<i32>, String> {
        let value = self.take(key)?;
        value
            .as_array()
            .and_then(|list| {
                list.iter()
                    .map(|value| value.as_i64().and_then(|number| i32::try_from(number).ok()))
                    .collect()
            })
            .ok_or_else(|| self.wrong(key, "a list of whole numbers of 32 bits"))
    }

    fn single(&mut self, key: &str) -> Result<f32, String> {
        let value = self.take(key)?;
        read_single(&value).ok_or_else(|| {
            let wanted = "a number that 32 bits hold, or its bits as \"0x7fc00000\"";
            self.wrong(key, wanted)
        })
    }

    fn double(&mut self, key: &str) -> Result<f64, String> {
        let value = self.take(key)?;
        read_double(&value).ok_or_else(|| {
            let wanted = "a number, or its bits as \"0x7ff8000000000000\"";
            self.wrong(key, wanted)
        })
    }

    fn bytes(&mut self, key: &str) -> Result<Vec<u8>, String> {
        let value = self.take(key)?;
        value
            .as_str()
            .and_then(read_hex)
            .ok_or_else(|| self.wrong(key, "a string of bytes, two hexadecimal digits each"))
    }

    /// A list of pairs.
    fn pairs<T>(
        &mut self,
        key: &str,
        wanted: &str,
        read: impl Fn(&Value, &Value) -> Option<T>,
    ) -> Result<Vec<T>, String> {
        let value = self.take(key)?;
        value
            .as_array()
            .and_then(|list| {
                list.iter()
                    .map(|pair| match pair.as_array().map(Vec::as_slice) {
                        Some([first, second]) => read(first, second),
                        _ => None,
                    })
                    .collect()
            })
            .ok_or_else(|| self.wrong(key, wanted))
    }

    fn end(&self) -> Result<(), String> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!(
                "{}{key:?} is not a key that is known here",
                self.place
            )),
        }
    }
}

fn read_single(value: &Value) -> Option<f32> {
    match value {
        // Rounding twice, over f64, would be wrong: the text is read as what it is.
        Value::Number(number) => number
            .to_string()
            .parse()
            .ok()
            .filter(|v: &f32| v.is_finite()),
        Value::String(bits) => read_bits(bits)
            .and_then(|bits| u32::try_from(bits).ok())
            .map(f32::from_bits),
        _ => None,
    }
}

fn read_double(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(bits) => read_bits(bits).map(f64::from_bits),
        _ => None,
    }
}

/// `0x7fc00000`.
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
    let too_large = |error: WriteError| error.to_string();
    let number = |value: &Value| match value {
        Value::String(name) => field(name),
        other => read_u32(other),
    };
    let mut push = |object: &Object, payload: &Payload<'_>| -> Result<(), String> {
        object.end()?;
        let mut bytes = Vec::new();
        payload
            .encode(&mut bytes)
            .map_err(|size| format!("a list of {size} entries"))?;
        bytes.extend_from_slice(&trailing);
        let stored = Command {
            payload_type: payload.tag(),
            payload: &bytes,
            envelope,
        };
        commands.push_stored(&stored).map_err(too_large)
    };
    match kind.as_str() {
        Some("move") => {
            let entity_id = object.number("entity_id")?;
            let target = object.coord("target")?;
            let target = target.as_slice().into();
            push(&object, &Payload::Move { entity_id, target })
        }
        Some("spawn") => {
            let coord = object.coord("coord")?;
            let wanted = "a list of [field, value], of fields that the world has";
            let values = object.pairs("values", wanted, |field, value| {
                Some((number(field)?, read_single(value)?))
            })?;
            let payload = Payload::Spawn {
                coord: coord.as_slice().into(),
                field_values: values.as_slice().into(),
            };
            push(&object, &payload)
        }
        Some("despawn") => {
            let entity_id = object.number("entity_id")?;
            push(&object, &Payload::Despawn { entity_id })
        }
        Some("set_field") => {
            let coord = object.coord("coord")?;
            let named = object.take("field")?;
            let field = number(&named)
                .ok_or_else(|| format!("{}the world has no field {named}", object.place))?;
            let value = object.single("value")?;
            let coord = coord.as_slice().into();
            push(
                &object,
                &Payload::SetField {
                    coord,
                    field,
                    value,
                },
            )
        }
        Some("custom") => {
            let type_id = object.number("type_id")?;
            let data = object.bytes("data")?;
            let data = data.as_slice();
            push(&object, &Payload::Custom { type_id, data })
        }
        Some("set_parameter") => {
            let key = object.number("key")?;
            let value = object.double("value")?;
            push(&object, &Payload::SetParameter { key, value })
        }
        Some("set_parameter_batch") => {
            let parameters =
                object.pairs("parameters", "a list of [key, value]", |key, value| {
                    Some((read_u32(key)?, read_double(value)?))
                })?;
            let parameters = parameters.as_slice().into();
            push(&object, &Payload::SetParameterBatch { parameters })
        }
        Some("stored") => {
            let payload_type = object.number("type")?;
            let payload = object.bytes("payload")?;
            object.end()?;
            let stored = Command {
                payload_type,
                payload: &payload,
                envelope,
            };
            commands.push_stored(&stored).map_err(too_large)
        }
        _ => Err(format!(
            "{}the kind {kind} is none of {}, stored",
            object.place,
            Payload::NAMES.join(", ")
        )),
    }
}
