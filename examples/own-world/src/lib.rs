//! Propagators of one's own: it rains where commands say, the water seeps away, and a gauge says how
//! much there is. The first gauge is not deterministic; the second one is.

use std::num::NonZero;
use std::thread;

use gametape::murk::engine::own::{
    FieldId, FieldSet, Kinds, ParameterError, Parameters, Propagator, PropagatorError, StepContext,
    WriteMode,
};

/// What a world of ours may name beside the stock propagators.
#[must_use]
pub fn kinds() -> Kinds {
    Kinds::new()
        .with("seepage", seepage)
        .with("gauge", |keys| gauge(keys, parallel_sum))
        .with("steady_gauge", |keys| gauge(keys, steady_sum))
}

/// A field that is not there.
fn missing(field: FieldId) -> PropagatorError {
    PropagatorError::ExecutionFailed {
        reason: format!("there is no field {field}"),
    }
}

/// Rain fills the cells, and water seeps away: the faster, the more there is of it.
struct Seepage {
    water: FieldId,
    rain: FieldId,
    level: FieldId,
    rate: f32,
}

fn seepage(keys: &mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError> {
    let rate = keys.take_or("rate", 0.1)?;
    if !(0.0..1.0).contains(&rate) {
        let what = format!("must be at least 0 and below 1, not {rate:?}");
        return Err(ParameterError::new("rate", what));
    }
    Ok(Box::new(Seepage {
        water: keys.field("water")?,
        rain: keys.field("rain")?,
        level: keys.field("level")?,
        rate,
    }))
}

impl Propagator for Seepage {
    fn name(&self) -> &'static str {
        "seepage"
    }

    fn reads(&self) -> FieldSet {
        FieldSet::empty()
    }

    /// As they were at the end of the tick before.
    fn reads_previous(&self) -> FieldSet {
        [self.water, self.rain, self.level].into_iter().collect()
    }

    fn writes(&self) -> Vec<(FieldId, WriteMode)> {
        vec![(self.water, WriteMode::Full)]
    }

    fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
        let before = |field| ctx.reads_previous().read(field).ok_or(missing(field));
        let level = before(self.level)?.first().copied().unwrap_or_default();
        let (water, rain) = (before(self.water)?, before(self.rain)?);
        let dt = ctx.dt() as f32;
        let kept = 1.0 - self.rate * dt * level / (1.0 + level);
        let filled: Vec<f32> = water
            .iter()
            .zip(rain)
            .map(|(w, r)| (w + r * dt) * kept)
            .collect();
        let out = ctx.writes().write(self.water);
        out.ok_or(missing(self.water))?.copy_from_slice(&filled);
        Ok(())
    }
}

/// All the water there is, in the first cell.
struct Gauge {
    water: FieldId,
    level: FieldId,
    sum: fn(&[f32]) -> f32,
}

fn gauge(
    keys: &mut Parameters<'_>,
    sum: fn(&[f32]) -> f32,
) -> Result<Box<dyn Propagator>, ParameterError> {
    let (water, level) = (keys.field("water")?, keys.field("level")?);
    Ok(Box::new(Gauge { water, level, sum }))
}

impl Propagator for Gauge {
    fn name(&self) -> &'static str {
        "gauge"
    }

    /// As it is in this tick, behind the seepage.
    fn reads(&self) -> FieldSet {
        [self.water].into_iter().collect()
    }

    fn writes(&self) -> Vec<(FieldId, WriteMode)> {
        vec![(self.level, WriteMode::Full)]
    }

    fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
        let water = ctx.reads().read(self.water).ok_or(missing(self.water))?;
        let sum = (self.sum)(water);
        let out = ctx.writes().write(self.level).ok_or(missing(self.level))?;
        out.fill(0.0);
        if let Some(first) = out.first_mut() {
            *first = sum;
        }
        Ok(())
    }
}

/// How many threads add up: those of the machine, unless `WORKERS` says another number.
fn workers() -> usize {
    let said = std::env::var("WORKERS")
        .ok()
        .and_then(|text| text.parse().ok());
    let of_machine = || thread::available_parallelism().map_or(1, NonZero::get);
    said.unwrap_or_else(of_machine).max(1)
}

/// Each thread adds up a part of the cells, of a size that all of them share the work.
fn parallel_sum(values: &[f32]) -> f32 {
    sum_of_parts(values, values.len().div_ceil(workers()))
}

/// Each thread adds up a row of 16 cells, however many threads there are.
fn steady_sum(values: &[f32]) -> f32 {
    sum_of_parts(values, 16)
}

fn sum_of_parts(values: &[f32], size: usize) -> f32 {
    thread::scope(|scope| {
        let parts = values.chunks(size.max(1));
        let parts = parts.map(|part| scope.spawn(|| part.iter().sum::<f32>()));
        let parts: Vec<_> = parts.collect();
        parts
            .into_iter()
            .map(|part| part.join().unwrap_or(f32::NAN))
            .sum()
    })
}
