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

use std::time::Duration;

pub use echo::Echo;
pub use murk::Murk;
pub use stream::Stream;

/// A number of seconds, above 0.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("a number of seconds is above 0, and not too far".to_owned()),
    }
}
