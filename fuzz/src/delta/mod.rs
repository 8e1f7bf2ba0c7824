//! The promises of `gametape_delta`.

mod apply;
mod model;
mod origin;
mod packet;
mod roundtrip;
pub(crate) mod seeds;
mod session;
mod structured;

pub(crate) use seeds::known;
pub(crate) use structured::{Script, edit, schema, state};

pub use apply::delta_apply;
pub use origin::delta_origin;
pub use packet::delta_packet;
pub use roundtrip::delta_roundtrip;
pub use session::delta_session;
