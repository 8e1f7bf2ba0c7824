//! Shared by the tests: the origin as an oracle, and taking packets apart.

pub mod broken;
pub mod published;

use std::fmt::Write as _;

use gametape_delta::Value::{self, Bool};
use gametape_delta::bits::BitWriter;
use gametape_delta::{Codec, Kind, Schema, Snapshot};
pub use gametape_testkit::Random;
pub use gametape_testkit::delta::{Oracle, form, oracle, sdec_schema};
use serde_json::{Value as Json, json};

pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

/// Returns the smallest and the largest value of a codec.
pub fn bounds(codec: Codec) -> (i128, i128) {
    match codec {
        Codec::Bool => (0, 1),
        Codec::UInt { bits } => (0, (1 << bits) - 1),
        Codec::SInt { bits } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Codec::VarUInt => (0, u32::MAX.into()),
        Codec::VarSInt => (i32::MIN.into(), i32::MAX.into()),
        Codec::FixedPoint { min_q, max_q, .. } => (min_q.into(), max_q.into()),
    }
}

pub fn value(codec: Codec, number: i128) -> Value {
    match codec {
        Codec::Bool => Bool(number != 0),
        Codec::UInt { .. } => Value::UInt(number as u64),
        Codec::SInt { .. } => Value::SInt(number as i64),
        Codec::VarUInt => Value::VarUInt(number as u32),
        Codec::VarSInt => Value::VarSInt(number as i32),
        Codec::FixedPoint { .. } => Value::FixedPoint(number as i64),
    }
}

/// Applies a packet of either kind to a state with other content.
pub fn decode(
    decoder: &gametape_delta::Decoder,
    baseline: Option<&Snapshot>,
    bytes: &[u8],
    state: &mut Snapshot,
) -> Result<(), gametape_delta::Error> {
    match baseline {
        None => decoder.full(bytes, state),
        Some(from) => decoder.delta(from, bytes, state),
    }
}

/// A packet taken apart so that it can be corrupted: the header, then tags and bodies.
#[derive(Clone)]
pub struct Parts {
    pub header: Vec<u8>,
    pub sections: Vec<(u8, Vec<u8>)>,
}

impl Parts {
    pub fn new(schema_hash: u64, kind: Kind, tick: u32) -> Self {
        let header = gametape_delta::Header {
            kind,
            schema_hash,
            tick,
        };
        Self {
            header: header.to_bytes(0).to_vec(),
            sections: Vec::new(),
        }
    }

    pub fn of(packet: &[u8]) -> Self {
        let (header, mut rest) = packet.split_at(28);
        let mut sections = Vec::new();
        while let [tag, after @ ..] = rest {
            let mut reader = gametape_delta::bits::BitReader::new(after);
            let len = reader.varuint().unwrap() as usize;
            let (body, next) = after[reader.position() / 8..].split_at(len);
            sections.push((*tag, body.to_vec()));
            rest = next;
        }
        Self {
            header: header.to_vec(),
            sections,
        }
    }

    /// Adds a section: the count, then what `write` writes.
    pub fn section(mut self, tag: u8, count: u32, write: impl FnOnce(&mut BitWriter)) -> Self {
        let mut bits = BitWriter::new();
        bits.varuint(count);
        write(&mut bits);
        self.sections.push((tag, bits.finish()));
        self
    }

    /// Returns the packet, with correct lengths.
    pub fn build(&self) -> Vec<u8> {
        let mut bytes = self.header.clone();
        for (tag, body) in &self.sections {
            let mut framing = BitWriter::new();
            framing.write((*tag).into(), 8);
            framing.varuint(body.len() as u32);
            bytes.extend(framing.finish());
            bytes.extend(body);
        }
        let payload = (bytes.len() - 28) as u32;
        bytes[24..28].copy_from_slice(&payload.to_le_bytes());
        bytes
    }
}

/// Returns the origin's demo, which is stored next to the project: the schema as JSON, and the
/// packets in order. If it is missing, prints a notice and returns `None`.
pub fn demo() -> Option<(String, Vec<Vec<u8>>, String)> {
    use std::io::Write as _;

    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes/delta");
    let Ok(files) = std::fs::read_dir(folder.join("demo12")) else {
        // Standard error itself, as that of a test which passes is not shown.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no demo12 at {}; this test has checked nothing",
            folder.display()
        );
        return None;
    };
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "bin"));
    // full_000001 comes first, although its name sorts after those of the deltas.
    paths.sort_by_key(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (!name.starts_with("full"), name)
    });
    let packets = paths.iter().map(|path| std::fs::read(path).unwrap());
    Some((
        std::fs::read_to_string(folder.join("demo12/schema.json")).unwrap(),
        packets.collect(),
        std::fs::read_to_string(folder.join("demo12.final.txt")).unwrap(),
    ))
}

/// Larger JSON numbers are not exact in all languages.
const SAFE: i128 = (1 << 53) - 1;

fn to_json(value: Value) -> Json {
    match value {
        Bool(value) => json!(value),
        value if value.as_i128().abs() > SAFE => json!(value.to_string()),
        value => json!(value.as_i128() as i64),
    }
}

pub fn state_to_json(state: &Snapshot) -> Json {
    let entities = state.iter().map(|entity| {
        let components = entity.components().map(|part| {
            let values: Vec<_> = part.values().map(to_json).collect();
            (part.id().to_string(), Json::from(values))
        });
        json!({ "id": entity.id(), "components": components.collect::<serde_json::Map<_, _>>() })
    });
    json!({ "tick": state.tick(), "entities": entities.collect::<Vec<_>>() })
}

pub fn state_from_json(schema: &Schema, json: &Json) -> Snapshot {
    let mut state = Snapshot::new(schema, json["tick"].as_u64().unwrap() as u32);
    for entity in json["entities"].as_array().unwrap() {
        let mut row = state.insert(entity["id"].as_u64().unwrap() as u32).unwrap();
        for (id, values) in entity["components"].as_object().unwrap() {
            let id = id.parse().unwrap();
            let (_, component) = schema.component(id).unwrap();
            let values = values.as_array().unwrap().iter().zip(&component.fields);
            let values = values.map(|(json, field)| {
                let number = match json {
                    Json::Bool(bit) => i128::from(*bit),
                    Json::String(text) => text.parse().unwrap(),
                    number => number.as_i64().unwrap().into(),
                };
                value(field.codec, number)
            });
            row.set(id, &values.collect::<Vec<_>>()).unwrap();
        }
    }
    state
}
