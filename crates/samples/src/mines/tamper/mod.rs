//! Recordings that somebody tampered with.
//!
//! [`Tampering`] changes bytes and leaves the rest as it was: any check finds it. A [`Forgery`] is
//! what somebody makes who knows the format: one thing is false, and all that follows from it is
//! made again, so that times, sizes, board events, ending and result string agree.
//!
//! ```
//! use gametape_mines::rmv;
//! use gametape_samples::mines::tamper::forgeries;
//! use gametape_samples::mines::{record, scenarios};
//!
//! let game = record(&scenarios()[0], 7)?;
//! for forgery in forgeries() {
//!     if let Some(forged) = forgery.of(&game, 1) {
//!         let bytes = rmv::write(&forged)?;
//!         assert!(!rmv::audit(&bytes).findings.has("rmv.board-event"), "{}", forgery.name);
//!     }
//! }
//! # Ok::<(), rmv::WriteError>(())
//! ```

mod bytes;
mod claims;
mod cursor;
mod hands;
mod relations;
mod remake;
mod retime;
mod times;

pub use bytes::Tampering;
pub use relations::{Twin, twins};
pub use remake::{mouse_of, remake, with_result};

use gametape_mines::Game;

/// One way to forge a recording.
#[derive(Clone, Copy, Debug)]
pub struct Forgery {
    /// Its name.
    pub name: &'static str,
    /// The code of the finding that gives it away.
    pub code: &'static str,
    make: fn(&Game<'_>, &mut fastrand::Rng) -> Option<Game<'static>>,
}

impl Forgery {
    /// Makes it of a sound game; the same seed gives the same one. `None` where the game has
    /// nothing of the kind: too short, no flags, or whatever it takes.
    #[must_use]
    pub fn of(&self, game: &Game<'_>, seed: u64) -> Option<Game<'static>> {
        (self.make)(game, &mut fastrand::Rng::with_seed(seed))
    }
}

/// All of them.
pub fn forgeries() -> impl Iterator<Item = Forgery> {
    [
        claims::FORGERIES,
        times::FORGERIES,
        cursor::FORGERIES,
        hands::FORGERIES,
    ]
    .into_iter()
    .flatten()
    .copied()
}
