//! The values of a column as fields of the wire and as JSON, and back without loss.

use gametape_core::table::{Kind, Owned, Value};
use gametape_delta::{Codec, FixedPoint, Value as Wire};
use serde_json::{Number, Value as Json};

/// A value as 64 bits; a text is represented by its number. `None` means a missing value.
pub(super) type Word = Option<u64>;

/// The bits of a value other than a text.
pub(super) fn word(value: Value<'_>) -> Word {
    match value {
        Value::Null | Value::Text(_) => None,
        Value::Bool(value) => Some(value.into()),
        Value::Int(value) => Some(value.cast_unsigned()),
        Value::Uint(value) => Some(value),
        Value::Float32(value) => Some(value.to_bits().into()),
        Value::Float64(value) => Some(value.to_bits()),
    }
}

/// The value with these bits; for a text, the one that `text` returns for its number.
pub(super) fn value_of<'t>(
    kind: Kind,
    word: Word,
    text: impl FnOnce(u64) -> Option<&'t str>,
) -> Value<'t> {
    let Some(word) = word else {
        return Value::Null;
    };
    match kind {
        Kind::Bool => Value::Bool(word != 0),
        Kind::Int => Value::Int(word.cast_signed()),
        Kind::Uint => Value::Uint(word),
        Kind::Float32 => Value::Float32(f32::from_bits(word as u32)),
        Kind::Float64 => Value::Float64(f64::from_bits(word)),
        Kind::Text => text(word).into(),
    }
}

/// A precision is the largest error of a value; most errors are much smaller. The fixed-point steps
/// are finer than the precision by this factor, so that they are not noticeable.
const FINER: f64 = 16.0;

/// Numbers with a stated precision, as multiples of a step that is fine enough.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Fixed {
    kind: Kind,
    precision: f64,
    scale: u32,
}

impl Fixed {
    /// `None` if the values of the column are exact, or nearly so.
    pub fn new(kind: Kind, precision: Option<f64>) -> Option<Self> {
        let precision = precision.filter(|off| off.is_finite() && *off > 0.0)?;
        let scale = (0.5 * FINER / precision).ceil().max(1.0);
        let of_floats = matches!(kind, Kind::Float32 | Kind::Float64);
        (of_floats && scale <= f64::from(u32::MAX)).then_some(Self {
            kind,
            precision,
            scale: scale as u32,
        })
    }

    /// The multiple for a number, if decoding it gives a value within the precision.
    pub fn code(self, word: u64) -> Option<i64> {
        let value = number(self.kind, word);
        let all = FixedPoint::of(self.codec(i64::MIN, i64::MAX))?;
        let code = all.quantise(value).ok()?;
        let back = number(self.kind, unfixed(self.kind, code, self.scale));
        ((back - value).abs() <= self.precision).then_some(code)
    }

    const fn codec(self, min_q: i64, max_q: i64) -> Codec {
        Codec::FixedPoint {
            min_q,
            max_q,
            scale: self.scale,
        }
    }
}

fn number(kind: Kind, word: u64) -> f64 {
    match kind {
        Kind::Float32 => f32::from_bits(word as u32).into(),
        _ => f64::from_bits(word),
    }
}

/// The bits of the number with this multiple.
fn unfixed(kind: Kind, code: i64, scale: u32) -> u64 {
    let value = code as f64 / f64::from(scale);
    match kind {
        Kind::Float32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

/// The range and the kinds of values in a column, learned from all of them.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Survey {
    kind: Kind,
    fixed: Option<Fixed>,
    nulls: bool,
    /// The smallest and the largest value as whole numbers; for numbers with a precision, those of
    /// the multiples.
    bounds: Option<(i128, i128)>,
    /// Whether some numbers have no multiple that is near enough, or are not finite.
    odd: bool,
    /// Whether further values may come that are unlike all known ones.
    open: bool,
}

/// The range of multiples for a column whose values are not all known; numbers outside of it are
/// written as their bits.
const ROOM: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

impl Survey {
    pub fn new(kind: Kind, precision: Option<f64>) -> Self {
        Self {
            kind,
            fixed: Fixed::new(kind, precision),
            nulls: false,
            bounds: None,
            odd: false,
            open: false,
        }
    }

    /// Makes room for any further values.
    pub const fn open(&mut self) {
        self.open = true;
    }

    #[inline]
    pub fn take(&mut self, word: Word) {
        let Some(word) = word else {
            self.nulls = true;
            return;
        };
        let number = match (self.kind, self.fixed) {
            (_, Some(fixed)) => {
                let Some(code) = fixed.code(word) else {
                    self.odd = true;
                    return;
                };
                code.into()
            }
            (Kind::Int, None) => word.cast_signed().into(),
            (Kind::Uint | Kind::Text, None) => word.into(),
            _ => return,
        };
        let (min, max) = self.bounds.unwrap_or((number, number));
        self.bounds = Some((min.min(number), max.max(number)));
    }

    /// Adds what another survey learned about the same column.
    pub fn join(&mut self, other: &Self) {
        self.nulls |= other.nulls;
        self.odd |= other.odd;
        let both = self.bounds.zip(other.bounds);
        let both = both.map(|((a, b), (c, d))| (a.min(c), b.max(d)));
        self.bounds = both.or(self.bounds).or(other.bounds);
    }

    /// The smallest and the largest value, as whole numbers.
    pub const fn bounds(&self) -> Option<(i128, i128)> {
        self.bounds
    }

    /// The coding that fits these values.
    pub fn coding(&self) -> Coding {
        let (min, max) = self.bounds.unwrap_or((0, 0));
        let q = |number: i128| i64::try_from(number).unwrap_or_default();
        let plain = match (self.kind, self.fixed) {
            (_, Some(fixed)) if self.open => fixed.codec(ROOM.0, ROOM.1),
            (_, Some(fixed)) => fixed.codec(q(min), q(max)),
            (Kind::Bool, _) => Codec::Bool,
            (Kind::Int, _) if self.open => Codec::SInt { bits: 64 },
            (Kind::Uint | Kind::Text, _) if self.open => Codec::UInt { bits: 64 },
            (Kind::Int, _) => {
                let bits = |number: i128| {
                    129 - (if number < 0 { !number } else { number }).leading_zeros()
                };
                Codec::SInt {
                    bits: bits(min).max(bits(max)).min(64) as u8,
                }
            }
            (Kind::Uint | Kind::Text, _) => {
                let bits = 128 - max.leading_zeros();
                Codec::UInt {
                    bits: bits.clamp(1, 64) as u8,
                }
            }
            (Kind::Float32, _) => Codec::UInt { bits: 32 },
            (Kind::Float64, _) => Codec::UInt { bits: 64 },
        };
        Coding {
            kind: self.kind,
            plain,
            how: match (self.odd, self.nulls) {
                _ if self.open && self.fixed.is_some() => How::Exact,
                (true, _) => How::Exact,
                (false, true) => How::Missing,
                (false, false) if self.open => How::Missing,
                (false, false) => How::Plain,
            },
            fixed: self.fixed,
        }
    }
}

/// The additional information that is stored with each value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    /// None: every value exists and has the plain form.
    Plain,
    /// Whether the value exists.
    Missing,
    /// Whether the value exists, and whether it is written as its bits.
    Exact,
}

/// Marks a value that is written as its bits.
const EXACT: u64 = 2;

/// The coding of a column's values: one field for the value, optionally preceded by one that says
/// whether the value exists, and followed by one for values that do not fit the first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Coding {
    pub kind: Kind,
    pub plain: Codec,
    pub how: How,
    fixed: Option<Fixed>,
}

impl Coding {
    /// The coding that a reader finds; `None` if values of this kind cannot be encoded like this.
    pub fn found(
        kind: Kind,
        how: Option<Codec>,
        plain: Codec,
        exact: Option<Codec>,
    ) -> Option<Self> {
        let fits = match kind {
            Kind::Bool => plain == Codec::Bool,
            Kind::Int => matches!(plain, Codec::SInt { .. }),
            Kind::Uint | Kind::Text => matches!(plain, Codec::UInt { .. }),
            Kind::Float32 => matches!(plain, Codec::UInt { bits: 32 } | Codec::FixedPoint { .. }),
            Kind::Float64 => matches!(plain, Codec::UInt { bits: 64 } | Codec::FixedPoint { .. }),
        };
        let how = match (how, exact) {
            (None, None) => How::Plain,
            (Some(Codec::Bool), None) => How::Missing,
            (Some(Codec::UInt { bits: 2 }), Some(Codec::UInt { .. })) => How::Exact,
            _ => return None,
        };
        fits.then_some(Self {
            kind,
            plain,
            how,
            fixed: None,
        })
    }

    /// The codec of the field before the value.
    pub const fn how_codec(&self) -> Option<Codec> {
        match self.how {
            How::Plain => None,
            How::Missing => Some(Codec::Bool),
            How::Exact => Some(Codec::UInt { bits: 2 }),
        }
    }

    /// The codec of the field after the value.
    pub const fn exact_codec(&self) -> Option<Codec> {
        match (self.how, self.kind) {
            (How::Exact, Kind::Float32) => Some(Codec::UInt { bits: 32 }),
            (How::Exact, _) => Some(Codec::UInt { bits: 64 }),
            _ => None,
        }
    }

    /// The codecs of its fields, in order.
    pub fn codecs(&self) -> impl Iterator<Item = Codec> {
        let [before, behind] = [self.how_codec(), self.exact_codec()];
        before.into_iter().chain([self.plain]).chain(behind)
    }

    /// The content of the value's field if the value is missing or written as its bits.
    const fn nothing(&self) -> Wire {
        match self.plain {
            Codec::Bool => Wire::Bool(false),
            Codec::SInt { .. } => Wire::SInt(0),
            Codec::FixedPoint { min_q, .. } => Wire::FixedPoint(min_q),
            _ => Wire::UInt(0),
        }
    }

    /// Appends the values of its fields to `out`.
    pub fn write(&self, word: Word, out: &mut Vec<Wire>) {
        let plain = word.and_then(|word| self.plainly(word));
        match self.how {
            How::Plain => {}
            How::Missing => out.push(Wire::Bool(word.is_some())),
            How::Exact => out.push(Wire::UInt(match (word, plain) {
                (None, _) => 0,
                (_, Some(_)) => 1,
                (_, None) => EXACT,
            })),
        }
        out.push(plain.unwrap_or_else(|| self.nothing()));
        if self.how == How::Exact {
            let exact = word.filter(|_| plain.is_none());
            out.push(Wire::UInt(exact.unwrap_or_default()));
        }
    }

    fn plainly(&self, word: u64) -> Option<Wire> {
        Some(match (self.kind, self.fixed) {
            (_, Some(fixed)) => {
                let code = fixed.code(word)?;
                let fits = match self.plain {
                    Codec::FixedPoint { min_q, max_q, .. } => (min_q..=max_q).contains(&code),
                    _ => false,
                };
                Wire::FixedPoint(fits.then_some(code)?)
            }
            (Kind::Bool, _) => Wire::Bool(word != 0),
            (Kind::Int, _) => Wire::SInt(word.cast_signed()),
            _ => Wire::UInt(word),
        })
    }

    /// Decodes the values of its fields.
    pub fn read(&self, values: &[Wire]) -> Word {
        let (plain, exact) = match (self.how, values) {
            (How::Plain, [plain]) | (How::Missing, [Wire::Bool(true), plain]) => (plain, None),
            (How::Exact, [Wire::UInt(how), plain, exact]) => match *how {
                0 => return None,
                EXACT => (plain, Some(exact)),
                _ => (plain, None),
            },
            _ => return None,
        };
        Some(match (exact.unwrap_or(plain), self.plain) {
            (Wire::Bool(value), _) => u64::from(*value),
            (Wire::UInt(value), _) => *value,
            (Wire::SInt(value), _) => value.cast_unsigned(),
            (Wire::FixedPoint(code), Codec::FixedPoint { scale, .. }) => {
                unfixed(self.kind, *code, scale)
            }
            _ => return None,
        })
    }
}

/// Numbers that JSON does not have.
const NONE: [(&str, f64); 3] = [
    ("NaN", f64::NAN),
    ("inf", f64::INFINITY),
    ("-inf", f64::NEG_INFINITY),
];

/// A value as JSON. Numbers that JSON cannot express become texts: `"NaN"`, `"inf"`, `"-inf"`.
pub(super) fn json(value: Value<'_>) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => value.into(),
        Value::Int(value) => value.into(),
        Value::Uint(value) => value.into(),
        Value::Float32(value) => short(value).unwrap_or_else(|| float(value.into())),
        Value::Float64(value) => float(value),
        Value::Text(text) => text.into(),
    }
}

fn float(value: f64) -> Json {
    let written = Number::from_f64(value).map(Json::Number);
    written.unwrap_or_else(|| {
        let name = match value {
            value if value.is_nan() => "NaN",
            value if value > 0.0 => "inf",
            _ => "-inf",
        };
        name.into()
    })
}

/// A number with just the digits that 32 bits need, if these give the same number back.
fn short(value: f32) -> Option<Json> {
    let near: f64 = value.to_string().parse().ok()?;
    let back = near as f32;
    (value.is_finite() && back.to_bits() == value.to_bits()).then(|| float(near))
}

/// The value of this kind; `None` if the JSON is not one.
pub(super) fn owned(kind: Kind, json: &Json) -> Option<Owned> {
    if json.is_null() {
        return Some(Owned::Null);
    }
    Some(match kind {
        Kind::Bool => Owned::Bool(json.as_bool()?),
        Kind::Int => Owned::Int(json.as_i64()?),
        Kind::Uint => Owned::Uint(json.as_u64()?),
        Kind::Float32 => Owned::Float32((number_of(json)? as f32).to_bits()),
        Kind::Float64 => Owned::Float64(number_of(json)?.to_bits()),
        Kind::Text => Owned::Text(json.as_str()?.to_owned()),
    })
}

fn number_of(json: &Json) -> Option<f64> {
    let named = |text: &str| NONE.into_iter().find(|(name, _)| *name == text);
    match json.as_str() {
        Some(text) => named(text).map(|(_, number)| number),
        None => json.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(kind: Kind, value: Value<'_>) -> Option<Owned> {
        let text = json(value).to_string();
        owned(kind, &serde_json::from_str(&text).unwrap())
    }

    proptest! {
        #[test]
        fn numbers_come_back_bit_for_bit(bits: u64, half: u32) {
            for value in [bits, f64::MIN_POSITIVE.to_bits(), (-0.0_f64).to_bits()] {
                let value = f64::from_bits(value);
                let back = back(Kind::Float64, Value::Float64(value)).unwrap();
                prop_assert!(value.is_nan() || back == Owned::Float64(value.to_bits()));
            }
            for value in [half, (-0.0_f32).to_bits(), f32::INFINITY.to_bits()] {
                let value = f32::from_bits(value);
                let back = back(Kind::Float32, Value::Float32(value)).unwrap();
                prop_assert!(value.is_nan() || back == Owned::Float32(value.to_bits()));
            }
            prop_assert_eq!(back(Kind::Uint, Value::Uint(bits)), Some(Owned::Uint(bits)));
            let int = bits.cast_signed();
            prop_assert_eq!(back(Kind::Int, Value::Int(int)), Some(Owned::Int(int)));
        }

        #[test]
        fn texts_come_back(text: String) {
            prop_assert_eq!(back(Kind::Text, Value::Text(&text)), Some(Owned::Text(text.clone())));
        }
    }
}
