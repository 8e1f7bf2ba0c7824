//! Numbers, and ranges of values and positions.

use gametape::{Batch, Value};

use super::views::Points;

/// The value as a finite number.
pub fn number(value: Value<'_>) -> Option<f64> {
    let number = match value {
        Value::Bool(value) => f64::from(u8::from(value)),
        value => value.as_f64()?,
    };
    number.is_finite().then_some(number)
}

/// The least and the greatest value seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub from: f64,
    pub to: f64,
}

impl Range {
    /// Returns the range extended to include a value.
    pub fn with(range: Option<Self>, value: f64) -> Self {
        let range = range.unwrap_or(Self {
            from: value,
            to: value,
        });
        Self {
            from: range.from.min(value),
            to: range.to.max(value),
        }
    }

    /// Returns the position of a number in a range: 0 for the least, 1 for the greatest.
    pub fn part(range: Option<Self>, number: f64) -> f64 {
        match range {
            Some(range) if range.to > range.from => {
                // Halves keep the length finite for any two ends.
                let length = range.to / 2.0 - range.from / 2.0;
                (number / 2.0 - range.from / 2.0) / length
            }
            _ => 0.0,
        }
    }
}

/// The ranges of x, y and z.
pub type Bounds = [Option<Range>; 3];

/// Extends bounds to include the positions of a batch.
pub fn widen(bounds: &mut Bounds, points: &Points, batch: &Batch) {
    let axes = if points.three { 3 } else { 2 };
    for (axis, bound) in bounds.iter_mut().enumerate().take(axes) {
        let values = (0..batch.len()).filter_map(|row| number(batch.get(row, points.at + axis)));
        for value in values {
            *bound = Some(Range::with(*bound, value));
        }
    }
}

/// The number of decimals for numbers of this size.
pub fn decimals(most: f64) -> usize {
    match most.abs() {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.1.. => 3,
        0.01.. => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_range_is_within_it_however_long_it_is() {
        let range = Some(Range {
            from: -f64::MAX,
            to: f64::MAX,
        });
        assert!((Range::part(range, 0.0) - 0.5).abs() < 1e-9);
        assert!((Range::part(range, f64::MAX) - 1.0).abs() < 1e-9);
        assert!(Range::part(Some(Range::with(None, 7.0)), 7.0).abs() < 1e-9);
        assert!(Range::part(None, 7.0).abs() < 1e-9);
    }
}
