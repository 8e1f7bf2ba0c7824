//! What is known of a recording that is gone on with.

use crate::error::Finding;
use crate::model::Frame;

/// Where a recording was taken up again.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Resumed {
    /// Whole frames that were there.
    pub frames: u64,
    /// The last of them.
    pub last: Option<Frame>,
    /// Bytes behind them, which are cut off as soon as a frame is added.
    pub dropped: u64,
    /// What is wrong with those.
    pub problem: Option<Finding>,
}
