//! A registered propagator that runs: its declarations are asked for once, panics in them are caught, and
//! it gets the true number of a tick where the engine counts fewer ticks than were made.
//!
//! The origin's context can be created with another number, but only from parts that are not
//! borrowed from the old context, except the writer. So the fields that are read are copied, and
//! scratch space and the space are other objects of the same kind.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use murk_core::{FieldId, FieldReader, FieldSet, PropagatorError, TickId};
use murk_propagator::{Propagator as Origin, ScratchRegion, StepContext, WriteMode};
use murk_space::Space as OriginSpace;

use super::kinds::Own;
use super::parameters::{Around, ParameterError};
use crate::engine::error::shown;

/// A propagator and its declarations, which the origin asks for repeatedly.
pub(in crate::engine) struct Probed {
    inner: Box<dyn Origin>,
    name: String,
    reads: FieldSet,
    previous: FieldSet,
    writes: Vec<(FieldId, WriteMode)>,
    max_dt: Option<f64>,
    scratch_bytes: usize,
}

/// Returns the message of a panic.
pub(in crate::engine) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    shown(text.unwrap_or("(no message)"))
}

impl Probed {
    /// Builds the propagator, and asks for all its declarations.
    pub fn of(
        own: &Own,
        around: Around<'_>,
        space: &dyn OriginSpace,
    ) -> Result<Self, ParameterError> {
        let probe = || -> Result<Self, ParameterError> {
            let inner = own.build(around)?;
            Ok(Self {
                name: inner.name().to_owned(),
                reads: inner.reads(),
                previous: inner.reads_previous(),
                writes: inner.writes(),
                max_dt: inner.max_dt(space),
                scratch_bytes: inner.scratch_bytes(),
                inner,
            })
        };
        catch_unwind(AssertUnwindSafe(probe)).unwrap_or_else(|panic| {
            let what = format!("building it panics: {}", panic_message(&*panic));
            Err(ParameterError::new("", what))
        })
    }

    /// Returns the fields that it reads and those that it writes.
    pub fn uses(&self) -> (impl Iterator<Item = FieldId>, &[(FieldId, WriteMode)]) {
        (self.reads.iter().chain(self.previous.iter()), &self.writes)
    }
}

impl Origin for Probed {
    fn name(&self) -> &str {
        &self.name
    }

    fn reads(&self) -> FieldSet {
        self.reads.clone()
    }

    fn reads_previous(&self) -> FieldSet {
        self.previous.clone()
    }

    fn writes(&self) -> Vec<(FieldId, WriteMode)> {
        self.writes.clone()
    }

    fn max_dt(&self, _: &dyn OriginSpace) -> Option<f64> {
        self.max_dt
    }

    fn scratch_bytes(&self) -> usize {
        self.scratch_bytes
    }

    fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
        self.inner.step(ctx)
    }
}

/// The parts of contexts, shared by all propagators of a world.
pub(in crate::engine) struct Later {
    space: Box<dyn OriginSpace>,
    fields: u32,
    parts: Mutex<ContextParts>,
}

#[derive(Default)]
struct ContextParts {
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
        let ContextParts {
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
