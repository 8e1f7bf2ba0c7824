//! One way to forge a recording.

use gametape_mines::Game;

/// One way to forge a recording.
#[derive(Clone, Copy, Debug)]
pub struct Forgery {
    /// Its name.
    pub name: &'static str,
    /// The code of the finding that gives it away.
    pub code: &'static str,
    pub(super) make: fn(&Game<'_>, &mut fastrand::Rng) -> Option<Game<'static>>,
}

impl Forgery {
    /// Makes it of a sound game; the same seed gives the same one. `None` where the game has
    /// nothing of the kind: too short, no flags, or whatever it takes.
    #[must_use]
    pub fn of(&self, game: &Game<'_>, seed: u64) -> Option<Game<'static>> {
        (self.make)(game, &mut fastrand::Rng::with_seed(seed))
    }
}
