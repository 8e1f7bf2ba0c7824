//! The keys of a registered propagator in a world.

use std::collections::HashMap;
use std::fmt;

use murk_core::FieldId;
use toml::de::DeTable;

use crate::engine::error::WorldFault;
use crate::engine::space::Space;
use crate::engine::value::{Keys, TomlValue, Wrong};
use crate::engine::world::Field;

/// A type that a parameter can have: `bool`, `u16`, `u32`, `u64`, `i64`, `f32`, `f64`, `String`, a
/// `Vec` of one of them, a pair (written as a list of two), or an `Option` for a key that may be
/// left out.
///
/// A `u64` beyond 2^63 is written as a string, `"0xfeedfacecafebeef"`, as anywhere in a world. NaN
/// is not a valid value of any type.
pub trait Parameter: TomlValue {}

impl<T: TomlValue> Parameter for T {}

/// Why a parameter is refused.
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterError {
    pub(super) key: String,
    pub(super) fault: WorldFault,
}

impl ParameterError {
    /// Creates the error for the value of a key. `what` is the end of a sentence: `must be below 1,
    /// not 1.5`. An empty key stands for the propagator as a whole.
    #[must_use]
    pub fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            fault: WorldFault::Value(what.into()),
        }
    }

    pub(in crate::engine) fn into_parts(self) -> (String, WorldFault) {
        (self.key, self.fault)
    }
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.key {
            "" => self.fault.fmt(f),
            key => write!(f, "{key}: {}", self.fault),
        }
    }
}

impl std::error::Error for ParameterError {}

impl From<Wrong> for ParameterError {
    fn from(wrong: Wrong) -> Self {
        let Wrong { key, fault, .. } = wrong;
        Self { key, fault }
    }
}

/// The world around a propagator, as far as it has been checked.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Around<'a> {
    pub space: &'a Space,
    pub fields: &'a [Field],
    pub numbers: &'a HashMap<&'a str, usize>,
    pub dt: f64,
}

/// The keys of a propagator, and the world around it.
///
/// Each key is taken by its name. A key that the kind does not take is an error that lists the
/// known keys.
#[derive(Debug)]
pub struct Parameters<'a> {
    keys: Keys<'a>,
    around: Around<'a>,
}

impl<'a> Parameters<'a> {
    pub(super) const fn new(table: &'a DeTable<'a>, around: Around<'a>) -> Self {
        let keys = Keys::new(table, 0);
        Self { keys, around }
    }

    /// Returns the value of a key, which must exist unless its type is an `Option`.
    ///
    /// # Errors
    /// If it is missing or of another type.
    pub fn take<T: Parameter>(&mut self, key: &'static str) -> Result<T, ParameterError> {
        Ok(self.keys.take(key, None)?)
    }

    /// Returns the value of a key, or a default if it is left out. A default is not written into
    /// recordings, so changing it later changes their replays.
    ///
    /// # Errors
    /// If it is of another type.
    pub fn take_or<T: Parameter>(
        &mut self,
        key: &'static str,
        default: T,
    ) -> Result<T, ParameterError> {
        Ok(self.keys.take(key, Some(default))?)
    }

    /// Returns the number of the field whose name a key gives. Commands and contexts use this
    /// number.
    ///
    /// # Errors
    /// If the key is missing or not a text, or the world has no such field.
    pub fn field(&mut self, key: &'static str) -> Result<FieldId, ParameterError> {
        let name: String = self.take(key)?;
        let number = self.around.numbers.get(&*name);
        let number = number.and_then(|&number| u32::try_from(number).ok());
        number.map(FieldId).ok_or_else(|| ParameterError {
            key: key.to_owned(),
            fault: WorldFault::NoField { name },
        })
    }

    /// Returns the world's fields, by their numbers.
    #[must_use]
    pub const fn fields(&self) -> &'a [Field] {
        self.around.fields
    }

    /// Returns the world's space.
    #[must_use]
    pub const fn space(&self) -> &'a Space {
        self.around.space
    }

    /// Returns the seconds from one tick to the next.
    #[must_use]
    pub const fn dt(&self) -> f64 {
        self.around.dt
    }

    /// Checks that no key is left over.
    pub(super) fn finish(self) -> Result<(), ParameterError> {
        Ok(self.keys.finish()?)
    }
}
