//! Where each frame of an .echoreplay stands: made in one pass, kept beside the recording on request.

mod beside;
mod file;
mod line;
mod make;

pub(super) use beside::{find, keep, remove, remove_stale};
pub(super) use line::{Entry, Lines};
