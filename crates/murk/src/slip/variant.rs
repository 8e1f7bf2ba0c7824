//! Other simulations that may have been the recorded one.

use crate::divergence::Slip;
use crate::simulation::Checkpoint;

/// Another simulation that may have been the recorded one: with another parameter, another order of
/// what it does in a tick.
pub struct Variant<'v, S: Checkpoint> {
    /// What it would mean.
    pub slip: Slip,
    /// Makes it, at a state saved in the simulation that diverged; `None` where that can't be.
    pub build: Build<'v, S>,
}

/// Makes a simulation at a state that was saved in another one; more than once, where it has to be seen
/// whether it does the same again.
pub type Build<'v, S> = Box<dyn Fn(&<S as Checkpoint>::State) -> Option<S> + 'v>;

impl<S: Checkpoint> std::fmt::Debug for Variant<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Variant")
            .field("slip", &self.slip)
            .finish_non_exhaustive()
    }
}
