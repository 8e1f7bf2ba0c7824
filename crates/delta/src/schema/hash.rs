//! The hash of a schema.

use super::model::{Change, Codec, Component};

/// Returns the first 8 bytes of the BLAKE3 digest of the components, in the byte layout of the
/// origin.
pub(super) fn hash(components: &[Component]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(components.len() as u32).to_le_bytes());
    for component in components {
        hasher.update(&component.id.to_le_bytes());
        hasher.update(&(component.fields.len() as u32).to_le_bytes());
        for field in &component.fields {
            hasher.update(&field.id.to_le_bytes());
            match field.codec {
                Codec::Bool => hasher.update(&[0]),
                Codec::UInt { bits } => hasher.update(&[1, bits]),
                Codec::SInt { bits } => hasher.update(&[2, bits]),
                Codec::VarUInt => hasher.update(&[3]),
                Codec::VarSInt => hasher.update(&[4]),
                Codec::FixedPoint {
                    min_q,
                    max_q,
                    scale,
                } => hasher
                    .update(&[5])
                    .update(&min_q.to_le_bytes())
                    .update(&max_q.to_le_bytes())
                    .update(&scale.to_le_bytes()),
            };
            match field.change {
                Change::Always => hasher.update(&[0]),
                Change::Threshold { threshold_q } => {
                    hasher.update(&[1]).update(&threshold_q.to_le_bytes())
                }
            };
        }
    }
    let digest = hasher.finalize();
    let first = digest.as_bytes().first_chunk::<8>();
    u64::from_le_bytes(first.copied().unwrap_or_default())
}
