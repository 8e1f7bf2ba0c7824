//! Restoring a saved state, which the origin's engine can't do.
//!
//! Each propagator is wrapped in a guard. Until a state is restored, a guard only forwards calls.
//! To restore a state, the engine is reset and makes one tick in which the guards write the saved
//! values instead of running the propagators. The tick ends as usual, and its values are those of
//! the saved tick. This is exact because the engine keeps nothing else from one successful tick to
//! the next: a per-tick field starts as zeros, a sparse one as it was published, and propagators
//! keep nothing. Stock propagators don't, and registered ones have promised it.
//!
//! After that, the engine counts fewer ticks than were made. Everything that depends on the count
//! is adjusted: the expiry of commands is shifted (in `run.rs`), noise is rebuilt with a seed that
//! compensates for the difference, agents are placed in the first tick only, which is over, and
//! registered propagators get a context with the true tick.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use murk_core::{FieldId, FieldSet, PropagatorError};
use murk_propagator::{Propagator as OriginPropagator, StepContext, WriteMode};
use murk_space::Space as OriginSpace;

use super::own::running::{Later, panic_message};
use super::propagator::Rebuild;

/// The values of the fields that can change, by number.
pub(super) type Values = Vec<(FieldId, Vec<f32>)>;

/// How a propagator is adjusted if the engine counts fewer ticks than were made.
pub(super) enum Counting {
    /// It does not depend on the count.
    Unaffected,
    /// It is rebuilt for each tick.
    Rebuilt(Rebuild),
    /// It is a registered one and gets the true tick. The name is used if it panics.
    TrueTick(String),
}

/// A registered propagator that panicked, and the message of the panic.
pub(super) type Panicked = (String, String);

/// The state shared by a world and its guards.
pub(super) struct Control {
    /// Creates contexts with the true tick.
    later: Later,
    /// The propagator that panicked in this tick.
    panicked: Mutex<Option<Panicked>>,
    /// The number of ticks that were made and that the engine does not count.
    shift: AtomicU64,
    /// The values that the next tick writes.
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

    /// Returns the propagator that panicked since the last call.
    pub(super) fn take_panicked(&self) -> Option<Panicked> {
        let mut panicked = self.panicked.lock().unwrap_or_else(PoisonError::into_inner);
        panicked.take()
    }

    /// Runs the step of a registered propagator. A panic is caught; its writes are undone as in any
    /// tick that fails.
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
            let message = panic_message(&*panic);
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

/// A propagator and its guard.
struct Guard {
    inner: Box<dyn OriginPropagator>,
    counting: Counting,
    control: Arc<Control>,
    /// The last propagator of the tick writes the saved values, because before that the engine
    /// still fills fields that are updated in place.
    last: bool,
}

/// Wraps the propagators of a world in guards.
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
            (Counting::TrueTick(name), _) => self.control.step_own(name, &*self.inner, ctx),
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
