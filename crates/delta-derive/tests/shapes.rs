//! Shapes of values that games have. Each becomes a component, and comes back from a full snapshot
//! and from a delta.

// Multiples of the precision come back exactly.
#![allow(clippy::float_cmp)]

use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Duration;

use gametape_delta::{
    Codec, Decoder, Encoder, Field, FieldList, Replicate, ReplicateField, Schema, Snapshot, Value,
    ValueError, ValueReader, ValueWriter,
};
use glam::{DVec2, IVec2, Quat, UVec3, Vec2, Vec3};
use proptest::prelude::*;

/// Numbers for values, of which there are always more.
struct Source(u64);

impl Source {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 16) % end
    }

    fn bool(&mut self) -> bool {
        self.below(2) == 1
    }

    /// From -512 to 512, in quarters.
    fn metres(&mut self) -> f32 {
        self.below(4097) as f32 / 4.0 - 512.0
    }

    fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.metres(), self.metres(), self.metres())
    }

    fn option<T>(&mut self, some: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.bool().then(|| some(self))
    }

    fn array<T, const N: usize>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> [T; N] {
        std::array::from_fn(|_| one(self))
    }
}

/// A shape: how to make a value, and what may differ when it comes back.
trait Shape: Replicate + Debug + Clone + PartialEq {
    fn make(source: &mut Source) -> Self;

    fn comes_back_as(&self, other: &Self) -> bool {
        self == other
    }
}

fn check<T: Shape>(source: &mut Source) {
    let schema = Schema::new([T::component()]).unwrap();
    let (mut encoder, decoder) = (Encoder::new(&schema), Decoder::new(&schema));
    let (first, second) = (T::make(source), T::make(source));
    let mut sent = Snapshot::new(&schema, 1);
    sent.put(7, &first).unwrap();
    let mut packet = Vec::new();
    encoder.full(&sent, &mut packet).unwrap();
    let mut received = Snapshot::new(&schema, 0);
    decoder.full(&packet, &mut received).unwrap();
    let back: T = received.get(7).unwrap();
    assert!(
        first.comes_back_as(&back),
        "{first:?} came back as {back:?}"
    );

    let mut later = sent.clone();
    later.set_tick(2);
    later.put(7, &second).unwrap();
    encoder.delta(&sent, &later, &mut packet).unwrap();
    let mut applied = Snapshot::new(&schema, 0);
    decoder.delta(&received, &packet, &mut applied).unwrap();
    let back: T = applied.get(7).unwrap();
    assert!(
        second.comes_back_as(&back),
        "{second:?} came back as {back:?}"
    );
    assert_eq!(applied, later);
}

macro_rules! shapes {
    ($($number:literal $what:literal $ty:ident)*) => {
        /// The number of shapes that derive.
        const SHAPES: usize = [$($number),*].len();

        proptest! {
            #[test]
            fn every_shape_comes_back_from_packets(seed: u64) {
                $(check::<$ty>(&mut Source(seed));)*
            }
        }
    };
}

shapes! {
    1 "a position of the engine's vector type" Position
    2 "a rotation of the engine's quaternion type" Facing
    3 "a transform inside of a component" Placed
    4 "a state machine without data" Door
    5 "an enum with data" Commanded
    6 "a newtype with bounds" Wounded
    7 "a target that may be missing" Aiming
    8 "an id of another entity as a newtype" Follower
    9 "a waypoint that may be missing" Travelling
    10 "an angle" Turret
    11 "angles of a limb" Limbs
    12 "a cell of a map" OnTile
    13 "a tuple" Ammunition
    14 "slots of an inventory" Inventory
    15 "an array of enums" Squad
    16 "arrays of arrays" Boundary
    17 "a length that is a constant" Keys
    18 "an alias of a float" Altitude
    19 "a velocity, clamped" Velocity
    20 "flags as a newtype over bits" Flagged
    21 "a type of another crate, by a module" Cooldown
    22 "a marker type, skipped" Marked
    23 "an enum that is a component" Weather
}

#[test]
fn all_shapes_are_there() {
    assert_eq!(SHAPES, 23);
}

macro_rules! shape {
    ($ty:ident, $make:expr) => {
        impl Shape for $ty {
            fn make(source: &mut Source) -> Self {
                ($make)(source)
            }
        }
    };
    ($ty:ident, $make:expr, $same:expr) => {
        impl Shape for $ty {
            fn make(source: &mut Source) -> Self {
                ($make)(source)
            }

            fn comes_back_as(&self, other: &Self) -> bool {
                ($same)(self, other)
            }
        }
    };
}

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Position {
    #[replicate(fixed(min = -512, max = 512, step = 0.25), threshold = 0.0)]
    at: Vec3,
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    camera: Vec2,
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    precise: DVec2,
}
shape!(Position, |s: &mut Source| Position {
    at: s.vec3(),
    camera: Vec2::new(s.metres(), s.metres()),
    precise: DVec2::new(s.metres().into(), s.metres().into()),
});

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Facing(#[replicate(rotation(bits = 12))] Quat);

fn rotation(s: &mut Source) -> Quat {
    let axis = Vec3::new(s.metres(), s.metres(), s.metres() + 0.125).normalize();
    Quat::from_axis_angle(axis, s.metres() / 100.0)
}

fn same_rotation(a: Quat, b: Quat) -> bool {
    a.dot(b).abs() > 0.999_9
}
shape!(
    Facing,
    |s: &mut Source| Facing(rotation(s)),
    |a: &Facing, b: &Facing| same_rotation(a.0, b.0)
);

#[derive(ReplicateField, Clone, Debug, PartialEq)]
struct Transform {
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    translation: Vec3,
    #[replicate(rotation(bits = 12))]
    rotation: Quat,
}

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Placed {
    parent: Transform,
    own: Option<Transform>,
}

fn transform(s: &mut Source) -> Transform {
    Transform {
        translation: s.vec3(),
        rotation: rotation(s),
    }
}

fn same_transform(a: &Transform, b: &Transform) -> bool {
    a.translation == b.translation && same_rotation(a.rotation, b.rotation)
}
shape!(
    Placed,
    |s: &mut Source| Placed {
        parent: transform(s),
        own: s.option(transform),
    },
    |a: &Placed, b: &Placed| {
        same_transform(&a.parent, &b.parent)
            && match (&a.own, &b.own) {
                (Some(a), Some(b)) => same_transform(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }
);

#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
enum DoorState {
    Closed,
    Opening,
    Open,
    Closing,
    Broken,
}

fn door(s: &mut Source) -> DoorState {
    use DoorState::{Broken, Closed, Closing, Open, Opening};
    [Closed, Opening, Open, Closing, Broken][s.below(5) as usize]
}

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Door {
    state: DoorState,
}
shape!(Door, |s: &mut Source| Door { state: door(s) });

#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
enum Order {
    Rest,
    Attack {
        target: u32,
        #[replicate(bits = 3)]
        weapon: u8,
    },
    GoTo(#[replicate(fixed(min = -512, max = 512, step = 0.25))] Vec3),
    Use(u16, DoorState),
}

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Commanded {
    order: Order,
    next: Option<Order>,
}

fn order(s: &mut Source) -> Order {
    match s.below(4) {
        0 => Order::Rest,
        1 => Order::Attack {
            target: s.next() as u32,
            weapon: s.below(8) as u8,
        },
        2 => Order::GoTo(s.vec3()),
        _ => Order::Use(s.next() as u16, door(s)),
    }
}
shape!(Commanded, |s: &mut Source| Commanded {
    order: order(s),
    next: s.option(order),
});

#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
struct Health(#[replicate(range(min = 0, max = 150))] u8);

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Wounded {
    health: Health,
    #[replicate(range(min = -5, max = 90000))]
    level: i64,
}
shape!(Wounded, |s: &mut Source| Wounded {
    health: Health(s.below(151) as u8),
    level: s.below(90_006) as i64 - 5,
});

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Aiming {
    #[replicate(varint)]
    target: Option<u32>,
    #[replicate(bits = 5)]
    slot: Option<(i8, i8)>,
}
shape!(Aiming, |s: &mut Source| Aiming {
    target: s.option(|s| s.next() as u32),
    slot: s.option(|s| (s.below(32) as i8 - 16, s.below(32) as i8 - 16)),
});

#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
struct EntityId(#[replicate(varint)] u32);

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Follower {
    leader: EntityId,
    others: [EntityId; 3],
}
shape!(Follower, |s: &mut Source| Follower {
    leader: EntityId(s.next() as u32),
    others: s.array(|s| EntityId(s.next() as u32)),
});

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Travelling {
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    to: Option<Vec3>,
}
shape!(Travelling, |s: &mut Source| Travelling {
    to: s.option(Source::vec3),
});

fn same_angle(a: f64, b: f64, bits: i32) -> bool {
    let turn = std::f64::consts::TAU;
    let away = (a - b).rem_euclid(turn);
    away.min(turn - away) <= turn / 2_f64.powi(bits + 1) + 1e-4
}

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Turret {
    #[replicate(angle(bits = 10))]
    heading: f32,
    #[replicate(angle(bits = 20))]
    pitch: f64,
}
shape!(
    Turret,
    |s: &mut Source| Turret {
        heading: s.metres() / 50.0,
        pitch: f64::from(s.metres()) / 50.0,
    },
    |a: &Turret, b: &Turret| {
        same_angle(a.heading.into(), b.heading.into(), 10) && same_angle(a.pitch, b.pitch, 20)
    }
);

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Limbs {
    #[replicate(angle(bits = 8))]
    joints: [Option<f32>; 4],
}
shape!(
    Limbs,
    |s: &mut Source| Limbs {
        joints: s.array(|s| s.option(|s| s.metres() / 90.0)),
    },
    |a: &Limbs, b: &Limbs| {
        a.joints.iter().zip(b.joints).all(|(a, b)| match (a, b) {
            (Some(a), Some(b)) => same_angle((*a).into(), b.into(), 8),
            (a, b) => a.is_none() && b.is_none(),
        })
    }
);

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct OnTile {
    #[replicate(range(min = -100, max = 100))]
    tile: IVec2,
    #[replicate(bits = 10)]
    chunk: UVec3,
}
shape!(OnTile, |s: &mut Source| OnTile {
    tile: IVec2::new(s.below(201) as i32 - 100, s.below(201) as i32 - 100),
    chunk: UVec3::new(
        s.below(1024) as u32,
        s.below(1024) as u32,
        s.below(1024) as u32
    ),
});

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Ammunition {
    loaded: (u8, u16),
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    spread: (f32, Vec2),
}
shape!(Ammunition, |s: &mut Source| Ammunition {
    loaded: (s.next() as u8, s.next() as u16),
    spread: (s.metres(), Vec2::new(s.metres(), s.metres())),
});

#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
struct Item {
    #[replicate(bits = 10)]
    kind: u16,
    #[replicate(range(min = 1, max = 64))]
    count: u8,
    worn: bool,
}

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Inventory {
    slots: [Option<Item>; 8],
}
shape!(Inventory, |s: &mut Source| Inventory {
    slots: s.array(|s| s.option(|s| Item {
        kind: s.below(1024) as u16,
        count: 1 + s.below(64) as u8,
        worn: s.bool(),
    })),
});

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Squad {
    doors: [DoorState; 6],
    last: Option<DoorState>,
}
shape!(Squad, |s: &mut Source| Squad {
    doors: s.array(door),
    last: s.option(door),
});

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Boundary {
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    corners: [[f32; 2]; 4],
}
shape!(Boundary, |s: &mut Source| Boundary {
    corners: s.array(|s| s.array(Source::metres)),
});

const KEYS: usize = 5;

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Keys {
    held: [bool; KEYS],
    #[replicate(bits = 4)]
    times: [u8; KEYS + 1],
}
shape!(Keys, |s: &mut Source| Keys {
    held: s.array(Source::bool),
    times: s.array(|s| s.below(16) as u8),
});

type Metres = f32;

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Altitude(#[replicate(fixed(min = -512, max = 512, step = 0.25), threshold = 0.5)] Metres);
// The delta may keep the first value: the second differs by more than the threshold, or not at all.
shape!(Altitude, |s: &mut Source| Altitude(s.metres().round()));

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Velocity {
    #[replicate(fixed(min = -100, max = 100, step = 0.25), clamp)]
    velocity: Vec3,
}
shape!(
    Velocity,
    |s: &mut Source| Velocity { velocity: s.vec3() },
    |a: &Velocity, b: &Velocity| {
        a.velocity.clamp(Vec3::splat(-100.0), Vec3::splat(100.0)) == b.velocity
    }
);

#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
struct Flags(#[replicate(bits = 12)] u16);

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Flagged {
    flags: Flags,
    #[replicate(bits = 40)]
    wide: u64,
}
shape!(Flagged, |s: &mut Source| Flagged {
    flags: Flags(s.below(4096) as u16),
    wide: s.below(1 << 40),
});

/// Durations as whole milliseconds.
mod millis {
    use super::{Codec, Duration, Field, FieldList, Value, ValueError, ValueReader, ValueWriter};

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

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Cooldown {
    #[replicate(with = millis)]
    left: Duration,
}
shape!(Cooldown, |s: &mut Source| Cooldown {
    left: Duration::from_millis(s.below(100_000)),
});

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Marked {
    alive: bool,
    #[replicate(skip)]
    world: PhantomData<Vec<u8>>,
}
shape!(Marked, |s: &mut Source| Marked {
    alive: s.bool(),
    world: PhantomData,
});

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
enum Weather {
    Clear,
    Rain(#[replicate(bits = 4)] u8),
    #[replicate(name = "gale")]
    Storm {
        #[replicate(angle(bits = 16), id = 20)]
        wind: f32,
    },
}
shape!(
    Weather,
    |s: &mut Source| match s.below(3) {
        0 => Weather::Clear,
        1 => Weather::Rain(s.below(16) as u8),
        _ => Weather::Storm {
            wind: s.metres() / 90.0
        },
    },
    |a: &Weather, b: &Weather| match (a, b) {
        (Weather::Storm { wind: a }, Weather::Storm { wind: b }) => {
            same_angle((*a).into(), (*b).into(), 16)
        }
        (a, b) => a == b,
    }
);

/// The id, the name and the codec of each field.
fn fields<T: Replicate>() -> Vec<(u16, String, Codec)> {
    let fields = T::component().fields.into_iter();
    fields
        .map(|field| (field.id, field.name.unwrap_or_default(), field.codec))
        .collect()
}

#[test]
fn names_and_ids_say_where_a_field_is() {
    let names = |fields: Vec<(u16, String, Codec)>| -> Vec<String> {
        let ids: Vec<_> = fields.iter().map(|(id, ..)| *id).collect();
        assert_eq!(ids, (1..=ids.len() as u16).collect::<Vec<_>>());
        fields.into_iter().map(|(_, name, _)| name).collect()
    };
    assert_eq!(names(fields::<Wounded>()), ["health", "level"]);
    assert_eq!(
        names(fields::<Travelling>()),
        ["to", "to_some_x", "to_some_y", "to_some_z"]
    );
    assert_eq!(
        names(fields::<Boundary>())[..3],
        ["corners_0_0", "corners_0_1", "corners_1_0"]
    );
    assert_eq!(
        names(fields::<Commanded>())[..9],
        [
            "order",
            "order_attack_target",
            "order_attack_weapon",
            "order_go_to_x",
            "order_go_to_y",
            "order_go_to_z",
            "order_use_0",
            "order_use_1",
            "next",
        ]
    );
    assert_eq!(
        names(fields::<Placed>())[3..7],
        [
            "parent_rotation_place",
            "parent_rotation_a",
            "parent_rotation_b",
            "parent_rotation_c"
        ]
    );
    assert_eq!(
        fields::<Weather>(),
        [
            (1, "kind".to_owned(), Codec::UInt { bits: 2 }),
            (2, "rain".to_owned(), Codec::UInt { bits: 4 }),
            (20, "gale_wind".to_owned(), Codec::UInt { bits: 16 }),
        ]
    );
}

#[test]
fn a_threshold_is_that_of_all_numbers_within() {
    #[derive(Replicate)]
    #[replicate(component = 1)]
    struct Trembling {
        #[replicate(fixed(min = -1, max = 1, scale = 100), threshold = 0.05)]
        at: Option<Vec2>,
    }
    let thresholds: Vec<_> = Trembling::component()
        .fields
        .iter()
        .map(|field| field.change.to_string())
        .collect();
    assert_eq!(thresholds, ["always", "beyond 5", "beyond 5"]);
}

#[test]
fn values_that_do_not_fit_are_errors() {
    let schema = Schema::new([Wounded::component()]).unwrap();
    let mut state = Snapshot::new(&schema, 1);
    let wounded = Wounded {
        health: Health(151),
        level: 0,
    };
    assert_eq!(
        state.put(7, &wounded),
        Err(ValueError::OutOfRange {
            component: 1,
            field: 1,
            value: 151,
            min: 0,
            max: 150
        })
    );
    assert!(state.is_empty());

    let schema = Schema::new([Turret::component()]).unwrap();
    let mut state = Snapshot::new(&schema, 1);
    let turret = Turret {
        heading: f32::NAN,
        pitch: 0.0,
    };
    assert!(state.put(7, &turret).is_err());
}

#[test]
fn a_variant_that_does_not_exist_is_an_error() {
    let schema = Schema::new([Door::component()]).unwrap();
    let mut state = Snapshot::new(&schema, 1);
    state.entry(7).set(1, &[Value::UInt(4)]).unwrap();
    assert_eq!(state.get::<Door>(7).unwrap().state, DoorState::Broken);
    state.entry(7).set(1, &[Value::UInt(5)]).unwrap();
    assert_eq!(
        state.get::<Door>(7),
        Err(ValueError::OutOfRange {
            component: 1,
            field: 1,
            value: 5,
            min: 0,
            max: 4
        })
    );
}

#[test]
fn nothing_is_sent_of_what_is_missing() {
    let schema = Schema::new([Travelling::component()]).unwrap();
    let mut state = Snapshot::new(&schema, 1);
    state.put(7, &Travelling { to: None }).unwrap();
    let values: Vec<_> = state
        .entity(7)
        .and_then(|entity| entity.component(1))
        .map(|part| part.values().collect())
        .unwrap_or_default();
    let zero = Value::FixedPoint(0);
    assert_eq!(values, [Value::Bool(false), zero, zero, zero]);
}
