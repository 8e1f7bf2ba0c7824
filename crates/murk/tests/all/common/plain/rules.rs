//! The effects of propagators, written from the origin's documentation.

use std::fmt::Write as _;

use super::{Space, Values, Writer};

/// A propagator, with fields by number.
#[derive(Clone, PartialEq, Debug)]
pub enum Rule {
    /// Writes the field's last values.
    Copy { field: usize },
    /// Takes where something is present, lets the rest grow, and clamps the result to 0 and the
    /// capacity.
    Resource {
        field: usize,
        presence: usize,
        consumption: f32,
        regrowth: f32,
        capacity: f32,
        logistic: bool,
    },
    /// Adds (or sets, with 0 elsewhere) where something is present.
    Emission {
        presence: usize,
        field: usize,
        intensity: f32,
        set: bool,
    },
    /// Mixes each cell with the mean of its neighbours.
    Diffusion {
        input: usize,
        output: usize,
        coefficient: f64,
        /// The exponential decay per second.
        decay: f64,
        sources: Vec<(usize, f32)>,
        clamp: Option<(f32, f32)>,
    },
    /// Places agents in the first tick, into field 2, which is updated in place.
    Agents { places: Vec<(u16, usize)> },
    /// Rewards by the heat (field 0) at the agents (field 2), into field 4. It reads values that
    /// earlier propagators wrote in this tick, and otherwise those of the last tick.
    Reward { bonus: f32, cost: f32 },
    /// A gradient that does not fit its field, so that each tick fails.
    Failing { input: usize, output: usize },
}

/// The tick as a propagator sees it.
pub struct Tick<'a> {
    pub number: u64,
    pub dt: f64,
    pub space: &'a Space,
    /// The fields after the last tick.
    pub before: &'a [Values],
    /// The fields after this tick.
    pub next: &'a mut [Values],
    /// The fields that earlier propagators have written.
    pub written: &'a [usize],
}

impl Rule {
    /// Returns the field it writes.
    pub fn output(&self) -> usize {
        match self {
            Self::Copy { field } | Self::Resource { field, .. } | Self::Emission { field, .. } => {
                *field
            }
            Self::Diffusion { output, .. } | Self::Failing { output, .. } => *output,
            Self::Agents { .. } => 2,
            Self::Reward { .. } => 4,
        }
    }

    /// Returns its kind in a description.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Copy { .. } => "identity_copy",
            Self::Resource { .. } => "resource_field",
            Self::Emission { .. } => "agent_emission",
            Self::Diffusion { .. } => "scalar_diffusion",
            Self::Agents { .. } => "agent_movement",
            Self::Reward { .. } => "reward",
            Self::Failing { .. } => "gradient_compute",
        }
    }

    /// Makes its part of a tick; returns false if it fails.
    pub fn apply(&self, number: usize, tick: &mut Tick<'_>) -> bool {
        let before = tick.before;
        let written: Vec<(usize, f32)> = match self {
            Self::Failing { .. } => return false,
            Self::Copy { field } => before[*field].values().enumerate().collect(),
            Self::Resource { field, .. } => (before[*field].values().enumerate())
                .map(|(at, value)| (at, self.grown(at, value, tick)))
                .collect(),
            Self::Emission {
                presence,
                field,
                intensity,
                set,
            } => (before[*field].values().enumerate())
                .map(|(at, value)| {
                    let base = if *set { 0.0 } else { value };
                    let present = before[*presence].get(at) != 0.0;
                    (at, if present { base + intensity } else { base })
                })
                .collect(),
            Self::Diffusion { .. } => self.diffused(tick),
            Self::Agents { places } => {
                // The engine restores the last values, whatever commands wrote.
                tick.next[2] = before[2].clone();
                let first = if tick.number == 1 {
                    places.as_slice()
                } else {
                    &[]
                };
                first
                    .iter()
                    .map(|&(agent, at)| (at, f32::from(agent) + 1.0))
                    .collect()
            }
            Self::Reward { bonus, cost } => {
                let read = |field: usize| {
                    if tick.written.contains(&field) {
                        &tick.next[field]
                    } else {
                        &before[field]
                    }
                };
                let reward = |cell| match read(2).get(cell) {
                    0.0 => 0.0,
                    _ => read(0).get(cell) * bonus + cost,
                };
                (0..tick.space.cells().len())
                    .map(|cell| (cell, reward(cell)))
                    .collect()
            }
        };
        for (at, value) in written {
            tick.next[self.output()].set(at, value, Writer::Propagator(number));
        }
        true
    }

    fn grown(&self, at: usize, value: f32, tick: &Tick<'_>) -> f32 {
        let Self::Resource {
            presence,
            consumption,
            regrowth,
            capacity,
            logistic,
            ..
        } = self
        else {
            unreachable!()
        };
        let dt = tick.dt as f32;
        let mut value = value;
        if tick.before[*presence].get(at) != 0.0 {
            value -= consumption * dt;
        }
        if !logistic {
            value += regrowth * dt;
        } else if value > 0.0 {
            value += regrowth * value * (1.0 - value / capacity) * dt;
        }
        value.clamp(0.0, *capacity)
    }

    fn diffused(&self, tick: &Tick<'_>) -> Vec<(usize, f32)> {
        let Self::Diffusion {
            input,
            coefficient,
            decay,
            sources,
            clamp,
            ..
        } = self
        else {
            unreachable!()
        };
        let old = &tick.before[*input];
        let mixed = |cell: usize| {
            let beside = tick.space.neighbours(cell);
            if beside.is_empty() {
                return old.get(cell);
            }
            let sum: f32 = beside.iter().map(|&at| old.get(at)).sum();
            let alpha = (coefficient * tick.dt * beside.len() as f64).min(1.0) as f32;
            (1.0 - alpha) * old.get(cell) + alpha * (sum / beside.len() as f32)
        };
        let decayed = |value: f32| match *decay {
            0.0 => value,
            decay => value * (-(decay * tick.dt)).exp() as f32,
        };
        let bounded = |value: f32| clamp.map_or(value, |(min, max)| value.clamp(min, max));
        (0..tick.space.cells().len())
            .map(|cell| {
                let source = sources.iter().rfind(|(at, _)| *at == cell);
                let value = source.map_or_else(|| decayed(mixed(cell)), |&(_, value)| value);
                (cell, bounded(value))
            })
            .collect()
    }

    pub fn toml(&self) -> String {
        let keys = match self {
            Self::Copy { field } => format!("field = 'f{field}'"),
            Self::Resource {
                field,
                presence,
                consumption,
                regrowth,
                capacity,
                logistic,
            } => format!(
                "field = 'f{field}'\npresence_field = 'f{presence}'
consumption_rate = {consumption:?}\nregrowth_rate = {regrowth:?}\ncapacity = {capacity:?}
regrowth_model = '{}'",
                if *logistic { "logistic" } else { "linear" }
            ),
            Self::Emission {
                presence,
                field,
                intensity,
                set,
            } => format!(
                "presence_field = 'f{presence}'
emission_field = 'f{field}'\nintensity = {intensity:?}\nmode = '{}'",
                if *set { "set" } else { "additive" }
            ),
            Self::Diffusion {
                input,
                output,
                coefficient,
                decay,
                sources,
                clamp,
            } => {
                let sources: Vec<_> = sources
                    .iter()
                    .map(|(at, v)| format!("[{at}, {v:?}]"))
                    .collect();
                let (min, max) = clamp.unwrap_or((f32::NEG_INFINITY, f32::INFINITY));
                let bounds = [("clamp_min", min), ("clamp_max", max)];
                let mut clamp = String::new();
                for (key, bound) in bounds.iter().filter(|(_, bound)| bound.is_finite()) {
                    let _ = write!(clamp, "\n{key} = {bound:?}");
                }
                format!(
                    "input_field = 'f{input}'\noutput_field = 'f{output}'
coefficient = {coefficient:?}\ndecay = {decay:?}\nsources = [{}]{clamp}",
                    sources.join(", ")
                )
            }
            Self::Agents { places } => {
                let places: Vec<_> = places
                    .iter()
                    .map(|(who, at)| format!("[{who}, {at}]"))
                    .collect();
                let places = places.join(", ");
                format!("initial_positions = [{places}]")
            }
            Self::Reward { bonus, cost } => {
                format!("heat_bonus = {bonus:?}\nstep_cost = {cost:?}")
            }
            Self::Failing { input, output } => {
                format!("input_field = 'f{input}'\noutput_field = 'f{output}'")
            }
        };
        format!("kind = '{}'\n{keys}", self.kind())
    }
}
