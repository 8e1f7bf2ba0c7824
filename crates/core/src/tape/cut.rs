//! The range of a recording that a cut keeps.

use std::fmt;

use crate::clock::At;

/// The range of a recording that a cut keeps. Both moments are included; a missing one stands for
/// the start or the end of the recording.
///
/// ```
/// use gametape_core::{Clocks, Stamp, Time, tape::Cut};
///
/// let cut = Cut::new(Some("0.04".parse()?), Some("0.07".parse()?));
/// let mut steps = cut.steps(Clocks::TIMES)?;
/// for (step, ms) in (0..).zip([0, 33, 67, 100]) {
///     steps.position(Stamp { step, tick: None, time: Some(Time::from_ms(ms)) });
/// }
/// assert_eq!(steps.kept()?.steps, 2..3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Cut {
    /// The first moment.
    pub from: Option<At>,
    /// The last moment; times are compared to the millisecond.
    pub to: Option<At>,
}

impl Cut {
    /// Creates a range from one moment to another.
    #[must_use]
    pub const fn new(from: Option<At>, to: Option<At>) -> Self {
        Self { from, to }
    }
}

/// For example `from 1.000 s to tick 9`.
impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from, self.to) {
            (Some(from), Some(to)) => write!(f, "from {from} to {to}"),
            (Some(from), None) => write!(f, "from {from} on"),
            (None, Some(to)) => write!(f, "up to {to}"),
            (None, None) => f.write_str("at all"),
        }
    }
}
