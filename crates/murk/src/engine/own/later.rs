//! The tick number for a registered propagator when the engine counts fewer ticks than were made.
//!
//! The origin's context can be created with another number, but only from parts that are not
//! borrowed from the old context, except the writer. So the fields that are read are copied, and
//! scratch space and the space are other objects of the same kind.

use std::sync::{Mutex, PoisonError};

use murk_core::{FieldId, FieldReader, PropagatorError, TickId};
use murk_propagator::{Propagator as Origin, ScratchRegion, StepContext};
use murk_space::Space as OriginSpace;

/// The parts of contexts, shared by all propagators of a world.
pub(in crate::engine) struct Later {
    space: Box<dyn OriginSpace>,
    fields: u32,
    parts: Mutex<Parts>,
}

#[derive(Default)]
struct Parts {
    reads: Copies,
    previous: Copies,
    scratch: Option<ScratchRegion>,
}

impl Later {
    /// Creates the parts for a world in this space, with this many fields.
    pub fn new(space: Box<dyn OriginSpace>, fields: u32) -> Self {
        Self {
            space,
            fields,
            parts: Mutex::default(),
        }
    }

    /// Runs a propagator's step with a tick number that is `short` higher than the engine's.
    pub fn step(
        &self,
        propagator: &dyn Origin,
        ctx: &mut StepContext<'_>,
        short: u64,
    ) -> Result<(), PropagatorError> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let Parts {
            reads,
            previous,
            scratch,
        } = &mut *parts;
        reads.copy(ctx.reads(), self.fields);
        previous.copy(ctx.reads_previous(), self.fields);
        let capacity = ctx.scratch().capacity();
        let scratch = scratch.get_or_insert_with(|| ScratchRegion::new(capacity));
        scratch.reset();
        let tick = TickId(ctx.tick_id().0.wrapping_add(short));
        let dt = ctx.dt();
        let writes = ctx.writes();
        let mut ctx = StepContext::new(reads, previous, writes, scratch, &*self.space, tick, dt);
        propagator.step(&mut ctx)
    }
}

/// Copies of the fields of a reader. Their memory is reused.
#[derive(Default)]
struct Copies(Vec<(bool, Vec<f32>)>);

impl Copies {
    /// Copies all fields, not only the declared ones, because the origin shows all of them.
    fn copy(&mut self, reader: &dyn FieldReader, fields: u32) {
        self.0.resize_with(fields as usize, Default::default);
        for (field, (is_there, copy)) in (0..).map(FieldId).zip(&mut self.0) {
            copy.clear();
            let values = reader.read(field);
            *is_there = values.is_some();
            copy.extend_from_slice(values.unwrap_or_default());
        }
    }
}

impl FieldReader for Copies {
    fn read(&self, field: FieldId) -> Option<&[f32]> {
        let (is_there, values) = self.0.get(usize::try_from(field.0).ok()?)?;
        is_there.then_some(values)
    }
}
