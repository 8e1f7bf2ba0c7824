//! Stats that come and go.

use gametape_echo::{Frame, Stats, Team};

/// A random generator, so that a seed determines everything.
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, bound: u64) -> u64 {
        // xorshift64*.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// The sum of the players' stats, as the game reports it for the team.
pub fn together(team: &Team) -> Option<Stats> {
    let mut sum = Stats::default();
    for stats in team.players.iter().filter_map(|player| player.stats) {
        sum.possession_time += stats.possession_time;
        sum.points += stats.points;
        sum.saves += stats.saves;
        sum.goals += stats.goals;
        sum.stuns += stats.stuns;
        sum.passes += stats.passes;
        sum.catches += stats.catches;
        sum.steals += stats.steals;
        sum.blocks += stats.blocks;
        sum.interceptions += stats.interceptions;
        sum.assists += stats.assists;
        sum.shots_taken += stats.shots_taken;
    }
    (!team.players.is_empty()).then_some(sum)
}

/// Stats except the time of possession, which is rounded, clamped to their range.
pub fn counts(stats: Option<Stats>) -> Option<Stats> {
    stats.map(|stats| Stats {
        points: stats.points.clamp(0, 255),
        saves: stats.saves.clamp(0, 255),
        possession_time: 0.0,
        ..stats
    })
}

pub fn teams_of(frame: &Frame) -> Vec<Option<Stats>> {
    let teams = frame.session.teams.iter();
    teams.map(|team| counts(team.stats)).collect()
}

/// Whether the stats of a frame are read as they were. A frame without stats matches any.
pub fn agree_where_stored(had: &Frame, read: &Frame) -> bool {
    let (had, read) = (teams_of(had), teams_of(read));
    had.iter()
        .zip(read)
        .all(|(had, read)| had.is_none() || *had == read)
}
