//! Invented matches for tests, demonstrations and benchmarks, to be used where no real recording is
//! available or may be shown.
//!
//! A match is generated from a seed, frame by frame, in constant memory. The same seed and options
//! give the same frames on every platform, because only additions, multiplications, divisions and
//! square roots are used. (Another version of this crate may give different frames.)
//!
//! The generator imitates the rounding and noise of the game's numbers; a recorder with jitter;
//! players who fly, grab, throw, catch, stun and stand still; the statuses of a match; goals with
//! their points, statistics and last score; pauses; people who join and leave. It does not imitate
//! tactics. All people are invented.
//!
//! ```
//! use gametape_samples::echo::{Match, MatchOptions};
//!
//! let options = MatchOptions { seed: 7, frames: Some(300), ..MatchOptions::default() };
//! let frames: Vec<_> = Match::new(options).collect();
//! assert_eq!(frames.len(), 300);
//! assert_eq!(frames[0].session.teams[1].players.len(), 5);
//! ```

mod actor;
mod arena;
mod combat;
mod crowd;
mod game;
mod math;
mod options;
mod roster;
mod share;
mod skeleton;

pub use game::Match;
pub use options::MatchOptions;
pub use share::{cut_out, echoreplay};
