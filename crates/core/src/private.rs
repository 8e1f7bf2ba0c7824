//! Items that the macros use, for crates without `alloc`.

pub use alloc::vec;
pub use alloc::vec::Vec;
