//! Tools for the files of simulations: recording a world, reading commands, minimising a log,
//! testing determinism, making an index.

mod branch;
mod check;
mod commands;
mod index;
mod jsonl;
mod minimise;
mod record;
mod resume;
mod run;
mod sync;
mod watch;

pub use crate::tape::index_path;
pub use branch::Branch;
pub use check::{Checked, check};
pub use commands::CommandList;
pub use index::{IndexFile, index};
#[cfg(test)]
pub(crate) use jsonl::read_line;
pub use minimise::{Minimise, MinimisedRecording, minimise};
pub use record::{RecordOptions, record, record_each};
pub use resume::Recorded;
pub use run::Run;
pub use sync::{Subject, SyncTest, Synced, sync_test};
pub use watch::Watch;
