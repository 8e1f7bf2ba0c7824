//! Tools for the files of simulations: recording a world, reading commands, minimising a log,
//! testing determinism, making an index.

mod commands;
mod determinism;
mod jsonl;
mod minimise;
mod record;
mod resume;
mod run;

pub use crate::tape::beside::{IndexFile, index, index_path};
pub use commands::CommandList;
pub use determinism::{Checked, Subject, SyncTest, Synced, check, sync_test};
#[cfg(test)]
pub(crate) use jsonl::read_line;
pub use minimise::{Minimise, MinimisedRecording, minimise};
pub use record::{Branch, RecordOptions, record, record_each};
pub use resume::Recorded;
pub use run::{Run, Watch};
