//! .butter: every frame of the API, quantised and differenced, in compressed chunks.

mod chunk;
mod compat;
mod cursor;
mod difference;
mod encode;
mod fill;
mod fixed;
mod half;
mod header;
mod journal;
pub(crate) mod layout;
pub(crate) mod packed;
mod pause;
mod play;
mod proof;
mod read;
mod resync;
mod roster;
mod rotation;
mod rotation4;
mod salvage;
mod state;
mod stream;
mod values;
mod write;

pub use fixed::{from_fixed, to_fixed};
pub use half::{from_half, to_half};
pub use header::{
    Compression, Header, HeaderPlayer, INVALID, MIN_HEADER_BYTES, VERSION, match_type,
};
pub use journal::{Growing, Journal};
pub use play::Seen;
pub use proof::ChunkDecoder;
pub use read::{ChunkEntry, ChunkFrames, ChunkInfo, File, Frames, ReadOptions, Strictness, read};
pub use roster::MAX_PLAYERS;
pub use rotation::{
    Quaternion, from_basis, from_smallest3, to_basis, to_smallest3, to_smallest3_nearest,
};
pub use salvage::{SalvageError, Salvaged, salvage};
pub use state::{Dialect, Mended};
pub use stream::{Decoder, Reader};
pub use write::{Mode, Options, Writer, Written, write};
