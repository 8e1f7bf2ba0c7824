//! What packets of any origin are decoded with: whatever the length of a packet allows, and a state
//! can hold.

use gametape_delta::{Decoder, Limits, Schema, Strictness};

use crate::limits::MAX_STATE_BYTES;

/// What recordings are read with: whatever the length of a packet allows, and a state can hold.
#[must_use]
pub fn decoder(schema: &Schema) -> Decoder {
    decoder_within(schema, MAX_STATE_BYTES)
}

/// What packets are read with to be shown: as plain data they take several times as much.
#[must_use]
pub fn decoder_to_show(schema: &Schema) -> Decoder {
    decoder_within(schema, MAX_STATE_BYTES / 8)
}

fn decoder_within(schema: &Schema, bytes: u64) -> Decoder {
    let max_entities = entities_within(schema, bytes);
    Decoder::new(schema)
        .limits(Limits {
            max_entities,
            max_entities_create: max_entities,
            max_entities_update: max_entities,
            ..Limits::NONE
        })
        .strictness(Strictness::Lenient)
}

/// How many entities of all components are within so many bytes: an entity may take far more of
/// memory than of a packet.
#[must_use]
pub fn entities_within(schema: &Schema, bytes: u64) -> usize {
    let fields = schema
        .components()
        .iter()
        .map(|component| component.fields.len());
    let entity = 20 + 8 * fields.sum::<usize>() as u64;
    usize::try_from(bytes / entity).unwrap_or(usize::MAX)
}
