//! Tools for the files of simulations: recording a world, reading commands, minimising a log,
//! testing determinism, making an index.

mod agent;
mod branch;
mod check;
mod commands;
mod index;
mod jsonl;
mod measure;
mod minimise;
mod record;
mod resume;
mod run;
mod sweep;
mod sync;

pub use crate::tape::index_path;
pub use agent::{Agent, LineAgent, Moment, Reply, Watch};
pub use branch::Branch;
pub use check::{Checked, check};
pub use commands::Commands;
pub use index::{IndexFile, index};
pub use jsonl::Reset;
#[cfg(test)]
pub(crate) use jsonl::read_line;
pub use measure::Measure;
pub use minimise::{Minimise, Minimised, minimise};
pub use record::{Asked, RecordOptions, ask, record, record_asking, record_each};
pub use resume::Recorded;
pub use run::Run;
pub use sweep::{Sweep, Swept};
pub use sync::{Subject, SyncTest, Synced, sync_test};
