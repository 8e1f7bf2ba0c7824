//! Converts values of rows to JSON and back without loss.

use gametape_core::table::{Kind, Owned, Value};
use serde_json::{Number, Value as Json};

/// Numbers that JSON does not have.
const NONE: [(&str, f64); 3] = [
    ("NaN", f64::NAN),
    ("inf", f64::INFINITY),
    ("-inf", f64::NEG_INFINITY),
];

/// A value as JSON. Numbers that JSON cannot express become texts: `"NaN"`, `"inf"`, `"-inf"`.
pub(super) fn json(value: Value<'_>) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => value.into(),
        Value::Int(value) => value.into(),
        Value::Uint(value) => value.into(),
        Value::Float32(value) => short(value).unwrap_or_else(|| float(value.into())),
        Value::Float64(value) => float(value),
        Value::Text(text) => text.into(),
    }
}

fn float(value: f64) -> Json {
    let written = Number::from_f64(value).map(Json::Number);
    written.unwrap_or_else(|| {
        let name = match value {
            value if value.is_nan() => "NaN",
            value if value > 0.0 => "inf",
            _ => "-inf",
        };
        name.into()
    })
}

/// A number with just the digits that 32 bits need, if these give the same number back.
fn short(value: f32) -> Option<Json> {
    let near: f64 = value.to_string().parse().ok()?;
    let back = near as f32;
    (value.is_finite() && back.to_bits() == value.to_bits()).then(|| float(near))
}

/// The value of this kind; `None` if the JSON is not one.
pub(super) fn owned(kind: Kind, json: &Json) -> Option<Owned> {
    if json.is_null() {
        return Some(Owned::Null);
    }
    Some(match kind {
        Kind::Bool => Owned::Bool(json.as_bool()?),
        Kind::Int => Owned::Int(json.as_i64()?),
        Kind::Uint => Owned::Uint(json.as_u64()?),
        Kind::Float32 => Owned::Float32((number(json)? as f32).to_bits()),
        Kind::Float64 => Owned::Float64(number(json)?.to_bits()),
        Kind::Text => Owned::Text(json.as_str()?.to_owned()),
    })
}

fn number(json: &Json) -> Option<f64> {
    let named = |text: &str| NONE.into_iter().find(|(name, _)| *name == text);
    match json.as_str() {
        Some(text) => named(text).map(|(_, number)| number),
        None => json.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(kind: Kind, value: Value<'_>) -> Option<Owned> {
        let text = json(value).to_string();
        owned(kind, &serde_json::from_str(&text).unwrap())
    }

    proptest! {
        #[test]
        fn numbers_come_back_bit_for_bit(bits: u64, half: u32) {
            for value in [bits, f64::MIN_POSITIVE.to_bits(), (-0.0_f64).to_bits()] {
                let value = f64::from_bits(value);
                let back = back(Kind::Float64, Value::Float64(value)).unwrap();
                prop_assert!(value.is_nan() || back == Owned::Float64(value.to_bits()));
            }
            for value in [half, (-0.0_f32).to_bits(), f32::INFINITY.to_bits()] {
                let value = f32::from_bits(value);
                let back = back(Kind::Float32, Value::Float32(value)).unwrap();
                prop_assert!(value.is_nan() || back == Owned::Float32(value.to_bits()));
            }
            prop_assert_eq!(back(Kind::Uint, Value::Uint(bits)), Some(Owned::Uint(bits)));
            let int = bits.cast_signed();
            prop_assert_eq!(back(Kind::Int, Value::Int(int)), Some(Owned::Int(int)));
        }

        #[test]
        fn texts_come_back(text: String) {
            prop_assert_eq!(back(Kind::Text, Value::Text(&text)), Some(Owned::Text(text.clone())));
        }
    }
}
