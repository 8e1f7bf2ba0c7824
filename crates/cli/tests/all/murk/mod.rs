//! Murk recordings as users see them: what the command prints, how it exits, what it leaves on
//! disk. (Recorders that are killed have a file of their own.)

mod agent;
mod bad_input;
mod bad_text;
mod copies;
mod everyday;
mod faults;
mod index;
mod outputs;
mod resume;
pub mod support;
