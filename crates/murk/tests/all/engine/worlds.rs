//! Worlds of every kind; together they use every kind of space and every stock propagator. A second reader of
//! their descriptions, which knows the origin alone, builds the origin's own parts.

use std::str::FromStr;
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
use toml::de::{DeTable, DeValue};

/// A world that our reader and the second one build.
pub struct Twin {
    pub name: &'static str,
    text: &'static str,
}

impl Twin {
    pub fn world(&self) -> World {
        World::from_toml(&self.toml()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Returns the description.
    pub fn toml(&self) -> String {
        format!("seed = 42\n{}", self.text)
    }

    /// Returns the origin's configuration.
    pub fn config(&self) -> WorldConfig {
        config(&self.toml(), &|_| {
            unreachable!("all of its propagators are the origin's")
        })
    }
}

/// Returns the origin's configuration of a world. `own` returns a propagator by its number that is not one of
/// the origin's.
pub fn config(text: &str, own: &dyn Fn(usize) -> Box<dyn Propagator>) -> WorldConfig {
    let document = DeTable::parse(text).unwrap();
    let world = Keys {
        table: document.get_ref(),
        fields: &[],
    };
    let fields = world.tables("field");
    let names: Vec<&str> = fields
        .iter()
        .map(|field| field.text("name").unwrap())
        .collect();
    let propagators = world.tables("propagator").into_iter().enumerate();
    let propagators = propagators.map(|(number, keys)| {
        let keys = Keys {
            fields: &names,
            ..keys
        };
        keys.propagator().unwrap_or_else(|| own(number))
    });
    WorldConfig {
        space: world.inner("space").space(),
        propagators: propagators.collect(),
        fields: fields.iter().map(Keys::field_def).collect(),
        dt: world.number("dt").unwrap(),
        seed: world.number("seed").unwrap_or_default(),
        ring_buffer_size: 8,
        max_ingress_queue: 1024,
        tick_rate_hz: None,
        backoff: BackoffConfig::default(),
    }
}

/// The keys of a part of a description, and the names of the world's fields.
#[derive(Clone, Copy)]
struct Keys<'a> {
    table: &'a DeTable<'a>,
    fields: &'a [&'a str],
}

/// Builds one of the origin's propagators of the keys that are there.
macro_rules! build {
    ($type:ident, $keys:ident: $($how:ident $key:ident),*) => {{
        let mut builder = $type::builder();
        $(if let Some(value) = $keys.$how(stringify!($key)) {
            builder = builder.$key(value);
        })*
        Box::new(builder.build().unwrap())
    }};
}

impl<'a> Keys<'a> {
    fn value(&self, key: &str) -> Option<&'a DeValue<'a>> {
        Some(self.table.get(key)?.get_ref())
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.value(key)?.as_str()
    }

    fn number<T: FromStr>(&self, key: &str) -> Option<T> {
        number(self.value(key)?)
    }

    /// Returns a number of 64 bits, which is a string of hexadecimal digits.
    fn hex(&self, key: &str) -> Option<u64> {
        match self.text(key) {
            Some(text) => u64::from_str_radix(text.strip_prefix("0x")?, 16).ok(),
            None => self.number(key),
        }
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.value(key)?.as_bool()
    }

    fn pairs<A: FromStr, B: FromStr>(&self, key: &str) -> Option<Vec<(A, B)>> {
        let pair = |pair: &DeValue<'_>| {
            let pair = pair.as_array()?;
            Some((
                number(pair.first()?.get_ref())?,
                number(pair.get(1)?.get_ref())?,
            ))
        };
        let pairs = self.value(key)?.as_array()?.iter();
        pairs.map(|value| pair(value.get_ref())).collect()
    }

    fn field(&self, key: &str) -> Option<FieldId> {
        let name = self.text(key)?;
        let number = self.fields.iter().position(|field| *field == name);
        Some(FieldId(number.unwrap() as u32))
    }

    fn inner(&self, key: &str) -> Self {
        let table = self.value(key).unwrap().as_table().unwrap();
        Self { table, ..*self }
    }

    fn tables(&self, key: &str) -> Vec<Self> {
        let tables = self.value(key).unwrap().as_array().unwrap().iter();
        let tables = tables.map(|table| table.get_ref().as_table().unwrap());
        tables.map(|table| Self { table, ..*self }).collect()
    }

    fn field_def(&self) -> FieldDef {
        FieldDef {
            name: self.text("name").unwrap().into(),
            field_type: match self.text("type").unwrap() {
                "vector" => FieldType::Vector {
                    dims: self.number("dims").unwrap(),
                },
                "categorical" => FieldType::Categorical {
                    n_values: self.number("n_values").unwrap(),
                },
                _ => FieldType::Scalar,
            },
            mutability: match self.text("mutability").unwrap() {
                "static" => FieldMutability::Static,
                "sparse" => FieldMutability::Sparse,
                _ => FieldMutability::PerTick,
            },
            units: None,
            bounds: None,
            boundary_behavior: BoundaryBehavior::Clamp,
        }
    }

    fn space(&self) -> Box<dyn Space> {
        let size = |key: &str| self.number::<u32>(key).unwrap();
        let edge = match self.text("edge") {
            Some("absorb") => EdgeBehavior::Absorb,
            Some("wrap") => EdgeBehavior::Wrap,
            _ => EdgeBehavior::Clamp,
        };
        match self.text("kind").unwrap() {
            "line1d" => Box::new(Line1D::new(size("len"), edge).unwrap()),
            "ring1d" => Box::new(Ring1D::new(size("len")).unwrap()),
            "square4" => Box::new(Square4::new(size("rows"), size("cols"), edge).unwrap()),
            "square8" => Box::new(Square8::new(size("rows"), size("cols"), edge).unwrap()),
            "hex2d" => Box::new(Hex2D::new(size("rows"), size("cols")).unwrap()),
            "fcc12" => Box::new(Fcc12::new(size("w"), size("h"), size("d"), edge).unwrap()),
            _ => {
                let components = self.tables("components");
                let components = components.iter().map(Self::space).collect();
                Box::new(ProductSpace::new(components).unwrap())
            }
        }
    }

    fn mode(&self, key: &str) -> Option<EmissionMode> {
        let is_set = self.text(key)? == "set";
        Some(if is_set {
            EmissionMode::Set
        } else {
            EmissionMode::Additive
        })
    }

    fn op(&self, key: &str) -> Option<MorphOp> {
        let erodes = self.text(key)? == "erode";
        Some(if erodes {
            MorphOp::Erode
        } else {
            MorphOp::Dilate
        })
    }

    fn growth(&self, key: &str) -> Option<RegrowthModel> {
        let is_linear = self.text(key)? == "linear";
        Some(if is_linear {
            RegrowthModel::Linear
        } else {
            RegrowthModel::Logistic
        })
    }

    fn noise(&self, key: &str) -> Option<NoiseType> {
        Some(match self.text(key)? {
            "uniform" => NoiseType::Uniform,
            "salt_pepper" => NoiseType::SaltPepper,
            _ => NoiseType::Gaussian,
        })
    }

    /// Returns the propagator, if it is one of the origin's.
    fn propagator(self) -> Option<Box<dyn Propagator>> {
        let number = |key| self.number(key).unwrap();
        Some(match self.text("kind").unwrap() {
            "scalar_diffusion" => build!(ScalarDiffusion, self:
                field input_field, field output_field, field gradient_field, number coefficient, number decay,
                pairs sources, number clamp_min, number clamp_max, number max_degree),
            "gradient_compute" => {
                build!(GradientCompute, self: field input_field, field output_field)
            }
            "identity_copy" => Box::new(IdentityCopy::new(self.field("field").unwrap())),
            "morphological_op" => build!(MorphologicalOp, self:
                field input_field, field output_field, op op, number radius, number threshold),
            "noise_injection" => build!(NoiseInjection, self:
                field field, noise noise_type, number scale, hex seed_offset),
            "resource_field" => build!(ResourceField, self:
                field field, field presence_field, number consumption_rate, number regrowth_rate,
                number capacity, growth regrowth_model),
            "wave_propagation" => build!(WavePropagation, self:
                field displacement_field, field velocity_field, number wave_speed, number damping),
            "flow_field" => {
                build!(FlowField, self: field potential_field, field flow_field, flag normalize)
            }
            "agent_emission" => build!(AgentEmission, self:
                field presence_field, field emission_field, number intensity, mode mode),
            "diffusion" => Box::new(DiffusionPropagator::new(
                self.number("diffusivity").unwrap(),
            )),
            "agent_movement" => {
                let positions = self.pairs("initial_positions").unwrap();
                Box::new(AgentMovementPropagator::new(
                    Arc::new(Mutex::new(Vec::new())),
                    positions,
                ))
            }
            "reward" => Box::new(RewardPropagator::new(
                number("heat_bonus"),
                number("step_cost"),
            )),
            _ => return None,
        })
    }
}

fn number<T: FromStr>(value: &DeValue<'_>) -> Option<T> {
    match value {
        DeValue::Integer(number) => number.as_str().parse().ok(),
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => None,
    }
}

pub fn all() -> Vec<Twin> {
    let worlds = [
        ("line1d", LINE),
        ("ring1d", RING),
        ("square4, reference", REFERENCE),
        ("square8", FORAGING),
        ("hex2d", HEXAGONS),
        ("fcc12", CRYSTAL),
        ("product", PRODUCT),
        ("square4, still", STILL),
        ("product of products", NESTED),
        ("square4, rewarding", REWARDING),
        ("failing", FAILING),
    ];
    worlds.map(|(name, text)| Twin { name, text }).into()
}

/// Each tick fails.
pub fn failing() -> Twin {
    Twin {
        name: "failing",
        text: FAILING,
    }
}

const LINE: &str = "dt = 0.25
space = { kind = 'line1d', len = 17, edge = 'clamp' }
field = [
    { name = 'heat', type = 'scalar', mutability = 'per_tick' },
    { name = 'slope', type = 'vector', dims = 2, mutability = 'per_tick' },
    { name = 'kept', type = 'scalar', mutability = 'sparse' },
    { name = 'poked', type = 'scalar', mutability = 'per_tick' },
    { name = 'blurred', type = 'scalar', mutability = 'sparse' },
]
propagator = [
    { kind = 'scalar_diffusion', input_field = 'heat', output_field = 'heat', gradient_field = 'slope', \
     coefficient = 0.3, decay = 0.125, sources = [[3, 7.5], [12, -2.5]], clamp_min = -2.0, \
     clamp_max = 7.0 },
    { kind = 'identity_copy', field = 'kept' },
    { kind = 'scalar_diffusion', input_field = 'poked', output_field = 'blurred', coefficient = 0.1 },
]
";

const RING: &str = "dt = 1
space = { kind = 'ring1d', len = 9 }
field = [
    { name = 'walk', type = 'scalar', mutability = 'per_tick' },
    { name = 'flicker', type = 'vector', dims = 2, mutability = 'sparse' },
    { name = 'slope', type = 'vector', dims = 2, mutability = 'per_tick' },
]
propagator = [
    { kind = 'noise_injection', field = 'walk', scale = 0.5, seed_offset = '0xffffffffffffffff' },
    { kind = 'noise_injection', field = 'flicker', noise_type = 'uniform' },
    { kind = 'gradient_compute', input_field = 'walk', output_field = 'slope' },
]
";

/// The origin's reference pipeline. Nothing can heat it: see `REWARDING` for warm agents.
const REFERENCE: &str = "dt = 0.1
space = { kind = 'square4', rows = 5, cols = 7, edge = 'absorb' }
field = [
    { name = 'heat', type = 'scalar', mutability = 'per_tick' },
    { name = 'velocity', type = 'vector', dims = 2, mutability = 'per_tick' },
    { name = 'agents', type = 'scalar', mutability = 'per_tick' },
    { name = 'gradient', type = 'vector', dims = 2, mutability = 'per_tick' },
    { name = 'reward', type = 'scalar', mutability = 'per_tick' },
    { name = 'shadow', type = 'scalar', mutability = 'per_tick' },
    { name = 'slope', type = 'vector', dims = 2, mutability = 'sparse' },
    { name = 'poked', type = 'scalar', mutability = 'sparse' },
]
propagator = [
    { kind = 'diffusion', diffusivity = 0.75 },
    { kind = 'agent_movement', initial_positions = [[0, 3], [41, 34], [7, 0]] },
    { kind = 'reward', heat_bonus = 2.0, step_cost = -0.01 },
    { kind = 'scalar_diffusion', input_field = 'agents', output_field = 'shadow', gradient_field = 'slope', \
     coefficient = 0.2 },
]
";

/// The fern grows from the remaining amount, which is zero.
const FORAGING: &str = "dt = 0.5
space = { kind = 'square8', rows = 4, cols = 6, edge = 'wrap' }
field = [
    { name = 'sheep', type = 'scalar', mutability = 'sparse' },
    { name = 'goats', type = 'scalar', mutability = 'per_tick' },
    { name = 'grass', type = 'scalar', mutability = 'per_tick' },
    { name = 'moss', type = 'scalar', mutability = 'sparse' },
    { name = 'scent', type = 'scalar', mutability = 'sparse' },
    { name = 'call', type = 'scalar', mutability = 'per_tick' },
    { name = 'fern', type = 'scalar', mutability = 'per_tick' },
]
propagator = [
    { kind = 'resource_field', field = 'grass', presence_field = 'sheep', consumption_rate = 0.75, \
     regrowth_rate = 0.2, capacity = 2.5 },
    { kind = 'resource_field', field = 'moss', presence_field = 'goats' },
    { kind = 'resource_field', field = 'fern', presence_field = 'goats', regrowth_model = 'logistic' },
    { kind = 'agent_emission', presence_field = 'goats', emission_field = 'scent', intensity = 0.3 },
    { kind = 'agent_emission', presence_field = 'sheep', emission_field = 'call', mode = 'set' },
]
";

const HEXAGONS: &str = "dt = 0.1
space = { kind = 'hex2d', rows = 3, cols = 5 }
field = [
    { name = 'height', type = 'scalar', mutability = 'per_tick' },
    { name = 'speed', type = 'scalar', mutability = 'sparse' },
    { name = 'hill', type = 'scalar', mutability = 'sparse' },
    { name = 'flow', type = 'vector', dims = 2, mutability = 'per_tick' },
    { name = 'slope', type = 'vector', dims = 2, mutability = 'sparse' },
    { name = 'stream', type = 'vector', dims = 2, mutability = 'per_tick' },
]
propagator = [
    { kind = 'wave_propagation', displacement_field = 'height', velocity_field = 'speed', wave_speed = 1.5, \
     damping = 0.1 },
    { kind = 'flow_field', potential_field = 'hill', flow_field = 'flow', normalize = true },
    { kind = 'gradient_compute', input_field = 'hill', output_field = 'slope' },
    { kind = 'flow_field', potential_field = 'hill', flow_field = 'stream' },
]
";

const CRYSTAL: &str = "dt = 0.5
space = { kind = 'fcc12', w = 4, h = 6, d = 4, edge = 'wrap' }
field = [
    { name = 'atoms', type = 'scalar', mutability = 'per_tick' },
    { name = 'core', type = 'scalar', mutability = 'sparse' },
    { name = 'poked', type = 'categorical', n_values = 3, mutability = 'sparse' },
    { name = 'around', type = 'scalar', mutability = 'per_tick' },
]
propagator = [
    { kind = 'noise_injection', field = 'atoms', noise_type = 'salt_pepper', scale = 0.25, seed_offset = 9 },
    { kind = 'morphological_op', input_field = 'atoms', output_field = 'core', op = 'erode' },
    { kind = 'morphological_op', input_field = 'poked', output_field = 'around', radius = 2, \
     threshold = -1.5 },
]
";

const PRODUCT: &str = "dt = 0.05
space = { kind = 'product', components = [
    { kind = 'ring1d', len = 5 },
    { kind = 'hex2d', rows = 2, cols = 3 },
    { kind = 'line1d', len = 2, edge = 'wrap' },
] }
field = [
    { name = 'heat', type = 'scalar', mutability = 'sparse' },
    { name = 'velocity', type = 'vector', dims = 2, mutability = 'per_tick' },
    { name = 'poked', type = 'scalar', mutability = 'per_tick' },
    { name = 'gradient', type = 'vector', dims = 2, mutability = 'sparse' },
    { name = 'blurred', type = 'scalar', mutability = 'per_tick' },
    { name = 'twice', type = 'scalar', mutability = 'per_tick' },
]
propagator = [
    { kind = 'diffusion', diffusivity = 0.5 },
    { kind = 'scalar_diffusion', input_field = 'poked', output_field = 'blurred', coefficient = 1.25, \
     sources = [[7, 3]] },
    { kind = 'scalar_diffusion', input_field = 'blurred', output_field = 'twice', coefficient = 1, \
     clamp_min = 0.5 },
]
";

/// Almost nothing happens: commands alone determine the values.
const STILL: &str = "dt = 1.0
space = { kind = 'square4', rows = 3, cols = 3, edge = 'wrap' }
field = [
    { name = 'sparse', type = 'scalar', mutability = 'sparse' },
    { name = 'tick', type = 'scalar', mutability = 'per_tick' },
    { name = 'static', type = 'scalar', mutability = 'static' },
    { name = 'vectors', type = 'vector', dims = 2, mutability = 'sparse' },
    { name = 'pairs', type = 'vector', dims = 2, mutability = 'per_tick' },
    { name = 'wide', type = 'vector', dims = 3, mutability = 'sparse' },
    { name = 'wide gradient', type = 'vector', dims = 2, mutability = 'per_tick' },
    { name = 'last', type = 'vector', dims = 3, mutability = 'static' },
]
propagator = [
    { kind = 'scalar_diffusion', input_field = 'sparse', output_field = 'wide', \
     gradient_field = 'wide gradient', coefficient = 0.05 },
]
";

/// Products in products, with more dimensions than a coordinate holds without an allocation.
const NESTED: &str = "dt = 0.01
space = { kind = 'product', components = [
    { kind = 'fcc12', w = 3, h = 3, d = 2, edge = 'absorb' },
    { kind = 'product', components = [
        { kind = 'square8', rows = 2, cols = 2, edge = 'absorb' },
        { kind = 'ring1d', len = 3 },
    ] },
] }
field = [
    { name = 'height', type = 'scalar', mutability = 'per_tick' },
    { name = 'speed', type = 'scalar', mutability = 'per_tick' },
    { name = 'poked', type = 'scalar', mutability = 'sparse' },
    { name = 'blurred', type = 'scalar', mutability = 'per_tick' },
]
propagator = [
    { kind = 'wave_propagation', displacement_field = 'height', velocity_field = 'speed' },
    { kind = 'scalar_diffusion', input_field = 'poked', output_field = 'blurred', coefficient = 2.0 },
]
";

/// The reward reads the heat of its own tick, and the agents that commands placed in the tick before.
const REWARDING: &str = "dt = 0.1
space = { kind = 'square4', rows = 2, cols = 4, edge = 'clamp' }
field = [
    { name = 'heat', type = 'scalar', mutability = 'per_tick' },
    { name = 'unused', type = 'scalar', mutability = 'static' },
    { name = 'agents', type = 'scalar', mutability = 'sparse' },
    { name = 'unused2', type = 'scalar', mutability = 'per_tick' },
    { name = 'reward', type = 'vector', dims = 2, mutability = 'per_tick' },
]
propagator = [
    { kind = 'noise_injection', field = 'heat' },
    { kind = 'reward', heat_bonus = 3, step_cost = 0.125 },
]
";

/// A gradient does not fit into one value per cell.
const FAILING: &str = "dt = 1.0
space = { kind = 'line1d', len = 4, edge = 'absorb' }
field = [
    { name = 'a', type = 'scalar', mutability = 'per_tick' },
    { name = 'narrow', type = 'scalar', mutability = 'per_tick' },
    { name = 'one', type = 'scalar', mutability = 'sparse' },
    { name = 'two', type = 'scalar', mutability = 'sparse' },
    { name = 'three', type = 'scalar', mutability = 'sparse' },
]
propagator = [
    { kind = 'identity_copy', field = 'a' },
    { kind = 'gradient_compute', input_field = 'a', output_field = 'narrow' },
]
";
