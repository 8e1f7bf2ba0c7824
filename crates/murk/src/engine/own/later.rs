//! The tick as a propagator of one's own has to see it, where the engine counts fewer ticks than
//! were made.
//!
//! The origin's context can be made anew with another number, but only of parts that do not lend
//! from the old one what it writes through: fields that are read are copied, scratch space and the
//! space are others of the same kind.

use std::sync::{Mutex, PoisonError};

use murk_core::{FieldId, FieldReader, PropagatorError, TickId};
use murk_propagator::{Propagator as Origin, ScratchRegion, StepContext};
use murk_space::Space as OriginSpace;

/// What contexts are made of; one for all propagators of a world.
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
    /// For a world in this space, with so many fields.
    pub fn new(space: Box<dyn OriginSpace>, fields: u32) -> Self {
        Self {
            space,
            fields,
            parts: Mutex::default(),
        }
    }

    /// Has a propagator make its step in the tick that is `short` further than the engine has it.
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

/// The fields that a reader has, copied; their memory is used again.
#[derive(Default)]
struct Copies(Vec<(bool, Vec<f32>)>);

impl Copies {
    /// All of them, not those alone that are declared: what the origin shows besides is shown here,
    /// too.
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
