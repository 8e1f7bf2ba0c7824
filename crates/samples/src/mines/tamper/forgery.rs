//! A way to forge a recording.

use gametape_mines::Game;

/// A way to forge a recording.
#[derive(Clone, Copy, Debug)]
pub struct Forgery {
    /// Its name.
    pub name: &'static str,
    /// The code of the finding that reveals it.
    pub code: &'static str,
    pub(super) make: fn(&Game<'_>, &mut fastrand::Rng) -> Option<Game<'static>>,
}

impl Forgery {
    /// Makes the forgery from a valid game. The same seed gives the same forgery. `None` if the
    /// game is not suitable, for example too short or without flags.
    #[must_use]
    pub fn of(&self, game: &Game<'_>, seed: u64) -> Option<Game<'static>> {
        (self.make)(game, &mut fastrand::Rng::with_seed(seed))
    }
}
