//! Invented recordings of each kind for demonstrations, tests and benchmarks, to be used where no
//! real recording is available or may be shown.
//!
//! All recordings are generated from a seed: the same seed gives the same recording on every
//! machine. All people in them are invented.
//!
//! | module and feature | content |
//! |---|---|
//! | [`echo`] | matches of Echo VR, frame by frame |
//! | [`mines`] | games of Minesweeper, played by a bot |
//! | [`delta`] | ships in an arena, as snapshots |
//! | [`murk`] | worlds as texts; with feature `engine` also their recordings |
//!
//! ```
//! # #[cfg(all(feature = "echo", feature = "mines"))] {
//! use gametape_echo::butter;
//! use gametape_mines::rmv;
//! use gametape_samples::{echo, mines};
//!
//! let options = echo::MatchOptions { seed: 7, frames: Some(90), ..Default::default() };
//! let frames: Vec<_> = echo::Match::new(options).collect();
//! let match_butter = butter::write(&frames, butter::Options::default())?;
//!
//! for scenario in mines::scenarios() {
//!     let game_rmv = rmv::write(&mines::record(&scenario, 7)?)?;
//!     println!("{}: {} bytes", scenario.name, game_rmv.len());
//! }
//! # assert!(!match_butter.is_empty());
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every kind is a feature that is on by default. The tests of a format crate use only their own
//! kind and turn the others off.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

#[cfg(feature = "delta")]
pub mod delta;
#[cfg(feature = "echo")]
pub mod echo;
#[cfg(feature = "mines")]
pub mod mines;
#[cfg(feature = "murk")]
pub mod murk;

/// Compiles and runs the README's example.
#[cfg(all(doctest, feature = "delta"))]
#[doc = include_str!("../README.md")]
struct Readme;
