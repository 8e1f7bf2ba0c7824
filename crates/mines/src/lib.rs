//! Minesweeper recordings: RMV v1 and v2, an independent engine that replays them, and the
//! statistics that players compare.
//!
//! ```
//! # let bytes = gametape_samples::mines::example();
//! use gametape_mines::{rmv, Metrics};
//! let game = rmv::read(&bytes)?;
//! let metrics = Metrics::of(&game);
//! println!("3BV {}, {:.2} 3BV/s", metrics.board.bbbv, metrics.bbbv_per_s().unwrap_or(0.0));
//! for finding in &rmv::audit(&bytes).findings {
//!     println!("{finding}");
//! }
//! # Ok::<(), rmv::Error>(())
//! ```
//!
//! | to change | look in |
//! |---|---|
//! | the rules of the game | [`engine`] |
//! | statistics | [`metrics`] |
//! | the file format: reading, writing, its rules | [`rmv`] |
//! | the checks of the audit, including the ranking's rules | `rmv/audit/` |
//! | how tools see a recording: tables, playback, options (feature `tape`) | `tape/` |

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

mod cell;
mod datum;
pub mod engine;
mod event;
mod game;
pub mod metrics;
mod minefield;
mod mode;
mod replay;
pub mod rmv;
#[cfg(feature = "tape")]
pub mod tape;
mod text;

pub use cell::{Cell, Cells};
pub use engine::Engine;
pub use event::{BoardEvent, Buttons, Ending, Event, Face, MouseAction, MouseEvent, Outcome};
pub use game::{Board, DeclaredSize, Encoding, Game};
pub use metrics::Metrics;
pub use minefield::Minefield;
pub use mode::{Level, Mode, ModeRules};
pub use replay::{ButtonEvents, Divergence, Doubted, Replayed, replay};
pub use rmv::{Extension, Extensions, PlayerFields, Release, V1_CELL_SIZE, Version, property};
pub use text::{Text, TextEncoding, TextRule};

/// Compiles and runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
