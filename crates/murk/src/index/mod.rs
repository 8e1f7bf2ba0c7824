//! The index beside a recording: where each tick is, and what each frame was.
//!
//! A recording has no table of its frames, and nothing that tells a flipped bit. The index holds
//! both: for each frame its offset, its tick and a CRC-32. It is made once (on demand, or while
//! recording), lies in a file beside the recording, and is refused where the recording has changed.

mod build;
mod layout;
mod pieces;
mod read;

pub use build::IndexBuilder;
pub use layout::Entry;
pub use pieces::Pieces;
pub use read::{Damage, Index, IndexError, Indexed};
