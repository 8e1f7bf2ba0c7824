//! Facts that are true for a whole match, and the roster: its players, with their statistics.

use gametape_core::table::{Field, Kind, Lane, Rows, Table, TableDef};

use super::columns::{cell, column_kind, columns, fields, one_column, owner, there};
use super::players::{PERSON, PERSON_DOC};
use crate::butter::{Header, Parts, Seen};
use crate::members::{self, stats_members};
use crate::model::TeamId;
use crate::stats::{DiscStats, MatchStats, PayloadStats, Ping, PlayerStats};
use crate::tape::info::{self, FileFacts, Setting, Summary};

/// What is true for a whole match. The statistics are there if a requested column needs them.
pub(super) struct Facts<'f> {
    known: &'f FileFacts<'f>,
    summary: &'f Summary,
    stats: Option<&'f MatchStats>,
    /// The settings in the header of a .butter without frames.
    header: Option<Setting>,
    /// When the first and the last frame were recorded.
    recorded: Option<[String; 2]>,
}

impl<'f> Facts<'f> {
    pub fn new(
        known: &'f FileFacts<'f>,
        summary: &'f Summary,
        stats: Option<&'f MatchStats>,
    ) -> Self {
        let header = known.stored.and_then(|(header, _)| header);
        let header = header.filter(|_| summary.frames == 0);
        Self {
            known,
            summary,
            stats,
            header: header.map(Setting::of_header),
            recorded: summary
                .times
                .map(|(from, to)| [from.to_string(), to.to_string()]),
        }
    }

    fn setting(&self) -> Option<&Setting> {
        self.summary.setting.as_ref().or(self.header.as_ref())
    }

    /// A text of the settings; empty if there are none.
    fn text<'s>(&'s self, get: impl FnOnce(&'s Setting) -> &'s str) -> &'s str {
        self.setting().map_or("", get)
    }

    /// The header of a .butter, and what the reader has counted.
    fn stored(&self) -> Option<(&'f Header, Seen)> {
        let (header, seen) = self.known.stored?;
        Some((header?, seen))
    }

    fn points(&self, team: usize) -> Option<f64> {
        let points = *self.summary.score?.points.get(team)?;
        // There is no negative zero among points.
        Some(f64::from(points) + 0.0).filter(|points| points.is_finite())
    }

    fn rounds(&self, team: usize) -> Option<u64> {
        positive(*self.summary.score?.rounds.get(team)?)
    }

    /// A .butter does not contain it.
    fn tournament(&self) -> Option<bool> {
        let setting = self.setting().filter(|_| self.known.stored.is_none());
        setting.and_then(|setting| setting.tournament)
    }

    fn container(&self) -> Option<&'static str> {
        let is_butter = self.known.stored.is_some();
        (!is_butter).then(|| info::container(self.known.zip))
    }

    fn disc(&self) -> Option<DiscStats> {
        self.stats.and_then(|stats| stats.disc)
    }

    fn payload(&self) -> Option<PayloadStats> {
        self.stats.and_then(|stats| stats.payload)
    }
}

fn positive(value: i32) -> Option<u64> {
    u64::try_from(value).ok()
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Converts a 32-bit number by way of its shortest text, as the JSON of the statistics does.
fn by_text(value: f32) -> Option<f64> {
    value.to_string().parse().ok().and_then(finite)
}

impl Rows for Facts<'static> {
    type Row<'a> = Facts<'a>;
}

/// The first column that needs the statistics, with all columns after it.
const FIRST_OF_STATS: usize = 28;

/// Returns whether the statistics are needed, given the columns that are.
pub(super) fn needs_stats(needs: impl Fn(usize) -> bool) -> bool {
    (FIRST_OF_STATS..MATCH.fields.len()).any(needs)
}

/// The columns that the first frame decides.
const OF_FIRST: [&str; 9] = [
    "map",
    "game",
    "match_type",
    "private",
    "tournament",
    "session_id",
    "server",
    "client",
    "rounds_of",
];

/// Returns whether the first frame decides the columns that are needed.
pub(super) fn needs_first_alone(table: &TableDef, needs: impl Fn(usize) -> bool) -> bool {
    let mut columns = table.columns.iter().enumerate();
    columns.all(|(at, column)| !needs(at) || OF_FIRST.contains(&&*column.name))
}

/// Returns the parts of frames that are needed, given the columns that are.
pub(super) fn parts(table: &TableDef, needs: impl Fn(usize) -> bool) -> Parts {
    if needs_stats(&needs) {
        return Parts::ALL;
    }
    let columns = table.columns.iter().enumerate();
    let needed = columns.filter(|(at, _)| needs(*at));
    needed.fold(Parts::SESSION, |parts, (_, column)| match &*column.name {
        "blue_points" | "orange_points" => parts.with(Parts::GAME),
        "bone_frames" => parts.with(Parts::BONES),
        _ => parts,
    })
}

/// The header and the statistics of the match.
pub(super) const MATCH: Table<Facts<'static>> = Table {
    name: "match",
    lane: Lane::Facts,
    doc: "The match: its settings, and its statistics.",
    fields: fields! {
        Facts<'static>;
        "recorded_from" => Text in "local time", "When the first frame was recorded, by the recorder's wall clock.",
            |row| row.recorded.as_ref().map(|[from, _]| from.as_str());
        "recorded_to" => Text in "local time", "When the last frame was recorded.",
            |row| row.recorded.as_ref().map(|[_, to]| to.as_str());
        "rate_hz" => Float64 in "Hz", "Frames per second, from the first to the last.", |row| row.summary.rate_hz();
        "map" => Text, "The map, as the API names it.", |row| row.text(|setting| setting.map.as_str());
        "game" => Text, "`arena`, `combat` or `other`.", |row| row.setting().map(|setting| info::game(&setting.map));
        "match_type" => Text, "The type of the match, as the API names it.",
            |row| row.text(|setting| &setting.match_type);
        "private" => Bool, "Whether the match is private.",
            |row| row.setting().is_some_and(|setting| setting.private);
        "tournament" => Bool, "Whether the match is part of a tournament; unknown in a .butter.",
            |row| row.tournament();
        "session_id" => Text, "The id of the match.", |row| row.text(|setting| &setting.session_id);
        "sessions" => Uint, "Matches in the recording.", |row| row.summary.sessions;
        "server" => Text [secret], "The address of the game server.",
            |row| Some(row.text(|setting| &setting.server)).filter(|server| !server.is_empty());
        "client" => Text, "The name of the player on whose machine the match was recorded.",
            |row| row.setting().map(|setting| setting.client.as_str());
        "blue_points" => Float64, "Points of blue in the last frame.", |row| row.points(0);
        "orange_points" => Float64, "Points of orange in the last frame.", |row| row.points(1);
        "rounds_of" => Uint, "Rounds of the match.", |row| row.setting().and_then(|setting| positive(setting.rounds));
        "blue_rounds" => Uint, "Rounds that blue has won.", |row| row.rounds(0);
        "orange_rounds" => Uint, "Rounds that orange has won.", |row| row.rounds(1);
        "bone_frames" => Uint, "Frames with bones.", |row| (row.summary.frames > 0).then_some(row.summary.with_bones);
        "unknown_members" => Uint, "Frames with members that the model does not know.",
            |row| row.summary.with_unknown();
        "compression" => Text, "How the chunks of a .butter are compressed.",
            |row| row.stored().map(|(header, _)| header.compression.name());
        "keyframe_every" => Uint in "frames", "Frames from a keyframe of a .butter to the next.",
            |row| row.stored().map(|(header, _)| header.keyframe_interval);
        "chunks" => Uint, "Chunks of a .butter.", |row| row.stored().map(|(_, seen)| seen.chunks);
        "keyframes" => Uint, "Keyframes of a .butter.", |row| row.stored().map(|(_, seen)| seen.keyframes);
        "written_by" => Text, "The writer of a .butter, if it can be detected.",
            |row| row.stored().and_then(|(_, seen)| info::writer(seen));
        "dialect" => Text, "The dialect of a .butter, if it is not the usual one.",
            |row| row.stored().and_then(|(_, seen)| info::dialect(seen));
        "container" => Text, "Whether an .echoreplay is `text` or in a `zip`.", |row| row.container();
        "files_in_zip" => Uint, "Files in the zip, if it has several.", |row| row.known.files_in_zip();
        "frames" => Uint, "Frames.", |row| row.summary.frames;
        "duration_ms" => Uint in "ms", "The time from the first frame to the last.",
            |row| row.stats.map(|stats| stats.duration_ms);
        "recorded_ms" => Uint in "ms", "The duration without gaps.", |row| row.stats.map(|stats| stats.recorded_ms);
        "interval_ms" => Uint in "ms", "The median time between two frames.",
            |row| row.stats.and_then(|stats| stats.interval_ms);
        "frames_per_s" => Float64 in "1/s", "The mean number of frames per second, without gaps.",
            |row| row.stats.and_then(|stats| stats.frames_per_s).and_then(finite);
        "possession_playing_ms" => Uint in "ms", "Time of play.",
            |row| row.stats.map(|stats| stats.possession.playing_ms);
        "possession_blue_ms" => Uint in "ms", "Time during which only blue had the disc.",
            |row| row.stats.map(|stats| stats.possession.blue_ms);
        "possession_orange_ms" => Uint in "ms", "Time during which only orange had the disc.",
            |row| row.stats.map(|stats| stats.possession.orange_ms);
        "possession_none_ms" => Uint in "ms", "Time during which neither team had the disc, or both had it.",
            |row| row.stats.map(|stats| stats.possession.none_ms);
        "disc_top_speed" => Float64 in "m/s", "The disc's highest speed.",
            |row| row.disc().and_then(|disc| by_text(disc.top_speed));
        "disc_distance" => Float64 in "m", "The distance that the disc moved, without jumps.",
            |row| row.disc().and_then(|disc| finite(disc.distance));
        "payload_distance" => Float64 in "m", "The distance of the payload along its path in the last frame.",
            |row| row.payload().and_then(|payload| by_text(payload.distance));
        "payload_max_distance" => Float64 in "m", "The largest distance of the payload.",
            |row| row.payload().and_then(|payload| by_text(payload.max_distance));
        "payload_checkpoints" => Uint, "Checkpoints that the payload passed.",
            |row| row.payload().and_then(|payload| positive(payload.checkpoints));
        "payload_top_speed" => Float64 in "m/s", "The payload's highest speed.",
            |row| row.payload().and_then(|payload| by_text(payload.top_speed));
        "payload_contested_ms" => Uint in "ms", "Time during which both teams stood at the payload.",
            |row| row.payload().map(|payload| payload.contested_ms);
        "left_out" => Uint, "Events and players that were not counted, because there are too many.",
            |row| row.stats.map(|stats| stats.left_out);
    },
};

/// A player, with its statistics over the whole match.
pub struct RosterRow<'a> {
    person: u64,
    of: &'a PlayerStats,
    earlier_names: Option<String>,
    teams: String,
}

impl<'a> RosterRow<'a> {
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

/// Rows of [`RosterRow`].
pub struct RosterRows;

impl Rows for RosterRows {
    type Row<'a> = RosterRow<'a>;
}

stats_members! { columns of_stats RosterRows counts }

/// The statistics of each player, as `gametape stats` has them.
pub const ROSTER: Table<RosterRows> = Table {
    name: "roster",
    lane: Lane::Facts,
    doc: "Each player of the match, also those who left, with what they did: the figures of `gametape stats`.",
    fields: fields! {
        RosterRows;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_named_here_are_there() {
        let column = MATCH.def().column("duration_ms");
        assert_eq!(column, Some(FIRST_OF_STATS));
        for column in OF_FIRST {
            assert!(MATCH.def().column(column).is_some(), "{column}");
        }
    }
}
