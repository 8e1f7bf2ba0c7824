//! What a world costs, estimated from its description alone.
//!
//! The origin's propagators list the cells of any space but `square4`, and each cell's
//! neighbours, anew in every tick: on such spaces that, and not the fields, fills the memory.

use murk_core::Coord;

use super::propagator::Propagator;
use super::space::Space;
use super::world::{Mutability, World};

/// Bytes of an empty list, and what an allocator keeps beside its contents.
const LIST: u64 = 40;
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
    let step = world
        .propagators
        .iter()
        .map(|propagator| step(propagator, &world.space))
        .max()
        .unwrap_or(0);
    (fields.saturating_add(SCRATCH))
        .saturating_mul(VALUE)
        .saturating_add(step)
        .saturating_mul(cells)
        .saturating_add(QUEUED * u64::from(world.max_ingress_queue))
}

/// Bytes for each cell that a propagator's step sets up.
fn step(propagator: &Propagator, space: &Space) -> u64 {
    let squares = matches!(space, Space::Square4 { .. });
    let ndim = space.ndim() as u64;
    let inline = size_of::<Coord>() as u64;
    let cells = if ndim > 4 {
        inline + 4 * ndim + LIST
    } else {
        inline
    };
    let neighbours = |size: u64| LIST + size * space.degree().next_power_of_two().max(4);
    let (ranks, deltas) = (neighbours(8), neighbours(16));
    match propagator {
        // A set and a queue of up to all cells.
        Propagator::MorphologicalOp { .. } => cells + ranks + 64,
        _ if squares => 0,
        Propagator::ScalarDiffusion {
            gradient_field: Some(_),
            ..
        }
        | Propagator::Diffusion { .. } => cells + ranks + deltas,
        Propagator::ScalarDiffusion { .. } | Propagator::WavePropagation { .. } => cells + ranks,
        Propagator::GradientCompute { .. }
        | Propagator::FlowField { .. }
        | Propagator::AgentMovement { .. } => cells + deltas,
        Propagator::IdentityCopy { .. }
        | Propagator::NoiseInjection { .. }
        | Propagator::ResourceField { .. }
        | Propagator::AgentEmission { .. }
        | Propagator::Reward { .. } => 0,
    }
}

/// Cells that a propagator looks at in a tick, beyond a few for each: a morphological operation
/// looks at all within its radius, around each cell.
pub(super) fn visits(propagator: &Propagator, space: &Space, cells: u64) -> u64 {
    let Propagator::MorphologicalOp { radius, .. } = propagator else {
        return 0;
    };
    let side = 2 * u64::from(*radius) + 1;
    let around = u32::try_from(space.ndim()).map_or(u64::MAX, |ndim| side.saturating_pow(ndim));
    cells.saturating_mul(around.min(cells))
}
