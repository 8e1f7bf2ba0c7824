//! Numbers in JSON.

use serde_json::Value;

/// Converts a number as `dump` prints it: without a decimal point if it is whole.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}
