//! The index beside a recording: the place of each tick, and a checksum of each frame.
//!
//! A recording has no table of its frames, and no checksum that reveals a flipped bit. The index
//! has both: the offset, the tick and a CRC-32 of each frame. It is made once (on demand, or while
//! recording) and lies in a file beside the recording. It is refused if the recording has changed.

mod format;
mod read;

pub use format::{Entry, IndexBuilder, Pieces};
pub use read::{Damage, Index, IndexError, Indexed};
