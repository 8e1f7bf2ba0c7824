//! JSON in which every reader keeps all digits. JavaScript, jq and many others hold each number as an `f64`, which
//! tells whole numbers apart up to 2^53 only.

use serde_json::Value;
use std::fmt;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// The largest whole number that an `f64` tells from its neighbours.
const LARGEST: u64 = (1 << 53) - 1;

/// A whole number as it stands in JSON: text if it is larger than 2^53 − 1 or smaller than −(2^53 − 1).
///
/// ```
/// use gametape_core::tape::Whole;
/// assert_eq!(Whole(42).to_string(), "42");
/// assert_eq!(Whole(-9_007_199_254_740_992).to_string(), "\"-9007199254740992\"");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Whole(pub i128);

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.unsigned_abs() > LARGEST.into() {
            write!(f, "\"{}\"", self.0)
        } else {
            self.0.fmt(f)
        }
    }
}

/// Writes a value as JSON on one line, with its whole numbers as [`Whole`]. Keys of maps must be texts.
///
/// ```
/// let mut out = Vec::new();
/// gametape_core::tape::write_json(&mut out, &[1, u64::MAX])?;
/// assert_eq!(out, br#"[1,"18446744073709551615"]"#);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Any error of the output.
pub fn write_json(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    struct Exact;

    impl Formatter for Exact {
        fn write_i64<W: ?Sized + Write>(&mut self, out: &mut W, value: i64) -> io::Result<()> {
            write!(out, "{}", Whole(value.into()))
        }

        fn write_u64<W: ?Sized + Write>(&mut self, out: &mut W, value: u64) -> io::Result<()> {
            write!(out, "{}", Whole(value.into()))
        }
    }

    let mut serializer = Serializer::with_formatter(out, Exact);
    Ok(value.serialize(&mut serializer)?)
}

/// Copies JSON, with its whole numbers as [`Whole`]; all other bytes stay as they are.
///
/// ```
/// let mut out = Vec::new();
/// gametape_core::tape::copy_json(br#"{"id":10001234567890123456, "n":[1, 1.5]}"#, &mut out);
/// assert_eq!(out, br#"{"id":"10001234567890123456", "n":[1, 1.5]}"#);
/// ```
pub fn copy_json(json: &[u8], out: &mut Vec<u8>) {
    let (mut copied, mut at) = (0, 0);
    if !may_have_large(json) {
        at = json.len();
    }
    while let Some(first) = json.get(at) {
        let after = json.get(at + 1..).unwrap_or_default();
        let end = match first {
            b'"' => at + 1 + rest_of_text(after),
            b'-' | b'0'..=b'9' => {
                let is_part =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                at + 1 + after.iter().take_while(|byte| is_part(byte)).count()
            }
            _ => at + 1,
        };
        if *first != b'"'
            && end - at >= DIGITS
            && let Some(whole) = json.get(at..end).and_then(large)
        {
            out.extend_from_slice(json.get(copied..at).unwrap_or_default());
            out.extend_from_slice(whole.to_string().as_bytes());
            copied = end;
        }
        at = end;
    }
    out.extend_from_slice(json.get(copied..).unwrap_or_default());
}

/// The number of digits that a whole number beyond [`LARGEST`] has, at least.
const DIGITS: usize = 16;

/// Whether there are [`DIGITS`] digits in a row anywhere. Nearly no line has them, and looking at every 16th byte
/// tells.
fn may_have_large(json: &[u8]) -> bool {
    let mut chunks = json
        .chunks_exact(DIGITS)
        .zip((DIGITS - 1..).step_by(DIGITS));
    chunks.any(|(chunk, at)| {
        let is_digit = |byte: &&u8| byte.is_ascii_digit();
        if !chunk.last().is_some_and(u8::is_ascii_digit) {
            return false;
        }
        let before = chunk.iter().rev().take_while(is_digit).count();
        let after = json.get(at + 1..).unwrap_or_default();
        let after = after.iter().take(DIGITS).take_while(is_digit).count();
        before + after >= DIGITS
    })
}

/// Returns how far a text goes on, up to its last quotation mark.
fn rest_of_text(after: &[u8]) -> usize {
    let mut escaped = false;
    let end = after.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map_or(after.len(), |end| end + 1)
}

/// Returns a whole number that is too large for an `f64`.
fn large(number: &[u8]) -> Option<Whole> {
    let whole = Whole(str::from_utf8(number).ok()?.parse().ok()?);
    (whole.0.unsigned_abs() > LARGEST.into()).then_some(whole)
}

/// Converts a number as `dump` prints it: without a decimal point if it is whole.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-3_i64..3).prop_map(|near| Value::from(LARGEST.cast_signed() + near)),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
            "-?[0-9]{1,20}\\\\?\"?".prop_map(Value::from),
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 30, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".*", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    /// The same, slowly: large numbers are texts.
    fn exact(value: &Value) -> Value {
        match value {
            Value::Number(number) => {
                let whole = number.as_i64().map(i128::from);
                let whole = whole.or_else(|| number.as_u64().map(i128::from));
                match whole {
                    Some(whole) if whole.abs() >= 1 << 53 => Value::from(whole.to_string()),
                    _ => value.clone(),
                }
            }
            Value::Array(list) => list.iter().map(exact).collect(),
            Value::Object(map) => {
                let all = map.iter().map(|(key, value)| (key.clone(), exact(value)));
                Value::Object(all.collect())
            }
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn all_digits_are_kept(value in value()) {
            let mut out = Vec::new();
            write_json(&mut out, &value).unwrap();
            let wanted = serde_json::to_vec(&exact(&value)).unwrap();
            prop_assert_eq!(String::from_utf8(out).unwrap(), String::from_utf8(wanted.clone()).unwrap());
            let mut copied = Vec::new();
            copy_json(&serde_json::to_vec(&value).unwrap(), &mut copied);
            prop_assert_eq!(String::from_utf8(copied).unwrap(), String::from_utf8(wanted).unwrap());
        }

        #[test]
        fn any_bytes_are_copied(bytes: Vec<u8>) {
            let mut copied = Vec::new();
            copy_json(&bytes, &mut copied);
            prop_assert!(copied.len() >= bytes.len());
        }
    }
}
