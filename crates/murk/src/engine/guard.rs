//! The way back to a saved state: the origin's engine has none.
//!
//! Each propagator stands behind a guard. As long as nothing is restored, a guard only passes on
//! what comes. To restore a state, the engine is reset, and makes one tick in which the guards
//! write the saved values instead of letting the propagators run; the tick ends as any other, and
//! its values are those of the saved tick. This is exact because the engine keeps nothing else from
//! one successful tick to the next: a field that lasts one tick starts as zeros, a sparse one as
//! it was published, and propagators keep nothing at all: the stock ones
//! do not, and those of one's own have promised it.
//!
//! From then on the engine counts fewer ticks than there were. Who counts with it is told: the
//! expiry of commands is shifted (in `run.rs`), noise is built anew with a seed that makes up for
//! the difference, agents are placed in the first tick alone, which is over, and propagators of
//! one's own are given a context with the true tick.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use murk_core::{FieldId, FieldSet, PropagatorError};
use murk_propagator::{Propagator as OriginPropagator, StepContext, WriteMode};
use murk_space::Space as OriginSpace;

use super::own::later::Later;
use super::own::probed::said;
use super::propagator::Rebuild;

/// The values of the fields that can be written, by number.
pub(super) type Values = Vec<(FieldId, Vec<f32>)>;

/// What becomes of a propagator where the engine counts fewer ticks than were made.
pub(super) enum Counting {
    /// It does not look at the count.
    Alike,
    /// It is built anew for each tick.
    Rebuilt(Rebuild),
    /// It is one's own, and told the true tick. What it is called where it panics.
    Told(String),
}

/// A propagator of one's own that panicked, and what the panic said.
pub(super) type Panicked = (String, String);

/// What a world and its guards tell each other.
pub(super) struct Control {
    /// Contexts with the true tick.
    later: Later,
    /// Who panicked in this tick.
    panicked: Mutex<Option<Panicked>>,
    /// Ticks that were made and the engine does not count.
    shift: AtomicU64,
    /// What the next tick is to write.
    pending: Mutex<Option<Arc<Values>>>,
}

impl Control {
    pub(super) fn new(later: Later) -> Self {
        Self {
            later,
            panicked: Mutex::default(),
            shift: AtomicU64::new(0),
            pending: Mutex::default(),
        }
    }

    /// Who panicked since this was asked last.
    pub(super) fn take_panicked(&self) -> Option<Panicked> {
        let mut panicked = self.panicked.lock().unwrap_or_else(PoisonError::into_inner);
        panicked.take()
    }

    /// Has a propagator of one's own make its step. A panic is caught here: what the origin has begun
    /// by then is taken back as in any tick that fails.
    fn step_own(
        &self,
        called: &str,
        inner: &dyn OriginPropagator,
        ctx: &mut StepContext<'_>,
    ) -> Result<(), PropagatorError> {
        let step = || match self.shift() {
            0 => inner.step(ctx),
            short => self.later.step(inner, ctx, short),
        };
        catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|panic| {
            let message = said(&*panic);
            let reason = format!("panicked: {message}");
            let mut panicked = self.panicked.lock().unwrap_or_else(PoisonError::into_inner);
            *panicked = Some((called.to_owned(), message));
            Err(PropagatorError::ExecutionFailed { reason })
        })
    }

    pub(super) fn shift(&self) -> u64 {
        // The world and its guards run on one thread.
        self.shift.load(Ordering::Relaxed)
    }

    pub(super) fn set_shift(&self, shift: u64) {
        self.shift.store(shift, Ordering::Relaxed);
    }

    pub(super) fn set_pending(&self, values: Option<Arc<Values>>) {
        *self.pending.lock().unwrap_or_else(PoisonError::into_inner) = values;
    }

    fn pending(&self) -> Option<Arc<Values>> {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.clone()
    }
}

/// A propagator behind its guard.
struct Guard {
    inner: Box<dyn OriginPropagator>,
    counting: Counting,
    control: Arc<Control>,
    /// The last one in the tick writes the saved values: before that, the engine still fills
    /// fields that are updated in place.
    last: bool,
}

/// Puts the guards before the propagators of a world.
pub(super) fn guarded(
    built: Vec<Box<dyn OriginPropagator>>,
    countings: Vec<Counting>,
    control: &Arc<Control>,
) -> Vec<Box<dyn OriginPropagator>> {
    let count = built.len();
    let mut guards: Vec<Box<dyn OriginPropagator>> = Vec::with_capacity(count);
    for (index, (inner, counting)) in built.into_iter().zip(countings).enumerate() {
        guards.push(Box::new(Guard {
            inner,
            counting,
            control: Arc::clone(control),
            last: index + 1 == count,
        }));
    }
    guards
}

impl OriginPropagator for Guard {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn reads(&self) -> FieldSet {
        self.inner.reads()
    }

    fn reads_previous(&self) -> FieldSet {
        self.inner.reads_previous()
    }

    fn writes(&self) -> Vec<(FieldId, WriteMode)> {
        self.inner.writes()
    }

    fn max_dt(&self, space: &dyn OriginSpace) -> Option<f64> {
        self.inner.max_dt(space)
    }

    fn scratch_bytes(&self) -> usize {
        self.inner.scratch_bytes()
    }

    fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
        if let Some(values) = self.control.pending() {
            return if self.last {
                write(&values, ctx)
            } else {
                Ok(())
            };
        }
        match (&self.counting, self.control.shift()) {
            (Counting::Told(called), _) => self.control.step_own(called, &*self.inner, ctx),
            (Counting::Rebuilt(rebuild), shift) if shift > 0 => rebuild(ctx.tick_id().0, shift)
                .map_err(|reason| PropagatorError::ExecutionFailed { reason })?
                .step(ctx),
            _ => self.inner.step(ctx),
        }
    }
}

fn write(values: &Values, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
    for (field, saved) in values {
        match ctx.writes().write(*field) {
            Some(out) if out.len() == saved.len() => out.copy_from_slice(saved),
            _ => {
                return Err(PropagatorError::ExecutionFailed {
                    reason: format!("field {field} does not take the saved values"),
                });
            }
        }
    }
    Ok(())
}
