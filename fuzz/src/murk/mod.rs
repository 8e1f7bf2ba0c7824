//! Checks of the promises of `gametape_murk`.

mod expected;
mod index;
mod origin;
mod read;
pub mod seeds;
mod structured;
pub mod world;
mod writer;

pub use index::murk_index;
pub use origin::murk_origin;
pub use read::murk_read;
pub use world::murk_world;
pub use writer::murk_roundtrip;

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
    Check::new("murk_index", murk_index, seeds::with_indexes),
    Check::new("murk_world", murk_world, world::seeds::worlds),
];
