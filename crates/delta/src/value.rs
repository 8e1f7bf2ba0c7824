//! The values of fields.

use core::fmt;

/// The value of one field.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
pub enum Value {
    /// For [`Codec::Bool`](crate::Codec::Bool).
    Bool(bool),
    /// For [`Codec::UInt`](crate::Codec::UInt).
    UInt(u64),
    /// For [`Codec::SInt`](crate::Codec::SInt).
    SInt(i64),
    /// For [`Codec::VarUInt`](crate::Codec::VarUInt).
    VarUInt(u32),
    /// For [`Codec::VarSInt`](crate::Codec::VarSInt).
    VarSInt(i32),
    /// For [`Codec::FixedPoint`](crate::Codec::FixedPoint): the number multiplied by the scale.
    FixedPoint(i64),
}

impl Value {
    /// Returns the name of the codec.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "Bool",
            Self::UInt(_) => "UInt",
            Self::SInt(_) => "SInt",
            Self::VarUInt(_) => "VarUInt",
            Self::VarSInt(_) => "VarSInt",
            Self::FixedPoint(_) => "FixedPoint",
        }
    }

    /// Returns the value as a number; `false` is 0 and `true` is 1. Fixed-point values stay
    /// quantised.
    #[must_use]
    pub const fn as_i128(&self) -> i128 {
        match *self {
            Self::Bool(value) => value as i128,
            Self::UInt(value) => value as i128,
            Self::SInt(value) | Self::FixedPoint(value) => value as i128,
            Self::VarUInt(value) => value as i128,
            Self::VarSInt(value) => value as i128,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::UInt(value) => value.fmt(f),
            Self::SInt(value) | Self::FixedPoint(value) => value.fmt(f),
            Self::VarUInt(value) => value.fmt(f),
            Self::VarSInt(value) => value.fmt(f),
        }
    }
}
