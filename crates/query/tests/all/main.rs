//! Answers beside the rows that a scan gives.

mod answers;
mod catalogue;
mod command;
mod conditions;
mod cookbook;
mod dump;
mod hostile;
mod order;
mod peers;
mod samples;
mod stores;
