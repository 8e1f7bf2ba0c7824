//! The values of an entity, to compare.

use alloc::vec::Vec;

use crate::snapshot::Entity;

/// Returns the components of an entity, with their values.
pub(super) fn values(entity: &Entity<'_>) -> Vec<(u16, Vec<i128>)> {
    let parts = entity.components();
    parts
        .map(|part| (part.id(), part.values().map(|v| v.as_i128()).collect()))
        .collect()
}
