//! Differences between new values and the reader's state, rounded to what the format can store.

use wide::{bytemuck, f32x4, i32x4};

use super::primitive::{Halves, from_half, settle, to_half_nearest};
use crate::model::Vec3;

/// The difference between a value and the reader's, as the nearest half.
///
/// A reader adds the difference and rounds the sum to an f32. The difference between that sum and the
/// reader's old value is the same half again, so a recording that is read and written once more does not
/// change.
#[inline]
pub fn difference(value: f32, from: f32) -> u16 {
    if value.to_bits() == from.to_bits() && value.is_finite() {
        return 0;
    }
    settled(value, from, |value, from| {
        unsigned_zero(to_half_nearest(value - from))
    })
}

/// Like [`difference`], for values that are never below 0. If the nearest half leads below 0, the next
/// larger one is used, so that the reader's value is not below 0 either.
pub fn difference_above_zero(value: f32, from: f32) -> u16 {
    let half = difference(value, from);
    if value >= 0.0 && from + from_half(half) < 0.0 {
        // A negative half grows as its bits decrease, another as they increase.
        let next = if from_half(half) < 0.0 {
            half - 1
        } else {
            half + 1
        };
        difference(from + from_half(next), from)
    } else {
        half
    }
}

/// The half that a way of taking differences settles on when it is repeated with the reader's sum as the new
/// value.
fn settled(value: f32, from: f32, way: impl Fn(f32, f32) -> u16) -> u16 {
    settle(way(value, from), |half| way(from + from_half(half), from))
}

/// Removes the sign of a zero difference, so that the reader's value keeps its own.
#[inline(always)]
const fn unsigned_zero(half: u16) -> u16 {
    if is_zero_half(half) { 0 } else { half }
}

/// Steps per metre for positions, and per metre a second for velocities.
///
/// The API prints thousandths. The nearest multiple of 1/1024 is less than half a thousandth away, so
/// rounding to three decimals restores the value. Differences of multiples below 2 are exact halves: errors
/// do not add up, sums are exact, and few distinct differences compress well.
pub const STEPS: f32 = 1024.0;

/// Above this, f32 values are as far apart as [`STEPS`], or nearly so.
const FINE: f32 = 4096.0;

/// The coordinates of a vector, and a 0.
#[inline(always)]
fn lanes([x, y, z]: Vec3) -> f32x4 {
    f32x4::new([x, y, z, 0.0])
}

/// The nearest multiples of a step.
#[inline(always)]
fn on_grid(values: f32x4) -> f32x4 {
    /// 1.5 * 2²³. Adding it rounds to whole numbers, ties to even.
    const WHOLE: f32x4 = f32x4::splat(12_582_912.0);
    ((values * f32x4::splat(STEPS) + WHOLE) - WHOLE) * f32x4::splat(1.0 / STEPS)
}

/// Positions and velocities without a difference, for readers that have no value yet: each as the nearest
/// half.
pub fn absolute<const N: usize>(values: [&Vec3; N]) -> [Halves; N] {
    values.map(|vector| vector.map(|value| unsigned_zero(to_half_nearest(value))))
}

/// The differences between positions or velocities and the reader's.
#[inline(always)]
pub fn differences<const N: usize>(values: [&Vec3; N], from: [&Vec3; N]) -> [Halves; N] {
    let limit = f32x4::splat(FINE);
    let mut halves = [[0; 3]; N];
    let mut exact = f32x4::ZERO.simd_eq(f32x4::ZERO);
    for (halves, (value, from)) in halves.iter_mut().zip(values.into_iter().zip(from)) {
        let (value, from) = (lanes(*value), lanes(*from));
        // The comparison is false for NaN, too.
        let fine = value.abs().simd_lt(limit) & from.abs().simd_lt(limit);
        exact = exact & fine & on_grid(from).simd_eq(from);
        *halves = to_halves_of_steps(on_grid(value) - from);
    }
    if exact.to_bitmask() == 15 {
        halves
    } else {
        rough_differences(values, from)
    }
}

/// [`differences`] where the reader's values are no multiples of a step, or where values are large.
#[inline(never)]
fn rough_differences<const N: usize>(values: [&Vec3; N], from: [&Vec3; N]) -> [Halves; N] {
    let mut halves = [[0; 3]; N];
    for (halves, (value, from)) in halves.iter_mut().zip(values.into_iter().zip(from)) {
        for (half, (&value, &from)) in halves.iter_mut().zip(value.iter().zip(from)) {
            *half = settled(value, from, near_grid);
        }
    }
    halves
}

/// A difference that leads to the nearest multiple of a step, if there is one, or 0 if the reader's value
/// is already as near as a multiple would be. After an absolute value, the reader's value is no multiple.
#[inline]
fn near_grid(value: f32, from: f32) -> u16 {
    /// 2²³. Adding it rounds to whole numbers, ties to even.
    const WHOLE: f32 = 8_388_608.0;
    // From 8192 on, neighbouring f32 values are whole steps.
    if value.abs() < 2.0 * FINE {
        let whole = ((value.abs() * STEPS + WHOLE) - WHOLE).copysign(value);
        // Adding 0 removes the sign of a zero sum.
        let target = whole / STEPS + 0.0;
        // A value on a multiple was reached by a difference, so that difference is taken again.
        if (target - value).abs() > 0.0 && (value - from).abs() <= 0.5 / STEPS {
            return 0;
        }
        // A value that a difference reaches exactly is kept: the next multiple may be more than half a step
        // away.
        let nearest = to_half_nearest(value - from);
        let off_grid = (from * STEPS).fract() != 0.0;
        if off_grid && (from + from_half(nearest)).to_bits() == value.to_bits() {
            return unsigned_zero(nearest);
        }
        let half = to_half_nearest(target - from);
        let there = (from + from_half(half)).to_bits() == target.to_bits();
        if there && (target - from).to_bits() == from_half(half).to_bits() {
            return half;
        }
    }
    unsigned_zero(to_half_nearest(value - from))
}

/// [`to_half_nearest`] for three numbers that are 0 or at least one step, and below 2 * [`FINE`].
#[inline(always)]
fn to_halves_of_steps(values: f32x4) -> Halves {
    let bits: i32x4 = bytemuck::cast(values);
    let magnitude: i32x4 = bits & i32x4::splat(0x7FFF_FFFF);
    let even: i32x4 = magnitude >> 13 & i32x4::splat(1);
    // The same operations as in `normal_nearest`.
    let nearest: i32x4 = (magnitude + even + i32x4::splat(0xFFF)) >> 13;
    let normal = magnitude.simd_gt(i32x4::splat(0x387F_FFFF));
    let halves: i32x4 = (nearest - i32x4::splat(112 << 10)) & normal;
    let sign: i32x4 = bits >> 16 & i32x4::splat(0x8000);
    let [x, y, z, _] = (halves | sign).to_array();
    [x as u16, y as u16, z as u16]
}

/// Whether a half is zero, of either sign.
#[inline]
pub const fn is_zero_half(half: u16) -> bool {
    half << 1 == 0
}

#[inline]
pub const fn is_zero([a, b, c]: Halves) -> bool {
    is_zero_half(a | b | c)
}

/// The difference of the clock, computed as by [`difference`].
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
    // A sum is rounded up to infinity only next to the largest numbers.
    if (from + delta).is_finite() {
        delta
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers of any size, on multiples of a step and between them.
    fn any(rng: &mut fastrand::Rng) -> f32 {
        let number = match rng.u32(..7) {
            0 => from_half(rng.u16(..0x7C00)),
            1 => (rng.f32() - 0.5) * 4.0,
            2 => (rng.f32() - 0.5) * 300.0,
            3 => (rng.f32() - 0.5) * 20_000.0,
            4 => f32::from(rng.i16(..)) / STEPS,
            5 => f32::from(rng.i16(..)) / 1000.0,
            _ => f32::from_bits(rng.u32(..)),
        };
        if number.is_finite() { number } else { 0.0 }
    }

    /// After a keyframe, a reader's value is on no multiple. The multiple next to a value may then need a
    /// finer difference than a half can express, while one further away is exact.
    #[test]
    fn values_off_the_grid_come_as_near_as_the_grid_would() {
        let mut rng = fastrand::Rng::with_seed(8);
        for half in (0..0x5800_u16).step_by(7) {
            let from = from_half(half | if rng.bool() { 0x8000 } else { 0 });
            for _ in 0..500 {
                let reach = [0.01, 1.0, 2.0, 16.0][rng.usize(..4)];
                let value = ((from + (rng.f32() * 2.0 - 1.0) * reach) * 1000.0).round() / 1000.0;
                let [[lane, ..]] = differences([&[value, 0.0, 0.0]], [&[from, 0.0, 0.0]]);
                let off = f64::from(value) - f64::from(from + from_half(lane));
                // Half a step; from 2 on, also half the distance between two halves.
                let difference = (value - from).abs().max(1.0);
                let between = 2.0_f64.powi(difference.log2().floor() as i32 - 10);
                let coarse = if difference < 2.0 { 0.0 } else { between };
                let float = f64::from(value.abs().max(from.abs())) * 2.0_f64.powi(-22);
                let bound = f64::midpoint(1.0 / 1024.0, coarse) + float;
                assert!(
                    off.abs() <= bound,
                    "{value} from {from}: {off}, allowed {bound}"
                );
            }
        }
    }

    #[test]
    fn a_sum_gives_the_same_difference_again() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..2_000_000 {
            // A value that a reader can have is a sum of halves.
            let mut from = from_half(to_half_nearest(any(&mut rng)));
            for _ in 0..rng.u32(..3) {
                from += from_half(to_half_nearest(any(&mut rng)));
            }
            let value = if rng.bool() {
                any(&mut rng)
            } else {
                from + any(&mut rng)
            };
            let near = settled(value, from, near_grid);
            let back = from + from_half(near);
            let again = settled(back, from, near_grid);
            assert_eq!(again, near, "{value} from {from}: {back}");
            let [[lane, ..]] = differences([&[back, 0.0, 0.0]], [&[from, 0.0, 0.0]]);
            assert_eq!(lane, near, "{value} from {from}: {back}");
            let [[lane, ..]] = differences([&[value, 0.0, 0.0]], [&[from, 0.0, 0.0]]);
            let back = from + from_half(lane);
            let [[again, ..]] = differences([&[back, 0.0, 0.0]], [&[from, 0.0, 0.0]]);
            assert_eq!(again, lane, "{value} from {from}: {back}");
            assert_eq!(
                settled(back, from, near_grid),
                lane,
                "{value} from {from}: {back}"
            );
            let plain = difference(value, from);
            let back = from + from_half(plain);
            assert_eq!(difference(back, from), plain, "{value} from {from}: {back}");
            let timer = difference_above_zero(value, from);
            let back = from + from_half(timer);
            // From values below 0 by more than the largest half, no difference leads up to 0.
            let reaches = from >= -65_504.0;
            assert!(
                value < 0.0 || back >= 0.0 || !reaches,
                "{value} from {from}: {back}"
            );
            assert_eq!(
                difference_above_zero(back, from),
                timer,
                "{value} from {from}: {back}"
            );
        }
    }
}
