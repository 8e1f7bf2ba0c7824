//! Worlds that differ from another in one thing, which somebody may have changed before a replay.
//! Written from the documentation of the search.

use super::{Rule, World};

/// A world with one thing changed.
#[derive(Clone, PartialEq)]
pub struct Change {
    pub what: What,
    pub world: World,
}

impl std::fmt::Debug for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.what.fmt(f)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A parameter by its name in reports, and its value; `None` for the default.
    Parameter { key: String, then: Option<f64> },
    /// Two propagators that run in the opposite order.
    Order(usize, usize),
}

/// A number of a propagator: its key, its value, its default, and its setter.
struct Number {
    key: &'static str,
    is: f64,
    default: Option<f64>,
    set: fn(&mut Rule, f64),
}

/// The number as it is written: 0.1 instead of 0.10000000149.
fn written(value: f32) -> f64 {
    format!("{value:?}").parse().unwrap()
}

macro_rules! number {
    ($kind:ident . $key:ident = $is:expr, $default:expr, $type:ty) => {
        Number {
            key: stringify!($key),
            is: $is,
            default: $default,
            set: |rule, value| {
                if let Rule::$kind { $key, .. } = rule {
                    *$key = value as $type;
                }
            },
        }
    };
}

fn numbers(rule: &Rule) -> Vec<Number> {
    match rule {
        Rule::Resource {
            consumption,
            regrowth,
            capacity,
            ..
        } => vec![
            Number {
                key: "consumption_rate",
                ..number!(Resource.consumption = written(*consumption), Some(1.0), f32)
            },
            Number {
                key: "regrowth_rate",
                ..number!(Resource.regrowth = written(*regrowth), Some(0.1), f32)
            },
            number!(Resource.capacity = written(*capacity), Some(1.0), f32),
        ],
        Rule::Emission { intensity, .. } => {
            vec![number!(
                Emission.intensity = written(*intensity),
                Some(1.0),
                f32
            )]
        }
        Rule::Diffusion {
            coefficient,
            decay,
            clamp,
            ..
        } => {
            let mut numbers = vec![
                number!(Diffusion.coefficient = *coefficient, Some(0.0), f64),
                number!(Diffusion.decay = *decay, Some(0.0), f64),
            ];
            if let Some((min, max)) = clamp {
                numbers.push(Number {
                    key: "clamp_min",
                    is: written(*min),
                    default: None,
                    set: |rule, value| clamp_of(rule).0 = value as f32,
                });
                numbers.push(Number {
                    key: "clamp_max",
                    is: written(*max),
                    default: None,
                    set: |rule, value| clamp_of(rule).1 = value as f32,
                });
            }
            numbers
        }
        Rule::Reward { bonus, cost } => vec![
            Number {
                key: "heat_bonus",
                ..number!(Reward.bonus = written(*bonus), None, f32)
            },
            Number {
                key: "step_cost",
                ..number!(Reward.cost = written(*cost), None, f32)
            },
        ],
        Rule::Copy { .. } | Rule::Agents { .. } | Rule::Failing { .. } => Vec::new(),
    }
}

fn clamp_of(rule: &mut Rule) -> &mut (f32, f32) {
    match rule {
        Rule::Diffusion {
            clamp: Some(clamp), ..
        } => clamp,
        _ => unreachable!("only of a diffusion that has bounds"),
    }
}

/// Returns the propagators with a key left out that is not a number, so that it has its default.
fn left_out(rule: &Rule) -> Vec<(&'static str, Rule)> {
    let with = |key, change: &dyn Fn(&mut Rule)| {
        let mut rule = rule.clone();
        change(&mut rule);
        (key, rule)
    };
    match rule {
        Rule::Resource { .. } => vec![with("regrowth_model", &|rule| {
            if let Rule::Resource { logistic, .. } = rule {
                *logistic = false;
            }
        })],
        Rule::Emission { .. } => vec![with("mode", &|rule| {
            if let Rule::Emission { set, .. } = rule {
                *set = false;
            }
        })],
        Rule::Diffusion { .. } => {
            let bound = |which: fn(&mut (f32, f32))| {
                move |rule: &mut Rule| {
                    if let Rule::Diffusion {
                        clamp: Some(clamp), ..
                    } = rule
                    {
                        which(clamp);
                    }
                }
            };
            vec![
                with("sources", &|rule| {
                    if let Rule::Diffusion { sources, .. } = rule {
                        sources.clear();
                    }
                }),
                with("clamp_min", &bound(|clamp| clamp.0 = f32::NEG_INFINITY)),
                with("clamp_max", &bound(|clamp| clamp.1 = f32::INFINITY)),
            ]
        }
        Rule::Agents { .. } => vec![with("initial_positions", &|rule| {
            if let Rule::Agents { places } = rule {
                places.clear();
            }
        })],
        _ => Vec::new(),
    }
}

/// Returns other values that a number may have had.
fn others(is: f64) -> Vec<f64> {
    let others = [
        is / 2.0,
        is * 2.0,
        is / 10.0,
        is * 10.0,
        -is,
        0.0,
        is + 0.1,
        is - 0.1,
        1.0,
    ];
    // Rounded to twelve decimals, as a description is written.
    others.map(|other| (other * 1e12).round() / 1e12).to_vec()
}

impl World {
    /// Returns the worlds that differ from this one in one thing, if a tick has this many commands.
    /// Each world is listed once, whatever the change is called.
    pub fn changes(&self, commands: usize) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut add = |key: &str, then, world: Self| {
            let what = What::Parameter {
                key: key.to_owned(),
                then,
            };
            changes.push(Change { what, world });
        };
        for dt in others(self.dt) {
            let world = Self { dt, ..self.clone() };
            add("dt", Some(dt), world);
        }
        let queue = self.queue;
        let near = [queue - 1, queue / 2, queue + 1, queue * 2, queue * 10];
        for queue in near.into_iter().chain(1..commands) {
            let world = Self {
                queue,
                ..self.clone()
            };
            add("max_ingress_queue", Some(queue as f64), world);
        }
        let world = Self {
            queue: 1024,
            ..self.clone()
        };
        add("max_ingress_queue", None, world);
        for (number, rule) in self.rules.iter().enumerate() {
            let named = |key| format!("propagator {number} ({}), {key}", rule.kind());
            let with = |rule| {
                let mut world = self.clone();
                world.rules[number] = rule;
                world
            };
            for parameter in numbers(rule) {
                let values = others(parameter.is)
                    .into_iter()
                    .map(|value| (value, Some(value)));
                let default = parameter.default.map(|value| (value, None));
                for (value, then) in values.chain(default) {
                    let mut rule = rule.clone();
                    (parameter.set)(&mut rule, value);
                    add(&named(parameter.key), then, with(rule));
                }
            }
            for (key, rule) in left_out(rule) {
                add(&named(key), None, with(rule));
            }
        }
        for one in 0..self.rules.len() {
            for other in one + 1..self.rules.len() {
                let mut world = self.clone();
                world.rules.swap(one, other);
                let what = What::Order(one, other);
                changes.push(Change { what, world });
            }
        }
        let mut different: Vec<Change> = Vec::new();
        for change in changes {
            let is_new =
                change.world != *self && different.iter().all(|other| other.world != change.world);
            // A world that is not valid can't have been used.
            if is_new && change.world.can_be() {
                different.push(change);
            }
        }
        different
    }

    /// Returns true if the engine accepts such a world.
    fn can_be(&self) -> bool {
        let world = gametape_murk::engine::World::from_toml(&self.toml());
        world.is_ok_and(|world| world.build().is_ok())
    }
}
