//! The rules of Minesweeper: mouse events in, board events out.
//!
//! This engine is independent: it is not derived from the code of any clone. Its rules are those
//! that real ViennaSweeper recordings obey, and it predicts every board event of these recordings,
//! in order:
//!
//! - The left button presses the cell under the cursor. Both buttons together, or the middle one,
//!   press the cell's eight neighbours in row-major order and then the cell itself. Only closed
//!   cells without a flag are pressed. When the cursor moves on, the whole old area is released
//!   and then the whole new one is pressed.
//! - Releasing the left button alone opens the pressed cell. An opening unfolds depth-first, each
//!   cell before its neighbours, neighbours in row-major order; flags stay closed.
//! - If the right button goes down while the left one is held, nothing is released first: the
//!   neighbours are pressed, and then the cell once more. No flag is set or removed. Afterwards each
//!   cell is pressed once.
//! - A chord fires when the first of its two buttons is released, if the cell is open and the
//!   number of flags around it equals its number (0 included). Otherwise the area is released. If
//!   the right button is released first, the held left button has no effect until it is pressed
//!   again, or until the right button makes both a chord again.
//! - Pressing the right button sets a flag on a closed cell, removes a flag (or turns it into a
//!   question mark, if marks are enabled), and removes a question mark.
//! - The game begins with a left release whose press is not recorded.
//! - No flags are set at the end.
//!
//! # What is not proven by real files
//! No public recording shows the middle button, question marks, a loss, or a mode other than
//! normal. For these the engine follows the classic game: clicks and openings open question marks
//! like closed cells, and a chord opens all its cells even if one of them is a mine. Nor does one
//! show the right button pressed while the left one is held beside the board, or once more on a
//! flag; there the engine makes it a chord, as everywhere else. Where a recording differs, a
//! [`Doubt`] excuses the events that some program could have produced from that mouse event; the
//! engine then continues from the
//! recorded board. [`Mode::rules`](crate::Mode::rules) says what a game mode changes and what is
//! unknown about it. The engine plays all modes like the normal one; in the recursive modes,
//! recorded chords and flags may also continue by themselves.

mod doubt;
mod judge;
mod leeway;
mod play;
mod surface;

pub use doubt::Doubt;
pub(crate) use judge::Judge;
pub(crate) use leeway::Leeway;
pub use play::{Click, ClickKind, Engine};
pub use surface::Status;
