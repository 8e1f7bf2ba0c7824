//! The state at a tick: filling it, reading it, its values.

// In this order the header has them.
mod state;

mod write;

mod read;

mod value;

pub use read::*;
pub use state::*;
pub use value::*;
pub use write::*;
