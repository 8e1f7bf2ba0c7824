//! The rules of Minesweeper: mouse events in, board events out.
//!
//! An independent engine, not derived from any clone's. Its rules are those that real
//! ViennaSweeper recordings obey; it predicts every board event of them, in order:
//!
//! - The left button presses the square under the cursor; both buttons, or the middle one,
//!   press the square's eight neighbours row-major and then the square itself. Only closed
//!   squares without a flag are pressed. Moving on releases the whole old area and then presses
//!   the whole new one.
//! - Releasing the left button alone opens the pressed square. An opening unfolds depth-first,
//!   each square before its neighbours, neighbours row-major; flags stay closed.
//! - A chord fires when the first of its two buttons is released, if the square is open and as
//!   many flags are around it as its number says (0 included). Otherwise the area is released.
//!   If the right button goes first, the held left button is dead until it is pressed again.
//! - The right button goes down: a closed square gets a flag, a flag is taken off (or becomes a
//!   question mark, where marks are on), a question mark is taken off.
//! - The game begins with a left release whose press is not recorded.
//! - No flags are set at the end.
//!
//! # What is not proven by real files
//! No public recording shows the middle button, question marks, a loss, or a mode other than
//! normal. For these the engine follows the classic game: question marks are opened like closed
//! squares, by clicks and by openings; a chord opens all its squares even where one is a mine.
//! Public recordings show the right button going down on a held left one on open squares alone, and
//! each button event in the square of the event before. How the engine plays the others is our reading.
//! Where a recording differs, a [`Doubt`] excuses what some program could have made of that very
//! mouse event; the engine then goes on from the recorded board.
//! What a game mode changes, and what of it is not known, says
//! [`Mode::rules`](crate::Mode::rules). The engine plays them all as normal ones; in the recursive
//! modes a recording may say that chords and flags went on by themselves.

mod ask;
mod doubt;
mod judge;
mod leeway;
mod play;
mod question;
mod squares;

pub use doubt::Doubt;
pub(crate) use judge::Judge;
pub(crate) use leeway::Leeway;
pub use play::{Click, ClickKind, Engine};
pub use squares::Status;
