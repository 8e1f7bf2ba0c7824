//! Values of fields, as they are shown: each reads back bit for bit.

use std::fmt;

use gametape_core::{Datum, ToDatum};

/// A value: the shortest decimal, or the bits of what has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value(pub f32);

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_nan() {
            write!(f, "NaN ({:#010x})", self.0.to_bits())
        } else {
            write!(f, "{:?}", self.0)
        }
    }
}

/// A number where it is one; else its bits, as `"0x7fc00000"`.
impl ToDatum for Value {
    fn to_datum(&self) -> Datum {
        if self.0.is_finite() {
            self.0.to_datum()
        } else {
            format!("{:#010x}", self.0.to_bits()).to_datum()
        }
    }
}
