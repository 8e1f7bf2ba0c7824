//! The index beside a recording: places that are found by reading all of it, kept on request.

mod beside;
mod file;

pub(super) use beside::{find, find_fresh, keep, remove, remove_stale};
pub(super) use file::Places;
