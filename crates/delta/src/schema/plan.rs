//! The data that encoder and decoder need about each field, computed once per schema.
//!
//! A state stores each value as its distance from the smallest value of its field, the *code*. All
//! codecs can then be compared, subtracted and checked in the same way.

use alloc::vec::Vec;

use super::model::{Change, Codec, Component, Field, Value};
use crate::error::ValueError;

/// How a code is written to the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// `bits` bits of `code ^ flip`.
    Bits { bits: u32, flip: u64 },
    /// The code itself, as a varuint.
    Varuint,
    /// A varuint of the zigzag of `code - 2^31`.
    Zigzag,
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub form: Form,
    /// The largest code.
    pub max: u64,
    /// Differences up to this are not sent.
    pub threshold: u64,
    /// The value of code 0.
    min: i128,
    kind: Codec,
}

const VARSINT_MIN: i64 = i32::MIN as i64;

impl Plan {
    fn new(codec: Codec, change: Change) -> Self {
        let ones = |bits: u8| u64::MAX >> (64 - u32::from(bits.clamp(1, 64)));
        let (form, min, max) = match codec {
            Codec::Bool => (Form::Bits { bits: 1, flip: 0 }, 0, 1),
            Codec::UInt { bits } => {
                let form = Form::Bits {
                    bits: bits.into(),
                    flip: 0,
                };
                (form, 0, ones(bits))
            }
            Codec::SInt { bits } => {
                let sign = 1_u64 << (bits.clamp(1, 64) - 1);
                let form = Form::Bits {
                    bits: bits.into(),
                    flip: sign,
                };
                (form, -i128::from(sign), ones(bits))
            }
            Codec::VarUInt => (Form::Varuint, 0, u32::MAX.into()),
            Codec::VarSInt => (Form::Zigzag, VARSINT_MIN.into(), u32::MAX.into()),
            Codec::FixedPoint { min_q, max_q, .. } => {
                let range = max_q.abs_diff(min_q);
                let form = Form::Bits {
                    bits: 64 - range.leading_zeros(),
                    flip: 0,
                };
                (form, min_q.into(), range)
            }
        };
        let threshold = match (codec, change) {
            (Codec::Bool, _) | (_, Change::Always) => 0,
            (_, Change::Threshold { threshold_q }) => threshold_q.into(),
        };
        Self {
            form,
            max,
            threshold,
            min,
            kind: codec,
        }
    }

    /// Returns the value of a code.
    pub fn value(&self, code: u64) -> Value {
        let value = self.min + i128::from(code);
        match self.kind {
            Codec::Bool => Value::Bool(code != 0),
            Codec::UInt { .. } => Value::UInt(code),
            Codec::SInt { .. } => Value::SInt(value as i64),
            Codec::VarUInt => Value::VarUInt(code as u32),
            Codec::VarSInt => Value::VarSInt(value as i32),
            Codec::FixedPoint { .. } => Value::FixedPoint(value as i64),
        }
    }

    /// Returns the code of 0, or of the bound nearest to it.
    pub fn nothing(&self) -> u64 {
        (-self.min).clamp(0, self.max.into()) as u64
    }

    /// Returns the code of a value.
    pub fn code(&self, component: &Component, at: usize, value: Value) -> Result<u64, ValueError> {
        let field = component.fields.get(at).map_or(0, |field| field.id);
        let component = component.id;
        if value.kind() != self.kind.name() {
            return Err(ValueError::Kind {
                component,
                field,
                expected: self.kind.name(),
                found: value.kind(),
            });
        }
        let number = value.as_i128();
        match u64::try_from(number - self.min) {
            Ok(code) if code <= self.max => Ok(code),
            _ => Err(ValueError::OutOfRange {
                component,
                field,
                value: number,
                min: self.min,
                max: self.min + i128::from(self.max),
            }),
        }
    }
}

/// Returns the zigzag encoding of a code of [`Form::Zigzag`].
#[inline]
pub(crate) const fn zigzag(code: u64) -> u32 {
    let value = (code as i64 + VARSINT_MIN) as i32;
    (value << 1 ^ value >> 31) as u32
}

/// Returns the code of a zigzag encoding.
#[inline]
pub(crate) const fn unzigzag(zigzag: u32) -> u64 {
    let value = (zigzag >> 1) as i32 ^ -((zigzag & 1) as i32);
    (value as i64 - VARSINT_MIN) as u64
}

/// The plans of all fields of a schema, in the order of the wire.
#[derive(Debug)]
pub(crate) struct Layout {
    components: Vec<Fields>,
    /// Whether any field has a threshold.
    pub has_thresholds: bool,
}

/// The fields of a component.
#[derive(Default, Debug)]
pub(crate) struct Fields {
    pub plans: Vec<Plan>,
    /// The width and `flip` of each field (see [`Form::Bits`]), which writing needs; the width is
    /// 0 for varuints.
    pub widths: Vec<(u32, u64)>,
    /// Whether no field is a varuint.
    pub fixed: bool,
}

impl Fields {
    fn new(component: &Component) -> Self {
        let plan = |field: &Field| Plan::new(field.codec, field.change);
        let plans: Vec<Plan> = component.fields.iter().map(plan).collect();
        let width = |plan: &Plan| match plan.form {
            Form::Bits { bits, flip } => (bits, flip),
            Form::Varuint | Form::Zigzag => (0, 0),
        };
        Self {
            widths: plans.iter().map(width).collect(),
            fixed: plans
                .iter()
                .all(|plan| matches!(plan.form, Form::Bits { .. })),
            plans,
        }
    }
}

impl Layout {
    pub fn new(components: &[Component]) -> Self {
        let components: Vec<_> = components.iter().map(Fields::new).collect();
        let mut plans = components.iter().flat_map(|fields| &fields.plans);
        Self {
            has_thresholds: plans.any(|plan| plan.threshold > 0),
            components,
        }
    }

    /// Returns the number of components.
    #[inline]
    pub fn components(&self) -> usize {
        self.components.len()
    }

    /// Returns what is known of a component's fields.
    #[inline]
    pub fn component(&self, component: usize) -> Option<&Fields> {
        self.components.get(component)
    }

    /// Returns the plans of a component's fields.
    #[inline]
    pub fn fields(&self, component: usize) -> &[Plan] {
        self.component(component)
            .map_or(&[], |fields| &fields.plans)
    }

    /// Returns the number of values of an entity with these components.
    #[inline]
    pub fn values(&self, mask: u64) -> usize {
        ones(mask)
            .map(|component| self.fields(component).len())
            .sum()
    }

    /// Returns the index of the first value of `component` among the values of an entity with these
    /// components.
    #[inline]
    pub fn offset(&self, mask: u64, component: usize) -> usize {
        self.values(mask & full_mask(component))
    }
}

/// Returns the indices of the ones in a mask, ascending.
#[inline]
pub(crate) fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        (mask != 0).then(|| {
            let place = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            place
        })
    })
}

/// Returns the mask with the first `count` bits set.
#[inline]
pub(crate) const fn full_mask(count: usize) -> u64 {
    if count == 0 {
        0
    } else {
        u64::MAX >> (64 - count as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zigzag_is_that_of_the_field() {
        for (value, expected) in [
            (0, 0),
            (-1, 1),
            (1, 2),
            (i32::MAX, u32::MAX - 1),
            (i32::MIN, u32::MAX),
        ] {
            let code = (i64::from(value) - VARSINT_MIN) as u64;
            assert_eq!(zigzag(code), expected);
            assert_eq!(unzigzag(expected), code);
        }
    }

    proptest! {
        #[test]
        fn codes_keep_values(value: i64, min: i64, max: i64, bits in 1..=64_u8) {
            let component = Component::new(1, [Field::new(1, Codec::Bool)]);
            let (min_q, max_q) = (min.min(max), max.max(min));
            for (codec, value, fits) in [
                (Codec::FixedPoint { min_q, max_q, scale: 1 }, Value::FixedPoint(value), (min_q..=max_q).contains(&value)),
                (Codec::SInt { bits }, Value::SInt(value), bits == 64 || (value >> (bits - 1) == 0 || value >> (bits - 1) == -1)),
                (Codec::UInt { bits }, Value::UInt(value as u64), bits == 64 || (value as u64) >> bits == 0),
                (Codec::VarSInt, Value::VarSInt(value as i32), true),
                (Codec::VarUInt, Value::VarUInt(value as u32), true),
            ] {
                let plan = Plan::new(codec, Change::Always);
                match plan.code(&component, 0, value) {
                    Ok(code) => { prop_assert!(fits); prop_assert_eq!(plan.value(code), value); }
                    Err(_) => prop_assert!(!fits, "{} refuses {}", codec, value),
                }
            }
        }
    }
}
