//! Policies: which recordings are admitted, decided by conditions on their facts and on the
//! findings of audits.

mod judge;
mod model;
mod parse;
mod test;

pub use judge::{Decision, Reason};
pub use model::Policy;
pub use parse::PolicyError;
