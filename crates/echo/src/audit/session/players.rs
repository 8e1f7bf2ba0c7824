//! The players, from frame to frame.

use std::cmp::Ordering;
use std::collections::HashMap;

use compact_str::CompactString;

use super::{Follows, Report};
use crate::counts::{COUNT_NAMES, COUNTS, counts};
use crate::model::{Holding, Player, Session, Team, TeamId, Vec3};
use crate::rule::Rule;

/// Names that are remembered; no match has as many players.
const MAX_NAMES: usize = 10_000;
/// A player who gets further than this between two frames, in metres, and faster than
/// [`JUMP_SPEED`], was put there.
const JUMP: f32 = 10.0;
/// m/s
const JUMP_SPEED: f32 = 100.0;

/// Follows the players.
#[derive(Clone, Debug, Default)]
pub(super) struct Players {
    /// Those of the frame before, by user id.
    before: Vec<Seen>,
    /// Room for those of this frame.
    now: Vec<Seen>,
    names: HashMap<u64, CompactString>,
    /// Room for what has to be unique.
    playerids: Vec<i32>,
}

/// A player in a frame.
#[derive(Clone, Debug)]
struct Seen {
    userid: u64,
    team: usize,
    head: Vec3,
    counts: Option<[i32; COUNTS]>,
}

impl Players {
    pub(super) fn push(&mut self, session: &Session, follows: Follows, report: &mut Report<'_>) {
        std::mem::swap(&mut self.before, &mut self.now);
        self.now.clear();
        self.now
            .extend(session.players().map(|(team, player)| Seen {
                userid: player.userid,
                team,
                head: player.head.position,
                counts: player.stats.as_ref().map(counts),
            }));
        self.now.sort_unstable_by_key(|seen| seen.userid);

        self.unique(session, report);
        self.name(session, report);
        possession(session, report);
        for (place, team) in session.teams.iter().enumerate() {
            team_stats(place, team, report);
        }
        if follows.same_session {
            self.follow(follows, report);
        }
    }

    /// What no two players have in common, and who is held.
    fn unique(&mut self, session: &Session, report: &mut Report<'_>) {
        // Redacted recordings have no user ids.
        let twice = |pair: &[Seen]| matches!(pair, [a, b] if a.userid == b.userid && a.userid != 0);
        if self.now.windows(2).any(twice) {
            report.raise(Rule::DuplicateUserid);
        }
        self.playerids.clear();
        self.playerids
            .extend(session.players().map(|(_, player)| player.playerid));
        self.playerids.sort_unstable();
        for pair in self.playerids.windows(2) {
            if let &[a, playerid] = pair
                && a == playerid
            {
                report.raise(Rule::DuplicatePlayerid { playerid });
                break;
            }
        }
        let mut names: Vec<&str> = session
            .players()
            .map(|(_, player)| player.name.as_str())
            .filter(|name| !matches!(*name, "" | "[INVALID]"))
            .collect();
        names.sort_unstable();
        if names
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a == b))
        {
            report.raise(Rule::DuplicateName);
        }
        for (_, player) in session.players() {
            for hand in [&player.holding_left, &player.holding_right] {
                if let Some(Holding::Number(number)) = *hand
                    && !self.is_there(number)
                {
                    report.raise(Rule::HoldingAbsent);
                }
            }
        }
    }

    /// True for the playerid, or (recorders before 2022) the user id, of a player of this frame.
    fn is_there(&self, number: u64) -> bool {
        let as_playerid =
            i32::try_from(number).is_ok_and(|number| self.playerids.binary_search(&number).is_ok());
        as_playerid
            || self
                .now
                .binary_search_by_key(&number, |seen| seen.userid)
                .is_ok()
    }

    /// An account has one name.
    fn name(&mut self, session: &Session, report: &mut Report<'_>) {
        for (_, player) in session.players() {
            if player.userid == 0 {
                continue;
            }
            let room = self.names.len() < MAX_NAMES;
            match self.names.get_mut(&player.userid) {
                Some(name) if *name == player.name => {}
                Some(name) => {
                    name.clone_from(&player.name);
                    report.raise(Rule::NameChanged);
                }
                None if room => {
                    self.names.insert(player.userid, player.name.clone());
                }
                None => {}
            }
        }
    }

    /// Both lists are in the order of user ids: a walk along both finds who came and went.
    fn follow(&self, follows: Follows, report: &mut Report<'_>) {
        let (mut before, mut now) = (self.before.as_slice(), self.now.as_slice());
        let (mut stayed, mut jumped) = (0_u64, 0_u64);
        loop {
            let order = match (before, now) {
                ([], []) => break,
                ([], _) => Ordering::Greater,
                (_, []) => Ordering::Less,
                ([a, ..], [b, ..]) => a.userid.cmp(&b.userid),
            };
            match order {
                Ordering::Less => {
                    if let Some((gone, rest)) = before.split_first() {
                        let team = team_id(gone.team);
                        report.raise(Rule::PlayerLeft { team });
                        before = rest;
                    }
                }
                Ordering::Greater => {
                    if let Some((come, rest)) = now.split_first() {
                        let team = team_id(come.team);
                        report.raise(Rule::PlayerJoined { team });
                        now = rest;
                    }
                }
                Ordering::Equal => {
                    if let (Some((a, before_rest)), Some((b, now_rest))) =
                        (before.split_first(), now.split_first())
                    {
                        // Without user ids nobody knows who is who.
                        if a.userid != 0 {
                            one(a, b, follows, report);
                            if a.team < 2 && a.team == b.team {
                                stayed += 1;
                                jumped += u64::from(jumps(a, b, follows.ms));
                            }
                        }
                        (before, now) = (before_rest, now_rest);
                    }
                }
            }
        }
        // Once is a respawn; most at once, while the clock runs, is another moment of the match.
        if follows.playing
            && jumped >= 3
            && jumped * 2 > stayed
            && let Some(ms @ 0..=1_000) = follows.ms
        {
            report.raise(Rule::AllJump {
                moved: jumped,
                players: stayed,
                ms,
            });
        }
    }
}

/// One player in two frames.
fn one(before: &Seen, now: &Seen, follows: Follows, report: &mut Report<'_>) {
    if before.team != now.team {
        let (before, now) = (team_id(before.team), team_id(now.team));
        report.raise(Rule::PlayerMoved { before, now });
    }
    if let (true, Some(a), Some(b)) = (follows.same_round, &before.counts, &now.counts) {
        for ((stat, &before), &now) in COUNT_NAMES.iter().zip(a).zip(b) {
            if now < before {
                report.raise(Rule::StatsFell { stat, before, now });
            }
        }
    }
}

fn jumps(before: &Seen, now: &Seen, ms: Option<u64>) -> bool {
    let squares: f32 = before
        .head
        .iter()
        .zip(now.head)
        .map(|(a, b)| (b - a) * (b - a))
        .sum();
    let reach = JUMP.max(JUMP_SPEED * ms.unwrap_or(0) as f32 / 1_000.0);
    squares > reach * reach
}

/// One disc, one who has it.
fn possession(session: &Session, report: &mut Report<'_>) {
    let has = |(_, player): &(usize, &Player)| player.possession;
    let players = session.players().filter(has).count() as u64;
    if players > 1 {
        report.raise(Rule::TwoPossess { players });
    }
}

/// A team keeps the stats of who left; it can't have less than those who are there.
fn team_stats(place: usize, team: &Team, report: &mut Report<'_>) {
    let Some(stats) = &team.stats else {
        return;
    };
    let mut sums = [0_i64; COUNTS];
    for player in &team.players {
        if let Some(stats) = &player.stats {
            for (sum, count) in sums.iter_mut().zip(counts(stats)) {
                *sum += i64::from(count);
            }
        }
    }
    for ((stat, total), sum) in COUNT_NAMES.iter().zip(counts(stats)).zip(sums) {
        if i64::from(total) < sum {
            let team = team_id(place);
            report.raise(Rule::TeamStats {
                team,
                stat,
                total,
                sum,
            });
        }
    }
}

/// The team at this place of the session.
const fn team_id(place: usize) -> TeamId {
    match place {
        0 => TeamId::Blue,
        1 => TeamId::Orange,
        2 => TeamId::Spectator,
        _ => TeamId::None,
    }
}
