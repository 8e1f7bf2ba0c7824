//! Forged and random games of Minesweeper, and a second [`simulator`] of the game.
//!
//! A [`Forgery`] is the work of a forger who knows the format: one thing is false, and everything that depends
//! on it is recomputed, so that times, sizes, board events, ending and result string agree. A [`Twin`] is a game
//! that was made from another one.
//!
//! For the engine there is a second one, the [`simulator`], with a hand that plays [random games](random_game())
//! on it, and [forgeries of the laws](forgeries_of_laws) that both follow.
//!
//! ```
//! use gametape_mines::rmv;
//! use gametape_samples::mines::{record, scenarios};
//! use gametape_testkit::mines::forgeries;
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

mod claims;
mod hand_play;
mod hands;
mod laws;
mod random_game;
mod relations;
mod remake;
pub mod simulator;
mod times;

pub use laws::forgeries_of_laws;
pub use random_game::random_game;
pub use relations::{Twin, twins};
pub use remake::{Forgery, mouse_of, remake};

/// All forgeries.
pub fn forgeries() -> impl Iterator<Item = Forgery> {
    [claims::FORGERIES, times::FORGERIES, hands::FORGERIES]
        .into_iter()
        .flatten()
        .copied()
}
