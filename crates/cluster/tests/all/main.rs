//! A scheduler and two executors beside the engine of one machine.

#[path = "../../../query/tests/all/bucket.rs"]
mod bucket;
mod cookbook;
mod deployed;
mod faults;
#[expect(dead_code, reason = "the tests of gametape-query use all of it")]
#[path = "../../../query/tests/all/samples.rs"]
mod samples;
mod secrets;
mod started;
mod stores;
