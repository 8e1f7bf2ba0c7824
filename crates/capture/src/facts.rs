//! What a capture says of itself: schema, channels, the length of a tick.

use std::collections::BTreeMap;

use gametape_delta::Schema;
use mcap::records::op;

use crate::container::{self, Chunk, ChunkPlace, Fields, Inside, SchemaRecord, inside, unpack};
use crate::error::CaptureError;
use crate::layout::{
    DEFAULT_TICK_NS, KEY_LOG_TICK, KEY_SCHEMA, KEY_SCHEMA_HASH, KEY_TICK, METADATA, Role,
    SCHEMA_NAME,
};
use crate::limits::ReadLimits;

/// Schema and channels, as a chunk defines them.
pub(crate) struct Described {
    pub channels: BTreeMap<u16, Role>,
    pub schema: Option<Vec<u8>>,
}

pub(crate) fn describe(
    bytes: &[u8],
    place: &ChunkPlace,
    limits: &ReadLimits,
) -> Result<Described, CaptureError> {
    let mut described = Described {
        channels: BTreeMap::new(),
        schema: None,
    };
    let mut unpacked = Vec::new();
    let chunk = Chunk::at(bytes, place.at)?;
    unpack(&chunk, limits, &mut unpacked)?;
    let mut at = 0;
    while let Some((found, end)) = inside(&unpacked, at, chunk.offset)? {
        match found {
            Inside::Schema(SchemaRecord { name, data }) if name == SCHEMA_NAME => {
                described.schema = Some(data.to_vec());
            }
            Inside::Channel(channel) => described
                .channels
                .extend(Role::of_topic(channel.topic).map(|role| (channel.id, role))),
            _ => {}
        }
        at = end;
    }
    Ok(described)
}

/// Reads a schema as captures hold it.
///
/// # Errors
/// [`CaptureError::Schema`].
pub fn read_schema(json: &[u8]) -> Result<Schema, CaptureError> {
    serde_json::from_slice(json).map_err(|error| CaptureError::Schema {
        reason: error.to_string(),
    })
}

/// What the metadata of a capture says.
pub(crate) struct Facts {
    /// The schema, or why it can't be read. It stands elsewhere, too.
    pub schema: Option<Result<Schema, CaptureError>>,
    pub tick_ns: Option<u64>,
    pub log_tick_ns: u64,
    /// False where the record that all of this stands in is not there.
    pub there: bool,
}

impl Facts {
    pub fn read(bytes: &[u8]) -> Result<Self, CaptureError> {
        let mut facts = Self {
            schema: None,
            tick_ns: None,
            log_tick_ns: DEFAULT_TICK_NS,
            there: false,
        };
        for record in container::leading(bytes) {
            if record.op != op::METADATA {
                continue;
            }
            let mut fields = Fields(record.body);
            let name = fields.text().ok_or_else(|| record.damaged())?;
            if name != METADATA {
                continue;
            }
            let map = fields.texts().ok_or_else(|| record.damaged())?;
            let number = |key: &'static str| {
                map.get(key)
                    .map(|value| {
                        value
                            .parse::<u64>()
                            .ok()
                            .filter(|ns| *ns > 0)
                            .ok_or_else(|| CaptureError::Metadata {
                                key,
                                value: (*value).to_owned(),
                                wanted: "no number above 0",
                            })
                    })
                    .transpose()
            };
            facts.there = true;
            facts.tick_ns = number(KEY_TICK)?;
            facts.log_tick_ns = number(KEY_LOG_TICK)?
                .or(facts.tick_ns)
                .unwrap_or(DEFAULT_TICK_NS);
            let hash = map.get(KEY_SCHEMA_HASH);
            let schema = map.get(KEY_SCHEMA).map(|json| {
                let schema = read_schema(json.as_bytes())?;
                let found = format!("{:016x}", schema.hash());
                match hash {
                    Some(hash) if *hash != found => Err(CaptureError::Schema {
                        reason: format!("its hash is {found}, the metadata says {hash}"),
                    }),
                    _ => Ok(schema),
                }
            });
            facts.schema = schema.or(facts.schema);
        }
        Ok(facts)
    }
}
