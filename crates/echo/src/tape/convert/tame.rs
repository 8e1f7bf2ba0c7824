//! Numbers that JSON has no text for.

use crate::{Frame, echoreplay};

/// Puts 0 in the place of what is infinite or no number; how often.
pub(in crate::tape) fn tame(frame: &mut Frame) -> u64 {
    let mut tamed = 0;
    echoreplay::numbers(frame, |number| {
        if !number.is_finite() {
            *number = 0.0;
            tamed += 1;
        }
    });
    tamed
}
