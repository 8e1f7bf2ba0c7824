//! The description of a resumed recording.

use crate::error::Finding;
use crate::model::Frame;

/// The state of a recording that was resumed.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Resumed {
    /// The number of whole frames in it.
    pub frames: u64,
    /// The last whole frame.
    pub last: Option<Frame>,
    /// The number of bytes after the frames. They are cut off when a frame is added.
    pub dropped: u64,
    /// The fault of those bytes.
    pub problem: Option<Finding>,
}
