//! What there is to see of a recording, without a terminal and without a file: cells, points, and what
//! they say. It knows no format: all of it follows from the tables.

pub mod board;
pub mod cells;
#[cfg(feature = "picture")]
pub mod change;
#[cfg(feature = "picture")]
pub mod clock;
pub mod map;
pub mod range;
#[cfg(feature = "picture")]
pub mod stay;
#[cfg(feature = "picture")]
pub mod stretch;
pub mod symbols;
pub mod text;
pub mod tint;
#[cfg(feature = "picture")]
pub mod tracks;
pub mod views;
#[cfg(feature = "picture")]
pub mod words;
