//! The audits.
//!
//! [`SessionAudit`] checks a match, however it was recorded. It names everything irregular and continues;
//! it returns [`Finding`](crate::Finding)s, one for each code. [`butter::audit`](crate::butter::audit())
//! and [`echoreplay::audit`](crate::echoreplay::audit()) check the recording and the match in it.

mod session;

pub use session::SessionAudit;
