//! Matches whose teams empty and fill again, and whose stats come and go.

use gametape_echo::{Frame, Game, Stats, Team};
use gametape_samples::echo::MatchOptions;

use super::{frames_of, match_options};

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

/// A match whose teams empty and fill again. As in the game, teams with players have stats.
pub fn emptying(seed: u64, frames: u64) -> Vec<Frame> {
    let mut rng = Rng(seed | 1);
    let mut frames = frames_of(MatchOptions {
        seed,
        game: [Game::Arena, Game::Combat][(seed % 2) as usize],
        rate_hz: 30,
        players_per_team: 1 + (seed % 3) as u8,
        joins: false,
        bones: false,
        spectators: 2,
        ..match_options(seed, frames)
    });
    let mut away = [false; 2];
    let mut before: [Option<Stats>; 2] = [None; 2];
    for (at, frame) in frames.iter_mut().enumerate() {
        // Some rounds have been played already.
        for player in frame
            .session
            .teams
            .iter_mut()
            .flat_map(|team| &mut team.players)
        {
            if let Some(stats) = &mut player.stats {
                stats.points += 3 + player.playerid % 4;
                stats.stuns += 7 * player.playerid;
                stats.possession_time += 11.5;
            }
        }
        // Spectators have none, present or not.
        if at % 40 < 20 {
            frame.session.teams[2].players.clear();
        }
        let teams = &mut frame.session.teams[..2];
        for ((team, away), before) in teams.iter_mut().zip(&mut away).zip(&mut before) {
            *away ^= rng.one_in(if *away { 6 } else { 25 });
            if *away {
                team.players.clear();
            }
            team.stats = together(team);
            // The reference's stuns never fall.
            if let (Some(now), Some(known)) = (&mut team.stats, *before) {
                now.stuns = now.stuns.max(known.stuns);
            }
            *before = team.stats;
        }
    }
    frames
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
