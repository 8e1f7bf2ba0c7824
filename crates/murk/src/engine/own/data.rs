//! A propagator of one's own, as data: its keys are kept as they are, whoever knows what they mean.

use std::fmt;
use std::sync::Arc;

use murk_propagator::Propagator as Origin;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::kinds::{Build, Kinds};
use super::parameters::{Around, ParameterError, Parameters};
use crate::engine::error::{Fault, Place, WorldError, shown};
use crate::engine::value::{At, Value, known, line_of, mistyped};

/// A propagator of one's own: its kind, and its keys as they go into recordings.
///
/// Two are equal if their kinds and their keys are.
#[derive(Clone)]
pub struct Own {
    kind: String,
    /// A key a line, by their names.
    keys: String,
    build: Option<Arc<Build>>,
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        (&self.kind, &self.keys) == (&other.kind, &other.keys)
    }
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Own")
            .field("kind", &self.kind)
            .field("keys", &self.keys)
            .field("is_known", &self.is_known())
            .finish_non_exhaustive()
    }
}

impl Own {
    /// Of its kind, and its keys as TOML, a line each: `rate = 2.0`.
    ///
    /// # Errors
    /// Where the keys are no TOML, or the kind is not among `kinds` and those keep no unknown ones.
    /// What the kind says of the keys is said when the world is checked or built.
    pub fn new(kind: &str, keys: &str, kinds: &Kinds) -> Result<Self, WorldError> {
        let place = Place::Propagator {
            index: 0,
            kind: kind.to_owned(),
        };
        let at = At { text: keys, place };
        let document = DeTable::parse(keys).map_err(|error| {
            let line = error.span().map(|span| line_of(keys, span.start));
            let message = error.message().to_owned();
            WorldError::new(at.place.clone(), "", Fault::Syntax { message }).at_line(line)
        })?;
        let unknown = || {
            let found = shown(kind);
            let known = known("kind", &kinds.names().collect::<Vec<_>>());
            let fault = Fault::UnknownKind { found, known };
            WorldError::new(at.place.clone(), "kind", fault)
        };
        Self::read(kind, document.get_ref(), &at, kinds)?.ok_or_else(unknown)
    }

    /// The kind's name.
    #[must_use]
    pub const fn kind(&self) -> &str {
        self.kind.as_str()
    }

    /// The keys as they go into recordings: TOML, a line each, by their names.
    #[must_use]
    pub const fn keys(&self) -> &str {
        self.keys.as_str()
    }

    /// True where this program can build it.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.build.is_some()
    }

    /// The kinds that these are of, as far as this program knows them.
    pub(in crate::engine) fn kinds<'a>(all: impl Iterator<Item = &'a Self>) -> Kinds {
        let mut kinds = Kinds::new();
        for own in all {
            if let Some(build) = &own.build {
                kinds.put(&own.kind, build);
            }
        }
        kinds
    }

    /// Reads a table; `None` where there is no such kind, and none is to be kept.
    pub(in crate::engine) fn read(
        kind: &str,
        table: &DeTable<'_>,
        at: &At<'_>,
        kinds: &Kinds,
    ) -> Result<Option<Self>, WorldError> {
        let build = kinds.get(kind).cloned();
        if build.is_none() && !kinds.keeps_unknown() {
            return Ok(None);
        }
        let mut keys = String::new();
        for (key, value) in by_name(table) {
            if key == "kind" {
                continue;
            }
            write_key(key, &mut keys);
            keys.push_str(" = ");
            write_value(value, at, key, &mut keys)?;
            keys.push('\n');
        }
        Ok(Some(Self {
            kind: kind.to_owned(),
            keys,
            build,
        }))
    }

    /// The canonical text: the kind and the keys.
    pub(in crate::engine) fn write(&self, out: &mut String) {
        out.push_str("kind = ");
        self.kind.write(out);
        out.push('\n');
        out.push_str(&self.keys);
    }

    /// Has the kind build it.
    pub(super) fn build(&self, around: Around<'_>) -> Result<Box<dyn Origin>, ParameterError> {
        let Some(build) = &self.build else {
            return Err(ParameterError::new("kind", "is not known to this program"));
        };
        let document = DeTable::parse(&self.keys).map_err(|error| {
            let message = error.message().to_owned();
            ParameterError::new("", message)
        })?;
        let mut parameters = Parameters::new(&self.keys, document.get_ref(), around);
        let built = build(&mut parameters)?;
        parameters.finish()?;
        Ok(built)
    }
}

/// TOML's tables have no order: their text has one.
fn by_name<'t>(
    table: &'t DeTable<'t>,
) -> impl Iterator<Item = (&'t str, &'t Spanned<DeValue<'t>>)> {
    let mut keys: Vec<_> = table
        .iter()
        .map(|(key, of)| (&**key.get_ref(), of))
        .collect();
    keys.sort_unstable_by_key(|(key, _)| *key);
    keys.into_iter()
}

fn write_key(key: &str, out: &mut String) {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !key.is_empty() && key.bytes().all(is_bare) {
        out.push_str(key);
    } else {
        key.to_owned().write(out);
    }
}

/// The canonical text of a value, whatever it means: what has the same text is the same value.
fn write_value(
    value: &Spanned<DeValue<'_>>,
    at: &At<'_>,
    key: &str,
    out: &mut String,
) -> Result<(), WorldError> {
    match value.get_ref() {
        DeValue::String(text) => text.clone().into_owned().write(out),
        DeValue::Boolean(yes) => yes.write(out),
        DeValue::Integer(_) => i64::read(value, at, key)?.write(out),
        DeValue::Float(_) => f64::read(value, at, key)?.write(out),
        DeValue::Datetime(_) => {
            let wanted = "a string, a number, a boolean, a list or a table";
            return Err(mistyped(value, at, key, wanted));
        }
        DeValue::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write_value(item, at, key, out)?;
            }
            out.push(']');
        }
        DeValue::Table(table) => {
            out.push('{');
            for (index, (inner, value)) in by_name(table).enumerate() {
                out.push_str(if index > 0 { ", " } else { " " });
                write_key(inner, out);
                out.push_str(" = ");
                write_value(value, at, key, out)?;
            }
            out.push_str(" }");
        }
    }
    Ok(())
}
