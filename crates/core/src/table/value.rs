//! Values: those of a row, borrowed and owned.

use super::def::Kind;

/// A value of a row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    /// Missing.
    Null,
    /// A value of a [`Kind::Bool`] column.
    Bool(bool),
    /// A value of a [`Kind::Int`] column.
    Int(i64),
    /// A value of a [`Kind::Uint`] column.
    Uint(u64),
    /// A value of a [`Kind::Float32`] column.
    Float32(f32),
    /// A value of a [`Kind::Float64`] column.
    Float64(f64),
    /// A value of a [`Kind::Text`] column.
    Text(&'a str),
}

impl Value<'_> {
    /// Returns a number of any kind; `None` if it is missing, a truth value or a text.
    #[must_use]
    pub const fn as_f64(self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(value as f64),
            Self::Uint(value) => Some(value as f64),
            Self::Float32(value) => Some(value as f64),
            Self::Float64(value) => Some(value),
            Self::Null | Self::Bool(_) | Self::Text(_) => None,
        }
    }

    /// Returns a whole number of either kind, if it fits.
    #[must_use]
    pub const fn as_i64(self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(value),
            Self::Uint(value) if value <= i64::MAX as u64 => Some(value as i64),
            _ => None,
        }
    }

    /// Compares values bit by bit: a NaN equals the same NaN, and 0 differs from -0.
    #[must_use]
    pub fn is_same(self, other: Value<'_>) -> bool {
        match (self, other) {
            (Self::Float32(a), Value::Float32(b)) => a.to_bits() == b.to_bits(),
            (Self::Float64(a), Value::Float64(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        }
    }
}

macro_rules! values {
    ($($from:ty => $kind:ident: $to:ty;)*) => { $(
        impl From<$from> for Value<'_> {
            fn from(value: $from) -> Self {
                Self::$kind(<$to>::from(value))
            }
        }
    )* };
}

values! {
    bool => Bool: bool;
    i8 => Int: i64; i16 => Int: i64; i32 => Int: i64; i64 => Int: i64;
    u8 => Uint: u64; u16 => Uint: u64; u32 => Uint: u64; u64 => Uint: u64;
    f32 => Float32: f32;
    f64 => Float64: f64;
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a, V: Into<Value<'a>>> From<Option<V>> for Value<'a> {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// An owned value. Floating-point numbers are compared and ordered by their bits, so a NaN equals
/// itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owned {
    /// Missing.
    Null,
    /// A value of [`Kind::Bool`].
    Bool(bool),
    /// A value of [`Kind::Int`].
    Int(i64),
    /// A value of [`Kind::Uint`].
    Uint(u64),
    /// The bits of a value of [`Kind::Float32`].
    Float32(u32),
    /// The bits of a value of [`Kind::Float64`].
    Float64(u64),
    /// A value of [`Kind::Text`].
    Text(String),
}

impl Owned {
    /// Borrows the value; bits become the floating-point number again.
    #[must_use]
    pub fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Uint(value) => Value::Uint(*value),
            Self::Float32(bits) => Value::Float32(f32::from_bits(*bits)),
            Self::Float64(bits) => Value::Float64(f64::from_bits(*bits)),
            Self::Text(text) => Value::Text(text),
        }
    }

    /// Parses a text as a value of this kind; `None` if it is not one, or if the kind cannot be
    /// used as a filter.
    pub(super) fn parse(kind: Kind, text: &str) -> Option<Self> {
        match kind {
            Kind::Bool => text.parse().ok().map(Self::Bool),
            Kind::Int => text.parse().ok().map(Self::Int),
            Kind::Uint => text.parse().ok().map(Self::Uint),
            Kind::Text => Some(Self::Text(text.to_owned())),
            Kind::Float32 | Kind::Float64 => None,
        }
    }
}

impl From<Value<'_>> for Owned {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Int(value) => Self::Int(value),
            Value::Uint(value) => Self::Uint(value),
            Value::Float32(value) => Self::Float32(value.to_bits()),
            Value::Float64(value) => Self::Float64(value.to_bits()),
            Value::Text(text) => Self::Text(text.to_owned()),
        }
    }
}
