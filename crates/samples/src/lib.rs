//! Invented recordings of each kind: for demonstrations, tests and benchmarks, where no real
//! recording is at hand or none may be shown.
//!
//! All of it is made from a seed: the same one gives the same recording, on every machine. Nobody
//! in them exists.
//!
//! | module, and feature | |
//! |---|---|
//! | [`echo`] | matches of Echo VR, frame by frame |
//! | [`mines`] | games of Minesweeper that a bot plays |
//! | [`delta`] | ships in an arena, as snapshots |
//! | [`murk`] | worlds as texts; with feature `engine` their recordings |
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
//! Every kind is a feature, all are on by default. A format crate's tests, which use their own kind
//! alone, turn the others off.

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

/// The README's example compiles and runs.
#[cfg(all(doctest, feature = "delta"))]
#[doc = include_str!("../README.md")]
struct Readme;
