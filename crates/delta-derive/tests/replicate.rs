//! Converts structs to a snapshot and back, with their schema.

// Multiples of the precision come back exactly.
#![allow(clippy::float_cmp)]

use gametape_delta::{
    Change, Codec, Component, Encoder, Field, FixedPoint, MAX_MASK_BITS, QuantiseError, Replicate,
    Schema, SmallestThree, Snapshot, Value, ValueError,
};
use proptest::prelude::*;

#[derive(Replicate, Clone, Debug, PartialEq)]
#[replicate(component = 3)]
struct WarShip {
    #[replicate(
        fixed(min = -512.0, max = 512.0, step = 0.01),
        threshold = 0.05,
        id = 10
    )]
    position: [f32; 3],
    #[replicate(rotation(bits = 10))]
    facing: [f32; 4],
    #[replicate(fixed(min = -1, max = 1, scale = 127), clamp)]
    throttle: f64,
    #[replicate(bits = 7, id = 2)]
    hull: u8,
    #[replicate(bits = 12, threshold = 5)]
    heat: i16,
    #[replicate(varint)]
    score: u32,
    #[replicate(varint, name = "bonus points")]
    bonus: i8,
    r#type: u64,
    debt: i64,
    lights: [bool; 2],
    #[replicate(skip)]
    trail: Vec<String>,
    #[replicate(id = 18)]
    landed: bool,
}

fn ship() -> WarShip {
    WarShip {
        position: [1.25, -511.99, 512.0],
        facing: [0.0, 0.0, 0.0, 1.0],
        throttle: -1.0,
        hull: 127,
        heat: -2048,
        score: u32::MAX,
        bonus: i8::MIN,
        r#type: u64::MAX,
        debt: i64::MIN,
        lights: [true, false],
        trail: Vec::new(),
        landed: true,
    }
}

fn state_of<T: Replicate>() -> Snapshot {
    Snapshot::new(&Schema::new([T::component()]).unwrap(), 1)
}

fn round_trip<T: Replicate>(value: &T) -> Result<T, ValueError> {
    let mut state = state_of::<T>();
    state.put(7, value)?;
    state.get(7)
}

#[test]
fn the_component_follows_the_attributes() {
    let position = Codec::FixedPoint {
        min_q: -51_200,
        max_q: 51_200,
        scale: 100,
    };
    let throttle = Codec::FixedPoint {
        min_q: -127,
        max_q: 127,
        scale: 127,
    };
    let part = Codec::UInt { bits: 10 };
    let expected = Component::new(
        3,
        [
            Field::new(10, position).named("position_0").threshold(5),
            Field::new(11, position).named("position_1").threshold(5),
            Field::new(12, position).named("position_2").threshold(5),
            Field::new(13, Codec::UInt { bits: 2 }).named("facing_place"),
            Field::new(14, part).named("facing_a"),
            Field::new(15, part).named("facing_b"),
            Field::new(16, part).named("facing_c"),
            Field::new(17, throttle).named("throttle"),
            Field::new(2, Codec::UInt { bits: 7 }).named("hull"),
            Field::new(3, Codec::SInt { bits: 12 })
                .named("heat")
                .threshold(5),
            Field::new(4, Codec::VarUInt).named("score"),
            Field::new(5, Codec::VarSInt).named("bonus points"),
            Field::new(6, Codec::UInt { bits: 64 }).named("type"),
            Field::new(7, Codec::SInt { bits: 64 }).named("debt"),
            Field::new(8, Codec::Bool).named("lights_0"),
            Field::new(9, Codec::Bool).named("lights_1"),
            Field::new(18, Codec::Bool).named("landed"),
        ],
    )
    .named("war_ship");
    assert_eq!(WarShip::component(), expected);
    assert_eq!(WarShip::COMPONENT, 3);
}

#[test]
fn the_edges_of_every_codec_come_back() {
    let mut back = round_trip(&ship()).unwrap();
    assert!(back.facing[3] > 0.999);
    back.facing = ship().facing; // a rotation comes back nearly
    assert_eq!(back, ship());
}

#[test]
fn values_stand_in_the_order_of_the_schema() {
    let mut state = state_of::<WarShip>();
    state.put(7, &ship()).unwrap();
    let entity = state.entity(7).unwrap();
    for (field, value) in [
        (10, Value::FixedPoint(125)),
        (12, Value::FixedPoint(51_200)),
        (13, Value::UInt(3)),
        (17, Value::FixedPoint(-127)),
        (2, Value::UInt(127)),
        (3, Value::SInt(-2048)),
        (5, Value::VarSInt(-128)),
        (8, Value::Bool(true)),
        (9, Value::Bool(false)),
    ] {
        assert_eq!(entity.value(3, field), Some(value), "field {field}");
    }
}

#[test]
fn values_that_do_not_fit_are_errors_and_change_nothing() {
    let mut state = state_of::<WarShip>();
    state.put(7, &ship()).unwrap();
    let before = state.clone();

    let mut far = ship();
    far.position[1] = 512.02;
    assert!(matches!(
        state.put(7, &far),
        Err(ValueError::Unquantisable {
            component: 3,
            field: 11,
            why: QuantiseError::OutOfRange { .. }
        })
    ));
    let mut hot = ship();
    hot.heat = 2048;
    assert_eq!(
        state.put(8, &hot),
        Err(ValueError::OutOfRange {
            component: 3,
            field: 3,
            value: 2048,
            min: -2048,
            max: 2047
        })
    );
    let mut lost = ship();
    lost.facing = [0.0; 4];
    assert!(state.put(8, &lost).is_err());
    assert_eq!(state, before);
}

#[test]
fn clamped_fields_become_the_bound_but_never_nothing() {
    let mut fast = ship();
    for (throttle, becomes) in [(7.0, 1.0), (f64::NEG_INFINITY, -1.0), (1.001, 1.0)] {
        fast.throttle = throttle;
        assert_eq!(round_trip(&fast).unwrap().throttle, becomes);
    }
    fast.throttle = f64::NAN;
    assert!(round_trip(&fast).is_err());
}

#[test]
fn skipped_fields_are_default() {
    let mut long = ship();
    long.trail.push("a long way".to_owned());
    assert_eq!(round_trip(&long).unwrap().trail, [""; 0]);
}

#[derive(Replicate, Debug, PartialEq, Clone, Copy)]
#[replicate(component = 9, name = "marker")]
struct Unit;

#[derive(Replicate, Debug, PartialEq)]
#[replicate(component = 65535)]
struct Braces {}

#[derive(Replicate, Debug, PartialEq)]
#[replicate(component = 4)]
struct Tuple(
    #[replicate(bits = 3)] u8,
    #[replicate(skip)] Option<u8>,
    #[replicate(name = "speed", fixed(min = 0, max = 10, step = 0.125))] f32,
    [i8; 0],
);

#[test]
fn structs_of_all_shapes() {
    assert_eq!(Unit::component(), Component::new(9, []).named("marker"));
    assert_eq!(round_trip(&Unit).unwrap(), Unit);
    assert_eq!(round_trip(&Braces {}).unwrap(), Braces {});
    assert_eq!(Braces::component().id, 65535);

    let names: Vec<_> = Tuple::component()
        .fields
        .into_iter()
        .map(|field| (field.id, field.name.unwrap()))
        .collect();
    assert_eq!(names, [(1, "0".to_owned()), (2, "speed".to_owned())]);
    let back = round_trip(&Tuple(7, Some(1), 0.375, [])).unwrap();
    assert_eq!(back, Tuple(7, None, 0.375, []));
}

/// Types from a macro reach the derive inside invisible groups.
macro_rules! grouped {
    ($name:ident, $ty:ty, $length:literal) => {
        #[derive(Replicate, Debug, PartialEq)]
        #[replicate(component = 1)]
        struct $name {
            one: $ty,
            many: [$ty; $length],
        }
    };
}
grouped!(Grouped, u16, 2);

#[test]
fn types_out_of_a_macro_are_known() {
    let value = Grouped {
        one: 1,
        many: [2, 3],
    };
    assert_eq!(round_trip(&value).unwrap(), value);
}

mod hidden {
    pub mod deep {
        pub use gametape_delta as renamed;
    }
    // Names that could collide with generated code.
    #[allow(dead_code, non_camel_case_types, clippy::upper_case_acronyms)]
    mod shadows {
        pub struct Result;
        pub struct Option;
        pub struct Ok;
        pub struct u64;
        pub struct Default;
    }
    #[allow(unused_imports)]
    use shadows::{Default, Ok, Option, Result, u64};

    #[derive(gametape_delta::Replicate)]
    #[replicate(component = 1, crate = "crate::hidden::deep::renamed")]
    pub struct Elsewhere {
        pub hull: u8,
        #[replicate(fixed(min = 0, max = 1, step = 0.5))]
        pub x: f32,
        #[replicate(skip)]
        pub rest: [bool; 2],
    }
}

#[test]
fn the_crate_may_be_elsewhere() {
    let value = hidden::Elsewhere {
        hull: 9,
        x: 0.5,
        rest: [true; 2],
    };
    let back = round_trip(&value).unwrap();
    assert_eq!((back.hull, back.x, back.rest), (9, 0.5, [false; 2]));
}

#[derive(Replicate, Debug, PartialEq)]
#[replicate(component = 1)]
struct Wide {
    all: [u8; 64],
}

#[test]
fn as_many_fields_as_a_mask_has_bits() {
    assert_eq!(Wide::component().fields.len(), MAX_MASK_BITS);
    let mut all = [0; 64];
    for (at, value) in all.iter_mut().enumerate() {
        *value = at as u8 * 3;
    }
    assert_eq!(round_trip(&Wide { all }).unwrap(), Wide { all });
}

/// Returns a state whose schema defines the component differently, with these values.
fn other_schema(codec: Codec, value: Value) -> Snapshot {
    let schema = Schema::new([Component::new(1, [Field::new(1, codec)])]).unwrap();
    let mut state = Snapshot::new(&schema, 1);
    state.insert(7).unwrap().set(1, &[value]).unwrap();
    state
}

#[test]
fn another_schema_is_an_error_not_another_value() {
    #[derive(Replicate, Debug)]
    #[replicate(component = 1)]
    struct X(#[replicate(fixed(min = -10, max = 10, scale = 100))] f32);
    #[derive(Replicate, Debug)]
    #[replicate(component = 1)]
    struct Hull(u8);
    #[derive(Replicate, Debug)]
    #[replicate(component = 1)]
    struct Flag(bool);
    #[derive(Replicate, Debug)]
    #[replicate(component = 1)]
    struct Facing(#[replicate(rotation(bits = 9))] [f32; 4]);
    #[derive(Replicate, Debug)]
    #[replicate(component = 4)]
    struct First(#[replicate(bits = 3)] u8);

    let fixed = |scale| Codec::FixedPoint {
        min_q: -1000,
        max_q: 1000,
        scale,
    };
    let mut state = other_schema(fixed(1000), Value::FixedPoint(5));
    assert_eq!(
        state.get::<X>(7).unwrap_err().to_string(),
        "field 1 of component 1 is FixedPoint of another scale, the value is FixedPoint"
    );
    assert!(state.put(7, &X(0.5)).is_err());
    assert!(state.get::<Hull>(7).is_err());
    assert!(state.get::<Flag>(7).is_err());
    // The bounds may differ, as long as the value is within them.
    assert!(
        other_schema(fixed(100), Value::FixedPoint(5))
            .get::<X>(7)
            .is_ok()
    );

    let mut state = other_schema(Codec::UInt { bits: 16 }, Value::UInt(255));
    assert_eq!(state.get::<Hull>(7).unwrap().0, 255);
    assert!(state.get::<X>(7).is_err());
    assert!(state.put(7, &X(0.5)).is_err());
    assert!(state.get::<Flag>(7).is_err());
    assert!(state.get::<Facing>(7).is_err());
    state
        .entity_mut(7)
        .unwrap()
        .set_value(1, 1, Value::UInt(256))
        .unwrap();
    assert!(state.get::<Hull>(7).is_err(), "256 is no u8");

    // A schema with one field more, and one with a field less.
    let mut pair = state_of::<Tuple>();
    pair.put(7, &Tuple(1, None, 1.0, [])).unwrap();
    assert!(matches!(
        pair.get::<First>(7),
        Err(ValueError::FieldCount {
            fields: 2,
            values: 1,
            ..
        })
    ));
    assert!(pair.put(7, &First(1)).is_err());

    let fields = (1..).zip(SmallestThree::new(10).codecs());
    let fields: Vec<_> = fields.map(|(id, codec)| Field::new(id, codec)).collect();
    let mut turned = Snapshot::new(&Schema::new([Component::new(1, fields)]).unwrap(), 1);
    let ahead = Facing([0.0, 0.0, 0.0, 1.0]);
    assert!(turned.put(7, &ahead).is_err(), "10 bits are not 9");
}

#[derive(Replicate, Debug)]
#[replicate(component = 1)]
struct Motion {
    #[replicate(fixed(min = -512.0, max = 512.0, step = 0.01))]
    x: f32,
    #[replicate(fixed(min = -4000.5, max = 100000.25, scale = 65536))]
    y: f64,
    #[replicate(fixed(min = -1, max = 1, step = 0.001), clamp)]
    stick: f32,
    #[replicate(rotation(bits = 12))]
    facing: [f32; 4],
    #[replicate(bits = 21)]
    heat: i32,
    #[replicate(bits = 21)]
    mass: u64,
    #[replicate(varint)]
    score: i32,
}

proptest! {
    #[test]
    fn values_come_back_within_their_error_bounds(
        x in -520.0..520.0_f32,
        y in -4001.0..100_001.0_f64,
        stick in -2.0..2.0_f32,
        facing in proptest::array::uniform4(-1.0..1.0_f32),
        heat in -(1 << 21)..(1 << 21),
        mass in 0..1_u64 << 22,
        score: i32,
    ) {
        let length = facing.iter().map(|part| f64::from(*part).powi(2)).sum::<f64>().sqrt();
        prop_assume!(length > 1e-3);
        let motion = Motion { x, y, stick, facing, heat, mass, score };
        let half = |scale| FixedPoint::new(0.0, 1.0, scale).max_error();
        // A number is accepted if the nearest multiple is within the bounds.
        let x_fits = (f64::from(x) * 100.0).round().abs() <= 51_200.0;
        let y_fits = ((-4000.5 * 65536.0)..=(100_000.25 * 65536.0)).contains(&(y * 65536.0).round());
        let heat_fits = (-(1 << 20)..1 << 20).contains(&heat);
        let mass_fits = mass < 1 << 21;
        match round_trip(&motion) {
            Err(why) => prop_assert!(!(x_fits && y_fits && heat_fits && mass_fits), "{why}"),
            Ok(back) => {
                prop_assert!(x_fits && y_fits && heat_fits && mass_fits);
                // An f32 near 512 is itself off by 2^-15.
                prop_assert!((f64::from(back.x) - f64::from(x)).abs() <= half(100) + 4e-5);
                prop_assert!((back.y - y).abs() <= half(65536) + 1e-10);
                let bound = stick.clamp(-1.0, 1.0);
                prop_assert!((f64::from(back.stick) - f64::from(bound)).abs() <= half(1000) + 1e-7);
                prop_assert_eq!((back.heat, back.mass, back.score), (heat, mass, score));
                let same: f64 = facing.iter().zip(back.facing).map(|(a, b)| f64::from(*a) / length * f64::from(b)).sum();
                let angle = 2.0 * same.abs().min(1.0).acos();
                prop_assert!(angle <= SmallestThree::new(12).max_angle() + 1e-3, "{angle}");
                // Decoded values are multiples of the precision, so encoding them again is exact.
                let again = round_trip(&back).unwrap();
                prop_assert_eq!(again.x, back.x);
                prop_assert_eq!(again.y, back.y);
                prop_assert_eq!(again.stick, back.stick);
            }
        }
    }

    /// However the value moves, the receiver's value is off by at most the documented error.
    #[test]
    fn thresholds_hold_on_the_receiver(steps in proptest::collection::vec(-0.2..0.2_f32, 1..50)) {
        #[derive(Replicate)]
        #[replicate(component = 1)]
        struct Drift(#[replicate(fixed(min = -512, max = 512, step = 0.01), threshold = 0.25)] f32);
        assert_eq!(Drift::component().fields[0].change, Change::Threshold { threshold_q: 25 });
        let mut truth = 0.0;
        let mut now = state_of::<Drift>();
        now.put(7, &Drift(truth)).unwrap();
        let schema = now.schema().clone();
        let mut encoder = Encoder::new(&schema);
        let decoder = gametape_delta::Decoder::new(&schema);
        let mut held = now.clone();
        for (tick, step) in (2..).zip(steps) {
            truth += step;
            now.put(7, &Drift(truth)).unwrap();
            now.set_tick(tick);
            let mut packet = Vec::new();
            encoder.delta(&held, &now, &mut packet).unwrap();
            let base = held.clone();
            decoder.delta(&base, &packet, &mut held).unwrap();
            let shown = held.get::<Drift>(7).unwrap().0;
            prop_assert!((shown - truth).abs() <= 0.25 + 0.005 + 1e-4, "{shown} for {truth}");
        }
    }
}
