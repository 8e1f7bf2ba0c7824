//! Answers beside the rows that a scan gives.

mod answers;
mod command;
mod conditions;
mod cookbook;
mod samples;
