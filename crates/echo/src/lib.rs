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

mod error;
mod finding;
mod limits;
mod model;
mod rule;

pub use error::{Error, WriteError};
pub use finding::{Finding, Findings, Severity};
pub use limits::Limits;
pub use model::{
    Arm, BONES, Bones, Disc, Frame, Game, GameStatus, GoalType, Holding, Inputs, LastScore,
    LastThrow, Loadout, Map, Object, Ordnance, ParseTimeError, Pause, PausedState, Payload, Player,
    PlayerBones, Pose, Session, Stats, THROW_MEMBERS, TacMod, Team, TeamId, Time, Unknown, Vec3,
    VrPlayer, Weapon, clock_display,
};
pub use rule::Rule;
