//! The places of the frames of an .echoreplay, found in one pass.

mod line;
mod make;

pub(super) use line::{Entry, Lines};
