//! The rows of events: goals, throws, and players who join and leave.

use gametape_core::table::{Field, Kind, Lane, Rows, Table};

use super::columns::{cell, column_kind, columns, fields, one_column, owner, there};
use super::players::{PERSON, PERSON_DOC};
use crate::members::{self, last_throw_members};
use crate::model::LastThrow;
use crate::stats::{Goal, Join, JoinEvent};

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
