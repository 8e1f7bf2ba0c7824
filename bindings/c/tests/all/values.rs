//! Numbers of C as values of fields, for every codec.

use gametape_c::*;
use proptest::prelude::*;

use crate::common::*;

/// A codec: its JSON, its kind, its range, and its scale.
type Codec = (String, Kind, i128, i128, f64);

fn codec() -> impl Strategy<Value = Codec> {
    let wide = |bits: u32| 1_i128 << bits;
    prop_oneof![
        Just((r#""Bool""#.to_owned(), Kind::Bool, 0, 1, 1.0)),
        Just((
            r#""VarUInt""#.to_owned(),
            Kind::VarUint,
            0,
            wide(32) - 1,
            1.0
        )),
        Just((
            r#""VarSInt""#.to_owned(),
            Kind::VarSint,
            -wide(31),
            wide(31) - 1,
            1.0
        )),
        (1_u32..=64).prop_map(move |bits| {
            (
                format!(r#"{{"UInt":{{"bits":{bits}}}}}"#),
                Kind::Uint,
                0,
                wide(bits) - 1,
                1.0,
            )
        }),
        (1_u32..=64).prop_map(move |bits| {
            let half = wide(bits - 1);
            (
                format!(r#"{{"SInt":{{"bits":{bits}}}}}"#),
                Kind::Sint,
                -half,
                half - 1,
                1.0,
            )
        }),
        (any::<i64>(), any::<i64>(), 1_u32..).prop_map(|(a, b, scale)| {
            let (min, max) = (a.min(b), a.max(b));
            let json =
                format!(r#"{{"FixedPoint":{{"min_q":{min},"max_q":{max},"scale":{scale}}}}}"#);
            (
                json,
                Kind::FixedPoint,
                min.into(),
                max.into(),
                f64::from(scale),
            )
        }),
    ]
}

fn schema_with(json: &str) -> Box<Schema> {
    let field = format!(r#"{{"id":3,"codec":{json}}}"#);
    schema_of(&format!(
        r#"{{"components":[{{"id":5,"fields":[{field}]}}]}}"#
    ))
    .unwrap()
}

fn read(state: &Snapshot) -> Option<(i64, f64, Kind)> {
    let value = values(state, 1, 5)?[0];
    Some((value.integer, value.real, value.kind))
}

proptest! {
    #[test]
    fn a_number_in_range_is_kept_and_no_other_is_taken(
        (json, kind, min, max, scale) in codec(),
        near in -2_i64..=2,
        any in any::<i64>(),
        which in 0..3,
    ) {
        // At the ends of the range, and anywhere.
        let number = match which {
            0 => (min as i64).wrapping_add(near),
            1 => (max as i64).wrapping_add(near),
            _ => any,
        };
        // An unsigned number of 64 bits has the bits of a signed one in C.
        let all_bits = max == i128::from(u64::MAX);
        let meant = if all_bits { i128::from(number as u64) } else { number.into() };
        let mut state = state(&schema_with(&json), 1);
        let fits = (min..=max).contains(&meant);
        let status = put(&mut state, 1, 5, &[number]);
        prop_assert_eq!(status == Status::Ok, fits, "{} in {}: {:?}", number, json, status);
        let expected = fits.then(|| (number, meant as f64 / scale, kind));
        prop_assert_eq!(read(&state), expected);
        // The same, one field at a time.
        let zero = if min <= 0 && max >= 0 { 0 } else { min as i64 };
        put(&mut state, 1, 5, &[zero]);
        let status = gametape_snapshot_set(Some(&mut state), 1, 5, 3, number, None);
        prop_assert_eq!(status == Status::Ok, fits);
        prop_assert_eq!(read(&state).unwrap().0, if fits { number } else { zero });
    }

    #[test]
    fn a_real_number_becomes_the_nearest_one(
        (json, _, min, max, scale) in codec(),
        share in -0.2..1.2_f64,
    ) {
        // Doubles are exact up to 2^53.
        let near = i128::from(1_i64 << 52);
        prop_assume!(min >= -near && max <= near);
        let real = (min as f64 + share * (max - min) as f64) / scale;
        let mut state = state(&schema_with(&json), 1);
        // SAFETY: an array with its length.
        let status = unsafe {
            gametape_snapshot_put_real(Some(&mut state), 1, 5, &raw const real, 1, None)
        };
        let units = real * scale;
        if let Some((integer, ..)) = read(&state) {
            prop_assert_eq!(status, Status::Ok);
            prop_assert!((integer as f64 - units).abs() <= 0.5 + units.abs() * 1e-15);
            prop_assert!((min..=max).contains(&integer.into()));
        } else {
            prop_assert_eq!(status, Status::Caller);
            let margin = 0.5 - units.abs() * 1e-15;
            prop_assert!(units <= min as f64 - margin || units >= max as f64 + margin);
        }
    }
}

#[test]
fn numbers_that_are_none_are_refused() {
    let mut ship = state(&schema(), 1);
    put(&mut ship, 1, 1, &[150, 100]);
    for real in [f64::NAN, f64::INFINITY, 1e300, 512.01] {
        let status = gametape_snapshot_set_real(Some(&mut ship), 1, 1, 1, real, None);
        assert_eq!(status, Status::Caller, "{real}");
    }
    assert_eq!(values(&ship, 1, 1).unwrap()[0].integer, 150);
    gametape_snapshot_set_real(Some(&mut ship), 1, 1, 1, -511.994, None);
    assert_eq!(values(&ship, 1, 1).unwrap()[0].integer, -51_199);
}

#[test]
fn entities_and_components_come_and_go() {
    let mut ship = state(&schema(), 1);
    for id in [5, 1, 3] {
        put(&mut ship, id, 1, &[0, 0]);
    }
    put(&mut ship, 3, 2, &[9]);
    assert!(gametape_snapshot_has_component(Some(&ship), 3, 2));
    assert!(gametape_snapshot_remove_component(Some(&mut ship), 3, 2));
    assert!(!gametape_snapshot_remove_component(Some(&mut ship), 3, 2));
    assert!(!gametape_snapshot_has_component(Some(&ship), 3, 2));
    assert!(gametape_snapshot_remove(Some(&mut ship), 1));
    assert!(!gametape_snapshot_remove(Some(&mut ship), 1));
    assert_eq!(gametape_snapshot_entities(Some(&ship), None), 2);
    gametape_snapshot_clear(Some(&mut ship), None);
    assert_eq!(gametape_snapshot_entities(Some(&ship), None), 0);
    assert_eq!(gametape_snapshot_tick(Some(&ship)), 1);
}
