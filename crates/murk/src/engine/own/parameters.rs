//! The keys that a world gives a propagator of one's own.

use std::collections::HashMap;
use std::fmt;

use murk_core::FieldId;
use toml::de::DeTable;

use crate::engine::error::{Fault, Place};
use crate::engine::field::Field;
use crate::engine::space::Space;
use crate::engine::value::{At, Keys, Value};

/// A type that a parameter can have: `bool`, `u16`, `u32`, `u64`, `i64`, `f32`, `f64`, `String`, a
/// `Vec` of one of them, a pair of two as a list of two, or an `Option`, of a key that may be left
/// out.
///
/// A `u64` beyond 2^63 is written as a string, `"0xfeedfacecafebeef"`, as anywhere in a world. NaN is
/// no value of any.
pub trait Parameter: Value {}

impl<T: Value> Parameter for T {}

/// A parameter is not as its propagator needs it.
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterError {
    pub(super) key: String,
    pub(super) fault: Fault,
}

impl ParameterError {
    /// What is wrong with the value of a key, as the end of a sentence: `must be below 1, not 1.5`.
    /// An empty key is for the propagator as a whole.
    #[must_use]
    pub fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            fault: Fault::Value(what.into()),
        }
    }

    pub(in crate::engine) fn into_parts(self) -> (String, Fault) {
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

/// The world around a propagator, as far as it is known to be sound.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Around<'a> {
    pub space: &'a Space,
    pub fields: &'a [Field],
    pub numbers: &'a HashMap<&'a str, usize>,
    pub dt: f64,
}

/// The keys that a world gives a propagator, and the world around it.
///
/// Each is taken by its name. What no kind has taken in the end is a mistake of the world, and its
/// reader is told which keys there are.
pub struct Parameters<'a> {
    text: &'a str,
    keys: Keys<'a>,
    around: Around<'a>,
}

impl fmt::Debug for Parameters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Parameters").field(&self.text).finish()
    }
}

impl<'a> Parameters<'a> {
    pub(super) fn new(text: &'a str, table: &'a DeTable<'a>, around: Around<'a>) -> Self {
        Self {
            text,
            keys: Keys::new(table, 0..0),
            around,
        }
    }

    /// The value of a key, which has to be there if its type is no `Option`.
    ///
    /// # Errors
    /// Where it is missing or of another type.
    pub fn take<T: Parameter>(&mut self, key: &'static str) -> Result<T, ParameterError> {
        self.taken(key, None)
    }

    /// The value of a key, or another one where it is left out. What is left out is not written into
    /// recordings: a default that is changed later changes what they replay to.
    ///
    /// # Errors
    /// Where it is of another type.
    pub fn take_or<T: Parameter>(
        &mut self,
        key: &'static str,
        default: T,
    ) -> Result<T, ParameterError> {
        self.taken(key, Some(default))
    }

    /// The field whose name a key gives: commands and contexts know it by this number.
    ///
    /// # Errors
    /// Where the key is missing or no text, or the world has no such field.
    pub fn field(&mut self, key: &'static str) -> Result<FieldId, ParameterError> {
        let name: String = self.take(key)?;
        let number = self.around.numbers.get(&*name);
        let number = number.and_then(|&number| u32::try_from(number).ok());
        number.map(FieldId).ok_or_else(|| ParameterError {
            key: key.to_owned(),
            fault: Fault::NoField { name },
        })
    }

    /// The world's fields, by their numbers.
    #[must_use]
    pub const fn fields(&self) -> &'a [Field] {
        self.around.fields
    }

    /// The world's cells.
    #[must_use]
    pub const fn space(&self) -> &'a Space {
        self.around.space
    }

    /// Seconds from one tick to the next.
    #[must_use]
    pub const fn dt(&self) -> f64 {
        self.around.dt
    }

    fn at(&self) -> At<'a> {
        At {
            text: self.text,
            // Whoever builds the propagator knows its place.
            place: Place::World,
        }
    }

    fn taken<T: Value>(
        &mut self,
        key: &'static str,
        default: Option<T>,
    ) -> Result<T, ParameterError> {
        let at = self.at();
        let taken = self.keys.take(&at, key, default);
        taken.map_err(|error| ParameterError {
            key: error.key().to_owned(),
            fault: error.fault().clone(),
        })
    }

    /// That no key is left over.
    pub(super) fn finish(self) -> Result<(), ParameterError> {
        let at = self.at();
        self.keys.finish(&at).map_err(|error| ParameterError {
            key: error.key().to_owned(),
            fault: error.fault().clone(),
        })
    }
}
