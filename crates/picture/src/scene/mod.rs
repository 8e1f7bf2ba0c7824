//! The scene that `play` and `picture` draw: which views a recording has, what is where in each of them,
//! and what it means. The scene knows no format and no surface: it follows from the tables alone. The
//! painters turn it into characters or SVG.

pub mod board;
pub mod describe;
pub mod dwell;
pub mod map;
pub mod range;
pub mod symbols;
pub mod time;
pub mod tracks;
pub mod views;
