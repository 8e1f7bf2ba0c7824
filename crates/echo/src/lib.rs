//! Echo VR.
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
mod finding;
pub mod generate;
mod limits;
pub mod loss;
mod model;
mod rule;
pub mod stats;

pub use error::{Error, WriteError};
pub use field::{Field, Kept};
pub use finding::{Finding, Findings, Severity};
pub use limits::Limits;
pub use model::{
    Arm, BONES, Bones, Disc, Frame, Game, GameStatus, GoalType, Holding, Inputs, LastScore,
    LastThrow, Loadout, Map, Object, Ordnance, ParseTimeError, Pause, PausedState, Payload, Player,
    PlayerBones, Pose, Session, Stats, THROW_MEMBERS, TacMod, Team, TeamId, Time, Unknown, Vec3,
    VrPlayer, Weapon, clock_display,
};
pub use rule::Rule;

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
