//! The memory of a world, estimated from its description.

use super::field::Mutability;
use super::propagator::Costs;
use super::world::World;

/// The number of copies of a field's values in memory: two buffers of the origin, its copy of the
/// last tick, ours, and one of a running propagator.
const COPIES: u64 = 5;
/// The number of scratch values that the origin allocates for each cell.
const SCRATCH: u64 = 4;
const VALUE: u64 = size_of::<f32>() as u64;
/// The bytes that the origin reserves for each command of its queue.
const QUEUED: u64 = 128;

/// Returns the most bytes that a world takes; `u64::MAX` if 64 bits can't count them.
pub(super) fn memory(world: &World, cells: u64) -> u64 {
    let fields = world.fields.iter().fold(0_u64, |sum, field| {
        let copies = match field.mutability {
            // Both buffers share it.
            Mutability::Static => COPIES - 1,
            Mutability::PerTick | Mutability::Sparse => COPIES,
        };
        sum.saturating_add(u64::from(field.field_type.components()).saturating_mul(copies))
    });
    let costs = Costs::of(&world.space);
    let steps = world.propagators.iter();
    let step = steps.filter_map(|propagator| Some(propagator.stock()?.memory(&costs)));
    (fields.saturating_add(SCRATCH))
        .saturating_mul(VALUE)
        .saturating_add(step.max().unwrap_or(0))
        .saturating_mul(cells)
        .saturating_add(QUEUED * u64::from(world.max_ingress_queue))
}

/// Returns the additional bytes for registered propagators, the largest of which asks for this much
/// scratch space: after a restore, each field is copied twice, and scratch space is allocated
/// twice.
pub(super) fn own(world: &World, cells: u64, scratch: u64) -> u64 {
    let has_own = world.propagators.iter().any(|one| one.stock().is_none());
    let values = world.fields.iter().fold(0_u64, |sum, field| {
        sum.saturating_add(field.field_type.components().into())
    });
    let copies = values.saturating_mul(cells).saturating_mul(2 * VALUE);
    let copies = if has_own { copies } else { 0 };
    copies.saturating_add(scratch.saturating_mul(2))
}
