//! The rows of the match, the disc and the payload; and of events: goals, throws, and players who join and leave.

use gametape_core::table::{Field, Kind, Lane, Rows, Table, Value};

use super::columns::{Axes, cell, column_kind, columns, fields, one_column, owner, there};
use super::players::of_axis;
use super::players::{PERSON, PERSON_DOC};
use crate::members::{self, disc_members, last_throw_members, pause_members, session_members};
use crate::model::{Disc, LastThrow, Payload, Session};
use crate::stats::{Goal, Join, JoinEvent};

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

impl Rows for Goal {
    type Row<'a> = &'a Goal;
}

pub const GOALS: Table<Goal> = Table {
    name: "goals",
    lane: Lane::Events,
    doc: "Goals: the points of a team rise. Details are missing if `last_score` does not describe the goal.",
    fields: fields! {
        Goal;
        "clock" => Float32 in "s", "The game's clock.", |row| row.clock;
        "team" => Text, "The team whose points rose.", |row| row.team.as_str();
        "points" => Float32, "The number of points.", |row| row.points;
        "goal_type" => Text, "The type of the goal, as the API names it.", |row| row.goal_type.as_deref();
        "thrower" => Text, "The name of the player who threw.", |row| row.thrower.as_deref();
        "assist" => Text, "The name of the player who assisted.", |row| row.assist.as_deref();
        "disc_speed" => Float32 in "m/s", "The speed of the disc.", |row| row.disc_speed;
        "distance" => Float32 in "m", "The distance of the throw.", |row| row.distance;
    },
};

impl Rows for LastThrow {
    type Row<'a> = &'a LastThrow;
}

last_throw_members! { columns throw LastThrow row }

pub const THROWS: Table<LastThrow> = Table {
    name: "throws",
    lane: Lane::Events,
    doc: "Throws, as the game analyses them: whenever `last_throw` changes.",
    fields: &[
        throw::total_speed,
        throw::arm_speed,
        throw::speed_from_arm,
        throw::speed_from_movement,
        throw::speed_from_wrist,
        throw::pot_speed_from_rot,
        throw::rot_per_sec,
        throw::off_axis_spin_deg,
        throw::off_axis_penalty,
        throw::wrist_align_to_throw_deg,
        throw::wrist_throw_penalty,
        throw::throw_align_to_movement_deg,
        throw::throw_move_penalty,
    ],
};

impl Rows for Join {
    type Row<'a> = &'a Self;
}

pub const JOINS: Table<Join> = Table {
    name: "joins",
    lane: Lane::Events,
    doc: "Players who join, leave or change teams; those of the first frame are not listed.",
    fields: fields! {
        Join;
        "event" => Text [values(&["join", "leave", "move"]) key], "`join`, `leave` or `move`.",
            |row| match row.event {
                JoinEvent::Join => "join",
                JoinEvent::Leave => "leave",
                JoinEvent::Move => "move",
            };
        PERSON => Uint [key], PERSON_DOC, |row| row.person as u64;
        "name" => Text, "The player's name.", |row| row.name.as_str();
        "user_id" => Uint [secret wide], "The player's user id.", |row| row.userid;
        "team" => Text, "The team that the player joined, left or changed to.", |row| row.team.as_str();
    },
};
