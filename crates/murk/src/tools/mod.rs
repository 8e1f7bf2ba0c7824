//! Tools for the files of simulations: recording a world, reading commands, minimising a log,
//! testing determinism, making an index.

mod commands;
mod determinism;
mod index;
mod jsonl;
mod minimise;
mod record;
mod resume;
mod run;

pub use crate::tape::index_path;
pub use commands::CommandList;
pub use determinism::{Checked, Subject, SyncTest, Synced, check, sync_test};
pub use index::{IndexFile, index};
#[cfg(test)]
pub(crate) use jsonl::read_line;
pub use minimise::{Minimise, MinimisedRecording, minimise};
pub use record::{Branch, RecordOptions, record, record_each};
pub use resume::Recorded;
pub use run::{Run, Watch};
