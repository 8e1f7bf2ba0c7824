//! Tests of the session model, its two recording formats, and the statistics. They are one program, so that
//! it is linked once.

// Exact values are compared, and numbers are spelled as in the recordings.
#![allow(
    clippy::excessive_precision,
    clippy::float_cmp,
    clippy::items_after_statements,
    clippy::unreadable_literal
)]

mod book;
mod butter;
#[cfg(feature = "tape")]
mod clocks;
mod common;
#[cfg(feature = "tape")]
mod cut;
mod echoreplay;
#[cfg(feature = "tape")]
mod lines;
mod losses;
#[cfg(feature = "tape")]
mod lost;
mod match_stats;
mod members;
mod people;
#[cfg(feature = "tape")]
mod precision;
#[cfg(feature = "tape")]
mod ranges;
mod session_audit;
#[cfg(feature = "tape")]
mod tables;
