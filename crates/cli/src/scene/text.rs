//! Values as they are shown.

use gametape::core::text::printable;
use gametape::{ColumnDef, Stamp, Value};

/// What stands for a value that is missing.
const MISSING: &str = "-";

/// A value of a column; numbers with as many digits as the column is precise.
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

/// With so many digits behind the point, unless that would say nothing.
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

/// As many digits as numbers of this size are read with.
#[cfg(feature = "picture")]
pub fn digits(most: f64) -> usize {
    match most.abs() {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.1.. => 3,
        0.01.. => 4,
        _ => 5,
    }
}

/// `12.345 s  tick 7  step 6`
pub fn moment(stamp: Stamp) -> String {
    let time = stamp
        .time
        .map(|time| gametape::Time::from_ms(time.whole_ms()).to_string());
    let tick = stamp.tick.map(|tick| format!("tick {tick}"));
    let step = Some(format!("step {}", stamp.step));
    let parts: Vec<String> = [time, tick, step].into_iter().flatten().collect();
    parts.join("  ")
}

/// `12.345 s, tick 7, step 6`: within a sentence.
#[cfg(feature = "picture")]
pub fn told(stamp: Stamp) -> String {
    moment(stamp).replace("  ", ", ")
}

/// `team blue, points 2`: what a row says, as far as it says something.
#[cfg(feature = "play")]
pub fn row<'v>(values: impl Iterator<Item = (&'v ColumnDef, Value<'v>)>) -> String {
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
    use gametape::{Kind, Time};

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
        assert_eq!(shown(Value::Null, None), "-");
    }

    #[cfg(feature = "play")]
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

    #[test]
    fn a_moment_says_what_is_known_of_it() {
        let stamp = Stamp {
            step: 6,
            tick: Some(7),
            time: Some(Time(12_345_678_901)),
        };
        assert_eq!(moment(stamp), "12.345 s  tick 7  step 6");
    }
}
