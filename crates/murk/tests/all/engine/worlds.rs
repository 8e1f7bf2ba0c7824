//! Worlds of every kind, twice: as our description, and built by hand from the origin's parts.

use gametape_murk::engine::World;
use murk_core::{BoundaryBehavior, FieldDef, FieldId, FieldMutability, FieldType};
use murk_engine::{BackoffConfig, WorldConfig};
use murk_propagator::Propagator;
use murk_propagators::{
    GradientCompute, IdentityCopy, NoiseInjection, RewardPropagator, ScalarDiffusion,
    WavePropagation,
};
use murk_space::{EdgeBehavior, Fcc12, Line1D, ProductSpace, Ring1D, Space, Square4, Square8};

use super::recipes::{crystal, foraging, hexagons, line, product, reference, ring};

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

pub const SCALAR: FieldType = FieldType::Scalar;
pub const VECTOR: FieldType = FieldType::Vector { dims: 2 };
use FieldMutability::{PerTick, Sparse, Static};

pub fn config(
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
pub fn fields(lines: &str) -> String {
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
