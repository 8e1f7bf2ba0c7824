//! A bot that plays Minesweeper through the engine and records the games.
//!
//! No public recording shows a loss, an aborted game, a custom board, a mode other than normal, or
//! most of the rarer events. The bot plays such games: it solves boards by deduction, moves the
//! mouse like a hand, and records with the public engine and writer. Its recordings are the
//! project's own test files and the input of the demo. Their version info says that they are
//! synthetic, their clone id is 0, and they have no checksum.
//!
//! ```
//! use gametape_mines::rmv;
//! use gametape_samples::mines::{record, scenarios};
//!
//! let scenario = &scenarios()[0];
//! let bytes = rmv::write(&record(scenario, 7)?)?;
//! assert_eq!(bytes, rmv::write(&record(scenario, 7)?)?, "the same seed, the same game");
//! # Ok::<(), rmv::WriteError>(())
//! ```

mod boards;
mod games;
pub mod person;
mod scenario;
mod session;
mod solver;
mod tampering;

pub use boards::{BoardSpec, board_for};
pub use games::{VERSION_INFO, play, record, with_result};
pub use scenario::{Finish, Habit, Scenario, scenarios};
pub use session::play_on;
pub use tampering::Tampering;

use std::borrow::Cow;

use gametape_mines::rmv;

/// A small recording for examples. Filler bytes in place of the checksum make offsets the same as
/// in real files.
///
/// ```
/// let bytes = gametape_samples::mines::example();
/// assert!(gametape_mines::rmv::read(&bytes)?.ending.is_some());
/// # Ok::<(), gametape_mines::rmv::Error>(())
/// ```
#[must_use]
pub fn example() -> Vec<u8> {
    let game = scenarios().first().map(|scenario| record(scenario, 1));
    let Some(Ok(mut game)) = game else {
        return Vec::new();
    };
    game.checksum = Cow::Borrowed(b"not a real checksu");
    rmv::write(&game).unwrap_or_default()
}
