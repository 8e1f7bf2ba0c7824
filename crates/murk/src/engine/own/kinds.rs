//! The kinds of propagators that a program registers, and propagators of such kinds as data. Their keys
//! are kept unchanged, even if no program knows the kind.

use std::fmt;
use std::sync::Arc;

use murk_propagator::{Propagator, Propagator as Origin};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::parameters::{Around, ParameterError, Parameters};
use crate::engine::error::{Place, WorldError, WorldFault, shown};
use crate::engine::value::{TomlValue, Wrong, known, parse};

/// Builds a propagator of the keys that a world gives it.
pub(super) type BuildPropagator =
    dyn Fn(&mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError> + Send + Sync;

/// Kinds of propagators beside the stock ones, by name: what a world's `kind = "…"` may say.
///
/// Cheap to clone: what builds them is shared.
#[derive(Clone, Default)]
pub struct Kinds {
    own: Vec<(String, Arc<BuildPropagator>)>,
    keeps_unknown: bool,
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl Kinds {
    /// Creates the set with the stock propagators alone.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kind. If a name is added twice, the later kind is used. A world that uses a kind with
    /// the name of a stock propagator is refused, because it would be another world elsewhere.
    ///
    /// `build` is called for each world that is checked or built, possibly on several threads at
    /// once. It should depend on nothing but its parameters, because nothing else is recorded.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        build: impl Fn(&mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let name = name.into();
        self.own.retain(|(known, _)| *known != name);
        self.own.push((name, Arc::new(build)));
        self
    }

    /// Keeps propagators of unknown kinds: their worlds can be read, described, written and hashed.
    /// [`World::check`](crate::engine::World::check) and building one still fail.
    #[must_use]
    pub fn or_unknown(mut self) -> Self {
        self.keeps_unknown = true;
        self
    }

    /// Returns the names of the added kinds, in the order of their addition.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|(name, _)| &**name)
    }

    /// Adds a kind with an existing builder, unless it is there.
    pub(super) fn put(&mut self, name: &str, build: &Arc<BuildPropagator>) {
        if self.get(name).is_none() {
            self.own.push((name.to_owned(), Arc::clone(build)));
        }
    }

    pub(in crate::engine) const fn keeps_unknown(&self) -> bool {
        self.keeps_unknown
    }

    pub(super) fn get(&self, name: &str) -> Option<&Arc<BuildPropagator>> {
        let of = self.own.iter().find(|(known, _)| known == name);
        of.map(|(_, build)| build)
    }
}

/// A registered propagator: its kind, and its keys as they are stored in recordings.
///
/// Two propagators are equal if their kinds and their keys are.
#[derive(Clone)]
pub struct Own {
    kind: String,
    /// The keys, sorted, one per line.
    keys: String,
    build: Option<Arc<BuildPropagator>>,
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
    /// Creates a propagator from its kind and its keys in TOML, one per line: `rate = 2.0`.
    ///
    /// # Errors
    /// If the keys are not valid TOML, or the kind is not among `kinds` and those do not keep
    /// unknown kinds. The kind checks the keys when the world is checked or built.
    pub fn new(kind: &str, keys: &str, kinds: &Kinds) -> Result<Self, WorldError> {
        let place = Place::Propagator {
            index: 0,
            kind: kind.to_owned(),
        };
        let own = parse(keys).and_then(|document| {
            let own = Self::read(kind, document.get_ref(), kinds)?;
            own.ok_or_else(|| {
                let found = shown(kind);
                let known = known("kind", &kinds.names().collect::<Vec<_>>());
                Wrong::unplaced(WorldFault::UnknownKind { found, known }).of_key("kind")
            })
        });
        own.map_err(|wrong| wrong.at(keys, place))
    }

    /// Returns the kind's name.
    #[must_use]
    pub const fn kind(&self) -> &str {
        self.kind.as_str()
    }

    /// Returns the keys as they are stored in recordings: TOML, sorted, one per line.
    #[must_use]
    pub const fn keys(&self) -> &str {
        self.keys.as_str()
    }

    /// Returns true if this program can build it.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.build.is_some()
    }

    /// Returns the kinds of these propagators, as far as this program knows them.
    pub(in crate::engine) fn kinds<'a>(all: impl Iterator<Item = &'a Self>) -> Kinds {
        let mut kinds = Kinds::new();
        for own in all {
            if let Some(build) = &own.build {
                kinds.put(&own.kind, build);
            }
        }
        kinds
    }

    /// Reads a table; `None` if there is no such kind and unknown ones are not kept.
    pub(in crate::engine) fn read(
        kind: &str,
        table: &DeTable<'_>,
        kinds: &Kinds,
    ) -> Result<Option<Self>, Wrong> {
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
            write_value(value, &mut keys).map_err(|wrong| wrong.of_key(key))?;
            keys.push('\n');
        }
        Ok(Some(Self {
            kind: kind.to_owned(),
            keys,
            build,
        }))
    }

    /// Appends the canonical text: the kind and the keys.
    pub(in crate::engine) fn write(&self, out: &mut String) {
        out.push_str("kind = ");
        self.kind.write(out);
        out.push('\n');
        out.push_str(&self.keys);
    }

    /// Builds the propagator.
    pub(super) fn build(&self, around: Around<'_>) -> Result<Box<dyn Origin>, ParameterError> {
        let Some(build) = &self.build else {
            return Err(ParameterError::new("kind", "is not known to this program"));
        };
        let document = parse(&self.keys)?;
        let mut parameters = Parameters::new(document.get_ref(), around);
        let built = build(&mut parameters)?;
        parameters.finish()?;
        Ok(built)
    }
}

/// Returns the entries of a table in the order of their names, because TOML's tables have none.
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
fn write_value(value: &Spanned<DeValue<'_>>, out: &mut String) -> Result<(), Wrong> {
    match value.get_ref() {
        DeValue::String(text) => text.clone().into_owned().write(out),
        DeValue::Boolean(yes) => yes.write(out),
        DeValue::Integer(_) => i64::read(value)?.write(out),
        DeValue::Float(_) => f64::read(value)?.write(out),
        DeValue::Datetime(_) => {
            let wanted = "a string, a number, a boolean, a list or a table";
            return Err(Wrong::mistyped(value, wanted));
        }
        DeValue::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write_value(item, out)?;
            }
            out.push(']');
        }
        DeValue::Table(table) => {
            out.push('{');
            for (index, (inner, value)) in by_name(table).enumerate() {
                out.push_str(if index > 0 { ", " } else { " " });
                write_key(inner, out);
                out.push_str(" = ");
                write_value(value, out)?;
            }
            out.push_str(" }");
        }
    }
    Ok(())
}
