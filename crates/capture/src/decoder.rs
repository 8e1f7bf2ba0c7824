//! Decoders for packets of unknown origin: packets of any length, with limited states.

use gametape_delta::{Decoder, Limits, ReadOptions, Schema};

use crate::limits::MAX_STATE_BYTES;

/// The decoder for reading recordings. It accepts packets of any length as long as the state does
/// not exceed [`MAX_STATE_BYTES`].
#[must_use]
pub fn decoder(schema: &Schema) -> Decoder {
    decoder_within(schema, MAX_STATE_BYTES)
}

/// The decoder for packets that are displayed. Its limit is lower, because packets as plain data
/// take several times as much memory.
#[must_use]
pub fn decoder_to_show(schema: &Schema) -> Decoder {
    decoder_within(schema, MAX_STATE_BYTES / 8)
}

fn decoder_within(schema: &Schema, bytes: u64) -> Decoder {
    let max_entities = entities_within(schema, bytes);
    let limits = Limits {
        max_entities,
        max_entities_create: max_entities,
        max_entities_update: max_entities,
        ..Limits::NONE
    };
    Decoder::with_options(schema, ReadOptions::lenient().limits(limits))
}

/// The number of entities, with all components, that fit in `bytes` of memory. An entity may take
/// far more memory than bytes of a packet.
#[must_use]
pub fn entities_within(schema: &Schema, bytes: u64) -> usize {
    let fields = schema
        .components()
        .iter()
        .map(|component| component.fields.len());
    let entity = 20 + 8 * fields.sum::<usize>() as u64;
    usize::try_from(bytes / entity).unwrap_or(usize::MAX)
}
