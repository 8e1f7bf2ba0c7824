//! The `gametape` command as a library. A program with formats of its own builds its command from it.
//!
//! ```no_run
//! # fn my_formats() -> gametape::Formats { gametape::formats() }
//! fn main() -> std::process::ExitCode {
//!     // gametape::formats().with(MyFormat)
//!     gametape_cli::run(my_formats())
//! }
//! ```
//!
//! The verbs know no format; formats declare the options of each verb. A command for a single format is a
//! [`Tool`], which is added to an [`App`].

#![forbid(unsafe_code)]

mod advice;
mod app;
mod args;
mod call;
mod commands;
mod exit;
#[cfg(feature = "kit")]
pub mod kit;
mod located;
mod many;
mod options;
mod sheet;
#[cfg(feature = "tools")]
pub mod tools;
mod ui;
mod usage;

pub use app::{App, Tool, run};
pub use exit::Exit;
pub use ui::Ui;

/// Compiles the examples of the book's page on the library, and runs those that need no file of the reader.
#[cfg(all(doctest, feature = "tools"))]
#[doc = include_str!("../../../docs/src/library.md")]
struct Library;
