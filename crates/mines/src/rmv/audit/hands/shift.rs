//! Finds the point where a characteristic of the hand changes in the middle of a game.

/// The least number of values on either side of a change.
const FEW: usize = 8;

/// The least size of a change; all three must be reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// The difference of the means in standard errors.
    pub errors: f64,
    /// The larger mean as a multiple of the smaller one.
    pub ratio: f64,
    /// The difference of the means.
    pub least: f64,
}

/// A change of the mean.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Shift {
    /// The number of mouse events before it.
    pub mouse: u32,
    /// The mean before it.
    pub before: f64,
    /// The mean after it.
    pub after: f64,
}

pub(super) fn mean_and_spread(values: &[(u32, f32)]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values
        .iter()
        .map(|&(_, value)| f64::from(value))
        .sum::<f64>()
        / count;
    let squares = values
        .iter()
        .map(|&(_, value)| (f64::from(value) - mean).powi(2));
    (mean, (squares.sum::<f64>() / count).sqrt())
}

/// The change that separates the values best, if it is large enough.
pub(super) fn find(values: &[(u32, f32)], bound: Bound) -> Option<Shift> {
    let count = values.len();
    if count < 2 * FEW {
        return None;
    }
    let sum: f64 = values.iter().map(|&(_, value)| f64::from(value)).sum();
    let squares: f64 = values
        .iter()
        .map(|&(_, value)| f64::from(value).powi(2))
        .sum();
    if may_differ(values, (sum, squares), bound) {
        search(values, (sum, squares), bound)
    } else {
        None
    }
}

/// Examines each possible point.
fn search(values: &[(u32, f32)], (sum, squares): (f64, f64), bound: Bound) -> Option<Shift> {
    let count = values.len();
    let mut low = 0.0;
    let mut best: Option<(f64, Shift)> = None;
    for (at, &(mouse, value)) in values.iter().enumerate() {
        if at >= FEW && at + FEW <= count {
            let (a, b) = (at as f64, (count - at) as f64);
            let (before, after) = (low / a, (sum - low) / b);
            let within = squares - a * before * before - b * after * after;
            let spread = (within.max(0.0) / (count - 2) as f64).sqrt();
            let error = spread * (1.0 / a + 1.0 / b).sqrt();
            let errors = (after - before).abs() / error.max(1e-9);
            if best.is_none_or(|(most, _)| errors > most) {
                best = Some((
                    errors,
                    Shift {
                        mouse,
                        before,
                        after,
                    },
                ));
            }
        }
        low += f64::from(value);
    }
    let (errors, shift) = best?;
    let (small, large) = (shift.before.min(shift.after), shift.before.max(shift.after));
    let enough =
        errors >= bound.errors && large >= bound.ratio * small && large - small >= bound.least;
    enough.then_some(shift)
}

/// A fast check whether the two sides of any point can differ by enough standard errors. It needs
/// neither a root nor a division per point.
///
/// Let n be the number of values, a the number of values before a point, b that of the values after
/// it, and `low` the sum of the former. Of `all`, the sum of the squared deviations from the mean,
/// the point explains
///
/// d = (a · sum − n · low)² / (n · a · b),
///
/// and the difference in standard errors, squared, is
///
/// (n − 2) · d / (all − d).
///
/// One percent is allowed for rounding. If all values are nearly the same, the answer is yes.
fn may_differ(values: &[(u32, f32)], (sum, squares): (f64, f64), bound: Bound) -> bool {
    let n = values.len() as f64;
    let all = squares - sum * sum / n;
    let share = bound.errors * bound.errors / (n - 2.0);
    let least = 0.99 * n * all * share / (1.0 + share);
    if all <= 1e-6 * squares {
        return true;
    }
    let mut low = 0.0;
    let (mut at, mut may) = (0.0, false);
    for &(_, value) in values {
        let apart = at * sum - n * low;
        may |= apart * apart >= least * at * (n - at) && at > 0.0;
        low += f64::from(value);
        at += 1.0;
    }
    may
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// If the fast check finds nothing, there is no change, whatever the values are: of one
        /// kind, of two kinds with a change between them, nearly or exactly equal.
        #[test]
        fn no_change_is_passed_over(
            (first, second) in (any::<u8>(), any::<u8>()),
            noise in prop::sample::select(vec![0, 1, 2, 10, 60]),
            drawn in prop::collection::vec(any::<u8>(), 2 * FEW..120),
            at in 0..120_usize,
            unit in prop::sample::select(vec![1.0, 1.0 / 32.0]),
            (errors, ratio, least) in (0.5..9.0_f64, 1.0..2.0_f64, 0.0..20.0_f64),
        ) {
            let bound = Bound { errors, ratio, least };
            let of = |(place, drawn): (usize, u8)| {
                let level = if place < at { first } else { second };
                let value = u32::from(level) + u32::from(drawn) % (noise + 1);
                (place as u32, value as f32 * unit)
            };
            let values: Vec<(u32, f32)> = drawn.into_iter().enumerate().map(of).collect();
            let sum = values.iter().map(|&(_, value)| f64::from(value)).sum();
            let squares = values.iter().map(|&(_, value)| f64::from(value).powi(2)).sum();
            prop_assert_eq!(find(&values, bound), search(&values, (sum, squares), bound));
        }
    }
}
