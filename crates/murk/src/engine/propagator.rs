//! The stock propagators of Murk, as data; and what the origin builds from it.
//!
//! Keys and defaults are those of the origin's builders. A field is named by its name.

use std::sync::{Arc, Mutex};

use murk_core::FieldId;
use murk_propagator::Propagator as OriginPropagator;
use murk_propagators::{
    AgentEmission, AgentMovementPropagator, DiffusionPropagator, EmissionMode, FlowField,
    GradientCompute, IdentityCopy, MorphOp, MorphologicalOp, NoiseInjection, NoiseType,
    RegrowthModel, ResourceField, RewardPropagator, ScalarDiffusion, WavePropagation,
};

use super::define::{kinds, words};

words! {
    /// What a `morphological_op` does.
    Morphology("operation") of MorphOp {
        /// 1 where any cell around is present.
        Dilate = "dilate" => MorphOp::Dilate,
        /// 1 where all cells around are present.
        Erode = "erode" => MorphOp::Erode,
    }

    /// The noise of a `noise_injection`.
    Noise("noise") of NoiseType {
        /// Adds `scale` times a normal deviate.
        Gaussian = "gaussian" => NoiseType::Gaussian,
        /// Adds `scale` times a number between -1 and 1.
        Uniform = "uniform" => NoiseType::Uniform,
        /// Sets 0 or 1, with the probability `scale`.
        SaltPepper = "salt_pepper" => NoiseType::SaltPepper,
    }

    /// How the resource of a `resource_field` grows again.
    Regrowth("regrowth") of RegrowthModel {
        /// At a constant rate.
        Linear = "linear" => RegrowthModel::Linear,
        /// In an S-curve, which starts from what is left.
        Logistic = "logistic" => RegrowthModel::Logistic,
    }

    /// How an `agent_emission` writes.
    Emission("mode") of EmissionMode {
        /// Adds to what is there.
        Additive = "additive" => EmissionMode::Additive,
        /// Replaces all of it.
        Set = "set" => EmissionMode::Set,
    }
}

kinds! {
    /// A stock propagator: what happens in each tick.
    ///
    /// The last three are the origin's reference pipeline: they take no field names, but work on
    /// the fields of fixed numbers (0 heat, 1 velocity, 2 agents, 3 gradient of the heat, 4
    /// reward).
    Propagator by "kind" {
        /// Diffuses a scalar field, with decay, sources and bounds.
        ScalarDiffusion = "scalar_diffusion" {
            /// Read as it was at the end of the last tick.
            input_field: String,
            /// Written.
            output_field: String,
            /// Gradient of the input, written: two values a cell.
            gradient_field: Option<String>,
            /// How fast it diffuses.
            coefficient: f64 = 0.0,
            /// Exponential decay per second.
            decay: f64 = 0.0,
            /// Elements of the output, by index, that have a fixed value.
            sources: Vec<(u64, f32)> = Vec::new(),
            /// The output's lower bound.
            clamp_min: Option<f32>,
            /// The output's upper bound.
            clamp_max: Option<f32>,
            /// Neighbours a cell is taken to have where the longest stable time step is computed,
            /// if the space has fewer.
            max_degree: u32 = 12,
        }
        /// Computes the gradient of a scalar field.
        GradientCompute = "gradient_compute" {
            /// Read as it was at the end of the last tick.
            input_field: String,
            /// Written: two values a cell. With another number, each tick fails.
            output_field: String,
        }
        /// Carries a field over from one tick to the next.
        IdentityCopy = "identity_copy" {
            /// The field.
            field: String,
        }
        /// Widens or narrows what is present in a field.
        MorphologicalOp = "morphological_op" {
            /// Read as it was at the end of the last tick.
            input_field: String,
            /// Written: 0 or 1.
            output_field: String,
            /// Which.
            op: Morphology = Morphology::Dilate,
            /// How many steps around.
            radius: u32 = 1,
            /// Above it, a cell is present.
            threshold: f32 = 0.5,
        }
        /// Adds noise to a field.
        NoiseInjection = "noise_injection" {
            /// The field.
            field: String,
            /// Which noise.
            noise_type: Noise = Noise::Gaussian,
            /// How much.
            scale: f64 = 0.1,
            /// Seeds the random numbers, together with the tick.
            seed_offset: u64 = 0,
        }
        /// A resource that is consumed where something is present, and grows again.
        ResourceField = "resource_field" {
            /// The resource.
            field: String,
            /// Not 0 where something consumes it.
            presence_field: String,
            /// Consumed per second.
            consumption_rate: f32 = 1.0,
            /// Grown per second.
            regrowth_rate: f32 = 0.1,
            /// The most there can be.
            capacity: f32 = 1.0,
            /// How it grows.
            regrowth_model: Regrowth = Regrowth::Linear,
        }
        /// Waves.
        WavePropagation = "wave_propagation" {
            /// Displacement.
            displacement_field: String,
            /// Its velocity.
            velocity_field: String,
            /// Speed of the waves.
            wave_speed: f64 = 1.0,
            /// How fast they are damped.
            damping: f64 = 0.0,
        }
        /// Computes the direction down a potential.
        FlowField = "flow_field" {
            /// Read as it was at the end of the last tick.
            potential_field: String,
            /// Written: two values a cell.
            flow_field: String,
            /// Makes it one long.
            normalize: bool = false,
        }
        /// Emits where something is present.
        AgentEmission = "agent_emission" {
            /// Not 0 where something emits.
            presence_field: String,
            /// Written.
            emission_field: String,
            /// How much.
            intensity: f32 = 1.0,
            /// How it is written.
            mode: Emission = Emission::Additive,
        }
        /// Diffuses field 0 (one value a cell) and field 1 (two values), and writes the gradient
        /// of field 0 to field 3 (two values).
        Diffusion = "diffusion" {
            /// How fast.
            diffusivity: f64,
        }
        /// Places agents into field 2 in the first tick, and keeps them there.
        ///
        /// The origin moves them by actions that come from beside its commands; no recording
        /// holds any, so that no agent ever moves. (It looks agents up in a `HashMap`, but never
        /// iterates over it: it is deterministic.)
        AgentMovement = "agent_movement" {
            /// An agent's number, and the element that it stands on.
            initial_positions: Vec<(u16, u64)> = Vec::new(),
        }
        /// Computes a reward into field 4 from the heat (field 0) where an agent (field 2) is.
        Reward = "reward" {
            /// What the heat counts.
            heat_bonus: f32,
            /// What a tick costs.
            step_cost: f32,
        }
    }
}

/// The fields that the reference pipeline works on, by their fixed numbers.
pub(super) mod reference {
    /// Heat.
    pub(in super::super) const HEAT: usize = 0;
    /// Velocity.
    pub(in super::super) const VELOCITY: usize = 1;
    /// Agents.
    pub(in super::super) const AGENTS: usize = 2;
    /// Gradient of the heat.
    pub(in super::super) const GRADIENT: usize = 3;
    /// Reward.
    pub(in super::super) const REWARD: usize = 4;
}

/// How a propagator uses a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    Read,
    /// Written from nothing.
    Write,
    /// Written from what it was.
    Update,
}

/// A field as a propagator names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Named<'a> {
    /// By the key, and the name that the key has.
    Key(&'static str, &'a str),
    /// By a fixed number, and what to say where there is none.
    Number(usize, &'static str),
}

impl Propagator {
    /// The fields it uses.
    pub(super) fn uses(&self) -> Vec<(Named<'_>, Use)> {
        use Named::{Key, Number};
        use Use::{Read, Update, Write};
        use reference::{AGENTS, GRADIENT, HEAT, REWARD, VELOCITY};
        match self {
            Self::ScalarDiffusion {
                input_field,
                output_field,
                gradient_field,
                ..
            } => {
                let mut uses = vec![
                    (Key("input_field", input_field), Read),
                    (Key("output_field", output_field), Write),
                ];
                uses.extend(
                    gradient_field
                        .iter()
                        .map(|field| (Key("gradient_field", field), Write)),
                );
                uses
            }
            Self::GradientCompute {
                input_field,
                output_field,
            }
            | Self::MorphologicalOp {
                input_field,
                output_field,
                ..
            } => vec![
                (Key("input_field", input_field), Read),
                (Key("output_field", output_field), Write),
            ],
            Self::IdentityCopy { field } | Self::NoiseInjection { field, .. } => {
                vec![(Key("field", field), Write)]
            }
            Self::ResourceField {
                field,
                presence_field,
                ..
            } => vec![
                (Key("presence_field", presence_field), Read),
                (Key("field", field), Write),
            ],
            Self::WavePropagation {
                displacement_field,
                velocity_field,
                ..
            } => vec![
                (Key("displacement_field", displacement_field), Write),
                (Key("velocity_field", velocity_field), Write),
            ],
            Self::FlowField {
                potential_field,
                flow_field,
                ..
            } => vec![
                (Key("potential_field", potential_field), Read),
                (Key("flow_field", flow_field), Write),
            ],
            Self::AgentEmission {
                presence_field,
                emission_field,
                ..
            } => vec![
                (Key("presence_field", presence_field), Read),
                (Key("emission_field", emission_field), Write),
            ],
            Self::Diffusion { .. } => [HEAT, VELOCITY, GRADIENT]
                .map(|field| (Number(field, "0, 1 and 3"), Write))
                .to_vec(),
            Self::AgentMovement { .. } => vec![(Number(AGENTS, "2"), Update)],
            Self::Reward { .. } => vec![
                (Number(HEAT, "0, 2 and 4"), Read),
                (Number(AGENTS, "0, 2 and 4"), Read),
                (Number(REWARD, "0, 2 and 4"), Write),
            ],
        }
    }

    /// The origin's propagator; `field` gives a field's number by its name.
    ///
    /// The parameters must have been checked: the origin takes some on which it panics later.
    pub(super) fn build(
        &self,
        field: &dyn Fn(&str) -> Option<FieldId>,
    ) -> Result<Box<dyn OriginPropagator>, String> {
        let id = |name: &String| field(name).ok_or_else(|| format!("no field {name:?}"));
        Ok(match self {
            Self::ScalarDiffusion {
                input_field,
                output_field,
                gradient_field,
                coefficient,
                decay,
                sources,
                clamp_min,
                clamp_max,
                max_degree,
            } => {
                let sources = sources
                    .iter()
                    .filter_map(|&(at, value)| Some((usize::try_from(at).ok()?, value)))
                    .collect();
                let mut builder = ScalarDiffusion::builder()
                    .input_field(id(input_field)?)
                    .output_field(id(output_field)?)
                    .coefficient(*coefficient)
                    .decay(*decay)
                    .sources(sources)
                    .max_degree(*max_degree);
                if let Some(gradient) = gradient_field {
                    builder = builder.gradient_field(id(gradient)?);
                }
                if let Some(min) = clamp_min {
                    builder = builder.clamp_min(*min);
                }
                if let Some(max) = clamp_max {
                    builder = builder.clamp_max(*max);
                }
                Box::new(builder.build()?)
            }
            Self::GradientCompute {
                input_field,
                output_field,
            } => Box::new(
                GradientCompute::builder()
                    .input_field(id(input_field)?)
                    .output_field(id(output_field)?)
                    .build()?,
            ),
            Self::IdentityCopy { field } => Box::new(IdentityCopy::new(id(field)?)),
            Self::MorphologicalOp {
                input_field,
                output_field,
                op,
                radius,
                threshold,
            } => Box::new(
                MorphologicalOp::builder()
                    .input_field(id(input_field)?)
                    .output_field(id(output_field)?)
                    .op(op.origin())
                    .radius(*radius)
                    .threshold(*threshold)
                    .build()?,
            ),
            Self::NoiseInjection {
                field,
                noise_type,
                scale,
                seed_offset,
            } => Box::new(noise(id(field)?, *noise_type, *scale, *seed_offset)?),
            Self::ResourceField {
                field,
                presence_field,
                consumption_rate,
                regrowth_rate,
                capacity,
                regrowth_model,
            } => Box::new(
                ResourceField::builder()
                    .field(id(field)?)
                    .presence_field(id(presence_field)?)
                    .consumption_rate(*consumption_rate)
                    .regrowth_rate(*regrowth_rate)
                    .capacity(*capacity)
                    .regrowth_model(regrowth_model.origin())
                    .build()?,
            ),
            Self::WavePropagation {
                displacement_field,
                velocity_field,
                wave_speed,
                damping,
            } => Box::new(
                WavePropagation::builder()
                    .displacement_field(id(displacement_field)?)
                    .velocity_field(id(velocity_field)?)
                    .wave_speed(*wave_speed)
                    .damping(*damping)
                    .build()?,
            ),
            Self::FlowField {
                potential_field,
                flow_field,
                normalize,
            } => Box::new(
                FlowField::builder()
                    .potential_field(id(potential_field)?)
                    .flow_field(id(flow_field)?)
                    .normalize(*normalize)
                    .build()?,
            ),
            Self::AgentEmission {
                presence_field,
                emission_field,
                intensity,
                mode,
            } => Box::new(
                AgentEmission::builder()
                    .presence_field(id(presence_field)?)
                    .emission_field(id(emission_field)?)
                    .intensity(*intensity)
                    .mode(mode.origin())
                    .build()?,
            ),
            Self::Diffusion { diffusivity } => {
                // The origin asserts it.
                if !diffusivity.is_finite() || *diffusivity < 0.0 {
                    return Err(format!(
                        "diffusivity must be finite and >= 0, got {diffusivity}"
                    ));
                }
                Box::new(DiffusionPropagator::new(*diffusivity))
            }
            Self::AgentMovement { initial_positions } => {
                let positions = initial_positions
                    .iter()
                    .filter_map(|&(agent, at)| Some((agent, usize::try_from(at).ok()?)))
                    .collect();
                let no_actions = Arc::new(Mutex::new(Vec::new()));
                Box::new(AgentMovementPropagator::new(no_actions, positions))
            }
            Self::Reward {
                heat_bonus,
                step_cost,
            } => Box::new(RewardPropagator::new(*heat_bonus, *step_cost)),
        })
    }
}

/// The origin's noise: by itself, because a restored world builds it anew for each tick.
pub(super) fn noise(
    field: FieldId,
    noise_type: Noise,
    scale: f64,
    seed_offset: u64,
) -> Result<NoiseInjection, String> {
    NoiseInjection::builder()
        .field(field)
        .noise_type(noise_type.origin())
        .scale(scale)
        .seed_offset(seed_offset)
        .build()
}
