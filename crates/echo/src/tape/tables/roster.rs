//! The players of a match, with their statistics.

use gametape_core::table::{Field, Kind, Lane, Rows, Table};

use super::columns::{cell, column_kind, columns, one_column, owner, there};
use super::players::{PERSON, PERSON_DOC};
use crate::members::{self, stats_members};
use crate::model::TeamId;
use crate::stats::{Ping, PlayerStats};

use Kind::{Float32, Float64, Int, Text, Uint};

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

type Of = Field<Members>;

/// The statistics of each player, as `gametape stats` has them.
pub const ROSTER: Table<Members> = Table {
    name: "roster",
    lane: Lane::Facts,
    doc: "Each player of the match, also those who left, with what they did: the figures of `gametape stats`.",
    fields: &[
        Of::new(PERSON, Uint, PERSON_DOC, |row| row.person.into()).key(),
        Of::new("name", Text, "The name, as last seen.", |row| {
            row.of.name.as_str().into()
        }),
        Of::new(
            "earlier_names",
            Text,
            "The other names that the account had, in their order, with `; ` between them.",
            |row| row.earlier_names.as_deref().into(),
        ),
        Of::new("user_id", Uint, "The account.", |row| row.of.userid.into())
            .secret()
            .wide(),
        Of::new("team", Text, "The last team: `blue`, `orange` or `spectator`.", |row| {
            row.of.team.as_str().into()
        }),
        Of::new("teams", Text, "All teams, in the order in which the player joined them.", |row| {
            row.teams.as_str().into()
        }),
        Of::new("number", Int, "The number on the jersey, as last seen.", |row| {
            row.of.number.into()
        }),
        Of::new("level", Int, "The level, as last seen.", |row| row.of.level.into()),
        Of::new("present_ms", Uint, "The time in the match.", |row| {
            row.of.present_ms.into()
        })
        .unit("ms"),
        Of::new(
            "left_ms",
            Uint,
            "When the player was seen to be gone, since the start of the recording; missing if there at the end.",
            |row| row.of.left_ms.into(),
        )
        .unit("ms"),
        Of::new(
            "distance",
            Float64,
            "How far the head travelled, without jumps; spectators travel nothing.",
            |row| row.of.distance.into(),
        )
        .unit("m"),
        Of::new(
            "top_speed",
            Float32,
            "The highest speed, by the API's velocity, without jumps.",
            |row| row.of.top_speed.into(),
        )
        .unit("m/s"),
        Of::new(
            "mean_speed",
            Float64,
            "The distance divided by the time in blue or orange; missing for spectators.",
            |row| row.of.mean_speed.into(),
        )
        .unit("m/s"),
        Of::new(
            "possession_ms",
            Uint,
            "The time in possession of the disc, while the match is being played.",
            |row| row.of.possession_ms.into(),
        )
        .unit("ms"),
        Of::new(
            "disc_held_ms",
            Uint,
            "The time with the disc in a hand, while the match is being played.",
            |row| row.of.disc_held_ms.into(),
        )
        .unit("ms"),
        Of::new("stunned", Uint, "How often the player was stunned.", |row| {
            row.of.stunned.into()
        }),
        Of::new(
            "stunned_ms",
            Uint,
            "The time during which the player was stunned, while the match is being played.",
            |row| row.of.stunned_ms.into(),
        )
        .unit("ms"),
        Of::new("ping_min_ms", Int, "The least ping.", |row| {
            row.ping().map(|ping| ping.min).into()
        })
        .unit("ms"),
        Of::new("ping_mean_ms", Float64, "The mean ping.", |row| {
            row.ping().map(|ping| ping.mean).into()
        })
        .unit("ms"),
        Of::new("ping_max_ms", Int, "The largest ping.", |row| {
            row.ping().map(|ping| ping.max).into()
        })
        .unit("ms"),
        Of::new("ping_deviation_ms", Float64, "The standard deviation of the ping.", |row| {
            row.ping().map(|ping| ping.deviation).into()
        })
        .unit("ms"),
        Of::new("packet_loss", Float64, "The mean ratio of lost packets, 0 to 1.", |row| {
            row.of.packet_loss.into()
        }),
        of_stats::possession_time,
        of_stats::points,
        of_stats::goals,
        of_stats::assists,
        of_stats::saves,
        of_stats::stuns,
        of_stats::passes,
        of_stats::catches,
        of_stats::steals,
        of_stats::blocks,
        of_stats::interceptions,
        of_stats::shots_taken,
    ],
};
