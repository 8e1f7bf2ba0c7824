//! Echo VR: the matches that the game's API tells, and their two recordings, .echoreplay and .butter.
//!
//! A [`Frame`] is one answer of the API, with its names and units. [`echoreplay`] reads and writes it
//! as text, a line a frame, plain or zip; [`butter`] quantised and differenced, in compressed chunks.
//! [`audit`] says whether a recording is what it claims to be, [`diff`] where two differ, [`loss`]
//! what a conversion cost, [`stats`] what happened in the match.
//!
//! ```
//! # let bytes = gametape_echo::doc_example();
//! use gametape_echo::{butter, echoreplay};
//!
//! let file = butter::read(&bytes)?; // header and table; frames are decoded as they are asked for
//! let mut lines = echoreplay::Writer::new(Vec::new());
//! let mut frames = file.frames();
//! while let Some(frame) = frames.next_frame()? {
//!     println!("{} {}", frame.time, frame.session.game_clock_display);
//!     lines.push(frame)?;
//! }
//! assert_eq!(lines.frames(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to change | look in |
//! |---|---|
//! | a member of the API | `model/` has it, `members/` says all that holds for it: it is read and written by that, compared, checked, redacted, shown; `diff/session.rs`, `diff/players.rs` and `tape/tables/` say in which order |
//! | what a line is, and what is put up with | `echoreplay/line.rs`, `echoreplay/scan.rs`; `echoreplay/unzip.rs` |
//! | which bytes a frame of a .butter has | `butter/layout.rs`, `butter/packed.rs` |
//! | what the bytes mean, and which faults are undone | `butter/state.rs`, `butter/bones.rs`, `butter/pause.rs`, `butter/fill.rs`; `butter/survey.rs` tells who wrote them |
//! | how a .butter is written | `butter/encode.rs` and `butter/difference.rs` (correct), `butter/compat.rs` |
//! | chunks, table, recordings in progress | `butter/known.rs` finds them, `butter/decode.rs` gives their frames, whatever they come from; `butter/table.rs`, `butter/write.rs`, `butter/journal.rs`, `butter/salvage/` |
//! | rules, and what the audits check | `rule.rs`, `audit/` |
//! | what the two are as formats among others | `tape/` |
//! | which fields a report names, and how far they may be off | `field.rs`, `diff/tolerance.rs` |
//!
//! Sources: the specification of .butter, and what its reference implementation (package 1.3.4) does
//! beyond it; for .echoreplay, what recorders write.

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

pub mod audit;
pub mod butter;
mod counts;
pub mod diff;
pub mod echoreplay;
mod error;
mod field;
mod limits;
pub mod loss;
mod members;
mod model;
mod parallel;
mod ranges;
mod resumed;
mod rule;
mod spelled;
pub mod stats;
#[cfg(feature = "tape")]
pub mod tape;
mod visit;

pub use error::{Error, Finding, Findings, SalvageError, WriteError};
pub use field::{Field, Kept};
pub use gametape_core::feed::Fed;
pub use gametape_core::{Output, Severity, Stream, Strictness};
pub use limits::{Limits, ReadOptions};
pub use members::{MEMBERS, Member};
pub use model::{
    Arm, BONES, Bones, Disc, Frame, Game, GameStatus, GoalType, Holding, Inputs, LastScore,
    LastThrow, Loadout, Map, Object, Ordnance, ParseTimeError, Pause, PausedState, Payload, Player,
    PlayerBones, Pose, Session, Stats, THROW_MEMBERS, TacMod, Team, TeamId, Time, Unknown, Vec3,
    VrPlayer, Weapon, clock_display,
};
pub use resumed::Resumed;
pub use rule::{Rule, ZipCut};
pub use spelled::Spelled;

/// Three frames, for the examples of the documentation.
#[doc(hidden)]
#[must_use]
pub fn doc_frames() -> Vec<Frame> {
    (0..3_u8)
        .map(|at| Frame {
            time: Time(1_641_092_400_000 + i64::from(at) * 33),
            session: Session {
                map_name: Map::Arena,
                game_clock: 600.0 - f32::from(at) / 30.0,
                ..Session::default()
            },
            bones: None,
        })
        .collect()
}

/// A .butter of those frames.
#[doc(hidden)]
#[must_use]
pub fn doc_example() -> Vec<u8> {
    let written = butter::write(&doc_frames(), butter::Options::default());
    debug_assert!(written.is_ok());
    written.unwrap_or_default()
}

/// The README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
