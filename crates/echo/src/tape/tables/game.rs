//! The rows of the match, the disc and the payload.

use gametape_core::table::{Field, Kind, Lane, Rows, Table, Value};

use super::columns::{Axes, cell, column_kind, columns, one_column, owner, there};
use super::poses::of_axis;
use crate::members::{self, disc_members, pause_members, session_members};
use crate::model::{Disc, Payload, Session};

impl Rows for Disc {
    type Row<'a> = &'a Disc;
}

impl Rows for Session {
    type Row<'a> = &'a Session;
}

impl Rows for Payload {
    type Row<'a> = &'a Payload;
}

disc_members! { columns of_disc Disc row }
session_members! { columns of_session Session row }

pause_members! { columns of_pause Session pause }
session_members! { columns of_payload Payload payload }

/// The columns of the pose come after these.
pub const DISC: Table<Disc> = Table {
    name: "disc",
    lane: Lane::State,
    doc: "The disc of the arena, one row per frame.",
    fields: &[
        of_disc::velocity.x,
        of_disc::velocity.y,
        of_disc::velocity.z,
        of_disc::bounce_count,
    ],
};

const POSSESSION: Field<Session> = Field::new(
    "possession",
    Kind::Text,
    "The team that possesses the disc: `blue`, `orange` or `none`.",
    |row| {
        let team = row.possession.map(|[team, _]| match team {
            0 => "blue",
            1 => "orange",
            _ => "none",
        });
        team.into()
    },
);

const POSSESSION_PLAYER: Field<Session> = Field::new(
    "possession_player",
    Kind::Int,
    "The number of the player who possesses the disc.",
    |row| {
        let player = row.possession.and_then(|[team, player]| {
            let team = row.teams.get(usize::try_from(team).ok()?)?;
            team.players.get(usize::try_from(player).ok()?)
        });
        player.map(|player| player.playerid).into()
    },
);

pub const GAME: Table<Session> = Table {
    name: "game",
    lane: Lane::State,
    doc: "The state of the match, one row per frame.",
    fields: &[
        of_session::game_status,
        of_session::game_clock,
        of_session::blue_points,
        of_session::orange_points,
        of_session::blue_round_score,
        of_session::orange_round_score,
        POSSESSION,
        POSSESSION_PLAYER,
        of_pause::paused_state,
        of_pause::paused_requested_team,
        of_pause::paused_timer,
        of_pause::unpaused_timer,
        of_session::blue_team_restart_request,
        of_session::orange_team_restart_request,
    ],
};

pub const PAYLOAD: Table<Payload> = Table {
    name: "payload",
    lane: Lane::State,
    doc: "The payload of combat, one row per frame.",
    fields: &[
        of_payload::payload_distance,
        of_payload::payload_speed,
        of_payload::payload_multiplier,
        of_payload::payload_checkpoint,
        of_payload::payload_defenders,
        of_payload::contested,
    ],
};
