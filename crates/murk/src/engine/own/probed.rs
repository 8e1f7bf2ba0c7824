//! A registered propagator after building: its declarations are asked for once, and panics in them
//! are caught.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use murk_core::{FieldId, FieldSet, PropagatorError};
use murk_propagator::{Propagator as Origin, StepContext, WriteMode};
use murk_space::Space as OriginSpace;

use super::data::Own;
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
