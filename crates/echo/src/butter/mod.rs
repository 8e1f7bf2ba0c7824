//! .butter: every frame of the API, quantised and differenced, in compressed chunks.

#[cfg(feature = "tape")]
mod ahead;
mod audit;
mod bones;
mod bones4;
mod bytes;
mod compat;
#[cfg(feature = "tape")]
mod cut;
mod decode;
mod dialect;
mod difference;
mod encode;
mod fill;
mod fixed;
mod half;
mod header;
mod input;
mod journal;
mod known;
mod layout;
mod pack;
mod packed;
mod parts;
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
mod survey;
mod table;
mod team;
mod unpack;
mod values;
mod window;
mod write;

#[cfg(feature = "tape")]
pub(crate) use ahead::OpenChunk;
pub use audit::{Audit, audit, audit_input, audit_with};
#[cfg(feature = "tape")]
pub(crate) use cut::Cutter;
pub use dialect::{Dialect, Mended};
pub use fixed::{from_fixed, to_fixed};
pub use half::{from_half, to_half};
pub use header::{
    Compression, Header, HeaderPlayer, INVALID, MIN_HEADER_BYTES, VERSION, match_type,
};
pub use journal::Journal;
#[cfg(feature = "tape")]
pub(crate) use parts::Parts;
pub use play::Seen;
#[cfg(feature = "tape")]
pub(crate) use play::Shown;
pub use proof::ChunkDecoder;
pub use read::{ChunkFrames, ChunkInfo, File, Frames, read, read_with};
pub use roster::MAX_PLAYERS;
pub use rotation::{
    Quaternion, from_basis, from_smallest3, to_basis, to_smallest3, to_smallest3_nearest,
};
#[cfg(feature = "tape")]
pub(crate) use salvage::salvage_ranges;
pub use salvage::{Salvaged, salvage, salvage_to};
pub use stream::{Feed, Reader};
pub use table::{ChunkEntry, Table};
pub use write::{Mode, Options, Writer, Written, write};
