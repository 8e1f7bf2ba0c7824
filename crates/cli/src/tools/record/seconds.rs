//! Seconds on the command line.

use std::time::Duration;

/// A number of seconds, above 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("a number of seconds is above 0, and not too far".to_owned()),
    }
}
