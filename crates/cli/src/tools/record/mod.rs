//! `gametape record`.

mod echo;
mod murk;
mod stream;

pub use echo::Echo;
pub use murk::Murk;
pub use stream::Stream;
