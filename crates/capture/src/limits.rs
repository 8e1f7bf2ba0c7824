//! Limits of reading and writing, and the decoders that keep to them.

use gametape_delta::{Decoder, ReadOptions, Schema};

/// The largest packet of a capture: a chunk with such a packet is within every reader's limits.
pub const MAX_PACKET_BYTES: usize = 64 << 20;

/// The most bytes of states that are kept for later packets.
pub const MAX_STATE_BYTES: u64 = 512 << 20;

/// Limits of a reader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The largest size of a chunk, unpacked, in bytes.
    pub max_chunk_bytes: u64,
}

impl Limits {
    /// 256 MiB per chunk.
    pub const DEFAULT: Self = Self {
        max_chunk_bytes: 256 << 20,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

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
    let limits = gametape_delta::Limits {
        max_entities,
        max_entities_create: max_entities,
        max_entities_update: max_entities,
        ..gametape_delta::Limits::NONE
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
