//! The place of each frame in an .echoreplay: found in one pass, kept in a file beside the recording on
//! request.

mod beside;
mod file;
mod line;
mod make;

pub(super) use beside::{find, keep, remove, remove_stale};
pub(super) use line::{Entry, Lines};
