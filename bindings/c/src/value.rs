//! The values of fields: as C has them, and as the library has them.

use gametape_delta::{Codec, Component, Field, FixedPoint, Value as Coded, ValueError};

/// The codec of a field.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 0 or 1.
    Bool,
    /// An unsigned number of up to 64 bits.
    Uint,
    /// A signed number of up to 64 bits.
    Sint,
    /// An unsigned number of up to 32 bits; small ones take fewer bytes.
    VarUint,
    /// A signed number of up to 32 bits; those near 0 take fewer bytes.
    VarSint,
    /// A real number in units of 1 / scale.
    FixedPoint,
}

/// The value of a field.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Value {
    /// The number on the wire. `GAMETAPE_KIND_FIXED_POINT` is in units of 1 / scale; cast `GAMETAPE_KIND_UINT` to
    /// `uint64_t` if it has 64 bits.
    pub integer: i64,
    /// The number: `integer` / scale for `GAMETAPE_KIND_FIXED_POINT`, `integer` itself for others.
    pub real: f64,
    /// The codec.
    pub kind: Kind,
}

impl Value {
    pub(crate) fn new(codec: Codec, value: Coded) -> Self {
        let real = match (value, FixedPoint::of(codec)) {
            (Coded::FixedPoint(units), Some(scale)) => scale.value(units),
            _ => value.as_i128() as f64,
        };
        let kind = match value {
            Coded::Bool(_) => Kind::Bool,
            Coded::UInt(_) => Kind::Uint,
            Coded::SInt(_) => Kind::Sint,
            Coded::VarUInt(_) => Kind::VarUint,
            Coded::VarSInt(_) => Kind::VarSint,
            Coded::FixedPoint(_) => Kind::FixedPoint,
        };
        Self {
            // An unsigned number of 64 bits keeps its bits.
            integer: value.as_i128() as i64,
            real,
            kind,
        }
    }
}

/// A number of C that becomes the value of a field.
pub(crate) trait Number: Copy {
    /// The value of the field. The library checks ranges that are narrower than the value's type.
    fn coded(self, component: u16, field: &Field) -> Result<Coded, ValueError>;
}

impl Number for i64 {
    fn coded(self, component: u16, field: &Field) -> Result<Coded, ValueError> {
        let out_of = |min: i128, max: i128| ValueError::OutOfRange {
            component,
            field: field.id,
            value: self.into(),
            min,
            max,
        };
        Ok(match field.codec {
            Codec::Bool => match self {
                0 | 1 => Coded::Bool(self == 1),
                _ => return Err(out_of(0, 1)),
            },
            // All 64 bits are in use, also the one that is a sign in C.
            Codec::UInt { bits: 64 } => Coded::UInt(self as u64),
            Codec::UInt { bits } => {
                let number = self.try_into();
                Coded::UInt(number.map_err(|_| out_of(0, (1 << bits) - 1))?)
            }
            Codec::SInt { .. } => Coded::SInt(self),
            Codec::VarUInt => {
                let number = self.try_into();
                Coded::VarUInt(number.map_err(|_| out_of(0, u32::MAX.into()))?)
            }
            Codec::VarSInt => {
                let number = self.try_into();
                Coded::VarSInt(number.map_err(|_| out_of(i32::MIN.into(), i32::MAX.into()))?)
            }
            Codec::FixedPoint { .. } => Coded::FixedPoint(self),
        })
    }
}

impl Number for f64 {
    fn coded(self, component: u16, field: &Field) -> Result<Coded, ValueError> {
        let id = field.id;
        let cannot = |why| ValueError::Unquantisable {
            component,
            field: id,
            why,
        };
        // For other codecs, whole numbers are steps of 1.
        let (least, most) = match field.codec {
            Codec::FixedPoint { min_q, max_q, .. } => (min_q, max_q),
            Codec::Bool => (0, 1),
            Codec::UInt { bits } if bits < 63 => (0, (1 << bits) - 1),
            Codec::UInt { .. } => (0, i64::MAX),
            Codec::SInt { .. } => (i64::MIN, i64::MAX),
            Codec::VarUInt => (0, u32::MAX.into()),
            Codec::VarSInt => (i32::MIN.into(), i32::MAX.into()),
        };
        let steps = FixedPoint::of(field.codec).or_else(|| {
            FixedPoint::of(Codec::FixedPoint {
                min_q: least,
                max_q: most,
                scale: 1,
            })
        });
        let steps = steps.map(|steps| steps.quantise(self).map_err(cannot));
        steps.transpose()?.unwrap_or(0).coded(component, field)
    }
}

/// The values of all fields of a component, at the front of `into`.
pub(crate) fn coded_all<'a, N: Number>(
    component: &Component,
    numbers: &[N],
    into: &'a mut [Coded],
) -> Result<&'a [Coded], ValueError> {
    let fields = component.fields.len();
    if numbers.len() != fields || into.len() < fields {
        return Err(ValueError::FieldCount {
            component: component.id,
            fields,
            values: numbers.len(),
        });
    }
    for ((field, number), into) in component.fields.iter().zip(numbers).zip(into.iter_mut()) {
        *into = number.coded(component.id, field)?;
    }
    Ok(into.get(..fields).unwrap_or_default())
}
