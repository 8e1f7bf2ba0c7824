//! Real numbers as integers, with a defined rounding rule and error bound.

use core::f64::consts::TAU;

use crate::error::QuantiseError;
use crate::schema::Codec;

/// Real numbers as multiples of `1 / scale`, for [`Codec::FixedPoint`].
///
/// Rounds to the nearest multiple, halves away from zero. The error is at most `0.5 / scale`, plus
/// the rounding error of f64 (or f32) at that size.
///
/// ```
/// use gametape_delta::FixedPoint;
///
/// let position = FixedPoint::new(-512.0, 512.0, 100);
/// assert_eq!(position.quantise(1.005)?, 100); // 1.005 is 1.00499999999999989…
/// assert_eq!(position.quantise(-2.5 / 100.0)?, -3);
/// assert_eq!(position.value(100), 1.0);
/// assert!(position.quantise(512.01).is_err());
/// # Ok::<(), gametape_delta::QuantiseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FixedPoint {
    min_q: i64,
    max_q: i64,
    scale: u32,
}

/// Rounds halves away from zero. Infinities and numbers that are too large saturate; NaN becomes 0.
const fn round(value: f64) -> i64 {
    let whole = value as i64;
    // Beyond 2^52, numbers have no fraction.
    let rest = value - whole as f64;
    if rest >= 0.5 {
        whole.saturating_add(1)
    } else if rest <= -0.5 {
        whole.saturating_sub(1)
    } else {
        whole
    }
}

impl FixedPoint {
    /// Creates a range from the smallest to the largest number, with `scale` units per 1.0. The
    /// bounds are rounded like other numbers.
    #[must_use]
    pub const fn new(min: f64, max: f64, scale: u32) -> Self {
        Self {
            min_q: round(min * scale as f64),
            max_q: round(max * scale as f64),
            scale,
        }
    }

    /// Returns the quantiser of a fixed-point codec; `None` for other codecs.
    #[must_use]
    pub const fn of(codec: Codec) -> Option<Self> {
        match codec {
            Codec::FixedPoint {
                min_q,
                max_q,
                scale,
            } => Some(Self {
                min_q,
                max_q,
                scale,
            }),
            _ => None,
        }
    }

    /// Returns the codec of a field with such numbers.
    #[must_use]
    pub const fn codec(&self) -> Codec {
        Codec::FixedPoint {
            min_q: self.min_q,
            max_q: self.max_q,
            scale: self.scale,
        }
    }

    /// Returns the nearest multiple, halves away from zero; an error if it is out of range.
    pub fn quantise(&self, value: f64) -> Result<i64, QuantiseError> {
        if !value.is_finite() {
            return Err(QuantiseError::NotFinite);
        }
        let scaled = value * f64::from(self.scale);
        let rounded = round(scaled);
        // From 2^63 on, `round` saturates.
        let bound = (1_u64 << 63) as f64;
        let fits = (-bound..bound).contains(&scaled);
        if !fits || rounded < self.min_q || rounded > self.max_q {
            return Err(QuantiseError::OutOfRange {
                value,
                min: self.value(self.min_q),
                max: self.value(self.max_q),
            });
        }
        Ok(rounded)
    }

    /// Returns the nearest multiple, clamped to the range; an error if the value is not a number.
    pub fn quantise_clamped(&self, value: f64) -> Result<i64, QuantiseError> {
        if value.is_nan() {
            return Err(QuantiseError::NotFinite);
        }
        Ok(round(value * f64::from(self.scale))
            .min(self.max_q)
            .max(self.min_q))
    }

    /// Returns the number of a multiple.
    #[must_use]
    pub fn value(&self, quantised: i64) -> f64 {
        quantised as f64 / f64::from(self.scale)
    }

    /// Returns the largest error of a number in the range.
    #[must_use]
    pub fn max_error(&self) -> f64 {
        0.5 / f64::from(self.scale)
    }
}

/// Rotations as the three smallest components of a unit quaternion, each in `bits` bits.
///
/// The largest component is not stored, only its index, in two bits. Its sign is made positive by
/// negating the quaternion if necessary, which describes the same rotation; its value is computed
/// from the other components. These are within ±√½, and are rounded to one of `2^bits − 1` values,
/// including 0. The angle between the original and the decoded rotation is at most
/// [`max_angle`](Self::max_angle). The results are the same on all machines: only basic operations
/// of IEEE 754 are used, and the square root is computed with integers.
///
/// ```
/// use gametape_delta::SmallestThree;
///
/// let rotation = SmallestThree::new(10);
/// let back = rotation.value(rotation.quantise([0.0, 0.6, 0.0, -0.8])?);
/// assert!((back[1] + 0.6).abs() < 1e-3 && (back[3] - 0.8).abs() < 1e-3);
/// # Ok::<(), gametape_delta::QuantiseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SmallestThree {
    bits: u8,
}

impl SmallestThree {
    /// Uses `bits` bits for each of the three components, 2 to 24.
    #[must_use]
    pub const fn new(bits: u8) -> Self {
        Self {
            bits: match bits {
                0..2 => 2,
                2..=24 => bits,
                _ => 24,
            },
        }
    }

    /// Returns the codecs of the four fields: the index of the largest component, then the others.
    #[must_use]
    pub const fn codecs(&self) -> [Codec; 4] {
        let part = Codec::UInt { bits: self.bits };
        [Codec::UInt { bits: 2 }, part, part, part]
    }

    /// The number of steps. It is even, so that 0 is one of the values and an upright rotation
    /// stays upright.
    const fn steps(self) -> f64 {
        ((1_u32 << self.bits) - 2) as f64
    }

    /// Returns the values of the four fields. The quaternion may have any length except 0.
    pub fn quantise(&self, quaternion: [f32; 4]) -> Result<[u64; 4], QuantiseError> {
        if quaternion.iter().any(|part| !part.is_finite()) {
            return Err(QuantiseError::NotFinite);
        }
        let mut parts = quaternion.map(f64::from);
        let largest = parts.iter().fold(0.0_f64, |max, part| max.max(part.abs()));
        if largest == 0.0 {
            return Err(QuantiseError::NoRotation);
        }
        for part in &mut parts {
            *part /= largest;
        }
        let length = sqrt(parts.iter().map(|part| part * part).sum());
        let place = parts
            .iter()
            .position(|part| part.abs() >= 1.0)
            .unwrap_or_default();
        let sign = parts.get(place).map_or(1.0, |part| part.signum());
        let mut values = [place as u64, 0, 0, 0];
        let small = parts
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != place)
            .map(|(_, part)| part * sign / length);
        for (value, part) in values.iter_mut().skip(1).zip(small) {
            let step = (part / core::f64::consts::SQRT_2 + 0.5) * self.steps();
            *value = round(step).clamp(0, self.steps() as i64) as u64;
        }
        Ok(values)
    }

    /// Returns the unit quaternion of four fields. Values that are too large are clamped.
    #[must_use]
    pub fn value(&self, values: [u64; 4]) -> [f32; 4] {
        let [place, small @ ..] = values;
        let small = small.map(|value| {
            let step = (value as f64).min(self.steps()) / self.steps();
            (step - 0.5) * core::f64::consts::SQRT_2
        });
        let rest: f64 = small.iter().map(|part| part * part).sum();
        let largest = sqrt((1.0 - rest).max(0.0));
        // Values that no quaternion has can exceed length 1.
        let length = if rest > 1.0 { sqrt(rest) } else { 1.0 };
        let mut small = small.into_iter();
        let mut quaternion = [0.0; 4];
        for (at, part) in quaternion.iter_mut().enumerate() {
            let value = if at as u64 == place.min(3) {
                largest
            } else {
                small.next().unwrap_or_default()
            };
            *part = (value / length) as f32;
        }
        quaternion
    }

    /// Returns the largest angle, in radians, between a rotation and its decoded form: 2√3 steps of
    /// √2 / (2^bits − 2) with a margin of 10 %, plus 10⁻⁶ for the rounding of f32.
    #[must_use]
    pub fn max_angle(&self) -> f64 {
        3.464_101_615_137_755 * core::f64::consts::SQRT_2 / self.steps() * 1.1 + 1e-6
    }
}

/// An angle in radians as a part of a whole turn: `angle(bits = 10)`. Any angle can be written; it
/// comes back from −π to π, with an error of at most half of 2π / 2^bits.
///
/// ```
/// use gametape_delta::Angle;
///
/// let angle = Angle { bits: 8 };
/// assert_eq!(angle.quantise(std::f64::consts::FRAC_PI_2), Ok(64));
/// assert_eq!(angle.quantise(-7.0 * std::f64::consts::FRAC_PI_2), Ok(64));
/// assert_eq!(angle.value(192), -std::f64::consts::FRAC_PI_2);
/// assert!(angle.quantise(f64::NAN).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Angle {
    /// 1 to 32.
    pub bits: u8,
}

impl Angle {
    fn steps(self) -> f64 {
        (1_u64 << self.bits.clamp(1, 32)) as f64
    }

    /// Returns the codec.
    #[must_use]
    pub const fn codec(self) -> Codec {
        Codec::UInt { bits: self.bits }
    }

    /// Returns the nearest step of the turn.
    pub fn quantise(self, radians: f64) -> Result<u64, QuantiseError> {
        let turns = radians % TAU / TAU;
        if !turns.is_finite() {
            return Err(QuantiseError::NotFinite);
        }
        let step = round(turns * self.steps());
        Ok(step.rem_euclid(self.steps() as i64) as u64)
    }

    /// Returns the angle of a step.
    #[must_use]
    pub fn value(self, step: u64) -> f64 {
        let turns = step as f64 / self.steps();
        TAU * if turns < 0.5 { turns } else { turns - 1.0 }
    }
}

/// An integer from `min` to `max`, in as many bits as there are numbers between:
/// `range(min = 1, max = 100)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The smallest number.
    pub min: i64,
    /// The largest number.
    pub max: i64,
}

impl Range {
    /// Returns the codec.
    #[must_use]
    pub const fn codec(&self) -> Codec {
        Codec::FixedPoint {
            min_q: self.min,
            max_q: self.max,
            scale: 1,
        }
    }
}

/// Returns the square root of a number from 0 to 4, accurate to 2^-52. Uses integers, because
/// `core` has no square root.
fn sqrt(value: f64) -> f64 {
    const ONE: f64 = (1_u64 << 52) as f64;
    let fixed = (value * ONE) as u128;
    (fixed << 52).isqrt() as f64 / ONE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edges_of_fixed_point() {
        let wide = FixedPoint::of(Codec::FixedPoint {
            min_q: i64::MIN,
            max_q: i64::MAX,
            scale: 1,
        })
        .unwrap();
        assert!(wide.quantise(9.3e18).is_err());
        assert!(wide.quantise(-9.3e18).is_err());
        assert_eq!(wide.quantise(-9_223_372_036_854_775_808.0), Ok(i64::MIN));
        assert_eq!(wide.quantise_clamped(f64::INFINITY), Ok(i64::MAX));
        assert_eq!(wide.quantise(f64::NAN), Err(QuantiseError::NotFinite));
        assert_eq!(
            wide.quantise_clamped(f64::NAN),
            Err(QuantiseError::NotFinite)
        );
        // Reversed bounds are not a valid schema, but must not panic.
        assert!(FixedPoint::new(1.0, -1.0, 10).quantise_clamped(0.0).is_ok());
        assert_eq!(wide.quantise(0.5), Ok(1));
        assert_eq!(wide.quantise(-0.5), Ok(-1));
        assert_eq!(wide.quantise(0.499_999_999_999_999_94), Ok(0));
        assert_eq!(
            wide.quantise(4_503_599_627_370_497.0),
            Ok(4_503_599_627_370_497)
        );
    }

    proptest! {
        #[test]
        fn fixed_point_keeps_its_error_bound(value in -1e9..1e9_f64, scale in 1..1_000_000_u32) {
            let fixed = FixedPoint::new(-1e9, 1e9, scale);
            let back = fixed.value(fixed.quantise(value)?);
            prop_assert!((back - value).abs() <= fixed.max_error() + value.abs() * 4e-16, "{value} comes back as {back}");
        }

        #[test]
        fn rotations_keep_their_error_bound(q in proptest::array::uniform4(-1.0..1.0_f32), bits in 2..=24_u8) {
            let length = q.iter().map(|part| f64::from(*part).powi(2)).sum::<f64>().sqrt();
            prop_assume!(length > 1e-3);
            let rotation = SmallestThree::new(bits);
            let values = rotation.quantise(q)?;
            for (value, codec) in values.iter().zip(rotation.codecs()) {
                let Codec::UInt { bits } = codec else { unreachable!() };
                prop_assert!(value >> bits == 0);
            }
            let upright = rotation.value(rotation.quantise([0.0, 0.0, 0.0, 2.0])?);
            prop_assert_eq!(upright.map(f32::to_bits), [0.0, 0.0, 0.0, 1.0].map(f32::to_bits));
            let back = rotation.value(values);
            let unit = back.iter().map(|part| f64::from(*part).powi(2)).sum::<f64>();
            prop_assert!((unit - 1.0).abs() < 1e-6, "{unit}");
            let chord: [f64; 2] = [1.0, -1.0].map(|sign| q.iter().zip(back).map(|(a, b)| (f64::from(*a) / length - sign * f64::from(b)).powi(2)).sum::<f64>().sqrt());
            let angle = 4.0 * (chord[0].min(chord[1]) / 2.0).asin();
            prop_assert!(angle <= rotation.max_angle(), "{angle} exceeds {}", rotation.max_angle());
            // Quantising the decoded rotation again works.
            prop_assert!(rotation.quantise(back).is_ok());
        }
    }
}
