//! Checks of the promises of `gametape_mines`.

mod audit;
mod engine;
mod read;
mod roundtrip;
pub mod seeds;
mod structured;
mod watch;

pub use audit::rmv_audit;
pub use engine::{rmv_engine, rmv_laws};
pub use read::rmv_read;
pub use roundtrip::rmv_roundtrip;

use crate::Check;

/// Every check of this crate, with its seeds.
pub const CHECKS: &[Check] = &[
    Check::new("rmv_read", rmv_read, seeds::recordings),
    Check::new("rmv_roundtrip", rmv_roundtrip, || {
        [seeds::recordings(), crate::noise(12, 400)].concat()
    }),
    Check::new("rmv_engine", rmv_engine, seeds::scripts),
    Check::new("rmv_laws", rmv_laws, || crate::noise(12, 8)),
    Check::new("rmv_audit", rmv_audit, seeds::recordings),
];
