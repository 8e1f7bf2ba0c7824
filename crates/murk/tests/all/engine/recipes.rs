//! A world of every kind of space; together they use every stock propagator.

use std::sync::{Arc, Mutex};

use murk_core::FieldId;
use murk_propagators::{
    AgentEmission, AgentMovementPropagator, DiffusionPropagator, EmissionMode, FlowField,
    GradientCompute, IdentityCopy, MorphOp, MorphologicalOp, NoiseInjection, NoiseType,
    RegrowthModel, ResourceField, RewardPropagator, ScalarDiffusion, WavePropagation,
};
use murk_space::{
    EdgeBehavior, Fcc12, Hex2D, Line1D, ProductSpace, Ring1D, Space, Square4, Square8,
};

use super::worlds::{Twin, boxed};

pub fn line() -> Twin {
    Twin {
        name: "line1d",
        head: "dt = 0.25\nseed = 42\n[space]\nkind = 'line1d'\nlen = 17\nedge = 'clamp'\n",
        fields: "per_tick scalar heat
                per_tick vector:2 slope
                sparse scalar kept
                per_tick scalar poked
                sparse scalar blurred",
        propagators: "[[propagator]]
kind = 'scalar_diffusion'
input_field = 'heat'
output_field = 'heat'
gradient_field = 'slope'
coefficient = 0.3
decay = 0.125
sources = [[3, 7.5], [12, -2.5]]
clamp_min = -2.0
clamp_max = 7.0
[[propagator]]
kind = 'identity_copy'
field = 'kept'
[[propagator]]
kind = 'scalar_diffusion'
input_field = 'poked'
output_field = 'blurred'
coefficient = 0.1
",
        parts: || {
            let diffusion = ScalarDiffusion::builder()
                .input_field(FieldId(0))
                .output_field(FieldId(0))
                .gradient_field(FieldId(1))
                .coefficient(0.3)
                .decay(0.125)
                .sources(vec![(3, 7.5), (12, -2.5)])
                .clamp_min(-2.0)
                .clamp_max(7.0);
            let blur = ScalarDiffusion::builder()
                .input_field(FieldId(3))
                .output_field(FieldId(4))
                .coefficient(0.1);
            (
                0.25,
                Box::new(Line1D::new(17, EdgeBehavior::Clamp).unwrap()),
                vec![
                    boxed(diffusion.build()),
                    Box::new(IdentityCopy::new(FieldId(2))),
                    boxed(blur.build()),
                ],
            )
        },
    }
}

pub fn ring() -> Twin {
    Twin {
        name: "ring1d",
        head: "dt = 1\nseed = 42\n[space]\nkind = 'ring1d'\nlen = 9\n",
        fields: "per_tick scalar walk
                sparse vector:2 flicker
                per_tick vector:2 slope",
        propagators: "[[propagator]]
kind = 'noise_injection'
field = 'walk'
scale = 0.5
seed_offset = '0xffffffffffffffff'
[[propagator]]
kind = 'noise_injection'
field = 'flicker'
noise_type = 'uniform'
[[propagator]]
kind = 'gradient_compute'
input_field = 'walk'
output_field = 'slope'
",
        parts: || {
            let walk = NoiseInjection::builder()
                .field(FieldId(0))
                .scale(0.5)
                .seed_offset(u64::MAX);
            let flicker = NoiseInjection::builder()
                .field(FieldId(1))
                .noise_type(NoiseType::Uniform);
            let slope = GradientCompute::builder()
                .input_field(FieldId(0))
                .output_field(FieldId(2));
            (
                1.0,
                Box::new(Ring1D::new(9).unwrap()),
                vec![
                    boxed(walk.build()),
                    boxed(flicker.build()),
                    boxed(slope.build()),
                ],
            )
        },
    }
}

/// The origin's reference pipeline. Nothing can heat it: see `rewarding` for warm agents.
pub fn reference() -> Twin {
    Twin {
        name: "square4, reference",
        head: "dt = 0.1\nseed = 42\n[space]\nkind = 'square4'\nrows = 5\ncols = 7\nedge = 'absorb'\n",
        fields: "per_tick scalar heat
                per_tick vector:2 velocity
                per_tick scalar agents
                per_tick vector:2 gradient
                per_tick scalar reward
                per_tick scalar shadow
                sparse vector:2 slope
                sparse scalar poked",
        propagators: "[[propagator]]
kind = 'diffusion'
diffusivity = 0.75
[[propagator]]
kind = 'agent_movement'
initial_positions = [[0, 3], [41, 34], [7, 0]]
[[propagator]]
kind = 'reward'
heat_bonus = 2.0
step_cost = -0.01
[[propagator]]
kind = 'scalar_diffusion'
input_field = 'agents'
output_field = 'shadow'
gradient_field = 'slope'
coefficient = 0.2
",
        parts: || {
            let shadow = ScalarDiffusion::builder()
                .input_field(FieldId(2))
                .output_field(FieldId(5))
                .gradient_field(FieldId(6))
                .coefficient(0.2);
            let actions = Arc::new(Mutex::new(Vec::new()));
            let agents = vec![(0, 3), (41, 34), (7, 0)];
            (
                0.1,
                Box::new(Square4::new(5, 7, EdgeBehavior::Absorb).unwrap()),
                vec![
                    Box::new(DiffusionPropagator::new(0.75)),
                    Box::new(AgentMovementPropagator::new(actions, agents)),
                    Box::new(RewardPropagator::new(2.0, -0.01)),
                    boxed(shadow.build()),
                ],
            )
        },
    }
}

pub fn foraging() -> Twin {
    Twin {
        name: "square8",
        head: "dt = 0.5\nseed = 42\n[space]\nkind = 'square8'\nrows = 4\ncols = 6\nedge = 'wrap'\n",
        fields: "sparse scalar sheep
                per_tick scalar goats
                per_tick scalar grass
                sparse scalar moss
                sparse scalar scent
                per_tick scalar call
                per_tick scalar fern",
        propagators: "[[propagator]]
kind = 'resource_field'
field = 'grass'
presence_field = 'sheep'
consumption_rate = 0.75
regrowth_rate = 0.2
capacity = 2.5
[[propagator]]
kind = 'resource_field'
field = 'moss'
presence_field = 'goats'
[[propagator]]
kind = 'resource_field'
field = 'fern'
presence_field = 'goats'
regrowth_model = 'logistic'
[[propagator]]
kind = 'agent_emission'
presence_field = 'goats'
emission_field = 'scent'
intensity = 0.3
[[propagator]]
kind = 'agent_emission'
presence_field = 'sheep'
emission_field = 'call'
mode = 'set'
",
        parts: || {
            let grass = ResourceField::builder()
                .field(FieldId(2))
                .presence_field(FieldId(0))
                .consumption_rate(0.75)
                .regrowth_rate(0.2)
                .capacity(2.5);
            let moss = ResourceField::builder()
                .field(FieldId(3))
                .presence_field(FieldId(1));
            // It grows from the remaining amount, which is zero.
            let fern = ResourceField::builder()
                .field(FieldId(6))
                .presence_field(FieldId(1))
                .regrowth_model(RegrowthModel::Logistic);
            let scent = AgentEmission::builder()
                .presence_field(FieldId(1))
                .emission_field(FieldId(4))
                .intensity(0.3);
            let call = AgentEmission::builder()
                .presence_field(FieldId(0))
                .emission_field(FieldId(5))
                .mode(EmissionMode::Set);
            (
                0.5,
                Box::new(Square8::new(4, 6, EdgeBehavior::Wrap).unwrap()),
                vec![
                    boxed(grass.build()),
                    boxed(moss.build()),
                    boxed(fern.build()),
                    boxed(scent.build()),
                    boxed(call.build()),
                ],
            )
        },
    }
}

pub fn hexagons() -> Twin {
    Twin {
        name: "hex2d",
        head: "dt = 0.1\nseed = 42\n[space]\nkind = 'hex2d'\nrows = 3\ncols = 5\n",
        fields: "per_tick scalar height
                sparse scalar speed
                sparse scalar hill
                per_tick vector:2 flow
                sparse vector:2 slope
                per_tick vector:2 stream",
        propagators: "[[propagator]]
kind = 'wave_propagation'
displacement_field = 'height'
velocity_field = 'speed'
wave_speed = 1.5
damping = 0.1
[[propagator]]
kind = 'flow_field'
potential_field = 'hill'
flow_field = 'flow'
normalize = true
[[propagator]]
kind = 'gradient_compute'
input_field = 'hill'
output_field = 'slope'
[[propagator]]
kind = 'flow_field'
potential_field = 'hill'
flow_field = 'stream'
",
        parts: || {
            let waves = WavePropagation::builder()
                .displacement_field(FieldId(0))
                .velocity_field(FieldId(1))
                .wave_speed(1.5)
                .damping(0.1);
            let flow = FlowField::builder()
                .potential_field(FieldId(2))
                .flow_field(FieldId(3))
                .normalize(true);
            let slope = GradientCompute::builder()
                .input_field(FieldId(2))
                .output_field(FieldId(4));
            let stream = FlowField::builder()
                .potential_field(FieldId(2))
                .flow_field(FieldId(5));
            (
                0.1,
                Box::new(Hex2D::new(3, 5).unwrap()),
                vec![
                    boxed(waves.build()),
                    boxed(flow.build()),
                    boxed(slope.build()),
                    boxed(stream.build()),
                ],
            )
        },
    }
}

pub fn crystal() -> Twin {
    Twin {
        name: "fcc12",
        head: "dt = 0.5\nseed = 42\n[space]\nkind = 'fcc12'\nw = 4\nh = 6\nd = 4\nedge = 'wrap'\n",
        fields: "per_tick scalar atoms
                sparse scalar core
                sparse categorical:3 poked
                per_tick scalar around",
        propagators: "[[propagator]]
kind = 'noise_injection'
field = 'atoms'
noise_type = 'salt_pepper'
scale = 0.25
seed_offset = 9
[[propagator]]
kind = 'morphological_op'
input_field = 'atoms'
output_field = 'core'
op = 'erode'
[[propagator]]
kind = 'morphological_op'
input_field = 'poked'
output_field = 'around'
radius = 2
threshold = -1.5
",
        parts: || {
            let atoms = NoiseInjection::builder()
                .field(FieldId(0))
                .noise_type(NoiseType::SaltPepper)
                .scale(0.25)
                .seed_offset(9);
            let core = MorphologicalOp::builder()
                .input_field(FieldId(0))
                .output_field(FieldId(1))
                .op(MorphOp::Erode);
            let around = MorphologicalOp::builder()
                .input_field(FieldId(2))
                .output_field(FieldId(3))
                .radius(2)
                .threshold(-1.5);
            (
                0.5,
                Box::new(Fcc12::new(4, 6, 4, EdgeBehavior::Wrap).unwrap()),
                vec![
                    boxed(atoms.build()),
                    boxed(core.build()),
                    boxed(around.build()),
                ],
            )
        },
    }
}

pub fn product() -> Twin {
    Twin {
        name: "product",
        head: "dt = 0.05\nseed = 42\n[space]\nkind = 'product'\ncomponents = [
                { kind = 'ring1d', len = 5 },
                { kind = 'hex2d', rows = 2, cols = 3 },
                { kind = 'line1d', len = 2, edge = 'wrap' },
            ]\n",
        fields: "sparse scalar heat
                per_tick vector:2 velocity
                per_tick scalar poked
                sparse vector:2 gradient
                per_tick scalar blurred
                per_tick scalar twice",
        propagators: "[[propagator]]
kind = 'diffusion'
diffusivity = 0.5
[[propagator]]
kind = 'scalar_diffusion'
input_field = 'poked'
output_field = 'blurred'
coefficient = 1.25
sources = [[7, 3]]
[[propagator]]
kind = 'scalar_diffusion'
input_field = 'blurred'
output_field = 'twice'
coefficient = 1
clamp_min = 0.5
",
        parts: || {
            let blur = ScalarDiffusion::builder()
                .input_field(FieldId(2))
                .output_field(FieldId(4))
                .coefficient(1.25)
                .source(7, 3.0);
            let twice = ScalarDiffusion::builder()
                .input_field(FieldId(4))
                .output_field(FieldId(5))
                .coefficient(1.0)
                .clamp_min(0.5);
            let components: Vec<Box<dyn Space>> = vec![
                Box::new(Ring1D::new(5).unwrap()),
                Box::new(Hex2D::new(2, 3).unwrap()),
                Box::new(Line1D::new(2, EdgeBehavior::Wrap).unwrap()),
            ];
            (
                0.05,
                Box::new(ProductSpace::new(components).unwrap()),
                vec![
                    Box::new(DiffusionPropagator::new(0.5)),
                    boxed(blur.build()),
                    boxed(twice.build()),
                ],
            )
        },
    }
}
