//! Checks of the promises of `gametape_delta`.

mod model;
mod origin;
mod packet;
mod roundtrip;
pub mod seeds;
mod session;
mod structured;

pub use seeds::known;
pub(crate) use structured::{Script, edit, schema, state};

pub use origin::delta_origin;
pub use packet::delta_packet;
pub use roundtrip::{delta_apply, delta_roundtrip};
pub use session::delta_session;

use crate::Check;

/// Every check of this crate, with its seeds.
pub const CHECKS: &[Check] = &[
    Check::new("delta_packet", delta_packet, seeds::packets),
    Check::new("delta_apply", delta_apply, || crate::noise(12, 300)),
    Check::new("delta_roundtrip", delta_roundtrip, || crate::noise(12, 400)),
    Check::new("delta_origin", delta_origin, || crate::noise(12, 300)),
    Check::new("delta_session", delta_session, || crate::noise(12, 600)),
];
