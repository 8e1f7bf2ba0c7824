//! SQL over any number of recordings of games and simulations.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("game.rmv");
//! # std::fs::write(&path, gametape_samples::mines::example())?;
//! use std::sync::Arc;
//! use gametape_query::{Archive, Settings, session};
//!
//! let archive = Archive::open(gametape::formats(), &[path], gametape::Secrets::Hide)?;
//! let context = session(&Arc::new(archive), &Settings::default())?;
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let answer = context.sql("SELECT player_name, ioe FROM games").await?;
//! assert_eq!(answer.collect().await?[0].num_rows(), 1);
//! # Ok::<(), datafusion::error::DataFusionError>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A command with formats of its own is [`run`] with them:
//!
//! ```no_run
//! # use gametape::formats;
//! fn main() -> std::process::ExitCode {
//!     gametape_query::run(formats()) // .with(MyFormat)
//! }
//! ```

#![forbid(unsafe_code)]

mod archive;
mod command;
mod functions;
mod index;
mod machines;
mod progress;
mod session;
mod tables;

pub use archive::catalogue::CatalogueError;
pub use archive::{Archive, File};
pub use command::output::{Form, write};
pub use command::run;
pub use index::{Indexed, index};
pub use session::{Settings, session};

/// The parts that only `gametape-cluster` needs: it is no interface for others.
#[doc(hidden)]
pub mod cluster {
    use std::sync::Arc;

    use tokio::task::JoinHandle;

    use crate::Archive;

    pub use crate::archive::heard;
    pub use crate::archive::store::{runtime, runtime_in};
    pub use crate::command::stop::stopped;
    pub use crate::command::{Connect, Connected, Wish, none_of, run_with, size};
    pub use crate::machines::Machine;
    pub use crate::machines::outline::{Address, Outline};
    pub use crate::machines::sent::ask;
    pub use crate::machines::task::task;
    pub use crate::session::furnish;
    pub use crate::tables::related::is_related;

    /// Notes that a recording is broken.
    pub fn note(archive: &Archive, recording: &str, problem: String) {
        archive.note(recording, problem);
    }

    /// Says how far a query is.
    pub fn progress(archive: &Archive, done: u64, planned: u64, words: String) {
        archive.progress().at(done, planned, words);
    }

    /// Adds work that has to be waited for before the program ends.
    pub fn ends_with(archive: &Arc<Archive>, work: JoinHandle<()>) {
        archive.ends_with(work);
    }
}
