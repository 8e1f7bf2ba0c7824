//! The whole numbers of [`Stats`], one by one.

use crate::model::Stats;

/// How many whole numbers [`Stats`] has.
pub(crate) const COUNTS: usize = 11;

/// Their names in the API, in the order of [`counts`].
pub(crate) const COUNT_NAMES: [&str; COUNTS] = [
    "points",
    "saves",
    "goals",
    "stuns",
    "passes",
    "catches",
    "steals",
    "blocks",
    "interceptions",
    "assists",
    "shots_taken",
];

/// All but the time of possession.
pub(crate) const fn counts(stats: &Stats) -> [i32; COUNTS] {
    [
        stats.points,
        stats.saves,
        stats.goals,
        stats.stuns,
        stats.passes,
        stats.catches,
        stats.steals,
        stats.blocks,
        stats.interceptions,
        stats.assists,
        stats.shots_taken,
    ]
}

/// The reverse of [`counts`].
pub(crate) const fn from_counts(possession_time: f32, counts: [i32; COUNTS]) -> Stats {
    let [
        points,
        saves,
        goals,
        stuns,
        passes,
        catches,
        steals,
        blocks,
        interceptions,
        assists,
        shots_taken,
    ] = counts;
    Stats {
        possession_time,
        points,
        saves,
        goals,
        stuns,
        passes,
        catches,
        steals,
        blocks,
        interceptions,
        assists,
        shots_taken,
    }
}
