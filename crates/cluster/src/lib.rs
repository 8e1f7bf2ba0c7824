//! SQL over recordings of games and simulations on many machines.
//!
//! The scheduler and the executors are those of [Ballista](https://docs.rs/ballista-core), the distributed
//! engine of DataFusion. This crate teaches them the tables of recordings: [`gametape-query`](gametape_query)
//! has the tables, the functions and the reading, and this crate carries them from one machine to another.
//!
//! A program with formats of its own is [`run`] with them, on every machine:
//!
//! ```no_run
//! # use gametape::formats;
//! fn main() -> std::process::ExitCode {
//!     gametape_cluster::run(formats()) // .with(MyFormat)
//! }
//! ```

#![forbid(unsafe_code)]

mod client;
mod codec;
mod command;
mod cores;
mod executor;
mod followed;
mod outline;
mod progress;
mod scheduler;
mod slots;
mod words;

#[doc(hidden)]
pub use client::connect;
pub use command::run;
