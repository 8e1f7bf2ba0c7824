//! Differences of values from what a reader has.

use wide::{bytemuck, f32x4, i32x4};

use super::half::{from_half, to_half_nearest};
use super::packed::Halves;
use crate::model::Vec3;

/// The difference of a value from what a reader has, as the nearest half.
///
/// What a reader makes of it is rounded to an f32. The difference of that sum gives the same half
/// again: a recording that is read and written once more stays as it is.
#[inline]
pub fn difference(value: f32, from: f32) -> u16 {
    if value.to_bits() == from.to_bits() && value.is_finite() {
        return 0;
    }
    settled(value, from, |value, from| {
        unsigned_zero(to_half_nearest(value - from))
    })
}

/// [`difference`] of what is never below 0, as no reader has it then: the next half, where the nearest leads
/// below.
pub fn difference_above_zero(value: f32, from: f32) -> u16 {
    let half = difference(value, from);
    if value >= 0.0 && from + from_half(half) < 0.0 {
        // One less of a negative half, one more of another.
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

/// The half that a way of taking differences comes back to, from where a reader has its sum.
fn settled(value: f32, from: f32, way: impl Fn(f32, f32) -> u16) -> u16 {
    let again = |half: u16| way(from + from_half(half), from);
    let mut half = way(value, from);
    for _ in 0..4 {
        let next = again(half);
        if next == half {
            return half;
        }
        half = next;
    }
    // Several that lead to each other: the least of them, whichever it is come upon from.
    let (mut least, mut next) = (half, again(half));
    for _ in 0..8 {
        if next == half {
            break;
        }
        least = least.min(next);
        next = again(next);
    }
    least
}

/// A difference of nothing has no sign: what it is added to keeps its own.
#[inline(always)]
const fn unsigned_zero(half: u16) -> u16 {
    if is_zero_half(half) { 0 } else { half }
}

/// Steps a metre of positions, and a metre a second of velocities.
///
/// The API prints thousandths; the nearest multiple of 1/1024 is less than half a thousandth from
/// one, so rounding to three decimals gives it back. Differences of multiples below 2 are halves
/// without rounding: nothing adds up, sums are exact, and few different differences compress well.
pub const STEPS: f32 = 1024.0;

/// Beyond this, values are further apart than [`STEPS`] in a reader's f32 or nearly so.
const FINE: f32 = 4096.0;

/// The coordinates of a vector, and a 0.
#[inline(always)]
fn lanes([x, y, z]: Vec3) -> f32x4 {
    f32x4::new([x, y, z, 0.0])
}

/// The nearest multiples of a step.
#[inline(always)]
fn on_grid(values: f32x4) -> f32x4 {
    /// 1.5 * 2²³: adding it rounds to whole numbers, to even ones where two are as near.
    const WHOLE: f32x4 = f32x4::splat(12_582_912.0);
    ((values * f32x4::splat(STEPS) + WHOLE) - WHOLE) * f32x4::splat(1.0 / STEPS)
}

/// Positions and velocities as they are, where a reader has nothing: each the nearest half.
pub fn absolute<const N: usize>(values: [&Vec3; N]) -> [Halves; N] {
    values.map(|vector| vector.map(|value| unsigned_zero(to_half_nearest(value))))
}

/// The differences of positions and velocities from what a reader has.
#[inline(always)]
pub fn differences<const N: usize>(values: [&Vec3; N], from: [&Vec3; N]) -> [Halves; N] {
    let limit = f32x4::splat(FINE);
    let mut halves = [[0; 3]; N];
    let mut exact = f32x4::ZERO.simd_eq(f32x4::ZERO);
    for (halves, (value, from)) in halves.iter_mut().zip(values.into_iter().zip(from)) {
        let (value, from) = (lanes(*value), lanes(*from));
        // What is not below it is NaN, too.
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

/// [`differences`] of values of which a reader's are no multiples of a step, or which are far off.
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

/// A difference that leads to the nearest multiple of a step, if there is one; nothing, where the value is
/// as near as such a multiple would be. Behind what was absolute, a reader's value is none.
#[inline]
fn near_grid(value: f32, from: f32) -> u16 {
    /// 2²³: adding it rounds to whole numbers, to even ones where two are as near.
    const WHOLE: f32 = 8_388_608.0;
    // From 8192 on, there is nothing between multiples in an f32.
    if value.abs() < 2.0 * FINE {
        let whole = ((value.abs() * STEPS + WHOLE) - WHOLE).copysign(value);
        // A sum that comes to 0 has no sign.
        let target = whole / STEPS + 0.0;
        // What has come to a multiple has come there by a difference.
        if (target - value).abs() > 0.0 && (value - from).abs() <= 0.5 / STEPS {
            return 0;
        }
        // What a difference leads to is not led on to a multiple that is further off than half a step.
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

/// [`to_half_nearest`] of three numbers that are 0 or no smaller than a step, and below 2 * [`FINE`].
#[inline(always)]
fn to_halves_of_steps(values: f32x4) -> Halves {
    let bits: i32x4 = bytemuck::cast(values);
    let magnitude: i32x4 = bits & i32x4::splat(0x7FFF_FFFF);
    let even: i32x4 = magnitude >> 13 & i32x4::splat(1);
    // As `normal_nearest` does it.
    let nearest: i32x4 = (magnitude + even + i32x4::splat(0xFFF)) >> 13;
    let normal = magnitude.simd_gt(i32x4::splat(0x387F_FFFF));
    let halves: i32x4 = (nearest - i32x4::splat(112 << 10)) & normal;
    let sign: i32x4 = bits >> 16 & i32x4::splat(0x8000);
    let [x, y, z, _] = (halves | sign).to_array();
    [x as u16, y as u16, z as u16]
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of any size, on the grid and off it.
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

    /// Behind a keyframe a reader's value is on no multiple, and the multiple next to a value may need
    /// a finer difference than there is, while one further off needs none.
    #[test]
    fn what_is_not_on_the_grid_comes_as_near_as_the_grid_would() {
        let mut rng = fastrand::Rng::with_seed(8);
        for half in (0..0x5800_u16).step_by(7) {
            let from = from_half(half | if rng.bool() { 0x8000 } else { 0 });
            for _ in 0..500 {
                let reach = [0.01, 1.0, 2.0, 16.0][rng.usize(..4)];
                let value = ((from + (rng.f32() * 2.0 - 1.0) * reach) * 1000.0).round() / 1000.0;
                let [[lane, ..]] = differences([&[value, 0.0, 0.0]], [&[from, 0.0, 0.0]]);
                let off = f64::from(value) - f64::from(from + from_half(lane));
                // Half a step; and from 2 on, half of what is between two halves.
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
    fn what_a_reader_has_differs_by_the_same_again() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..2_000_000 {
            // What a reader may have: a sum of halves.
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
            // From further below nothing than the largest half, there is no way up.
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
