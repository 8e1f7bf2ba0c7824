//! What is admitted, and what is not: conditions over what recordings say of themselves, and over what
//! audits find.

mod judge;
mod model;
mod parse;
mod test;

pub use judge::{Decision, Reason};
pub use model::Policy;
pub use parse::PolicyError;
