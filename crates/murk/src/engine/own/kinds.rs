//! The kinds of propagators that a program knows beside the stock ones.

use std::fmt;
use std::sync::Arc;

use murk_propagator::Propagator;

use super::parameters::{ParameterError, Parameters};

/// Builds a propagator of the keys that a world gives it.
pub(super) type Build =
    dyn Fn(&mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError> + Send + Sync;

/// Kinds of propagators beside the stock ones, by name: what a world's `kind = "…"` may say.
///
/// Cheap to clone: what builds them is shared.
#[derive(Clone, Default)]
pub struct Kinds {
    own: Vec<(String, Arc<Build>)>,
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
    pub(super) fn put(&mut self, name: &str, build: &Arc<Build>) {
        if self.get(name).is_none() {
            self.own.push((name.to_owned(), Arc::clone(build)));
        }
    }

    pub(in crate::engine) const fn keeps_unknown(&self) -> bool {
        self.keeps_unknown
    }

    pub(super) fn get(&self, name: &str) -> Option<&Arc<Build>> {
        let of = self.own.iter().find(|(known, _)| known == name);
        of.map(|(_, build)| build)
    }
}
