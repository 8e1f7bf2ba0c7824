//! Where a figure that belongs to a hand changes in the middle of a game.

/// Values on either side of a change, at least.
const FEW: usize = 8;

/// How large a change has to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// In standard errors of the difference.
    pub errors: f64,
    /// The larger mean as a multiple of the smaller one.
    pub ratio: f64,
    /// The difference of the means.
    pub least: f64,
}

/// A change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    /// How many mouse events are before it.
    pub mouse: u32,
    /// The mean before it.
    pub before: f64,
    /// The mean from it on.
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

/// The place that parts the values best, if the parts differ by enough.
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
