//! The places of the frames of an .echoreplay: found in one pass, and kept in an index beside the recording
//! on request.

mod beside;
mod file;
mod line;
mod make;

pub(super) use beside::{find, find_fresh, keep, remove, remove_stale};
pub(super) use line::{Entry, Lines};
