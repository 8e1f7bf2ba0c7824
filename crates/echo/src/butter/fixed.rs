//! Positions of bones: fixed point numbers of 14 bits from -2 to 2 m, each written as a varint.

use gametape_core::ByteReader;

use super::bytes::Of;
use crate::rule::Rule;

/// The number of steps in 4 m.
const STEPS: f64 = 16_384.0;
const HALF: f64 = 8192.0;
/// The largest number.
pub const LAST: i32 = 8191;
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
pub fn nearest(metres: f32) -> i32 {
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
pub fn write(number: i32, out: &mut Vec<u8>) {
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
pub fn read(input: &mut ByteReader<'_>) -> Result<i32, Rule> {
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
pub fn skip(input: &mut ByteReader<'_>, mut count: usize) -> Result<(), Rule> {
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
            read(input)?;
            count -= 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back_and_has_one_form() {
        for number in -33_911..=33_911 {
            let mut bytes = Vec::new();
            write(number, &mut bytes);
            let mut cursor = ByteReader::new(&bytes);
            assert_eq!(read(&mut cursor), Ok(number));
            assert!(cursor.is_empty());
        }
        assert_eq!(
            read(&mut ByteReader::new(&[250, 0, 0, 0])),
            Err(Rule::Varint { found: 250 })
        );
    }

    #[test]
    fn a_coordinate_on_the_grid_comes_back() {
        for number in -8192..8192_i16 {
            assert_eq!(to_fixed(from_fixed(number.into())), number);
            assert_eq!(nearest(from_fixed(number.into())), i32::from(number));
        }
        assert_eq!(to_fixed(5.0), 8191);
        assert_eq!(to_fixed(f32::NAN), 0);
    }
}
