//! Shapes of values that games have. They come back from a full snapshot and from a delta.

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

/// A component of several shapes: how to make a value, and what may differ when it comes back.
trait Shapes: Replicate + Debug + Clone + PartialEq {
    fn make(source: &mut Source) -> Self;

    fn comes_back_as(&self, other: &Self) -> bool {
        self == other
    }
}

fn check<T: Shapes>(source: &mut Source) {
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

proptest! {
    #[test]
    fn every_shape_comes_back_from_packets(seed: u64) {
        let mut source = Source(seed);
        check::<Numbers>(&mut source);
        check::<Places>(&mut source);
        check::<Turns>(&mut source);
        check::<States>(&mut source);
        check::<Weather>(&mut source);
    }
}

/// A newtype with bounds.
#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
struct Health(#[replicate(range(min = 0, max = 150))] u8);

/// Flags over bits.
#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
struct Flags(#[replicate(bits = 12)] u16);

/// The id of another entity.
#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
struct EntityId(#[replicate(varint)] u32);

/// A length that is a constant.
const KEYS: usize = 5;

/// An alias of a float.
type Metres = f32;

/// A type of another crate: durations as whole milliseconds.
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

/// Integers, bools and what is made of them.
#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Numbers {
    health: Health,
    #[replicate(range(min = -5, max = 90000))]
    level: i64,
    flags: Flags,
    #[replicate(bits = 40)]
    wide: u64,
    held: [bool; KEYS],
    #[replicate(bits = 4)]
    times: [u8; KEYS + 1],
    loaded: (u8, u16),
    #[replicate(bits = 5)]
    slot: Option<(i8, i8)>,
    #[replicate(varint)]
    target: Option<u32>,
    leader: EntityId,
    others: [EntityId; 3],
    #[replicate(range(min = -100, max = 100))]
    tile: IVec2,
    #[replicate(bits = 10)]
    chunk: UVec3,
    #[replicate(with = millis)]
    left: Duration,
    #[replicate(skip)]
    marker: PhantomData<Vec<u8>>,
}

impl Shapes for Numbers {
    fn make(s: &mut Source) -> Self {
        Self {
            health: Health(s.below(151) as u8),
            level: s.below(90_006) as i64 - 5,
            flags: Flags(s.below(4096) as u16),
            wide: s.below(1 << 40),
            held: s.array(Source::bool),
            times: s.array(|s| s.below(16) as u8),
            loaded: (s.next() as u8, s.next() as u16),
            slot: s.option(|s| (s.below(32) as i8 - 16, s.below(32) as i8 - 16)),
            target: s.option(|s| s.next() as u32),
            leader: EntityId(s.next() as u32),
            others: s.array(|s| EntityId(s.next() as u32)),
            tile: IVec2::new(s.below(201) as i32 - 100, s.below(201) as i32 - 100),
            chunk: UVec3::from_array(s.array(|s| s.below(1024) as u32)),
            left: Duration::from_millis(s.below(100_000)),
            marker: PhantomData,
        }
    }
}

/// Real numbers: the engine's vectors, arrays of arrays, tuples, what may be missing.
#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Places {
    #[replicate(fixed(min = -512, max = 512, step = 0.25), threshold = 0.0)]
    at: Vec3,
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    camera: Vec2,
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    precise: DVec2,
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    to: Option<Vec3>,
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    corners: [[f32; 2]; 4],
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    spread: (f32, Vec2),
    #[replicate(fixed(min = -100, max = 100, step = 0.25), clamp)]
    velocity: Vec3,
    #[replicate(fixed(min = -512, max = 512, step = 0.25), threshold = 0.5)]
    altitude: Metres,
}

impl Shapes for Places {
    fn make(s: &mut Source) -> Self {
        Self {
            at: s.vec3(),
            camera: Vec2::new(s.metres(), s.metres()),
            precise: DVec2::new(s.metres().into(), s.metres().into()),
            to: s.option(Source::vec3),
            corners: s.array(|s| s.array(Source::metres)),
            spread: (s.metres(), Vec2::new(s.metres(), s.metres())),
            velocity: s.vec3(),
            // A delta may keep the first value: the second differs by more than the threshold, or
            // not at all.
            altitude: s.metres().round(),
        }
    }

    fn comes_back_as(&self, other: &Self) -> bool {
        let velocity = self.velocity.clamp(Vec3::splat(-100.0), Vec3::splat(100.0));
        let clamped = Self {
            velocity,
            ..self.clone()
        };
        clamped == *other
    }
}

/// A part of a component.
#[derive(ReplicateField, Clone, Debug, PartialEq)]
struct Transform {
    #[replicate(fixed(min = -512, max = 512, step = 0.25))]
    translation: Vec3,
    #[replicate(rotation(bits = 12))]
    rotation: Quat,
}

fn rotation(s: &mut Source) -> Quat {
    let axis = Vec3::new(s.metres(), s.metres(), s.metres() + 0.125).normalize();
    Quat::from_axis_angle(axis, s.metres() / 100.0)
}

fn transform(s: &mut Source) -> Transform {
    Transform {
        translation: s.vec3(),
        rotation: rotation(s),
    }
}

fn same_rotation(a: Quat, b: Quat) -> bool {
    a.dot(b).abs() > 0.999_9
}

fn same_transform(a: &Transform, b: &Transform) -> bool {
    a.translation == b.translation && same_rotation(a.rotation, b.rotation)
}

fn same_angle(a: f64, b: f64, bits: i32) -> bool {
    let turn = std::f64::consts::TAU;
    let away = (a - b).rem_euclid(turn);
    away.min(turn - away) <= turn / 2_f64.powi(bits + 1) + 1e-4
}

/// Both are missing, or there and the same.
fn both<T>(a: Option<&T>, b: Option<&T>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Rotations and angles, which come back nearly.
#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct Turns {
    parent: Transform,
    own: Option<Transform>,
    #[replicate(angle(bits = 10))]
    heading: f32,
    #[replicate(angle(bits = 20))]
    pitch: f64,
    #[replicate(angle(bits = 8))]
    joints: [Option<f32>; 4],
}

impl Shapes for Turns {
    fn make(s: &mut Source) -> Self {
        Self {
            parent: transform(s),
            own: s.option(transform),
            heading: s.metres() / 50.0,
            pitch: f64::from(s.metres()) / 50.0,
            joints: s.array(|s| s.option(|s| s.metres() / 90.0)),
        }
    }

    fn comes_back_as(&self, other: &Self) -> bool {
        let mut joints = self.joints.iter().zip(&other.joints);
        let same_joint = |a: &f32, b: &f32| same_angle((*a).into(), (*b).into(), 8);
        same_transform(&self.parent, &other.parent)
            && both(self.own.as_ref(), other.own.as_ref(), same_transform)
            && same_angle(self.heading.into(), other.heading.into(), 10)
            && same_angle(self.pitch, other.pitch, 20)
            && joints.all(|(a, b)| both(a.as_ref(), b.as_ref(), same_joint))
    }
}

/// A state machine without data.
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

/// An enum with data.
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

/// A slot of an inventory.
#[derive(ReplicateField, Clone, Copy, Debug, PartialEq)]
struct Item {
    #[replicate(bits = 10)]
    kind: u16,
    #[replicate(range(min = 1, max = 64))]
    count: u8,
    worn: bool,
}

/// Enums and structs, alone, missing and in arrays.
#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 1)]
struct States {
    door: DoorState,
    order: Order,
    next: Option<Order>,
    doors: [DoorState; 6],
    last: Option<DoorState>,
    slots: [Option<Item>; 4],
}

impl Shapes for States {
    fn make(s: &mut Source) -> Self {
        Self {
            door: door(s),
            order: order(s),
            next: s.option(order),
            doors: s.array(door),
            last: s.option(door),
            slots: s.array(|s| {
                s.option(|s| Item {
                    kind: s.below(1024) as u16,
                    count: 1 + s.below(64) as u8,
                    worn: s.bool(),
                })
            }),
        }
    }
}

/// An enum that is a component.
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

impl Shapes for Weather {
    fn make(s: &mut Source) -> Self {
        match s.below(3) {
            0 => Self::Clear,
            1 => Self::Rain(s.below(16) as u8),
            _ => Self::Storm {
                wind: s.metres() / 90.0,
            },
        }
    }

    fn comes_back_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Storm { wind: a }, Self::Storm { wind: b }) => {
                same_angle((*a).into(), (*b).into(), 16)
            }
            (a, b) => a == b,
        }
    }
}

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
    assert_eq!(names(fields::<Numbers>())[..2], ["health", "level"]);
    assert_eq!(
        names(fields::<Places>())[7..14],
        [
            "to",
            "to_some_x",
            "to_some_y",
            "to_some_z",
            "corners_0_0",
            "corners_0_1",
            "corners_1_0",
        ]
    );
    assert_eq!(
        names(fields::<States>())[1..10],
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
        names(fields::<Turns>())[3..7],
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

/// A value of these shapes, to change a part of it.
fn one<T: Shapes>() -> (Snapshot, T) {
    let schema = Schema::new([T::component()]).unwrap();
    (Snapshot::new(&schema, 1), T::make(&mut Source(1)))
}

#[test]
fn values_that_do_not_fit_are_errors() {
    let (mut state, mut numbers) = one::<Numbers>();
    numbers.health = Health(151);
    assert_eq!(
        state.put(7, &numbers),
        Err(ValueError::OutOfRange {
            component: 1,
            field: 1,
            value: 151,
            min: 0,
            max: 150
        })
    );
    assert!(state.is_empty());

    let (mut state, mut turns) = one::<Turns>();
    turns.heading = f32::NAN;
    assert!(state.put(7, &turns).is_err());
}

#[test]
fn a_variant_that_does_not_exist_is_an_error() {
    let (mut state, states) = one::<States>();
    state.put(7, &states).unwrap();
    let mut set = |door: u64| {
        let mut entity = state.entity_mut(7).unwrap();
        entity.set_value(1, 1, Value::UInt(door)).unwrap();
        state.get::<States>(7)
    };
    assert_eq!(set(4).unwrap().door, DoorState::Broken);
    assert_eq!(
        set(5),
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
    let (mut state, mut places) = one::<Places>();
    places.to = None;
    state.put(7, &places).unwrap();
    let part = state.entity(7).and_then(|entity| entity.component(1));
    let values: Vec<_> = part.unwrap().values().skip(7).take(4).collect();
    let zero = Value::FixedPoint(0);
    assert_eq!(values, [Value::Bool(false), zero, zero, zero]);
}
