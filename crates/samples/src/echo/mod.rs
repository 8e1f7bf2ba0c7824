//! Invented matches: for tests, demonstrations and benchmarks, where no real recording is at hand
//! or none may be shown.
//!
//! A match is made from a seed, one frame after another, in memory that does not grow. The same
//! seed and options give the same frames on every platform: the arithmetic is additions,
//! multiplications, divisions and square roots only. (Another version of this crate may give
//! others.)
//!
//! What it imitates: numbers rounded and noisy as the game prints them, a recorder whose interval
//! jitters, players who fly, grab, throw, catch, stun and stand still, the course of a match
//! through its statuses, goals with their points, statistics and last score, pauses, people who
//! join and leave. What it does not: tactics. Nobody in it exists.
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
mod odd;
mod options;
mod roster;
mod share;
mod skeleton;

pub use game::Match;
pub use odd::odd_match;
pub use options::MatchOptions;
pub use share::{cut_out, echoreplay};
