//! `gametape record`.

mod echo;
mod murk;
mod seconds;
#[cfg(feature = "live")]
mod serving;
mod stream;
#[cfg(not(feature = "live"))]
mod unserved;
#[cfg(not(feature = "live"))]
use unserved as serving;

pub use echo::Echo;
pub use murk::Murk;
pub use stream::Stream;
