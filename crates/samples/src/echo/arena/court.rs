//! The room, its goals, and the two teams.

use gametape_echo::{TeamId, Vec3};

/// Half the size of the room, metres.
pub(super) const ROOM: Vec3 = [14.5, 9.5, 38.5];
/// Where the goals stand: `GOAL` and `-GOAL` along z.
pub(super) const GOAL: f32 = 36.0;
/// Metres from the middle of a goal to its rim.
pub(super) const RIM: f32 = 1.5;
/// From here on a goal counts three.
pub(super) const THREE_POINTS: f32 = 10.0;

/// 1 for blue, which plays towards +z, -1 for orange.
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

/// A value for each team: that of `team`.
pub(super) fn of_team<T>([blue, orange]: &mut [T; 2], team: usize) -> &mut T {
    if team == 0 { blue } else { orange }
}
