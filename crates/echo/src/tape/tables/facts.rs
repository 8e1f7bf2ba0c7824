//! Facts that are true for a whole match.

use gametape_core::table::{Field, Kind, Lane, Rows, Table, TableDef};

use super::columns::fields;
use crate::butter::{Header, Parts, Seen};
use crate::stats::{DiscStats, MatchStats, PayloadStats};
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
