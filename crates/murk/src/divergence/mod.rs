//! The description of a divergence: plain data, and the sentences made from it.
//!
//! [`Rule`](crate::Rule) carries these types, so nothing here depends on readers, replaying or the
//! search in [`slip`](crate::slip).

mod cause;
mod difference;
mod explain;
mod explanation;
mod parted;
mod slip;

pub use cause::{Cause, Divergence, Evidence};
pub use difference::Difference;
pub(crate) use difference::Listed;
pub use explain::{Candidate, explain};
pub use explanation::Explanation;
pub(crate) use explanation::MAX_SLIPS;
pub use parted::Parted;
pub use slip::{CommandAt, Slip, Target};
