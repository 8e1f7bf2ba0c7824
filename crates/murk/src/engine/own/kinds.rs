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
    /// The stock propagators alone.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more kind. Of two with one name the new one counts; a world that names one that is
    /// called as a stock propagator is refused, since it would be another world elsewhere.
    ///
    /// `build` is called for each world that is checked or built, and may be called at once on
    /// several threads. What it depends on beside its parameters is not recorded.
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

    /// Keeps propagators of kinds that are not known: their worlds are read, described, written and
    /// hashed. [`World::check`](crate::engine::World::check) and building one are refused.
    #[must_use]
    pub fn or_unknown(mut self) -> Self {
        self.keeps_unknown = true;
        self
    }

    /// The names of those that were added, in that order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|(name, _)| &**name)
    }

    /// Puts one in that is built as another is, unless it is there.
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
