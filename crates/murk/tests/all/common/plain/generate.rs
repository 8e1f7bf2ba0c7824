//! Pseudo-random worlds and logs in which commands compete.

use gametape_murk::{CommandBuf, Envelope, Payload};

use super::super::{Noise, set};
use super::{Edge, Lasts, Rule, Space, World};

/// Returns true once in `of` cases.
fn chance(noise: &mut Noise, of: usize) -> bool {
    noise.below(of) == 0
}

fn space(noise: &mut Noise) -> Space {
    let mut size = |from: usize| (from + noise.below(3)) as i32;
    let (a, b, c) = (size(2), size(2), size(3));
    let edge = [Edge::Absorb, Edge::Clamp, Edge::Wrap][noise.below(3)];
    match noise.below(8) {
        0 => Space::Line(c, edge),
        1 => Space::Ring(c),
        2..=4 => Space::Square4(a, b, edge),
        5 => Space::Square8(a, b),
        6 if chance(noise, 2) => Space::Hex(a, b),
        6 => Space::Fcc(a, b, 2),
        _ => Space::Product(vec![Space::Line(a, edge), Space::Ring(c)]),
    }
}

/// Returns a world with fields of every kind: written by propagators as a whole, in part, in place,
/// or not at all.
pub fn world(seed: u64) -> World {
    let noise = &mut Noise(seed);
    let space = space(noise);
    let cells = space.cells().len();
    let fields: Vec<(Lasts, usize)> = (0..5 + noise.below(4))
        .map(|number| {
            let lasts = match noise.below(6) {
                0 if ![2, 4].contains(&number) => Lasts::Never,
                0..=2 => Lasts::OneTick,
                _ => Lasts::On,
            };
            // The inputs of the reward have one value per cell.
            let one = number == 0 || number == 2;
            (lasts, if !one && chance(noise, 4) { 2 } else { 1 })
        })
        .collect();
    let mut world = World {
        dt: [0.1, 0.25, 1.0 / 3.0][noise.below(3)],
        queue: if chance(noise, 3) {
            2 + noise.below(4)
        } else {
            1024
        },
        space,
        fields,
        rules: Vec::new(),
    };
    let mut rules: Vec<Rule> = (0..world.fields.len())
        .filter_map(|field| rule(noise, &world, field, cells))
        .collect();
    while !rules.is_empty() {
        world
            .rules
            .push(rules.swap_remove(noise.below(rules.len())));
    }
    if world.rules.is_empty() {
        // A world needs a propagator.
        world.rules.push(Rule::Copy {
            field: world.fields.len(),
        });
        world.fields.push((Lasts::OneTick, 1));
    }
    world
}

/// Returns a propagator that writes a field, if any should.
fn rule(noise: &mut Noise, world: &World, field: usize, cells: usize) -> Option<Rule> {
    let (lasts, components) = world.fields[field];
    if lasts == Lasts::Never || chance(noise, 2) {
        return None;
    }
    let scalars: Vec<usize> = (0..world.fields.len())
        .filter(|&other| world.fields[other].1 == 1)
        .collect();
    let input = scalars[noise.below(scalars.len())];
    // It writes a part of a field only in this case.
    let diffuses = match components {
        1 => world.space.has_neighbours(),
        _ => matches!(world.space, Space::Square4(..)),
    };
    match noise.below(6) {
        0 | 1 if field == 4 => Some(Rule::Reward {
            bonus: 2.5,
            cost: -0.125,
        }),
        0..=2 if field == 2 => Some(Rule::Agents {
            places: (0..noise.below(3) as u16)
                .map(|who| (who, noise.below(cells)))
                .collect(),
        }),
        0 | 1 if diffuses => Some(Rule::Diffusion {
            input,
            output: field,
            coefficient: 0.125 * noise.below(2) as f64,
            decay: 0.5 * noise.below(2) as f64,
            sources: if components == 1 && chance(noise, 2) {
                vec![(noise.below(cells), 1.5)]
            } else {
                Vec::new()
            },
            clamp: (components == 1 && chance(noise, 2)).then_some((-2.0, 1.75)),
        }),
        2 if components == 1 => Some(Rule::Resource {
            field,
            presence: input,
            consumption: 0.5,
            regrowth: 0.25,
            capacity: 3.0,
            logistic: chance(noise, 2),
        }),
        3 if components == 1 => Some(Rule::Emission {
            presence: input,
            field,
            intensity: 0.75,
            set: chance(noise, 2),
        }),
        _ => Some(Rule::Copy { field }),
    }
}

/// Returns a world whose ticks all fail. Its fields last one tick, because other fields may show
/// values of a failed tick.
pub fn failing(seed: u64) -> World {
    let noise = &mut Noise(seed);
    World {
        dt: 0.5,
        queue: 1024,
        space: Space::Line(3, Edge::Absorb),
        fields: vec![(Lasts::OneTick, 1); 3],
        rules: if chance(noise, 2) {
            vec![
                Rule::Copy { field: 0 },
                Rule::Failing {
                    input: 0,
                    output: 1,
                },
            ]
        } else {
            vec![
                Rule::Failing {
                    input: 2,
                    output: 1,
                },
                Rule::Copy { field: 0 },
            ]
        },
    }
}

/// Returns the commands of this many ticks, with few cells and few fields, so that they compete.
pub fn log(world: &World, seed: u64, ticks: u64) -> Vec<CommandBuf> {
    let noise = &mut Noise(seed);
    let cells = world.space.cells();
    (1..=ticks)
        .map(|tick| {
            let mut commands = CommandBuf::new();
            for _ in 0..noise.below(10).saturating_sub(1) {
                command(noise, world, &cells, tick, &mut commands);
            }
            commands
        })
        .collect()
}

fn command(
    noise: &mut Noise,
    world: &World,
    cells: &[Vec<i32>],
    tick: u64,
    commands: &mut CommandBuf,
) {
    let maybe = |noise: &mut Noise, of: usize| chance(noise, 2).then(|| noise.below(of) as u64);
    let envelope = Envelope {
        expires_after_tick: match noise.below(8) {
            0 => tick.saturating_sub(1),
            1 => tick,
            2 => 0,
            _ => u64::MAX,
        },
        source_id: maybe(noise, 3),
        source_seq: maybe(noise, 3),
        priority_class: noise.below(3) as u8,
        arrival_seq: noise.next(),
    };
    let mut coord = cells[noise.below(cells.len().min(4))].clone();
    match noise.below(16) {
        0 => coord.push(0),
        1 => coord[0] = -1,
        2 => coord[0] += 1000,
        _ => {}
    }
    let value = match noise.below(8) {
        0 => 0.0,
        1 => -0.0,
        // If several commands set the same value, none of them stands out.
        2 => 1.0,
        _ => noise.below(1000) as f32 / 8.0 - 60.0,
    };
    let field = match noise.below(2) {
        0 => noise.below(world.fields.len() + 1),
        _ => tick as usize % world.fields.len(),
    } as u32;
    let payload = match noise.below(12) {
        0 => Payload::Despawn { entity_id: 3 },
        1 => Payload::SetParameter { key: 0, value: 0.5 },
        _ => set(&coord, field, value),
    };
    commands.push(&envelope, &payload).unwrap();
}
