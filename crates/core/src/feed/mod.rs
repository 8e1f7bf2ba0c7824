//! Sans-I/O decoding: push bytes as they arrive, and get items as they become complete.
//!
//! A format implements one [`Decode`]. [`Feed`] drives it with bytes pushed by the caller,
//! [`Reader`] with bytes from any [`Read`](std::io::Read). Both buffer one item, or the bytes that
//! were pushed at once. Both can continue after the end of a recording that has grown since.

mod buffer;
mod decode;
#[cfg(feature = "std")]
mod reader;

pub use buffer::Buffer;
pub use decode::{Decode, Fed, Feed, Step};
#[cfg(feature = "std")]
pub use reader::Reader;
