//! The `gametape` command as a library: a program with formats of its own makes its command of it.
//!
//! ```no_run
//! # fn my_formats() -> gametape::Formats { gametape::formats() }
//! fn main() -> std::process::ExitCode {
//!     // gametape::formats().with(MyFormat)
//!     gametape_cli::run(my_formats())
//! }
//! ```
//!
//! Its verbs know no format: what they can be told is what the formats declare. What one format alone
//! can do is a [`Tool`], which an [`App`] is given.

#![forbid(unsafe_code)]

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
#[cfg(any(feature = "picture", feature = "play"))]
mod scene;
#[cfg(feature = "tools")]
pub mod tools;
mod ui;

pub use app::{App, Tool, run};
pub use exit::Exit;
pub use ui::Ui;
