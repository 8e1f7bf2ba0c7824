//! Captures: recorded packets and states.

mod read;
mod write;

pub use read::*;
pub use write::*;
