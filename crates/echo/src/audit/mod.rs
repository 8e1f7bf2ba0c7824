//! Is a recording what it claims to be?
//!
//! Audits name all that is odd and go on; what they find is a list of [`Finding`](crate::Finding)s,
//! one for each code. [`SessionAudit`] judges the match, however it is recorded.

mod butter;
mod session;

pub use butter::{ButterAudit, butter};
pub use session::SessionAudit;
