//! `gametape record`.

mod echo;
mod murk;
mod seconds;
mod stream;

pub use echo::Echo;
pub use murk::Murk;
pub use stream::Stream;
