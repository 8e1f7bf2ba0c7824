//! Is a match what it claims to be?
//!
//! [`SessionAudit`] judges the match, however it is recorded: it names all that is odd and goes on,
//! and what it finds is a list of [`Finding`](crate::Finding)s, one for each code.
//! [`butter::audit`](crate::butter::audit()) and [`echoreplay::audit`](crate::echoreplay::audit())
//! judge the recording and the match in it.

mod session;

pub use session::SessionAudit;
