//! The promises of `gametape_murk`.

mod expected;
mod frame_limit;
mod grown;
pub(crate) mod index;
mod origin;
mod output;
mod payload;
mod read;
mod resume;
mod roundtrip;
pub(crate) mod seeds;
mod source;
mod structured;
pub(crate) mod world;

pub use index::murk_index;
pub use origin::murk_origin;
pub use read::murk_read;
pub use roundtrip::murk_roundtrip;
pub use world::murk_world;

/// 1 to 61, out of the data: a change of one byte changes few of the pieces.
fn odd_size(data: &[u8], at: usize) -> usize {
    let byte = data.get(at.wrapping_mul(7) % data.len().max(1));
    1 + usize::from(byte.copied().unwrap_or(0)) % 61
}
