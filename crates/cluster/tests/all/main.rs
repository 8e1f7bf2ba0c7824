//! A scheduler and two executors beside the engine of one machine.

mod cookbook;
mod faults;
#[path = "../../../query/tests/all/samples.rs"]
mod samples;
mod started;
