//! Codes of the session model's values in correct mode, and those shared with compat mode.

use super::fill::holding;
use super::half::to_half_nearest;
use super::header::{Header, INVALID};
use super::layout::Layout;
use super::packed::{PackedPayload, PackedScore};
use crate::model::{Holding, Loadout, Player, Session, Stats, TeamId};

/// The flag bits and the code of a pause.
pub fn pause_bits(session: &Session) -> (u8, u8) {
    let mut flags = u8::from(session.blue_team_restart_request)
        | u8::from(session.orange_team_restart_request) << 1;
    let team = |team: &TeamId| team.code().unwrap_or(3);
    if let Some(pause) = &session.pause {
        flags |= team(&pause.paused_requested_team) << 2 | team(&pause.unpaused_team) << 4;
        // States without a code are stored as 5, unknown.
        (flags, pause.paused_state.code().unwrap_or(5))
    } else {
        (flags | 3 << 2 | 3 << 4, 0)
    }
}

/// Points as they are stored for this game.
pub fn points(session: &Session, layout: Layout) -> [u16; 2] {
    [session.blue_points, session.orange_points].map(|points| {
        if layout.half_points() {
            to_half_nearest(points)
        } else {
            // The cast clamps to 0 to 255.
            u16::from(points as u8)
        }
    })
}

pub fn inputs(session: &Session) -> u8 {
    let inputs = &session.inputs;
    [
        inputs.left_shoulder,
        inputs.right_shoulder,
        inputs.left_shoulder2,
        inputs.right_shoulder2,
    ]
    .into_iter()
    .enumerate()
    .map(|(at, value)| u8::from(value != 0.0) << at)
    .sum()
}

pub fn score(session: &Session, header: &Header) -> Option<PackedScore> {
    let score = session.last_score.as_ref()?;
    // Nobody, even if a player has this name.
    let index = |name: &str| match name {
        INVALID => 0,
        name => header.index_of_name(name),
    };
    Some(PackedScore {
        flags: score.team.code().unwrap_or(3)
            | u8::from(score.point_amount != 2) << 2
            | score.goal_type.code().unwrap_or(0) << 3,
        person: index(&score.person_scored),
        assist: index(&score.assist_scored),
        speed: to_half_nearest(score.disc_speed),
        distance: to_half_nearest(score.distance_thrown),
    })
}

pub fn payload(session: &Session) -> Option<PackedPayload> {
    let payload = session.payload.as_ref()?;
    Some(PackedPayload {
        contested: payload.contested.into(),
        checkpoint: payload.payload_checkpoint.clamp(0, 255) as u8,
        defenders: payload.payload_defenders.clamp(0, 255) as u8,
        distance: to_half_nearest(payload.payload_distance),
        speed: to_half_nearest(payload.payload_speed),
    })
}

/// The code of what a hand holds; that of `null` if it has no code.
pub fn held(held: Option<&Holding>) -> u8 {
    match held {
        None | Some(Holding::Other(_)) => holding::NULL,
        Some(Holding::None) => holding::NONE,
        Some(Holding::Geo) => holding::GEO,
        Some(Holding::Disc) => holding::DISC,
        Some(Holding::Number(number)) => u8::try_from(*number)
            .ok()
            .filter(|number| *number < holding::NULL)
            .unwrap_or(holding::NULL),
    }
}

pub fn loadout(loadout: Option<&Loadout>) -> u8 {
    loadout.map_or(0, |loadout| {
        loadout.weapon.code().unwrap_or(0)
            | loadout.ordnance.code().unwrap_or(0) << 2
            | loadout.tac_mod.code().unwrap_or(0) << 4
            | loadout.arm.code().unwrap_or(0) << 6
    })
}

pub fn flags(player: &Player) -> u8 {
    u8::from(player.possession)
        | u8::from(player.blocking) << 1
        | u8::from(player.stunned) << 2
        | u8::from(player.invulnerable) << 3
        | u8::from(player.is_emote_playing) << 4
}

/// The counts in the order of the format.
pub const fn counts(stats: &Stats) -> [i32; 10] {
    [
        stats.assists,
        stats.blocks,
        stats.catches,
        stats.goals,
        stats.interceptions,
        stats.passes,
        stats.points,
        stats.saves,
        stats.steals,
        stats.shots_taken,
    ]
}
