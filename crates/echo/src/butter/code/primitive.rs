//! Primitive values as they are stored: texts, half floats and fixed-point numbers.
//!
//! The reference truncates to half floats; ours are the nearest. Coordinates of bones are
//! fixed-point numbers of 14 bits from -2 to 2 m, each written as a varint.

use gametape_core::{ByteReader, Short};
use wide::{bytemuck, f32x4, i32x4};

use crate::rule::Rule;

/// Three half floats.
pub type Halves = [u16; 3];

/// Names the value that has too few bytes.
pub trait Of<T> {
    fn of(self, what: &'static str) -> Result<T, Rule>;
}

impl<T> Of<T> for Result<T, Short> {
    #[inline(always)]
    fn of(self, what: &'static str) -> Result<T, Rule> {
        self.map_err(|short| truncated(short, what))
    }
}

#[cold]
const fn truncated(Short { needed, left }: Short, what: &'static str) -> Rule {
    Rule::Truncated { what, needed, left }
}

/// Reads a text up to a NUL; the NUL is consumed.
pub fn text<'a>(input: &mut ByteReader<'a>, what: &'static str) -> Result<&'a [u8], Rule> {
    let rest = input.rest();
    // Without a NUL, at least one byte is missing.
    let end = memchr::memchr(0, rest).unwrap_or(rest.len());
    let text = input.take(end + 1).of(what)?;
    Ok(text.split_last().map_or(text, |(_, text)| text))
}

/// Like [`text`], for at most `limit` bytes. A longer text is an error, even if its NUL may still come.
pub fn text_within<'a>(
    input: &mut ByteReader<'a>,
    what: &'static str,
    limit: u64,
) -> Result<&'a [u8], Rule> {
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    match input.rest().get(..=most.min(usize::MAX - 1)) {
        Some(start) if memchr::memchr(0, start).is_none() => Err(Rule::Limit {
            what,
            size: limit + 1,
            limit,
        }),
        _ => text(input, what),
    }
}

/// Consumes input only if `read` succeeds, so that an invalid value is reported where it starts.
pub fn or_nothing<'a, T>(
    input: &mut ByteReader<'a>,
    read: impl FnOnce(&mut ByteReader<'a>) -> Result<T, Rule>,
) -> Result<T, Rule> {
    let mut ahead = *input;
    let value = read(&mut ahead)?;
    *input = ahead;
    Ok(value)
}

/// Reads three 16-bit numbers.
#[inline(always)]
pub fn three(input: &mut ByteReader<'_>, what: &'static str) -> Result<[u16; 3], Rule> {
    let [x0, x1, y0, y1, z0, z1] = input.array().of(what)?;
    Ok([[x0, x1], [y0, y1], [z0, z1]].map(u16::from_le_bytes))
}

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

/// Repeats `again` until the code no longer changes. If codes lead to each other, returns the least of them,
/// whichever comes first.
#[inline]
pub fn settle<T: Copy + Ord>(mut code: T, again: impl Fn(T) -> T) -> T {
    for _ in 0..4 {
        let next = again(code);
        if next == code {
            return code;
        }
        code = next;
    }
    let (mut least, mut next) = (code, again(code));
    for _ in 0..8 {
        if next == code {
            break;
        }
        least = least.min(next);
        next = again(next);
    }
    least
}

/// [`from_half`] for three halves at once, and a 0.
#[inline(always)]
pub fn from_halves([x, y, z]: Halves) -> f32x4 {
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

/// The number of steps in 4 m.
const STEPS: f64 = 16_384.0;
const HALF: f64 = 8192.0;
/// The largest number.
pub const LAST_FIXED: i32 = 8191;
/// Steps per metre.
const NUMBERS: f32 = 4096.0;

/// The number of a coordinate: truncated, and clamped to 14 bits.
#[inline]
#[must_use]
pub fn to_fixed(metres: f32) -> i16 {
    let scaled = f64::from(metres + 2.0) / 4.0 * STEPS - HALF;
    scaled.clamp(-HALF, HALF - 1.0) as i16
}

/// The nearest number of a coordinate, clamped to 14 bits; 0 for NaN.
///
/// Without branches, so that the compiler can use vectors.
#[inline(always)]
#[must_use]
pub fn nearest_fixed(metres: f32) -> i32 {
    /// 1.5 * 2²³. Adding it rounds to whole numbers, ties to even, and leaves them in the low bits.
    const WHOLE: f32 = 12_582_912.0;
    let metres = if metres.is_nan() { 0.0 } else { metres };
    let steps = (metres * NUMBERS).clamp(-(HALF as f32), HALF as f32 - 1.0);
    (steps + WHOLE).to_bits().cast_signed() - WHOLE.to_bits().cast_signed()
}

/// The coordinate of a number: exact for all numbers that can be stored.
#[inline(always)]
#[must_use]
pub fn from_fixed(number: i32) -> f32 {
    number as f32 / NUMBERS
}

/// Writes a number in one to three bytes.
#[inline]
pub fn write_fixed(number: i32, out: &mut Vec<u8>) {
    let z = (number << 1 ^ number >> 31) as u32;
    match z {
        0..=240 => out.push(z as u8),
        241..=2287 => {
            let above = z - 240;
            out.extend_from_slice(&[241 + (above >> 8) as u8, above as u8]);
        }
        _ => {
            let above = z.saturating_sub(2288).min(0xFFFF) as u16;
            let [high, low] = above.to_be_bytes();
            out.extend_from_slice(&[249, high, low]);
        }
    }
}

/// Reads a number.
#[inline]
pub fn read_fixed(input: &mut ByteReader<'_>) -> Result<i32, Rule> {
    let first = input.u8().of("a bone")?;
    let z = match first {
        0..=240 => u32::from(first),
        241..=248 => 240 + (u32::from(first - 241) << 8) + u32::from(input.u8().of("a bone")?),
        249 => 2288 + u32::from(input.u16_be().of("a bone")?),
        found => return Err(Rule::Varint { found }),
    };
    Ok((z >> 1) as i32 ^ -((z & 1) as i32))
}

/// Skips `count` numbers.
pub fn skip_fixed(input: &mut ByteReader<'_>, mut count: usize) -> Result<(), Rule> {
    /// Most numbers take one byte, so this many are checked at once.
    const TOGETHER: usize = 16;
    while count > 0 {
        if count >= TOGETHER
            && let Some(bytes) = input.rest().first_chunk::<TOGETHER>()
            && bytes.iter().fold(0, |most, byte| most.max(*byte)) <= 240
        {
            input.take(TOGETHER).of("a bone")?;
            count -= TOGETHER;
        } else {
            read_fixed(input)?;
            count -= 1;
        }
    }
    Ok(())
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

    #[test]
    fn every_number_comes_back_and_has_one_form() {
        for number in -33_911..=33_911 {
            let mut bytes = Vec::new();
            write_fixed(number, &mut bytes);
            let mut cursor = ByteReader::new(&bytes);
            assert_eq!(read_fixed(&mut cursor), Ok(number));
            assert!(cursor.is_empty());
        }
        assert_eq!(
            read_fixed(&mut ByteReader::new(&[250, 0, 0, 0])),
            Err(Rule::Varint { found: 250 })
        );
    }

    #[test]
    fn a_coordinate_on_the_grid_comes_back() {
        for number in -8192..8192_i16 {
            assert_eq!(to_fixed(from_fixed(number.into())), number);
            assert_eq!(nearest_fixed(from_fixed(number.into())), i32::from(number));
        }
        assert_eq!(to_fixed(5.0), 8191);
        assert_eq!(to_fixed(f32::NAN), 0);
    }
}
