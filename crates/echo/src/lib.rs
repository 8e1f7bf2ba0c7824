//! Echo VR: the matches that the game's API reports, and their two recording formats, .echoreplay and
//! .butter.
//!
//! A [`Frame`] is one response of the API, with its names and units. [`echoreplay`] reads and writes it as
//! text, one line per frame, plain or in a zip. [`butter`] stores it quantised and as differences, in
//! compressed chunks. [`audit`] checks a recording for signs of damage and editing, [`diff`] finds where
//! two recordings differ, [`loss`] measures what a conversion cost, and [`stats`] describes the match.
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
//! | the model of a frame; times; texts of the API | `model/` |
//! | a member of the API | also its row in `members/rows.rs`, by which it is read, written, compared, checked, redacted and shown; `diff/walk.rs` and `tape/tables/` define the order |
//! | how values are visited, named in reports, or told apart from frame to frame | `visit.rs`, `field.rs`, `people.rs` |
//! | the time of a recording, where the wall clock was changed | `course.rs` |
//! | lines, and tolerated input | `echoreplay/line.rs`, `echoreplay/scan.rs`; `echoreplay/decode/mend/`, `echoreplay/unpack.rs` |
//! | a .butter | `butter/mod.rs` has a map of its files |
//! | rules, errors and limits | `rule.rs`, `error.rs`, `limits.rs` |
//! | the checks of a match; those of a format are in its folder | `audit/` |
//! | what tells that two recordings are of one match | `trace.rs` |
//! | comparing frames, tolerances, and the loss of a conversion | `diff/`, `loss.rs` |
//! | statistics | `stats/` |
//! | both formats as gametape formats | `tape/`: `frames.rs` (what reads frames), `opened.rs` (an opened recording), `tables/` (columns, and the rows of frames), `info.rs`, `dump.rs`, `diff.rs`, `convert/`, `cut/`, `repair.rs` (the verbs), `chunks.rs` and `lines.rs` (where reading can start), `index.rs` (that kept beside a recording) |
//!
//! Sources: for .butter, its specification, and where that says nothing, the behaviour of the reference
//! implementation (package 1.3.4); for .echoreplay, the files of recorders.

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
mod course;
pub mod diff;
pub mod echoreplay;
mod error;
mod field;
mod limits;
pub mod loss;
mod members;
mod model;
mod parallel;
mod people;
mod rule;
pub mod stats;
#[cfg(feature = "tape")]
pub mod tape;
mod trace;
mod visit;

pub use error::{Error, Finding, Findings, Resumed, SalvageError, WriteError};
pub use field::{Field, Kept};
pub use gametape_archive::Cut as ZipCut;
pub use gametape_core::feed::Fed;
pub use gametape_core::{Output, Severity, Stream, Strictness};
pub use limits::{Limits, ReadOptions};
pub use members::{MEMBERS, Member};
pub use model::{
    Arm, BONES, Bones, Disc, Frame, Game, GameStatus, GoalType, Holding, Inputs, LastScore,
    LastThrow, Loadout, Map, Missing, Object, Ordnance, ParseTimeError, Pause, PausedState,
    Payload, Player, PlayerBones, Pose, Session, Stats, TacMod, Team, TeamId, Time, Unknown,
    UnknownMember, Vec3, VrPlayer, Weapon, clock_display,
};
pub use rule::Rule;

/// Returns three frames, for the examples of the documentation.
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

/// Returns a .butter of those frames.
#[doc(hidden)]
#[must_use]
pub fn doc_example() -> Vec<u8> {
    let written = butter::write(&doc_frames(), butter::Options::default());
    debug_assert!(written.is_ok());
    written.unwrap_or_default()
}

/// Checks that the README's example compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
