use super::*;
use crate::schema::{Component, Field};
use alloc::string::ToString;
use proptest::prelude::*;

fn schema(fields: impl Into<Vec<Field>>) -> Schema {
    Schema::new([Component::new(1, fields)]).unwrap()
}

fn one(from: Codec, to: Codec, value: Value) -> Result<Value, String> {
    let (old, new) = (schema([Field::new(1, from)]), schema([Field::new(1, to)]));
    let migration = Migration::new(&old, &new).map_err(|all| all[0].to_string())?;
    let mut state = Snapshot::new(&old, 5);
    state.insert(3).unwrap().set(1, &[value]).unwrap();
    let migrated = migration.state(&state).map_err(|error| error.to_string())?;
    assert_eq!(migrated.tick(), 5);
    Ok(migrated.entity(3).unwrap().value(1, 1).unwrap())
}

const fn fixed(min_q: i64, max_q: i64, scale: u32) -> Codec {
    Codec::FixedPoint {
        min_q,
        max_q,
        scale,
    }
}

#[test]
fn kinds_change_where_values_fit() {
    let (uint, sint) = (Codec::UInt { bits: 7 }, Codec::SInt { bits: 4 });
    let cases = [
        (Codec::Bool, uint, Value::Bool(true), Ok(Value::UInt(1))),
        (uint, Codec::Bool, Value::UInt(1), Ok(Value::Bool(true))),
        (uint, sint, Value::UInt(7), Ok(Value::SInt(7))),
        (
            sint,
            Codec::VarSInt,
            Value::SInt(-8),
            Ok(Value::VarSInt(-8)),
        ),
        (
            uint,
            fixed(-500, 1270, 10),
            Value::UInt(127),
            Ok(Value::FixedPoint(1270)),
        ),
        (
            fixed(-999, 999, 10),
            sint,
            Value::FixedPoint(-75),
            Ok(Value::SInt(-8)),
        ),
        (
            fixed(-999, 999, 10),
            sint,
            Value::FixedPoint(74),
            Ok(Value::SInt(7)),
        ),
        (
            uint,
            sint,
            Value::UInt(8),
            Err(
                "entity 3, component 1, field 1: 8 does not fit SInt of 4 bits, which holds -8 to 7",
            ),
        ),
        (
            uint,
            fixed(-20, -10, 1),
            Value::UInt(1),
            Err(
                "component 1, field 1: no value of UInt of 7 bits fits FixedPoint -20 to -10 at scale 1",
            ),
        ),
    ];
    for (from, to, value, expected) in cases {
        assert_eq!(
            one(from, to, value),
            expected.map_err(str::to_owned),
            "{from} to {to}"
        );
    }
}

#[test]
fn wide_codecs_do_not_overflow() {
    let all = fixed(i64::MIN, i64::MAX, 1);
    let big = fixed(i64::MIN, i64::MAX, u32::MAX);
    assert!(one(all, big, Value::FixedPoint(i64::MIN)).is_err());
    assert_eq!(
        one(big, all, Value::FixedPoint(i64::MAX)),
        Ok(Value::FixedPoint(2_147_483_648))
    );
    let uint = Codec::UInt { bits: 64 };
    assert_eq!(
        one(uint, uint, Value::UInt(u64::MAX)),
        Ok(Value::UInt(u64::MAX))
    );
    assert!(one(uint, all, Value::UInt(u64::MAX)).is_err());
}

#[test]
fn added_fields_are_absent_or_nearest_to_zero_and_removed_ones_are_reported() {
    let uint = Codec::UInt { bits: 8 };
    let old = Schema::new([
        Component::new(1, [Field::new(1, uint), Field::new(2, uint).named("hull")]),
        Component::new(2, [Field::new(1, uint)]).named("gun"),
    ])
    .unwrap();
    let new = Schema::new([
        Component::new(3, [Field::new(1, uint)]),
        Component::new(1, [Field::new(9, fixed(5, 9, 10)), Field::new(1, uint)]),
    ])
    .unwrap();
    let migration = Migration::new(&old, &new).unwrap();
    let losses: Vec<String> = migration.losses().iter().map(ToString::to_string).collect();
    assert_eq!(losses, ["component 1, field 2 (hull)", "component 2 (gun)"]);
    let mut state = Snapshot::new(&old, 1);
    let values = [Value::UInt(4), Value::UInt(5)];
    state.insert(1).unwrap().set(1, &values).unwrap();
    state.insert(2).unwrap().set(2, &values[..1]).unwrap();
    let migrated = migration.state(&state).unwrap();
    let entity = migrated.entity(1).unwrap();
    assert_eq!(entity.value(1, 9), Some(Value::FixedPoint(5)));
    assert_eq!(entity.value(1, 1), Some(Value::UInt(4)));
    // Every entity stays, even without components.
    assert_eq!(migrated.entity(2).unwrap().components().count(), 0);
}

proptest! {
    #[test]
    fn there_and_back_through_a_finer_scale_is_the_same(
        value in -1_000_000..1_000_000_i64, scale in 1..1000_u32, factor in 1..1000_u32,
    ) {
        let coarse = fixed(-1_000_000, 1_000_000, scale);
        let fine = fixed(i64::MIN, i64::MAX, scale * factor);
        let there = one(coarse, fine, Value::FixedPoint(value)).unwrap();
        prop_assert_eq!(one(fine, coarse, there).unwrap(), Value::FixedPoint(value));
    }

    #[test]
    fn rounding_is_that_of_the_quantiser(value in -100_000..100_000_i64, from in 1..500_u32, to in 1..500_u32) {
        let wide = |scale| fixed(-100_000_000, 100_000_000, scale);
        let got = one(wide(from), wide(to), Value::FixedPoint(value)).unwrap().as_i128();
        // |exact - got| <= 1/2 in units of 1/from, computed without floats.
        let exact = i128::from(value) * i128::from(to);
        let off = (exact - got * i128::from(from)).abs() * 2;
        prop_assert!(off <= i128::from(from));
        if off == i128::from(from) {
            prop_assert!(got.abs() * i128::from(from) > exact.abs(), "halves go away from zero");
        }
    }
}
