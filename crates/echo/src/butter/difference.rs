//! Differences of values from what a reader has.

use super::half::{from_half, to_half};
use super::packed::Halves;
use crate::model::Vec3;

/// The largest finite half.
const MAX_HALF: u16 = 0x7BFF;

/// The difference of a value from what a reader has, as a half: cut off, unless the next larger
/// half leads a reader to the value itself.
///
/// What a reader makes of it is rounded to an f32. The difference of that sum gives the same half
/// again: a recording that is read and written once more stays as it is.
#[inline]
pub fn difference(value: f32, from: f32) -> u16 {
    if value.to_bits() == from.to_bits() && value.is_finite() {
        return 0;
    }
    apart(value, from)
}

fn apart(value: f32, from: f32) -> u16 {
    let cut = finite(to_half(value - from));
    exact(value, from, cut).unwrap_or_else(|| {
        let sum = from + from_half(cut);
        // A sum beyond 2²⁹ may be further away than the largest half.
        exact(sum, from, finite(to_half(sum - from))).unwrap_or(cut)
    })
}

/// Of a half and the next larger one, the first that leads to the value itself.
fn exact(value: f32, from: f32, half: u16) -> Option<u16> {
    [half, finite(half + 1)]
        .into_iter()
        .find(|&half| (from + from_half(half)).to_bits() == value.to_bits())
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

/// The differences of positions and velocities from what a reader has.
///
/// Lane by lane without branches, so that a compiler can use vectors.
#[inline(always)]
pub fn differences<const N: usize>(values: [Vec3; N], from: [Vec3; N]) -> [Halves; N] {
    // What is not below it is NaN, too.
    let fine = |vectors: &[Vec3; N]| {
        let all = vectors.as_flattened().iter();
        all.fold(true, |fine, value| fine & (value.abs() < FINE))
    };
    let mut halves = [[0; 3]; N];
    let to = halves.as_flattened_mut().iter_mut();
    let lanes = to.zip(values.as_flattened().iter().zip(from.as_flattened()));
    if fine(&values) && fine(&from) {
        for (half, (&value, &from)) in lanes {
            *half = to_half_of_steps(on_grid(value) - from);
        }
    } else {
        for (half, (&value, &from)) in lanes {
            *half = apart(snapped(value), from);
        }
    }
    halves
}

/// The nearest multiple of a step. From 8192 on, there is nothing between in an f32: so all that a
/// reader has is on the grid, wherever it came from.
fn snapped(value: f32) -> f32 {
    if value.abs() < 2.0 * FINE {
        (value * STEPS).round_ties_even() / STEPS
    } else {
        value
    }
}

/// [`to_half`] of a number that is 0 or no smaller than a step, and below 2 * [`FINE`].
#[inline(always)]
const fn to_half_of_steps(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7FFF_FFFF;
    let half = (magnitude >> 13).wrapping_sub(112 << 10);
    let half = if magnitude < 0x3880_0000 { 0 } else { half };
    (half | (bits >> 16 & 0x8000)) as u16
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
    if value.is_nan() {
        return 0.0;
    }
    let mut delta = (value - from).clamp(f32::MIN, f32::MAX);
    for _ in 0..3 {
        let again = (from + delta) - from;
        if again.to_bits() == delta.to_bits() {
            break;
        }
        delta = again;
    }
    // Only next to the largest numbers is a sum rounded up to infinity.
    if (from + delta).is_finite() {
        delta
    } else {
        0.0
    }
}
