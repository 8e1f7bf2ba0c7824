//! Worlds of every kind, in two forms: our description, and the origin's parts.

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

/// The origin's parts of a world: the length of a tick, the space, the propagators.
type Parts = (f64, Box<dyn Space>, Vec<Box<dyn Propagator>>);

/// A world in both forms.
pub struct Twin {
    pub name: &'static str,
    /// The description up to the fields.
    pub head: &'static str,
    /// A field per line: mutability, kind, name.
    pub fields: &'static str,
    /// The description after the fields.
    pub propagators: &'static str,
    pub parts: fn() -> Parts,
}

impl Twin {
    pub fn world(&self) -> World {
        World::from_toml(&self.toml()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Returns the description.
    pub fn toml(&self) -> String {
        let fields = self.each_field().map(|(name, [mutability, kind, size])| {
            let size = match kind {
                "vector" => format!("dims = {size}\n"),
                "categorical" => format!("n_values = {size}\n"),
                _ => String::new(),
            };
            format!(
                "[[field]]\nname = {name:?}\ntype = {kind:?}\n{size}mutability = {mutability:?}\n"
            )
        });
        let fields: String = fields.collect();
        format!("{}\n{fields}{}", self.head, self.propagators)
    }

    /// Returns the origin's configuration.
    pub fn config(&self) -> WorldConfig {
        let fields = self.each_field().map(|(name, [mutability, kind, size])| {
            let size = size.parse();
            let kind = match kind {
                "vector" => FieldType::Vector {
                    dims: size.unwrap(),
                },
                "categorical" => FieldType::Categorical {
                    n_values: size.unwrap(),
                },
                _ => FieldType::Scalar,
            };
            let mutability = match mutability {
                "static" => FieldMutability::Static,
                "sparse" => FieldMutability::Sparse,
                _ => FieldMutability::PerTick,
            };
            field(name, kind, mutability)
        });
        let fields = fields.collect();
        let (dt, space, propagators) = (self.parts)();
        config(dt, 42, space, fields, propagators)
    }

    /// Returns the name of each field, and its mutability, kind and size.
    fn each_field(&self) -> impl Iterator<Item = (&'static str, [&'static str; 3])> {
        self.fields.lines().map(|line| {
            let (mutability, rest) = line.trim().split_once(' ').unwrap();
            let (kind, name) = rest.split_once(' ').unwrap();
            let (kind, size) = kind.split_once(':').unwrap_or((kind, ""));
            (name, [mutability, kind, size])
        })
    }
}

pub fn field(name: &str, field_type: FieldType, mutability: FieldMutability) -> FieldDef {
    FieldDef {
        name: name.into(),
        field_type,
        mutability,
        units: None,
        bounds: None,
        boundary_behavior: BoundaryBehavior::Clamp,
    }
}

pub fn config(
    dt: f64,
    seed: u64,
    space: Box<dyn Space>,
    fields: Vec<FieldDef>,
    propagators: Vec<Box<dyn Propagator>>,
) -> WorldConfig {
    WorldConfig {
        space,
        fields,
        propagators,
        dt,
        seed,
        ring_buffer_size: 8,
        max_ingress_queue: 1024,
        tick_rate_hz: None,
        backoff: BackoffConfig::default(),
    }
}

/// Returns the result of one of the origin's builders.
pub fn boxed(built: Result<impl Propagator, String>) -> Box<dyn Propagator> {
    Box::new(built.unwrap())
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

/// Almost nothing happens: commands alone determine the values.
fn still() -> Twin {
    Twin {
        name: "square4, still",
        head: "dt = 1.0\nseed = 42\n[space]\nkind = 'square4'\nrows = 3\ncols = 3\nedge = 'wrap'\n",
        fields: "sparse scalar sparse
                per_tick scalar tick
                static scalar static
                sparse vector:2 vectors
                per_tick vector:2 pairs
                sparse vector:3 wide
                per_tick vector:2 wide gradient
                static vector:3 last",
        propagators: "[[propagator]]
kind = 'scalar_diffusion'
input_field = 'sparse'
output_field = 'wide'
gradient_field = 'wide gradient'
coefficient = 0.05
",
        parts: || {
            let wide = ScalarDiffusion::builder()
                .input_field(FieldId(0))
                .output_field(FieldId(5))
                .gradient_field(FieldId(6))
                .coefficient(0.05);
            (
                1.0,
                Box::new(Square4::new(3, 3, EdgeBehavior::Wrap).unwrap()),
                vec![boxed(wide.build())],
            )
        },
    }
}

/// The reward reads the heat of its own tick, and the agents that commands placed in the tick
/// before.
fn rewarding() -> Twin {
    Twin {
        name: "square4, rewarding",
        head: "dt = 0.1\nseed = 42\n[space]\nkind = 'square4'\nrows = 2\ncols = 4\nedge = 'clamp'\n",
        fields: "per_tick scalar heat
                static scalar unused
                sparse scalar agents
                per_tick scalar unused2
                per_tick vector:2 reward",
        propagators: "[[propagator]]
kind = 'noise_injection'
field = 'heat'
[[propagator]]
kind = 'reward'
heat_bonus = 3
step_cost = 0.125
",
        parts: || {
            let heat = NoiseInjection::builder().field(FieldId(0));
            (
                0.1,
                Box::new(Square4::new(2, 4, EdgeBehavior::Clamp).unwrap()),
                vec![
                    boxed(heat.build()),
                    Box::new(RewardPropagator::new(3.0, 0.125)),
                ],
            )
        },
    }
}

/// Products in products, with more dimensions than a coordinate holds without an allocation.
fn nested() -> Twin {
    Twin {
        name: "product of products",
        head: "dt = 0.01\nseed = 42\n[space]\nkind = 'product'\ncomponents = [
                { kind = 'fcc12', w = 3, h = 3, d = 2, edge = 'absorb' },
                { kind = 'product', components = [
                    { kind = 'square8', rows = 2, cols = 2, edge = 'absorb' },
                    { kind = 'ring1d', len = 3 },
                ] },
            ]\n",
        fields: "per_tick scalar height
                per_tick scalar speed
                sparse scalar poked
                per_tick scalar blurred",
        propagators: "[[propagator]]
kind = 'wave_propagation'
displacement_field = 'height'
velocity_field = 'speed'
[[propagator]]
kind = 'scalar_diffusion'
input_field = 'poked'
output_field = 'blurred'
coefficient = 2.0
",
        parts: || {
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
            (
                0.01,
                Box::new(ProductSpace::new(outer).unwrap()),
                vec![boxed(waves.build()), boxed(blur.build())],
            )
        },
    }
}

/// Each tick fails, because a gradient does not fit into one value per cell.
pub fn failing() -> Twin {
    Twin {
        name: "failing",
        head: "dt = 1.0\nseed = 42\n[space]\nkind = 'line1d'\nlen = 4\nedge = 'absorb'\n",
        fields: "per_tick scalar a
                per_tick scalar narrow
                sparse scalar one
                sparse scalar two
                sparse scalar three",
        propagators: "[[propagator]]
kind = 'identity_copy'
field = 'a'
[[propagator]]
kind = 'gradient_compute'
input_field = 'a'
output_field = 'narrow'
",
        parts: || {
            let gradient = GradientCompute::builder()
                .input_field(FieldId(0))
                .output_field(FieldId(1));
            (
                1.0,
                Box::new(Line1D::new(4, EdgeBehavior::Absorb).unwrap()),
                vec![
                    Box::new(IdentityCopy::new(FieldId(0))),
                    boxed(gradient.build()),
                ],
            )
        },
    }
}
