//! Recordings of Echo VR as users see them: what the command prints, how it exits, what it leaves
//! on disk.

mod bad_input;
mod convert;
mod everyday;
mod faults;
mod index;
mod outputs;
pub mod support;
