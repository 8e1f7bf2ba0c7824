//! Statistics that need only the counts of a game: its pace and its style.

use super::clicks::Clicks;

pub(super) fn seconds(ms: u32) -> f64 {
    f64::from(ms) / 1000.0
}

pub(super) fn bbbv_per_s(clicks: &Clicks, time_ms: u32) -> Option<f64> {
    ratio(f64::from(clicks.solved_bbbv), seconds(time_ms))
}

pub(super) const fn style(clicks: &Clicks, preflags: u32) -> &'static str {
    if clicks.flags == 0 && preflags == 0 {
        "NF"
    } else {
        "FL"
    }
}

pub(super) fn ratio(part: f64, whole: f64) -> Option<f64> {
    let value = part / whole;
    (whole != 0.0 && value.is_finite()).then_some(value)
}
