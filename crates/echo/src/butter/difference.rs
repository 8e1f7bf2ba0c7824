//! Differences of values from what a reader has.

use super::half::{from_half, to_half};
use super::packed::Halves;
use crate::model::Vec3;

/// The largest finite half.
const MAX_HALF: u16 = 0x7BFF;

/// The difference of a value from what a reader has, as a half.
///
/// Where the sum that a reader makes of it is rounded, the difference of that sum counts: a
/// recording that is read and written once more stays as it is.
#[inline]
pub fn difference(value: f32, from: f32) -> u16 {
    let mut half = finite(to_half(value - from));
    for _ in 0..3 {
        let again = to_half((from + from_half(half)) - from);
        if again == half {
            break;
        }
        half = again;
    }
    half
}

/// Steps a metre of positions, and a metre a second of velocities.
///
/// The API prints thousandths; the nearest multiple of 1/1024 is less than half a thousandth from
/// one, so rounding to three decimals gives it back. Differences of multiples below 2 are halves
/// without rounding: nothing adds up, sums are exact, and few different differences compress well.
pub const STEPS: f32 = 1024.0;

/// Beyond this, values are further apart than [`STEPS`] in a reader's f32 or nearly so.
const FINE: f32 = 4096.0;

/// The nearest multiple of a step.
#[inline(always)]
fn on_grid(value: f32) -> f32 {
    /// 1.5 * 2²³: adding it rounds to whole numbers, to even ones where two are as near.
    const WHOLE: f32 = 12_582_912.0;
    ((value * STEPS + WHOLE) - WHOLE) / STEPS
}

/// Never infinity or NaN, which no later difference would lead back from.
#[inline]
pub const fn finite(half: u16) -> u16 {
    match half & 0x7FFF {
        0..=MAX_HALF => half,
        0x7C00 => half & 0x8000 | MAX_HALF,
        _ => 0,
    }
}

/// The differences of a position or a velocity from what a reader has.
#[inline(always)]
pub fn differences(value: Vec3, from: Vec3) -> Halves {
    let ([x, y, z], [fx, fy, fz]) = (value, from);
    let fine = |value: f32| value.abs() < FINE;
    if fine(x) && fine(y) && fine(z) && fine(fx) && fine(fy) && fine(fz) {
        [
            to_half(on_grid(x) - fx),
            to_half(on_grid(y) - fy),
            to_half(on_grid(z) - fz),
        ]
    } else {
        [difference(x, fx), difference(y, fy), difference(z, fz)]
    }
}

/// Zero, of whatever sign.
#[inline]
pub const fn is_zero_half(half: u16) -> bool {
    half << 1 == 0
}

#[inline]
pub const fn is_zero([a, b, c]: Halves) -> bool {
    is_zero_half(a | b | c)
}

/// The difference of the clock, in the way of [`difference`].
pub fn clock_difference(value: f32, from: f32) -> f32 {
    let mut delta = value - from;
    for _ in 0..3 {
        let again = (from + delta) - from;
        if again.to_bits() == delta.to_bits() {
            break;
        }
        delta = again;
    }
    delta
}
