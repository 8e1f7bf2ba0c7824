//! Random worlds, in both forms.

use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use gametape_murk::engine::World;
use murk_core::{FieldDef, FieldId, FieldMutability, FieldType};
use murk_engine::WorldConfig;
use murk_propagator::Propagator;
use murk_propagators::{
    AgentEmission, AgentMovementPropagator, EmissionMode, FlowField, GradientCompute, IdentityCopy,
    MorphOp, MorphologicalOp, NoiseInjection, NoiseType, RegrowthModel, ResourceField,
    ScalarDiffusion, WavePropagation,
};
use murk_space::{
    EdgeBehavior, Fcc12, Hex2D, Line1D, ProductSpace, Ring1D, Space, Square4, Square8,
};

use super::commands::Dice;
use super::worlds::{boxed, config, field};

type Build<T> = Rc<dyn Fn() -> T>;

/// A random world: its text, and the origin's parts of the same world.
pub struct Random {
    pub toml: String,
    space: Build<Box<dyn Space>>,
    fields: Vec<FieldDef>,
    propagators: Vec<Build<Box<dyn Propagator>>>,
    dt: f64,
}

const EDGES: [(&str, EdgeBehavior); 3] = [
    ("absorb", EdgeBehavior::Absorb),
    ("clamp", EdgeBehavior::Clamp),
    ("wrap", EdgeBehavior::Wrap),
];

fn space(dice: &mut Dice, kind: u64) -> (String, Build<Box<dyn Space>>) {
    let mut size = || 1 + dice.roll(5) as u32;
    let (len, cols, deep) = (size(), size(), size());
    let (word, edge) = EDGES[dice.roll(3) as usize];
    match kind {
        0 => (
            format!("kind = 'line1d', len = {len}, edge = '{word}'"),
            Rc::new(move || Box::new(Line1D::new(len, edge).unwrap())),
        ),
        1 => (
            format!("kind = 'ring1d', len = {len}"),
            Rc::new(move || Box::new(Ring1D::new(len).unwrap())),
        ),
        2 => (
            format!("kind = 'square4', rows = {len}, cols = {cols}, edge = '{word}'"),
            Rc::new(move || Box::new(Square4::new(len, cols, edge).unwrap())),
        ),
        3 => (
            format!("kind = 'square8', rows = {len}, cols = {cols}, edge = '{word}'"),
            Rc::new(move || Box::new(Square8::new(len, cols, edge).unwrap())),
        ),
        4 => (
            format!("kind = 'hex2d', rows = {len}, cols = {cols}"),
            Rc::new(move || Box::new(Hex2D::new(len, cols).unwrap())),
        ),
        5 => {
            let (w, h, d) = (2 * len.min(2), 2 * cols.min(2), 2 * deep.min(2));
            (
                format!("kind = 'fcc12', w = {w}, h = {h}, d = {d}, edge = '{word}'"),
                Rc::new(move || Box::new(Fcc12::new(w, h, d, edge).unwrap())),
            )
        }
        _ => {
            let parts: Vec<_> = (0..=dice.roll(2))
                .map(|_| {
                    let kind = dice.roll(6);
                    space(dice, kind)
                })
                .collect();
            let text: Vec<_> = parts
                .iter()
                .map(|(text, _)| format!("{{ {text} }}"))
                .collect();
            (
                format!("kind = 'product', components = [{}]", text.join(", ")),
                Rc::new(move || {
                    let parts = parts.iter().map(|(_, build)| build()).collect();
                    Box::new(ProductSpace::new(parts).unwrap())
                }),
            )
        }
    }
}

/// The fields that are not written yet, with their values per cell.
struct Free(Vec<(u32, u32)>);

impl Free {
    fn take(&mut self, components: u32) -> Option<u32> {
        let at = self.0.iter().position(|&(_, has)| has == components)?;
        Some(self.0.remove(at).0)
    }
}

impl Random {
    /// `kind` selects the space: 0 to 6.
    pub fn new(seed: u64, kind: u64) -> Self {
        let dice = &mut Dice(seed);
        let (text, space) = space(dice, kind);
        let dt = 0.01 * (1 + dice.roll(5)) as f64;
        let mut toml = format!("dt = {dt:?}\nseed = {seed}\nspace = {{ {text} }}\n");
        let mut fields = Vec::new();
        let mut free = Free(Vec::new());
        let failing = dice.roll(12) == 0;
        for index in 0..3 + dice.roll(6) as u32 {
            let (word, mutability) = [
                ("static", FieldMutability::Static),
                ("sparse", FieldMutability::Sparse),
                ("sparse", FieldMutability::Sparse),
                ("per_tick", FieldMutability::PerTick),
                ("per_tick", FieldMutability::PerTick),
            ][dice.roll(5) as usize];
            let components = 1 + u32::from(dice.roll(3) == 0);
            let kind = match components {
                1 => "type = 'scalar'",
                _ => "type = 'vector'\ndims = 2",
            };
            let _ = writeln!(
                toml,
                "[[field]]\nname = 'f{index}'\n{kind}\nmutability = '{word}'"
            );
            let field_type = match components {
                1 => FieldType::Scalar,
                dims => FieldType::Vector { dims },
            };
            fields.push(field(&format!("f{index}"), field_type, mutability));
            if mutability != FieldMutability::Static || failing {
                free.0.push((index, components));
            }
        }
        let mut world = Self {
            toml,
            space,
            fields,
            propagators: Vec::new(),
            dt,
        };
        let writable = free.0.len();
        for _ in 0..=dice.roll(5) {
            // Some fields stay without a propagator, so that commands determine them.
            if free.0.len() * 3 > writable || world.propagators.is_empty() {
                world.add(dice, &mut free);
            }
        }
        if world.propagators.is_empty() {
            // A world needs one propagator; this one has no effect.
            let index = world.fields.len() as u32;
            let _ = writeln!(
                world.toml,
                "[[field]]\nname = 'f{index}'\ntype = 'scalar'\nmutability = 'per_tick'"
            );
            let last = field(
                &format!("f{index}"),
                FieldType::Scalar,
                FieldMutability::PerTick,
            );
            world.fields.push(last);
            world.push(
                &format!("kind = 'identity_copy'\nfield = 'f{index}'"),
                move || Box::new(IdentityCopy::new(FieldId(index))),
            );
        }
        world
    }

    fn push(&mut self, text: &str, build: impl Fn() -> Box<dyn Propagator> + 'static) {
        let _ = writeln!(self.toml, "[[propagator]]\n{text}");
        self.propagators.push(Rc::new(build));
    }

    fn add(&mut self, dice: &mut Dice, free: &mut Free) -> Option<()> {
        let fields = self.fields.len() as u64;
        let scalars: Vec<u32> = (0..fields as u32)
            .filter(|&field| self.fields[field as usize].field_type == FieldType::Scalar)
            .collect();
        let input = *scalars.get(dice.roll(scalars.len().max(1) as u64) as usize)?;
        let from = FieldId(input);
        match dice.roll(9) {
            0 => {
                let out = free.take(1)?;
                let grad = free.take(2);
                let (coefficient, decay) = (0.25 * dice.roll(4) as f64, 0.5 * dice.roll(3) as f64);
                let clamp = dice.roll(2) == 0;
                let mut text = format!(
                    "kind = 'scalar_diffusion'\ninput_field = 'f{input}'\noutput_field = 'f{out}'
coefficient = {coefficient:?}\ndecay = {decay:?}\nsources = [[0, 2.5]]"
                );
                if let Some(grad) = grad {
                    let _ = write!(text, "\ngradient_field = 'f{grad}'");
                }
                if clamp {
                    text += "\nclamp_min = -3\nclamp_max = 1.75";
                }
                self.push(&text, move || {
                    let mut builder = ScalarDiffusion::builder()
                        .input_field(from)
                        .output_field(FieldId(out))
                        .coefficient(coefficient)
                        .decay(decay)
                        .source(0, 2.5);
                    if let Some(grad) = grad {
                        builder = builder.gradient_field(FieldId(grad));
                    }
                    if clamp {
                        builder = builder.clamp_min(-3.0).clamp_max(1.75);
                    }
                    boxed(builder.build())
                });
            }
            1 => {
                let out = free.take(2)?;
                if dice.roll(2) == 0 {
                    let text = format!(
                        "kind = 'flow_field'\npotential_field = 'f{input}'\nflow_field = 'f{out}'
normalize = true"
                    );
                    self.push(&text, move || {
                        let flow = FlowField::builder()
                            .potential_field(from)
                            .flow_field(FieldId(out))
                            .normalize(true);
                        boxed(flow.build())
                    });
                } else {
                    let text = format!(
                        "kind = 'gradient_compute'\ninput_field = 'f{input}'\noutput_field = 'f{out}'"
                    );
                    self.push(&text, move || {
                        let gradient = GradientCompute::builder()
                            .input_field(from)
                            .output_field(FieldId(out));
                        boxed(gradient.build())
                    });
                }
            }
            2 => {
                let field = free.take(1 + dice.roll(2) as u32)?;
                let text = format!("kind = 'identity_copy'\nfield = 'f{field}'");
                self.push(&text, move || Box::new(IdentityCopy::new(FieldId(field))));
            }
            3 => {
                let out = free.take(1)?;
                let radius = 1 + dice.roll(3) as u32;
                let text = format!(
                    "kind = 'morphological_op'\ninput_field = 'f{input}'\noutput_field = 'f{out}'
op = 'erode'\nradius = {radius}"
                );
                self.push(&text, move || {
                    boxed(
                        MorphologicalOp::builder()
                            .input_field(from)
                            .output_field(FieldId(out))
                            .op(MorphOp::Erode)
                            .radius(radius)
                            .build(),
                    )
                });
            }
            4 | 5 => {
                let field = free.take(1 + dice.roll(2) as u32)?;
                let seed_offset = dice.roll(1 << 20);
                let (word, noise) = [
                    ("gaussian", NoiseType::Gaussian),
                    ("uniform", NoiseType::Uniform),
                    ("salt_pepper", NoiseType::SaltPepper),
                ][dice.roll(3) as usize];
                let text = format!(
                    "kind = 'noise_injection'\nfield = 'f{field}'\nnoise_type = '{word}'
scale = 0.5\nseed_offset = {seed_offset}"
                );
                self.push(&text, move || {
                    boxed(
                        NoiseInjection::builder()
                            .field(FieldId(field))
                            .noise_type(noise)
                            .scale(0.5)
                            .seed_offset(seed_offset)
                            .build(),
                    )
                });
            }
            6 => {
                let field = free.take(1)?;
                let text = format!(
                    "kind = 'resource_field'\nfield = 'f{field}'\npresence_field = 'f{input}'
regrowth_model = 'logistic'\ncapacity = 0.7\nregrowth_rate = 2"
                );
                self.push(&text, move || {
                    boxed(
                        ResourceField::builder()
                            .field(FieldId(field))
                            .presence_field(from)
                            .regrowth_model(RegrowthModel::Logistic)
                            .capacity(0.7)
                            .regrowth_rate(2.0)
                            .build(),
                    )
                });
            }
            7 => {
                let (d, v) = (free.take(1)?, free.take(1)?);
                let text = format!(
                    "kind = 'wave_propagation'\ndisplacement_field = 'f{d}'\nvelocity_field = 'f{v}'"
                );
                self.push(&text, move || {
                    boxed(
                        WavePropagation::builder()
                            .displacement_field(FieldId(d))
                            .velocity_field(FieldId(v))
                            .build(),
                    )
                });
            }
            _ if free.0.contains(&(2, 1))
                && self.fields[2].mutability != FieldMutability::Static =>
            {
                free.0.retain(|&(field, _)| field != 2);
                let text = "kind = 'agent_movement'\ninitial_positions = [[5, 0]]";
                self.push(text, || {
                    let actions = Arc::new(Mutex::new(Vec::new()));
                    Box::new(AgentMovementPropagator::new(actions, vec![(5, 0)]))
                });
            }
            _ => {
                let out = free.take(1)?;
                let text = format!(
                    "kind = 'agent_emission'\npresence_field = 'f{input}'\nemission_field = 'f{out}'"
                );
                self.push(&text, move || {
                    boxed(
                        AgentEmission::builder()
                            .presence_field(from)
                            .emission_field(FieldId(out))
                            .mode(EmissionMode::Additive)
                            .build(),
                    )
                });
            }
        }
        Some(())
    }

    pub fn world(&self) -> World {
        World::from_toml(&self.toml).unwrap_or_else(|error| panic!("{error}\n{}", self.toml))
    }

    pub fn config(&self) -> WorldConfig {
        let propagators = self.propagators.iter().map(|build| build()).collect();
        config(self.dt, 0, (self.space)(), self.fields.clone(), propagators)
    }
}
