//! What is done with the files of simulations: a world is recorded, its commands are read, a log is
//! minimised, determinism is proven or broken, an index is made.

mod agent;
mod branch;
mod commands;
mod index;
mod jsonl;
mod minimise;
mod record;
mod recorded;
mod resume;
mod sync;

pub use crate::tape::index_path;
pub use agent::{Agent, LineAgent, Moment, Watch};
pub use branch::Branch;
pub use commands::Commands;
pub use index::{IndexFile, index};
#[cfg(test)]
pub(crate) use jsonl::read_line;
pub use minimise::{Minimise, Minimised, minimise};
pub use record::{RecordOptions, record, record_asking, record_each};
pub use recorded::Recorded;
pub use sync::{Subject, SyncTest, Synced, sync_test};
