//! .butter: every frame of the API, quantised and stored as differences, in compressed chunks.
//!
//! # A map
//!
//! *The reference* is the C# package that defined the format. Its files have faults that readers undo.
//! Both ways below go through the *reader's state*, the values after a frame: a writer takes differences
//! from the same state that a reader adds them to, so that errors do not add up.
//!
//! Reading, from the bytes of a file to a frame:
//!
//! | file | what it does |
//! |---|---|
//! | `stream` | `Decoder`, and the `Feed` and `Reader` over it: bytes come in pieces, frames go out |
//! | `structure` | decides what the next bytes are: header, chunk, or a frame of an unfinished recording |
//! | `header` | parses the header; players are known by their index in it |
//! | `chunk` | the table of chunks, and their compression |
//! | `survey` | walks over an inflated chunk: where are its frames, and who wrote it? |
//! | `play` | goes through the frames of one chunk after another, and reports faults |
//! | `frame/unpack` | a frame's bytes to a `Packed` frame: all of it, or the parts that the caller wants |
//! | `frame/packed` | the `Packed` frame: numbers as they are stored, and their layout by version and game |
//! | `frame/state` | adds the differences of a packed frame to the reader's state |
//! | `frame/bones`, `frame/reference` | the same for bones; for timers and stats that the reference leaves ambiguous |
//! | `frame/fill` | the reader's state to a session of the API |
//! | `read` | a whole file in memory: in order, one chunk alone, or several in parallel |
//!
//! Writing, from a frame to the bytes of a file:
//!
//! | file | what it does |
//! |---|---|
//! | `write` | `Writer`: divides frames into chunks, and puts header and table before them; `Cutter`: a part of a file |
//! | `header` | adds the players of a frame to the header |
//! | `frame/encode` | a frame to a `Packed` frame: differences from the reader's state |
//! | `frame/packed`, `chunk` | the bytes of a packed frame; compression |
//! | `journal` | live recording: a file that can be read after every frame |
//!
//! Both ways use `code`: half floats, fixed point and texts (`primitive`), differences as half floats
//! (`difference`), quaternions of ten bits a component (`rotation`). `audit` lists what is irregular in a file, and
//! `salvage` keeps what is intact in a broken one.

mod audit;
mod chunk;
mod code;
mod frame;
mod header;
mod journal;
mod play;
mod read;
mod salvage;
mod stream;
mod structure;
mod survey;
mod write;

#[cfg(feature = "tape")]
pub(crate) use audit::audit_stream;
pub use audit::{Audit, audit, audit_input, audit_with};
#[cfg(feature = "tape")]
pub(crate) use chunk::Ranges;
pub use chunk::{ChunkEntry, Table};

pub use code::primitive::{from_fixed, from_half, to_fixed, to_half};
pub use header::{Compression, Header, HeaderPlayer, INVALID, VERSION, match_type};
pub use journal::Journal;
pub use play::Seen;
#[cfg(feature = "tape")]
pub(crate) use play::{Shown, Skip};
#[cfg(feature = "tape")]
pub(crate) use read::SurveyedChunk;

pub use code::rotation::{
    Quaternion, from_basis, from_smallest3, to_basis, to_smallest3, to_smallest3_nearest,
};
pub use frame::reference::{Dialect, Mended};
#[cfg(feature = "tape")]
pub(crate) use frame::unpack::Parts;
#[cfg(feature = "tape")]
pub(crate) use read::ChunkDecoder;
pub use read::{ChunkFrames, ChunkInfo, File, Frames, read, read_with};
#[cfg(feature = "tape")]
pub(crate) use salvage::salvage_ranges;
pub use salvage::{Salvaged, salvage, salvage_to};
pub use stream::{Feed, Reader};
#[cfg(feature = "tape")]
pub(crate) use write::Cutter;
pub use write::{Options, Writer, Written, write};
