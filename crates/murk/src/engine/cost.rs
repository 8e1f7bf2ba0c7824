//! What a world costs, estimated from its description alone.

use super::field::Mutability;
use super::propagator::Costs;
use super::world::World;

/// Copies of a field's values that stand in memory at once: two buffers of the origin, its copy
/// of the last tick, ours, and one that a propagator works on.
const COPIES: u64 = 5;
/// Values of scratch space that the origin sets up for each cell.
const SCRATCH: u64 = 4;
const VALUE: u64 = size_of::<f32>() as u64;
/// Bytes that the origin reserves for each command that its queue may hold.
const QUEUED: u64 = 128;

/// Bytes that a world takes at most; `u64::MAX` beyond counting.
pub(super) fn memory(world: &World, cells: u64) -> u64 {
    let fields = world.fields.iter().fold(0_u64, |sum, field| {
        let copies = match field.mutability {
            // It is shared by both buffers.
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

/// What propagators of one's own take beside that, of which the largest asks for so many bytes of
/// scratch space: after a restore, each field is read as a copy, twice, and scratch space is there
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
