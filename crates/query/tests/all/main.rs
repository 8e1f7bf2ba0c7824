//! Answers beside the rows that a scan gives.

mod answers;
mod book;
#[expect(dead_code, reason = "the tests of gametape-cluster use all of it")]
mod bucket;
mod catalogue;
mod command;
mod conditions;
mod cookbook;
mod dump;
mod hostile;
mod order;
mod packed;
mod peers;
mod relations;
mod samples;
mod second;
mod stores;
mod twenty;
