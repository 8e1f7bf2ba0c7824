//! Sans-I/O feeding: bytes go in as they come, items come out as they get whole.
//!
//! A format writes one [`Decode`]. [`Feed`] is it with bytes pushed by hand, [`Reader`] with bytes
//! taken from any [`Read`](std::io::Read); both hold one item, or as much as was pushed at once, and
//! both can go on where a recording that grows has ended for now.

mod buffer;
mod decode;
#[cfg(feature = "std")]
mod reader;

pub use buffer::Buffer;
pub use decode::{Decode, Fed, Feed, Step};
#[cfg(feature = "std")]
pub use reader::Reader;
