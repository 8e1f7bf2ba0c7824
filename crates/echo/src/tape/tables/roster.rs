//! The players of a match, with their statistics.

use gametape_core::table::{Field, Kind, Lane, Rows, Table};

use super::columns::{cell, column_kind, columns, fields, one_column, owner, there};
use super::players::{PERSON, PERSON_DOC};
use crate::members::{self, stats_members};
use crate::model::TeamId;
use crate::stats::{Ping, PlayerStats};

/// A player, with its statistics over the whole match.
pub struct Member<'a> {
    person: u64,
    of: &'a PlayerStats,
    earlier_names: Option<String>,
    teams: String,
}

impl<'a> Member<'a> {
    pub fn new(person: u64, of: &'a PlayerStats) -> Self {
        let names = of.earlier_names.join("; ");
        let teams: Vec<&str> = of.teams.iter().map(TeamId::as_str).collect();
        Self {
            person,
            of,
            earlier_names: Some(names).filter(|names| !names.is_empty()),
            teams: teams.join("; "),
        }
    }

    fn ping(&self) -> Option<&Ping> {
        self.of.ping.as_ref()
    }
}

/// Rows of [`Member`].
pub struct Members;

impl Rows for Members {
    type Row<'a> = Member<'a>;
}

stats_members! { columns of_stats Members counts }

/// The statistics of each player, as `gametape stats` has them.
pub const ROSTER: Table<Members> = Table {
    name: "roster",
    lane: Lane::Facts,
    doc: "Each player of the match, also those who left, with what they did: the figures of `gametape stats`.",
    fields: fields! {
        Members;
        PERSON => Uint [key], PERSON_DOC, |row| row.person;
        "name" => Text, "The name, as last seen.", |row| row.of.name.as_str();
        "earlier_names" => Text, "The other names that the account had, in their order, with `; ` between them.",
            |row| row.earlier_names.as_deref();
        "user_id" => Uint [secret wide], "The account.", |row| row.of.userid;
        "team" => Text, "The last team: `blue`, `orange` or `spectator`.", |row| row.of.team.as_str();
        "teams" => Text, "All teams, in the order in which the player joined them.", |row| row.teams.as_str();
        "number" => Int, "The number on the jersey, as last seen.", |row| row.of.number;
        "level" => Int, "The level, as last seen.", |row| row.of.level;
        "present_ms" => Uint in "ms", "The time in the match.", |row| row.of.present_ms;
        "left_ms" => Uint in "ms",
            "When the player was seen to be gone, since the start of the recording; missing if there at the end.",
            |row| row.of.left_ms;
        "distance" => Float64 in "m", "How far the head travelled, without jumps; spectators travel nothing.",
            |row| row.of.distance;
        "top_speed" => Float32 in "m/s", "The highest speed, by the API's velocity, without jumps.",
            |row| row.of.top_speed;
        "mean_speed" => Float64 in "m/s",
            "The distance divided by the time in blue or orange; missing for spectators.",
            |row| row.of.mean_speed;
        "possession_ms" => Uint in "ms", "The time in possession of the disc, while the match is being played.",
            |row| row.of.possession_ms;
        "disc_held_ms" => Uint in "ms", "The time with the disc in a hand, while the match is being played.",
            |row| row.of.disc_held_ms;
        "stunned" => Uint, "How often the player was stunned.", |row| row.of.stunned;
        "stunned_ms" => Uint in "ms",
            "The time during which the player was stunned, while the match is being played.",
            |row| row.of.stunned_ms;
        "ping_min_ms" => Int in "ms", "The least ping.", |row| row.ping().map(|ping| ping.min);
        "ping_mean_ms" => Float64 in "ms", "The mean ping.", |row| row.ping().map(|ping| ping.mean);
        "ping_max_ms" => Int in "ms", "The largest ping.", |row| row.ping().map(|ping| ping.max);
        "ping_deviation_ms" => Float64 in "ms", "The standard deviation of the ping.",
            |row| row.ping().map(|ping| ping.deviation);
        "packet_loss" => Float64, "The mean ratio of lost packets, 0 to 1.", |row| row.of.packet_loss;
        @ of_stats::possession_time, of_stats::points, of_stats::goals, of_stats::assists, of_stats::saves,
        of_stats::stuns, of_stats::passes, of_stats::catches, of_stats::steals, of_stats::blocks,
        of_stats::interceptions, of_stats::shots_taken
    },
};
