//! Equality of values.

use super::super::value::Value;

/// Returns whether two values are equal bit by bit, or differ by at most `within`.
pub(super) fn same(a: Value<'_>, b: Value<'_>, within: f64) -> bool {
    match (a, b) {
        (a, b) if a.is_same(b) => true,
        (Value::Int(a), Value::Uint(b)) | (Value::Uint(b), Value::Int(a)) => {
            u64::try_from(a) == Ok(b)
        }
        // With no tolerance, 0 differs from -0.
        (Value::Float32(_), Value::Float32(_)) | (Value::Float64(_), Value::Float64(_))
            if within == 0.0 =>
        {
            false
        }
        (Value::Float32(_) | Value::Float64(_), _) | (_, Value::Float32(_) | Value::Float64(_)) => {
            let apart = number(a).zip(number(b)).map(|(a, b)| (a - b).abs());
            apart.is_some_and(|apart| apart <= within)
        }
        _ => false,
    }
}

const fn number(value: Value<'_>) -> Option<f64> {
    match value {
        Value::Int(value) => Some(value as f64),
        Value::Uint(value) => Some(value as f64),
        Value::Float32(value) => Some(value as f64),
        Value::Float64(value) => Some(value),
        Value::Null | Value::Bool(_) | Value::Text(_) => None,
    }
}
