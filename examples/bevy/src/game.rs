//! The game: units wander about, follow each other, burn and die. Nothing here knows of a network
//! but the attributes of the components.

use std::collections::BTreeMap;
use std::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use gametape_delta::Replicate;

use crate::replicate::{Components, NetId, Replicated};

#[derive(Component, Replicate, Clone, Copy, PartialEq, Debug)]
#[replicate(component = 1)]
pub struct Position(#[replicate(fixed(min = -64.0, max = 64.0, step = 0.01))] pub Vec2);

#[derive(Component, Replicate, Clone, Copy, PartialEq, Eq, Debug)]
#[replicate(component = 2)]
pub struct Health(#[replicate(range(min = 0, max = 100))] pub u8);

#[derive(Component, Replicate, Clone, Copy, PartialEq, Debug)]
#[replicate(component = 3)]
pub enum Order {
    Rest,
    GoTo {
        #[replicate(range(min = -64, max = 64))]
        x: i8,
        #[replicate(range(min = -64, max = 64))]
        y: i8,
    },
    Follow(NetId),
}

/// A unit on fire. It loses health until the time is over.
#[derive(Component, Replicate, Clone, Copy, PartialEq, Eq, Debug)]
#[replicate(component = 4)]
pub struct Burning {
    #[replicate(with = millis)]
    pub left: Duration,
}

/// A type of another crate, as a number of milliseconds.
mod millis {
    use std::time::Duration;

    use gametape_delta::{Codec, Field, FieldList, Value, ValueError, ValueReader, ValueWriter};

    pub const FIELDS: usize = 1;

    pub fn fields() -> FieldList {
        Field::part(Codec::VarUInt).into()
    }

    pub fn write(value: &Duration, to: &mut ValueWriter<'_>) -> Result<(), ValueError> {
        let millis = u32::try_from(value.as_millis()).unwrap_or(u32::MAX);
        to.value(Value::VarUInt(millis))
    }

    pub fn read(from: &mut ValueReader<'_>) -> Result<Duration, ValueError> {
        Ok(Duration::from_millis(from.number()?))
    }
}

/// Returns the components that clients shall see.
pub fn components() -> Components {
    Components::default()
        .with::<Position>()
        .with::<Health>()
        .with::<Order>()
        .with::<Burning>()
}

/// Plays the game, on the server.
pub struct Game {
    pub seed: u64,
}

/// Whether everything stands still.
#[derive(Resource, Default)]
pub struct Calm(pub bool);

#[derive(Resource)]
struct Random(u64);

impl Random {
    /// Returns a number below `end`.
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % end
    }

    fn place(&mut self) -> (i8, i8) {
        [(); 2].map(|()| self.below(121) as i8 - 60).into()
    }
}

impl Plugin for Game {
    fn build(&self, app: &mut App) {
        app.insert_resource(Random(self.seed))
            .init_resource::<Calm>()
            .add_systems(
                Update,
                (bear, decide, walk, ignite, burn, die)
                    .chain()
                    .run_if(|calm: Res<Calm>| !calm.0),
            );
    }
}

const TICK: Duration = Duration::from_millis(50);

fn bear(mut commands: Commands, mut random: ResMut<Random>, units: Query<(), With<Health>>) {
    if units.iter().len() < 40 && random.below(2) == 0 {
        let (x, y) = random.place();
        let position = Position(Vec2::new(x.into(), y.into()));
        commands.spawn((Replicated, position, Health(100), Order::Rest));
    }
}

fn decide(mut random: ResMut<Random>, mut orders: Query<&mut Order>, units: Query<&NetId>) {
    let units: Vec<NetId> = units.iter().copied().collect();
    for mut order in &mut orders {
        if random.below(40) != 0 {
            continue;
        }
        let (x, y) = random.place();
        *order = match units.get(random.below(60) as usize) {
            Some(unit) => Order::Follow(*unit),
            None if random.below(4) == 0 => Order::Rest,
            None => Order::GoTo { x, y },
        };
    }
}

fn walk(mut units: Query<(&NetId, &Order, &mut Position)>) {
    let places: BTreeMap<_, _> = units.iter().map(|(id, _, at)| (*id, at.0)).collect();
    for (_, order, mut position) in &mut units {
        let to = match *order {
            Order::Rest => None,
            Order::GoTo { x, y } => Some(Vec2::new(x.into(), y.into())),
            Order::Follow(unit) => places.get(&unit).copied(),
        };
        let Some(to) = to else { continue };
        let way = to - position.0;
        if way.length() > 0.5 {
            position.0 += way.normalize() * 0.3;
        }
    }
}

fn ignite(
    mut commands: Commands,
    mut random: ResMut<Random>,
    units: Query<Entity, (With<Health>, Without<Burning>)>,
) {
    for unit in &units {
        if random.below(80) == 0 {
            let left = TICK * (10 + random.below(40));
            commands.entity(unit).insert(Burning { left });
        }
    }
}

fn burn(mut commands: Commands, mut units: Query<(Entity, &mut Health, &mut Burning)>) {
    for (unit, mut health, mut burning) in &mut units {
        health.0 = health.0.saturating_sub(2);
        burning.left = burning.left.saturating_sub(TICK);
        if burning.left.is_zero() {
            commands.entity(unit).remove::<Burning>();
        }
    }
}

fn die(mut commands: Commands, units: Query<(Entity, &Health)>) {
    for (unit, health) in &units {
        if health.0 == 0 {
            commands.entity(unit).despawn();
        }
    }
}

/// The replicated parts of an entity.
type Parts<'w> = (
    &'w NetId,
    Option<&'w Position>,
    Option<&'w Health>,
    Option<&'w Order>,
    Option<&'w Burning>,
);

/// A unit as people see it: its position in hundredths, and its other components.
pub type Unit = (
    Option<[i32; 2]>,
    Option<Health>,
    Option<Order>,
    Option<Burning>,
);

/// Returns all units of a server or a client.
pub fn units(world: &mut World) -> BTreeMap<NetId, Unit> {
    let hundredths = |value: f32| (f64::from(value) * 100.0).round() as i32;
    let unit = |(id, position, health, order, burning): Parts<'_>| {
        let position = position.map(|at| at.0.to_array().map(hundredths));
        let (health, order, burning) = (health.copied(), order.copied(), burning.copied());
        (*id, (position, health, order, burning))
    };
    world.query::<Parts>().iter(world).map(unit).collect()
}
