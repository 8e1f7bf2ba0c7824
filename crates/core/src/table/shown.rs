//! Values as people read them.

use super::batch::Value;
use super::def::ColumnDef;
use crate::text::printable;

/// What stands for a value that is missing.
const MISSING: &str = "-";

/// A value of a column; numbers with as many digits as the column is precise. No text of a recording
/// steers a terminal.
///
/// ```
/// use gametape_core::table::{ColumnDef, Kind, Value, shown};
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

/// Fewer digits than a number may have: it changes while somebody reads it.
fn decimal(value: f64, column: Option<&ColumnDef>) -> String {
    let precision = column.and_then(|column| column.precision);
    let digits = match precision {
        Some(precision) if precision > 0.0 => (-precision.log10()).ceil().clamp(0.0, 6.0) as usize,
        _ => 3,
    };
    plain(value, digits)
}

/// A number with so many digits behind the point, unless that would say nothing.
///
/// ```
/// use gametape_core::table::plain;
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

/// `team blue, points 2`: what a row says, as far as it says something.
pub(super) fn row<'v>(values: impl Iterator<Item = (&'v ColumnDef, Value<'v>)>) -> String {
    let told = values.filter(|(_, value)| *value != Value::Null && *value != Value::Text(""));
    let told: Vec<String> = told
        .map(|(column, value)| {
            let unit = if column.unit.is_empty() { "" } else { " " };
            format!(
                "{} {}{unit}{}",
                column.name,
                shown(value, Some(column)),
                column.unit
            )
        })
        .collect();
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::kind::Kind;
    use super::*;

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

    #[test]
    fn a_row_says_what_is_there() {
        let column = ColumnDef::new("x", Kind::Float64, "")
            .unit("m")
            .within(0.01);
        let values = [(&column, Value::Float64(2.0)), (&column, Value::Null)];
        assert_eq!(row(values.into_iter()), "x 2.00 m");
    }

    #[test]
    fn no_text_of_the_recording_steers_the_terminal() {
        assert!(!shown(Value::Text("a\x1b[2Jb"), None).contains('\x1b'));
    }
}
