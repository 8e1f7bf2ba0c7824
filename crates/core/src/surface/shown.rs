//! Formatting values for people.

use crate::table::{ColumnDef, Value};
use crate::text::printable;

/// Replaces a missing value.
const MISSING: &str = "-";

/// Formats a value of a column. Numbers get as many digits as the column is precise. Control
/// characters of texts are replaced, so that a recording cannot control the terminal.
///
/// ```
/// use gametape_core::surface::shown;
/// use gametape_core::table::{ColumnDef, Kind, Value};
///
/// let column = ColumnDef::new("x", Kind::Float64, "Where.").unit("m").within(0.01);
/// assert_eq!(shown(Value::Float64(1.234_567), Some(&column)), "1.23");
/// assert_eq!(shown(Value::Null, None), "-");
/// ```
#[must_use]
pub fn shown(value: Value<'_>, column: Option<&ColumnDef>) -> String {
    match value {
        Value::Null => MISSING.to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Float32(value) => decimal(f64::from(value), column),
        Value::Float64(value) => decimal(value, column),
        Value::Text(text) => printable(text),
    }
}

/// Uses few digits, because a person reads the number while it changes.
fn decimal(value: f64, column: Option<&ColumnDef>) -> String {
    plain(value, digits(column.and_then(|column| column.precision)))
}

/// Returns the number of meaningful decimal places.
fn digits(precision: Option<f64>) -> usize {
    match precision {
        Some(precision) if precision > 0.0 => (-precision.log10()).ceil().clamp(0.0, 6.0) as usize,
        _ => 3,
    }
}

/// Formats a number with this many decimal places, or in scientific notation where that would hide
/// its value.
///
/// ```
/// use gametape_core::surface::plain;
/// assert_eq!(plain(2.0 / 3.0, 2), "0.67");
/// assert_eq!(plain(0.000_01, 3), "1.00e-5");
/// ```
#[must_use]
pub fn plain(value: f64, digits: usize) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return value.to_string();
    }
    let least = 10_f64.powi(-(i32::try_from(digits).unwrap_or(6)));
    if size >= 1e9 || (size > 0.0 && size < least) {
        return format!("{value:.2e}");
    }
    format!("{value:.digits$}")
}

/// The maximum length of a row's summary, in characters; only its first value may be longer.
const LONGEST: usize = 60;

/// The maximum number of numeric values in a row's summary.
const NUMBERS: usize = 3;

/// Longer texts are cut off after this many characters.
const TEXT: usize = 28;

/// Units of time. Such values come last, because the row's stamp is shown beside its summary.
const TIMES: [&str; 6] = ["ns", "us", "ms", "s", "min", "h"];

/// Summarises a row in a few words, such as `team blue, points 2`: texts first because they name
/// the subject, then true flags, then numbers, and times last, as many as fit.
pub(super) fn sentence<'c, 'v>(values: impl Iterator<Item = (&'c ColumnDef, Value<'v>)>) -> String {
    let mut told: Vec<_> = values
        .filter_map(|(column, value)| Some((rank(column, value)?, column, value)))
        .collect();
    told.sort_by_key(|(rank, ..)| *rank);
    let (mut said, mut numbers) = (String::new(), 0);
    for (rank, column, value) in told {
        let words = words(column, value);
        let comma = if said.is_empty() { "" } else { ", " };
        numbers += usize::from(rank > CASE);
        let long = said.chars().count() + comma.len() + words.chars().count();
        if numbers > NUMBERS || (long > LONGEST && !said.is_empty()) {
            break;
        }
        said.push_str(comma);
        said.push_str(&words);
    }
    said
}

const CASE: u8 = 1;

/// Returns the position of a value in the summary; `None` if the value says nothing.
fn rank(column: &ColumnDef, value: Value<'_>) -> Option<u8> {
    match value {
        Value::Null | Value::Text("") | Value::Bool(false) => None,
        Value::Text(_) => Some(0),
        Value::Bool(true) => Some(CASE),
        _ if TIMES.contains(&&*column.unit) => Some(CASE + 2),
        _ => Some(CASE + 1),
    }
}

fn words(column: &ColumnDef, value: Value<'_>) -> String {
    let name = column.name.replace('_', " ");
    let said = match value {
        Value::Bool(_) => return name,
        // A text says itself what it is of, such as the zone of a time.
        Value::Text(text) => return format!("{name} {}", clipped(&printable(text))),
        Value::Float32(value) => rough(f64::from(value), column),
        Value::Float64(value) => rough(value, column),
        other => shown(other, Some(column)),
    };
    if column.unit.is_empty() {
        format!("{name} {said}")
    } else {
        format!("{name} {said} {}", column.unit)
    }
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text).trim_end()),
        None => text.to_owned(),
    }
}

/// Formats a number with at most two decimal places, without trailing zeros.
fn rough(value: f64, column: &ColumnDef) -> String {
    let text = plain(value, digits(column.precision).min(2));
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Kind;

    #[test]
    fn numbers_have_the_digits_that_they_mean() {
        let column = ColumnDef::new("x", Kind::Float64, "")
            .unit("m")
            .within(0.01);
        assert_eq!(shown(Value::Float64(1.234_567), Some(&column)), "1.23");
        assert_eq!(shown(Value::Float32(0.5), None), "0.500");
        assert_eq!(shown(Value::Float64(0.000_01), None), "1.00e-5");
        assert_eq!(shown(Value::Float64(f64::NAN), None), "NaN");
    }

    fn goal() -> [ColumnDef; 6] {
        [
            ColumnDef::new("clock", Kind::Float32, "").unit("s"),
            ColumnDef::new("points", Kind::Float32, ""),
            ColumnDef::new("disc_speed", Kind::Float64, "")
                .unit("m/s")
                .within(0.0625),
            ColumnDef::new("headbutt", Kind::Bool, ""),
            ColumnDef::new("thrower", Kind::Text, ""),
            ColumnDef::new("assist", Kind::Text, ""),
        ]
    }

    fn said(columns: &[ColumnDef], values: &[Value<'_>]) -> String {
        sentence(columns.iter().zip(values.iter().copied()))
    }

    #[test]
    fn a_row_says_who_and_what_before_how_much_and_when() {
        let values = [
            Value::Float32(562.2),
            Value::Float32(2.0),
            Value::Float64(17.187_5),
            Value::Bool(true),
            Value::Text("Yew"),
            Value::Text(""),
        ];
        let words = "thrower Yew, headbutt, points 2, disc speed 17.19 m/s";
        assert_eq!(said(&goal(), &values), words);
        let values = values.map(|value| match value {
            Value::Bool(_) | Value::Text(_) => Value::Null,
            other => other,
        });
        let words = "points 2, disc speed 17.19 m/s, clock 562.2 s";
        assert_eq!(said(&goal(), &values), words);
        assert_eq!(said(&goal(), &[Value::Null; 6]), "");
    }

    #[test]
    fn a_row_of_many_numbers_says_few_of_them() {
        let name = |at| format!("measured_number_{at}");
        let columns: Vec<_> = (0..40)
            .map(|at| ColumnDef::new(name(at), Kind::Uint, ""))
            .collect();
        let words = "measured number 0 7, measured number 1 7";
        assert_eq!(said(&columns, &[Value::Uint(7); 40]), words);
        let columns: Vec<_> = ["a", "b", "c", "d"]
            .map(|name| ColumnDef::new(name, Kind::Uint, ""))
            .into();
        assert_eq!(said(&columns, &[Value::Uint(7); 4]), "a 7, b 7, c 7");
    }

    #[test]
    fn a_long_text_is_told_by_its_beginning() {
        let column = [ColumnDef::new("name", Kind::Text, "")];
        let said = said(&column, &[Value::Text(&"é".repeat(500))]);
        assert_eq!(said, format!("name {}…", "é".repeat(TEXT)));
    }

    #[test]
    fn no_text_of_the_recording_steers_the_terminal() {
        assert!(!shown(Value::Text("a\x1b[2Jb"), None).contains('\x1b'));
    }
}
