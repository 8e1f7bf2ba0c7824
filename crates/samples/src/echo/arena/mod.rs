//! An arena match: its statuses, its clock, its score. Blue plays towards +z.

use gametape_echo::{TeamId, Vec3};

mod contest;
mod course;
mod disc;
mod pause;
mod players;
mod state;
mod write;

pub(super) use state::Arena;

/// Half the size of the room, in metres.
pub(super) const ROOM: Vec3 = [14.5, 9.5, 38.5];
/// The positions of the goals: `GOAL` and `-GOAL` along z.
pub(super) const GOAL: f32 = 36.0;
/// The distance in metres from the centre of a goal to its rim.
pub(super) const RIM: f32 = 1.5;
/// The distance in metres from which a goal counts three points.
pub(super) const THREE_POINTS: f32 = 10.0;

/// The direction of play along z: 1 for blue, -1 for orange.
pub(super) fn attacks(team: usize) -> f32 {
    if team == 0 { 1.0 } else { -1.0 }
}

pub(super) fn team_id(team: usize) -> TeamId {
    if team == 0 {
        TeamId::Blue
    } else {
        TeamId::Orange
    }
}

/// The value of `team` among values for each team.
pub(super) fn of_team<T>([blue, orange]: &mut [T; 2], team: usize) -> &mut T {
    if team == 0 { blue } else { orange }
}
