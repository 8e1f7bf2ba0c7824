//! The description of a divergence: plain data, and the sentences made from it.
//!
//! [`Rule`](crate::Rule) carries these types, so nothing here depends on readers, replaying or the
//! search in [`slip`](crate::slip).

mod cause;
mod explain;
mod parted;
mod slip;

pub(crate) use cause::Listed;
pub use cause::{Cause, Difference, Divergence, Evidence};
pub use explain::{Candidate, explain};
pub use parted::Parted;
pub(crate) use slip::MAX_SLIPS;
pub use slip::{CommandAt, Explanation, Slip, Target};
