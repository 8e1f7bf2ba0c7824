//! Half floats. The reference truncates; correct mode takes the nearest.

use wide::{bytemuck, f32x4, i32x4};

use super::packed::Halves;

/// Converts to a half float, rounding toward zero, subnormals too. 65,504 to 65,535.99 give the largest
/// half. Larger numbers give infinity, as does a NaN whose payload does not reach the bits of a half.
/// (Measured on the reference; a rounding library gives other bits.)
#[inline]
#[must_use]
pub const fn to_half(value: f32) -> u16 {
    /// The smallest normal half, 2⁻¹⁴.
    const NORMAL: u32 = 0x3880_0000;
    /// 65,536.
    const OVERFLOW: u32 = 0x4780_0000;
    const INFINITY: u32 = 0x7F80_0000;
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7FFF_FFFF;
    let half = if magnitude < NORMAL {
        // Scaling by a power of two is exact, and the cast truncates.
        (f32::from_bits(magnitude) * 16_777_216.0) as u16
    } else if magnitude < OVERFLOW {
        ((magnitude >> 13) - (112 << 10)) as u16
    } else if magnitude > INFINITY {
        0x7C00 | (magnitude >> 13) as u16 & 0x3FF
    } else {
        0x7C00
    };
    sign | half
}

/// Converts to the nearest half float, ties to even. Numbers above the largest half give the largest half;
/// NaN gives 0.
#[inline(always)]
#[must_use]
pub const fn to_half_nearest(value: f32) -> u16 {
    /// The smallest normal half, 2⁻¹⁴.
    const NORMAL: u32 = 0x3880_0000;
    /// 65,520: half a step beyond the largest half.
    const BEYOND: u32 = 0x477F_F000;
    const INFINITY: u32 = 0x7F80_0000;
    /// Adding it to a smaller number rounds to whole numbers.
    const WHOLE: f32 = 8_388_608.0;
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let magnitude = bits & 0x7FFF_FFFF;
    if magnitude > INFINITY {
        0
    } else if magnitude >= BEYOND {
        sign | 0x7BFF
    } else if magnitude >= NORMAL {
        sign | normal_nearest(magnitude)
    } else {
        // Scaling by a power of two is exact.
        sign | ((f32::from_bits(magnitude) * 16_777_216.0 + WHOLE) - WHOLE) as u16
    }
}

/// The nearest half of a number from 2⁻¹⁴ to 65,520, given by its bits.
#[inline(always)]
const fn normal_nearest(magnitude: u32) -> u16 {
    let even = magnitude >> 13 & 1;
    ((magnitude + 0xFFF + even) >> 13).wrapping_sub(112 << 10) as u16
}

/// Converts a half float to an f32, exactly.
#[inline]
#[must_use]
pub const fn from_half(half: u16) -> f32 {
    let sign = (half as u32 & 0x8000) << 16;
    let magnitude = half as u32 & 0x7FFF;
    let bits = if magnitude < 0x400 {
        (magnitude as f32 * (1.0 / 16_777_216.0)).to_bits()
    } else if magnitude < 0x7C00 {
        (magnitude << 13) + (112 << 23)
    } else {
        0x7F80_0000 | (magnitude & 0x3FF) << 13
    };
    f32::from_bits(sign | bits)
}

/// [`from_half`] for three halves at once, and a 0.
#[inline(always)]
pub(super) fn from_halves([x, y, z]: Halves) -> f32x4 {
    let halves = i32x4::new([x.into(), y.into(), z.into(), 0]);
    let magnitude: i32x4 = halves & i32x4::splat(0x7FFF);
    let high: i32x4 = magnitude << 13;
    let subnormal = magnitude.round_float() * f32x4::splat(1.0 / 16_777_216.0);
    let normal = high + i32x4::splat(112 << 23);
    let infinite = high | i32x4::splat(0x7F80_0000);
    let is_subnormal = magnitude.simd_lt(i32x4::splat(0x400));
    let is_infinite = magnitude.simd_gt(i32x4::splat(0x7BFF));
    let rest = is_infinite.bitselect(infinite, normal);
    let bits = is_subnormal.bitselect(bytemuck::cast(subnormal), rest);
    let sign: i32x4 = (halves & i32x4::splat(0x8000)) << 16;
    bytemuck::cast(bits | sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_at_once_are_one_at_a_time() {
        for half in 0..=u16::MAX {
            let three = [half, half.wrapping_mul(31), half ^ 0x8000];
            let [x, y, z, none] = from_halves(three).to_array();
            let bits = [x, y, z].map(f32::to_bits);
            assert_eq!(bits, three.map(|half| from_half(half).to_bits()));
            assert_eq!(none.to_bits(), 0);
        }
    }

    #[test]
    fn every_half_comes_back() {
        for half in 0..=u16::MAX {
            assert_eq!(to_half(from_half(half)), half, "{half:04x}");
        }
    }

    #[test]
    fn the_nearest_half_is_nearest() {
        for half in 0..0x7BFF_u16 {
            let (here, next) = (from_half(half), from_half(half + 1));
            let tie = f32::midpoint(here, next);
            assert_eq!(to_half_nearest(here), half);
            assert_eq!(to_half_nearest(tie), half + half % 2, "{tie}");
            assert_eq!(to_half_nearest(f32::from_bits(tie.to_bits() - 1)), half);
            let above = f32::from_bits(tie.to_bits() + 1);
            assert_eq!(to_half_nearest(-above), (half + 1) | 0x8000);
        }
        assert_eq!(to_half_nearest(65_504.0), 0x7BFF);
        assert_eq!(to_half_nearest(65_520.0), 0x7BFF);
        assert_eq!(to_half_nearest(f32::NEG_INFINITY), 0xFBFF);
        assert_eq!(to_half_nearest(f32::NAN), 0);
    }

    #[test]
    fn rounding_is_toward_zero() {
        for half in 0..0x7BFF_u16 {
            let (here, next) = (from_half(half), from_half(half + 1));
            let below_next = f32::from_bits(next.to_bits() - 1);
            assert_eq!(to_half(below_next), half, "{below_next}");
            assert_eq!(to_half(-below_next), half | 0x8000);
            assert_eq!(to_half(f32::midpoint(here, next)), half);
        }
        assert_eq!(to_half(65_535.99), 0x7BFF);
        assert_eq!(to_half(65_536.0), 0x7C00);
        assert_eq!(to_half(f32::NAN), 0x7E00);
        assert_eq!(to_half(f32::from_bits(0x7F80_0001)), 0x7C00);
    }
}
