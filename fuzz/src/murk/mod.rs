//! Checks of the promises of `gametape_murk`.

mod expected;
mod frame_limit;
mod grown;
pub mod index;
mod origin;
mod output;
mod payload;
mod read;
mod resume;
mod roundtrip;
pub mod seeds;
mod source;
mod structured;
pub mod world;

pub use index::murk_index;
pub use origin::murk_origin;
pub use read::murk_read;
pub use roundtrip::murk_roundtrip;
pub use world::murk_world;

use crate::Check;

/// Every check of this crate, with its seeds.
pub const CHECKS: &[Check] = &[
    Check::new("murk_read", murk_read, seeds::recordings),
    Check::new("murk_roundtrip", murk_roundtrip, || {
        [seeds::recordings(), crate::noise(12, 400)].concat()
    }),
    Check::new("murk_origin", murk_origin, || {
        [seeds::recordings(), crate::noise(12, 400)].concat()
    }),
    Check::new("murk_index", murk_index, index::seeds::inputs),
    Check::new("murk_world", murk_world, world::seeds::worlds),
];

/// The size of a piece: 1 to 61, derived from the data, so that a change of one byte changes few
/// pieces.
fn odd_size(data: &[u8], at: usize) -> usize {
    let byte = data.get(at.wrapping_mul(7) % data.len().max(1));
    1 + usize::from(byte.copied().unwrap_or(0)) % 61
}
