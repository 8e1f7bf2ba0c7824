//! Worlds of every kind, twice: as our description, and built by hand from the origin's parts.

use std::sync::{Arc, Mutex};

use gametape_murk::engine::World;
use murk_core::{BoundaryBehavior, FieldDef, FieldId, FieldMutability, FieldType};
use murk_engine::{BackoffConfig, WorldConfig};
use murk_propagator::Propagator;
use murk_propagators::{
    AgentEmission, AgentMovementPropagator, DiffusionPropagator, EmissionMode, FlowField,
    GradientCompute, IdentityCopy, MorphOp, MorphologicalOp, NoiseInjection, NoiseType,
    RegrowthModel, ResourceField, RewardPropagator, ScalarDiffusion, WavePropagation,
};
use murk_space::{
    EdgeBehavior, Fcc12, Hex2D, Line1D, ProductSpace, Ring1D, Space, Square4, Square8,
};

/// A world in both forms.
pub struct Twin {
    pub name: &'static str,
    pub toml: String,
    pub config: fn() -> WorldConfig,
}

impl Twin {
    pub fn world(&self) -> World {
        World::from_toml(&self.toml).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

fn field(name: &str, field_type: FieldType, mutability: FieldMutability) -> FieldDef {
    FieldDef {
        name: name.into(),
        field_type,
        mutability,
        units: None,
        bounds: None,
        boundary_behavior: BoundaryBehavior::Clamp,
    }
}

const SCALAR: FieldType = FieldType::Scalar;
const VECTOR: FieldType = FieldType::Vector { dims: 2 };
use FieldMutability::{PerTick, Sparse, Static};

fn config(
    space: impl Space,
    dt: f64,
    fields: &[(&str, FieldType, FieldMutability)],
    propagators: Vec<Box<dyn Propagator>>,
) -> WorldConfig {
    let fields = fields.iter();
    WorldConfig {
        space: Box::new(space),
        fields: fields
            .map(|(name, kind, mutability)| field(name, kind.clone(), *mutability))
            .collect(),
        propagators,
        dt,
        seed: 42,
        ring_buffer_size: 8,
        max_ingress_queue: 1024,
        tick_rate_hz: None,
        backoff: BackoffConfig::default(),
    }
}

/// `[[field]]` tables from `name type mutability` lines.
fn fields(lines: &str) -> String {
    let tables = lines.trim().lines().map(|line| {
        let [name, kind, mutability] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let kind = match kind {
            "vector" => "\"vector\"\ndims = 2".to_owned(),
            kind => format!("{kind:?}"),
        };
        format!("[[field]]\nname = {name:?}\ntype = {kind}\nmutability = {mutability:?}\n")
    });
    tables.collect()
}

pub fn all() -> Vec<Twin> {
    vec![
        line(),
        ring(),
        reference(),
        foraging(),
        hexagons(),
        crystal(),
        product(),
        still(),
        nested(),
        rewarding(),
        failing(),
    ]
}

fn line() -> Twin {
    Twin {
        name: "line1d",
        toml: format!(
            "dt = 0.25\nseed = 42\n[space]\nkind = 'line1d'\nlen = 17\nedge = 'clamp'\n{}
[[propagator]]
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
            fields(
                "heat scalar per_tick
                slope vector per_tick
                kept scalar sparse
                poked scalar per_tick
                blurred scalar sparse"
            )
        ),
        config: || {
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
            config(
                Line1D::new(17, EdgeBehavior::Clamp).unwrap(),
                0.25,
                &[
                    ("heat", SCALAR, PerTick),
                    ("slope", VECTOR, PerTick),
                    ("kept", SCALAR, Sparse),
                    ("poked", SCALAR, PerTick),
                    ("blurred", SCALAR, Sparse),
                ],
                vec![
                    Box::new(diffusion.build().unwrap()),
                    Box::new(IdentityCopy::new(FieldId(2))),
                    Box::new(blur.build().unwrap()),
                ],
            )
        },
    }
}

fn ring() -> Twin {
    Twin {
        name: "ring1d",
        toml: format!(
            "dt = 1\nseed = 42\n[space]\nkind = 'ring1d'\nlen = 9\n{}
[[propagator]]
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
            fields("walk scalar per_tick\nflicker vector sparse\nslope vector per_tick")
        ),
        config: || {
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
            config(
                Ring1D::new(9).unwrap(),
                1.0,
                &[
                    ("walk", SCALAR, PerTick),
                    ("flicker", VECTOR, Sparse),
                    ("slope", VECTOR, PerTick),
                ],
                vec![
                    Box::new(walk.build().unwrap()),
                    Box::new(flicker.build().unwrap()),
                    Box::new(slope.build().unwrap()),
                ],
            )
        },
    }
}

/// The origin's reference pipeline. Nothing can heat it: see `rewarding` for warm agents.
fn reference() -> Twin {
    Twin {
        name: "square4, reference",
        toml: format!(
            "dt = 0.1\nseed = 42\n[space]\nkind = 'square4'\nrows = 5\ncols = 7\nedge = 'absorb'\n{}
[[propagator]]
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
            fields(
                "heat scalar per_tick
                velocity vector per_tick
                agents scalar per_tick
                gradient vector per_tick
                reward scalar per_tick
                shadow scalar per_tick
                slope vector sparse
                poked scalar sparse"
            )
        ),
        config: || {
            let shadow = ScalarDiffusion::builder()
                .input_field(FieldId(2))
                .output_field(FieldId(5))
                .gradient_field(FieldId(6))
                .coefficient(0.2);
            let actions = Arc::new(Mutex::new(Vec::new()));
            let agents = vec![(0, 3), (41, 34), (7, 0)];
            config(
                Square4::new(5, 7, EdgeBehavior::Absorb).unwrap(),
                0.1,
                &[
                    ("heat", SCALAR, PerTick),
                    ("velocity", VECTOR, PerTick),
                    ("agents", SCALAR, PerTick),
                    ("gradient", VECTOR, PerTick),
                    ("reward", SCALAR, PerTick),
                    ("shadow", SCALAR, PerTick),
                    ("slope", VECTOR, Sparse),
                    ("poked", SCALAR, Sparse),
                ],
                vec![
                    Box::new(DiffusionPropagator::new(0.75)),
                    Box::new(AgentMovementPropagator::new(actions, agents)),
                    Box::new(RewardPropagator::new(2.0, -0.01)),
                    Box::new(shadow.build().unwrap()),
                ],
            )
        },
    }
}

fn foraging() -> Twin {
    Twin {
        name: "square8",
        toml: format!(
            "dt = 0.5\nseed = 42\n[space]\nkind = 'square8'\nrows = 4\ncols = 6\nedge = 'wrap'\n{}
[[propagator]]
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
            fields(
                "sheep scalar sparse
                goats scalar per_tick
                grass scalar per_tick
                moss scalar sparse
                scent scalar sparse
                call scalar per_tick"
            )
        ),
        config: || {
            let grass = ResourceField::builder()
                .field(FieldId(2))
                .presence_field(FieldId(0))
                .consumption_rate(0.75)
                .regrowth_rate(0.2)
                .capacity(2.5);
            let moss = ResourceField::builder()
                .field(FieldId(3))
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
            config(
                Square8::new(4, 6, EdgeBehavior::Wrap).unwrap(),
                0.5,
                &[
                    ("sheep", SCALAR, Sparse),
                    ("goats", SCALAR, PerTick),
                    ("grass", SCALAR, PerTick),
                    ("moss", SCALAR, Sparse),
                    ("scent", SCALAR, Sparse),
                    ("call", SCALAR, PerTick),
                ],
                vec![
                    Box::new(grass.build().unwrap()),
                    Box::new(moss.build().unwrap()),
                    Box::new(scent.build().unwrap()),
                    Box::new(call.build().unwrap()),
                ],
            )
        },
    }
}

fn hexagons() -> Twin {
    Twin {
        name: "hex2d",
        toml: format!(
            "dt = 0.1\nseed = 42\n[space]\nkind = 'hex2d'\nrows = 3\ncols = 5\n{}
[[propagator]]
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
",
            fields(
                "height scalar per_tick
                speed scalar sparse
                hill scalar sparse
                flow vector per_tick
                slope vector sparse"
            )
        ),
        config: || {
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
            config(
                Hex2D::new(3, 5).unwrap(),
                0.1,
                &[
                    ("height", SCALAR, PerTick),
                    ("speed", SCALAR, Sparse),
                    ("hill", SCALAR, Sparse),
                    ("flow", VECTOR, PerTick),
                    ("slope", VECTOR, Sparse),
                ],
                vec![
                    Box::new(waves.build().unwrap()),
                    Box::new(flow.build().unwrap()),
                    Box::new(slope.build().unwrap()),
                ],
            )
        },
    }
}

fn crystal() -> Twin {
    Twin {
        name: "fcc12",
        toml: format!(
            "dt = 0.5\nseed = 42\n[space]\nkind = 'fcc12'\nw = 4\nh = 6\nd = 4\nedge = 'wrap'\n{}
[[propagator]]
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
            fields(
                "atoms scalar per_tick
                core scalar sparse
                poked categorical sparse
                around scalar per_tick"
            )
            .replace("\"categorical\"", "\"categorical\"\nn_values = 3")
        ),
        config: || {
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
            config(
                Fcc12::new(4, 6, 4, EdgeBehavior::Wrap).unwrap(),
                0.5,
                &[
                    ("atoms", SCALAR, PerTick),
                    ("core", SCALAR, Sparse),
                    ("poked", FieldType::Categorical { n_values: 3 }, Sparse),
                    ("around", SCALAR, PerTick),
                ],
                vec![
                    Box::new(atoms.build().unwrap()),
                    Box::new(core.build().unwrap()),
                    Box::new(around.build().unwrap()),
                ],
            )
        },
    }
}

fn product() -> Twin {
    Twin {
        name: "product",
        toml: format!(
            "dt = 0.05\nseed = 42\n[space]\nkind = 'product'\ncomponents = [
                {{ kind = 'ring1d', len = 5 }},
                {{ kind = 'hex2d', rows = 2, cols = 3 }},
                {{ kind = 'line1d', len = 2, edge = 'wrap' }},
            ]\n{}
[[propagator]]
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
            fields(
                "heat scalar sparse
                velocity vector per_tick
                poked scalar per_tick
                gradient vector sparse
                blurred scalar per_tick
                twice scalar per_tick"
            )
        ),
        config: || {
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
            config(
                ProductSpace::new(components).unwrap(),
                0.05,
                &[
                    ("heat", SCALAR, Sparse),
                    ("velocity", VECTOR, PerTick),
                    ("poked", SCALAR, PerTick),
                    ("gradient", VECTOR, Sparse),
                    ("blurred", SCALAR, PerTick),
                    ("twice", SCALAR, PerTick),
                ],
                vec![
                    Box::new(DiffusionPropagator::new(0.5)),
                    Box::new(blur.build().unwrap()),
                    Box::new(twice.build().unwrap()),
                ],
            )
        },
    }
}

/// Almost nothing happens: what commands write is all there is.
fn still() -> Twin {
    Twin {
        name: "square4, still",
        toml: format!(
            "dt = 1.0\nseed = 42\n[space]\nkind = 'square4'\nrows = 3\ncols = 3\nedge = 'wrap'\n{}
[[propagator]]
kind = 'scalar_diffusion'
input_field = 'sparse'
output_field = 'wide'
gradient_field = 'wide gradient'
coefficient = 0.05
",
            fields(
                "sparse scalar sparse
                tick scalar per_tick
                static scalar static
                vectors vector sparse
                pairs vector per_tick
                wide vector sparse
                gradient vector per_tick"
            )
            .replace("\"gradient\"", "\"wide gradient\"")
            .replacen(
                "dims = 2\nmutability = \"sparse\"\n[[field]]\nname = \"wide gradient\"",
                "dims = 3\nmutability = \"sparse\"\n[[field]]\nname = \"wide gradient\"",
                1
            ) + "[[field]]\nname = 'last'\ntype = 'vector'\ndims = 3\nmutability = 'static'\n"
        ),
        config: || {
            let wide = ScalarDiffusion::builder()
                .input_field(FieldId(0))
                .output_field(FieldId(5))
                .gradient_field(FieldId(6))
                .coefficient(0.05);
            config(
                Square4::new(3, 3, EdgeBehavior::Wrap).unwrap(),
                1.0,
                &[
                    ("sparse", SCALAR, Sparse),
                    ("tick", SCALAR, PerTick),
                    ("static", SCALAR, Static),
                    ("vectors", VECTOR, Sparse),
                    ("pairs", VECTOR, PerTick),
                    ("wide", FieldType::Vector { dims: 3 }, Sparse),
                    ("wide gradient", VECTOR, PerTick),
                    ("last", FieldType::Vector { dims: 3 }, Static),
                ],
                vec![Box::new(wide.build().unwrap())],
            )
        },
    }
}

/// The reward sees the heat of its own tick, and agents as commands place them.
fn rewarding() -> Twin {
    Twin {
        name: "square4, rewarding",
        toml: format!(
            "dt = 0.1\nseed = 42\n[space]\nkind = 'square4'\nrows = 2\ncols = 4\nedge = 'clamp'\n{}
[[propagator]]
kind = 'noise_injection'
field = 'heat'
[[propagator]]
kind = 'reward'
heat_bonus = 3
step_cost = 0.125
",
            fields(
                "heat scalar per_tick
                unused scalar static
                agents scalar sparse
                unused2 scalar per_tick
                reward vector per_tick"
            )
        ),
        config: || {
            let heat = NoiseInjection::builder().field(FieldId(0));
            config(
                Square4::new(2, 4, EdgeBehavior::Clamp).unwrap(),
                0.1,
                &[
                    ("heat", SCALAR, PerTick),
                    ("unused", SCALAR, Static),
                    ("agents", SCALAR, Sparse),
                    ("unused2", SCALAR, PerTick),
                    ("reward", VECTOR, PerTick),
                ],
                vec![
                    Box::new(heat.build().unwrap()),
                    Box::new(RewardPropagator::new(3.0, 0.125)),
                ],
            )
        },
    }
}

/// Products in products, and more dimensions than a coordinate holds without a heap.
fn nested() -> Twin {
    Twin {
        name: "product of products",
        toml: format!(
            "dt = 0.01\nseed = 42\n[space]\nkind = 'product'\ncomponents = [
                {{ kind = 'fcc12', w = 3, h = 3, d = 2, edge = 'absorb' }},
                {{ kind = 'product', components = [
                    {{ kind = 'square8', rows = 2, cols = 2, edge = 'absorb' }},
                    {{ kind = 'ring1d', len = 3 }},
                ] }},
            ]\n{}
[[propagator]]
kind = 'wave_propagation'
displacement_field = 'height'
velocity_field = 'speed'
[[propagator]]
kind = 'scalar_diffusion'
input_field = 'poked'
output_field = 'blurred'
coefficient = 2.0
",
            fields(
                "height scalar per_tick
                speed scalar per_tick
                poked scalar sparse
                blurred scalar per_tick"
            )
        ),
        config: || {
            let waves = WavePropagation::builder()
                .displacement_field(FieldId(0))
                .velocity_field(FieldId(1));
            let blur = ScalarDiffusion::builder()
                .input_field(FieldId(2))
                .output_field(FieldId(3))
                .coefficient(2.0);
            let inner: Vec<Box<dyn Space>> = vec![
                Box::new(Square8::new(2, 2, EdgeBehavior::Absorb).unwrap()),
                Box::new(Ring1D::new(3).unwrap()),
            ];
            let outer: Vec<Box<dyn Space>> = vec![
                Box::new(Fcc12::new(3, 3, 2, EdgeBehavior::Absorb).unwrap()),
                Box::new(ProductSpace::new(inner).unwrap()),
            ];
            config(
                ProductSpace::new(outer).unwrap(),
                0.01,
                &[
                    ("height", SCALAR, PerTick),
                    ("speed", SCALAR, PerTick),
                    ("poked", SCALAR, Sparse),
                    ("blurred", SCALAR, PerTick),
                ],
                vec![
                    Box::new(waves.build().unwrap()),
                    Box::new(blur.build().unwrap()),
                ],
            )
        },
    }
}

/// Each tick fails, because a gradient does not fit into one value a cell.
pub fn failing() -> Twin {
    Twin {
        name: "failing",
        toml: format!(
            "dt = 1.0\nseed = 42\n[space]\nkind = 'line1d'\nlen = 4\nedge = 'absorb'\n{}
[[propagator]]
kind = 'identity_copy'
field = 'a'
[[propagator]]
kind = 'gradient_compute'
input_field = 'a'
output_field = 'narrow'
",
            fields(
                "a scalar per_tick
                narrow scalar per_tick
                one scalar sparse
                two scalar sparse
                three scalar sparse"
            )
        ),
        config: || {
            let gradient = GradientCompute::builder()
                .input_field(FieldId(0))
                .output_field(FieldId(1));
            config(
                Line1D::new(4, EdgeBehavior::Absorb).unwrap(),
                1.0,
                &[
                    ("a", SCALAR, PerTick),
                    ("narrow", SCALAR, PerTick),
                    ("one", SCALAR, Sparse),
                    ("two", SCALAR, Sparse),
                    ("three", SCALAR, Sparse),
                ],
                vec![
                    Box::new(IdentityCopy::new(FieldId(0))),
                    Box::new(gradient.build().unwrap()),
                ],
            )
        },
    }
}
