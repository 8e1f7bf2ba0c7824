//! What the macros name, in crates that may have no `alloc` of their own.

pub use alloc::vec;
pub use alloc::vec::Vec;
