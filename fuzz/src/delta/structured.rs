//! Builds schemas, states and changes of any parts from a script.

use gametape_delta::{Codec, Component, Field, Schema, Snapshot, Value};
pub(crate) use gametape_testkit::Script;

/// The smallest and the largest value of a field, as numbers.
pub(crate) fn bounds(codec: Codec) -> (i128, i128) {
    match codec {
        Codec::Bool => (0, 1),
        Codec::UInt { bits } => (0, (1 << bits) - 1),
        Codec::SInt { bits } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Codec::VarUInt => (0, u32::MAX.into()),
        Codec::VarSInt => (i32::MIN.into(), i32::MAX.into()),
        Codec::FixedPoint { min_q, max_q, .. } => (min_q.into(), max_q.into()),
    }
}

/// The value of a field with this number. A number that does not fit the type is truncated.
pub(crate) fn value_of(codec: Codec, number: i128) -> Value {
    match codec {
        Codec::Bool => Value::Bool(number != 0),
        Codec::UInt { .. } => Value::UInt(number as u64),
        Codec::SInt { .. } => Value::SInt(number as i64),
        Codec::VarUInt => Value::VarUInt(number as u32),
        Codec::VarSInt => Value::VarSInt(number as i32),
        Codec::FixedPoint { .. } => Value::FixedPoint(number as i64),
    }
}

/// A schema: usually small, sometimes as large as possible.
pub(crate) fn schema(script: &mut Script<'_>) -> Schema {
    let components = match script.byte() {
        kind @ 0..200 => 1 + usize::from(kind) % 4,
        200..206 => 0,
        kind @ 206..245 => usize::from(kind - 206),
        _ => 64,
    };
    let descending = script.byte() >= 192;
    let id = |at: usize, descending: bool| {
        let at = at as u16;
        if descending { u16::MAX - at } else { at + 1 }
    };
    let components: Vec<Component> = (0..components)
        .map(|at| {
            let fields = match script.byte() {
                0..10 => 0,
                kind @ 10..245 => 1 + usize::from(kind) % 5,
                kind => 64 * usize::from(kind - 244) / 11,
            };
            let fields: Vec<Field> = (0..fields)
                .map(|at| field(script, id(at, descending)))
                .collect();
            Component::new(id(at, descending), fields)
        })
        .collect();
    Schema::new(components).expect("distinct ids and sound codecs")
}

fn field(script: &mut Script<'_>, id: u16) -> Field {
    let field = Field::new(id, codec(script));
    match script.byte() {
        0..160 => field,
        byte @ 160..240 => field.threshold(u32::from(byte) - 160),
        _ => field.threshold(script.word()),
    }
}

fn codec(script: &mut Script<'_>) -> Codec {
    match script.byte() % 8 {
        0 => Codec::Bool,
        1 => Codec::UInt {
            bits: 1 + script.byte() % 64,
        },
        2 => Codec::SInt {
            bits: 1 + script.byte() % 64,
        },
        3 => Codec::VarUInt,
        4 => Codec::VarSInt,
        5 => {
            let min_q = script.word::<i16>().into();
            Codec::FixedPoint {
                min_q,
                max_q: min_q + i64::from(script.word::<u16>()),
                scale: 100,
            }
        }
        6 => {
            let (a, b) = (script.word::<i64>(), script.word::<i64>());
            Codec::FixedPoint {
                min_q: a.min(b),
                max_q: a.max(b),
                scale: script.word::<u32>().max(1),
            }
        }
        _ => {
            // Close to powers of two.
            let range = 1_i64 << (script.byte() % 63);
            let more = i64::from(script.byte() % 3) - 1;
            Codec::FixedPoint {
                min_q: 0,
                max_q: range - 1 + more.max(0),
                scale: 1,
            }
        }
    }
}

/// Any value of a field; its limits and values close to them are likely.
pub(crate) fn value(script: &mut Script<'_>, codec: Codec) -> Value {
    let (min, max) = bounds(codec);
    let number = match script.byte() {
        0..32 => min,
        32..64 => max,
        64..80 => 0,
        byte @ 80..160 => min + i128::from(byte - 80),
        byte @ 160..200 => max - i128::from(byte - 160),
        _ => min + i128::from(script.word::<u64>()) % (max - min + 1),
    };
    value_of(codec, number.clamp(min, max))
}

/// A value a few units away from another one.
fn near(script: &mut Script<'_>, codec: Codec, old: Value) -> Value {
    let (min, max) = bounds(codec);
    let number = old.as_i128() + i128::from(script.word::<i8>());
    value_of(codec, number.clamp(min, max))
}

pub(crate) fn values(script: &mut Script<'_>, component: &Component) -> Vec<Value> {
    let fields = component.fields.iter();
    fields.map(|field| value(script, field.codec)).collect()
}

/// A state of fewer than `most` entities.
pub(crate) fn state(script: &mut Script<'_>, schema: &Schema, tick: u32, most: usize) -> Snapshot {
    let mut state = Snapshot::new(schema, tick);
    let mut id = 0_u32;
    for _ in 0..script.below(most) {
        id = match script.byte() {
            byte @ 0..240 => id.saturating_add(1 + u32::from(byte) % 20),
            _ => id.saturating_add(script.word::<u32>()),
        };
        if state.entity(id).is_none() {
            create(script, &mut state, id);
        }
    }
    state
}

/// Adds an entity with some components.
fn create(script: &mut Script<'_>, state: &mut Snapshot, id: u32) {
    let schema = state.schema().clone();
    let mut entity = state.insert(id).expect("it is not there");
    let mask = script.byte() | script.byte();
    for (at, component) in schema.components().iter().enumerate() {
        if mask >> (at % 8) & 1 == 1 {
            let values = values(script, component);
            entity.set(component.id, &values).expect("values of it");
        }
    }
}

/// Changes a state in some places.
pub(crate) fn edit(script: &mut Script<'_>, state: &mut Snapshot) {
    let schema = state.schema().clone();
    for _ in 0..script.below(12) {
        let kind = script.byte();
        let id = match state.ids() {
            ids @ [_, ..] if kind < 224 => ids[script.below(ids.len())],
            _ if kind < 240 => script.byte().into(),
            _ => script.word(),
        };
        let components = schema.components();
        let Some(component) = components.get(script.below(components.len())) else {
            if !state.remove(id) {
                create(script, state, id);
            }
            continue;
        };
        match kind % 16 {
            0 => {
                state.remove(id);
            }
            1 => {
                state.remove(id);
                create(script, state, id);
            }
            2 => {
                state.entry(id).remove(component.id);
            }
            3 | 4 => {
                let values = values(script, component);
                let mut entity = state.entry(id);
                entity.set(component.id, &values).expect("values of it");
            }
            // All existing entities.
            5 => {
                let ids = state.ids().to_vec();
                for id in ids {
                    step(script, state, id, component);
                }
            }
            _ => step(script, state, id, component),
        }
    }
}

/// Changes one field a little or a lot.
fn step(script: &mut Script<'_>, state: &mut Snapshot, id: u32, component: &Component) {
    let Some(field) = component.fields.get(script.below(component.fields.len())) else {
        return;
    };
    let old = state
        .entity(id)
        .and_then(|e| e.value(component.id, field.id));
    let (Some(old), Some(mut entity)) = (old, state.entity_mut(id)) else {
        return;
    };
    let new = match script.byte() {
        0..200 => near(script, field.codec, old),
        _ => value(script, field.codec),
    };
    let set = entity.set_value(component.id, field.id, new);
    assert!(set.is_ok(), "{new} for {}", field.codec);
}

/// Changes bytes of a packet: one, or its end.
pub(crate) fn mutate(script: &mut Script<'_>, packet: &mut Vec<u8>) {
    let kind = script.byte();
    // The header is 28 bytes; the bytes after it are more interesting.
    let from = if kind & 0x80 == 0 { 28 } else { 0 };
    let at = from + usize::from(script.word::<u16>()) % (packet.len().max(from + 1) - from);
    match (kind & 7, packet.get_mut(at)) {
        (0..=2, Some(byte)) => *byte ^= 1 << script.below(8),
        (3, Some(byte)) => *byte = script.byte(),
        (4, Some(byte)) => *byte = byte.wrapping_add(1),
        (5, _) => packet.truncate(at),
        (6, Some(_)) => packet.insert(at, script.byte()),
        (7, Some(_)) => {
            packet.remove(at);
        }
        _ => packet.push(script.byte()),
    }
    // With the right total length, the error is found later.
    if kind & 0x40 == 0 && packet.len() >= 28 {
        let payload = packet.len() as u32 - 28;
        packet[24..28].copy_from_slice(&payload.to_le_bytes());
    }
    // The same for the length of a section, if there is only one.
    if kind & 0x20 == 0 && (30..28 + 2 + 128).contains(&packet.len()) {
        packet[29] = packet.len() as u8 - 30;
    }
}
