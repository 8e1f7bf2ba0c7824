//! `gametape record`: the recorders of single formats.

mod echo;
mod murk;
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
