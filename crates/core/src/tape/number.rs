//! Numbers in JSON.

use serde_json::Value;

/// A number as `dump` prints it: without a fraction where it has none.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}
