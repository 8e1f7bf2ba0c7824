//! Checking the players and the disc from frame to frame.

use std::cmp::Ordering;
use std::collections::HashMap;

use compact_str::CompactString;

use super::{Follows, Report, Spot};
use crate::error::Findings;
use crate::model::{COUNT_NAMES, COUNTS, counts};
use crate::model::{Game, Holding, Player, Session, Team, TeamId, Time, Vec3, is_somebody};
use crate::rule::Rule;
use crate::stats::MAX_GAP_MS;

/// The number of names that are remembered; no match has as many players.
const MAX_NAMES: usize = 10_000;
/// A player who moves further than this many metres between two frames, and faster than [`JUMP_SPEED`], was
/// put there.
const JUMP: f32 = 10.0;
/// In m/s.
const JUMP_SPEED: f32 = 100.0;
/// Nothing moves further than this many metres from one frame to the next,
pub(super) const TELEPORT: f32 = 15.0;
/// if at most this many milliseconds pass.
pub(super) const NEXT_MS: u64 = 100;
/// Within this many milliseconds, most players can't be replaced by others.
const REPLACED_MS: u64 = 10_000;
/// A new player's stats may appear this many milliseconds later.
const JOINING_MS: i64 = 5_000;

/// Follows the players.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayersAudit {
    /// The players of the frame before, by user id.
    before: Vec<SeenPlayer>,
    /// The players of this frame; reused memory.
    now: Vec<SeenPlayer>,
    names: HashMap<u64, CompactString>,
    /// Values that have to be unique; reused memory.
    playerids: Vec<i32>,
    /// Frames without any player after `now`.
    blank: Option<EmptyFrames>,
}

/// Frames without any player, in the middle of a session.
#[derive(Clone, Debug)]
struct EmptyFrames {
    /// The first of them.
    spot: Spot,
    frames: u64,
    /// The time since the last frame with players.
    ms: Option<u64>,
}

/// A player in a frame.
#[derive(Clone, Debug)]
struct SeenPlayer {
    userid: u64,
    team: usize,
    head: Vec3,
    stunned: bool,
    counts: Option<[i32; COUNTS]>,
    /// When the player joined, if that was recorded.
    joined: Option<Time>,
}

/// The rise of the points in the stats of blue's and orange's players since the frame before; `None` if
/// unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rises(pub [Option<i64>; 2]);

impl PlayersAudit {
    pub(super) fn push(
        &mut self,
        session: &Session,
        mut follows: Follows,
        report: &mut Report<'_>,
    ) -> Rises {
        if self.is_blank(session, follows, report) {
            return Rises([None; 2]);
        }
        let blank = self.blank.take();
        if let Some(blank) = &blank
            && session.players().next().is_some()
        {
            follows.ms = blank.ms.zip(follows.ms).map(|(a, b)| a.saturating_add(b));
            if follows.same_session {
                report.raise_at(&blank.spot, self.nobody(blank));
            }
        }
        std::mem::swap(&mut self.before, &mut self.now);
        self.now.clear();
        self.now.extend(session.players().map(|(team, player)| {
            SeenPlayer {
                userid: player.userid,
                team,
                // A distance to nowhere is beyond no limit.
                head: player
                    .known_head()
                    .map_or([f32::NAN; 3], |head| head.position),
                stunned: player.stunned,
                counts: player.stats.as_ref().map(counts),
                joined: None,
            }
        }));
        // Players with one user id stay apart by their teams.
        self.now
            .sort_unstable_by_key(|seen| (seen.userid, seen.team));

        self.unique(session, report);
        self.name(session, report);
        possession(session, report);
        for (place, team) in session.teams.iter().enumerate() {
            team_stats(place, team, report);
        }
        if !follows.same_session {
            return Rises([None; 2]);
        }
        let arena = session.map_name.game() == Game::Arena;
        let rises = self.follow(follows, arena, report);
        // The points of the teams may have risen meanwhile.
        blank.map_or(rises, |_| Rises([None; 2]))
    }

    /// Whether nobody is in a frame, though somebody was a moment ago: they are still there.
    fn is_blank(&mut self, session: &Session, follows: Follows, report: &Report<'_>) -> bool {
        if self.now.is_empty() || !follows.same_session || session.players().next().is_some() {
            return false;
        }
        let blank = self.blank.get_or_insert_with(|| EmptyFrames {
            spot: report.spot.clone(),
            frames: 0,
            ms: Some(0),
        });
        blank.ms = blank.ms.zip(follows.ms).map(|(a, b)| a.saturating_add(b));
        if blank.ms.is_none_or(|ms| ms > u64::from(MAX_GAP_MS)) {
            return false;
        }
        blank.frames += 1;
        true
    }

    /// The rule that frames without any player break.
    fn nobody(&self, blank: &EmptyFrames) -> Rule {
        Rule::NoPlayers {
            players: self.now.len() as u64,
            frames: blank.frames,
        }
    }

    /// Ends the audit.
    pub(super) fn finish(&mut self, start: Time, findings: &mut Findings) {
        if let Some(blank) = self.blank.take() {
            let spot = blank.spot.clone();
            let mut report = Report {
                findings,
                spot,
                start,
            };
            report.raise(self.nobody(&blank));
        }
    }

    /// Checks that ids and names are unique, and that held players exist.
    fn unique(&mut self, session: &Session, report: &mut Report<'_>) {
        // Redacted recordings have no user ids.
        let twice =
            |pair: &[SeenPlayer]| matches!(pair, [a, b] if a.userid == b.userid && a.userid != 0);
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
            .filter(|name| is_somebody(name))
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

    /// Whether this is the playerid or (recorders before 2022) the user id of a player in this frame.
    fn is_there(&self, number: u64) -> bool {
        let as_playerid =
            i32::try_from(number).is_ok_and(|number| self.playerids.binary_search(&number).is_ok());
        as_playerid
            || self
                .now
                .binary_search_by_key(&number, |seen| seen.userid)
                .is_ok()
    }

    /// Checks that each account keeps its name.
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

    /// Finds the players who came and left, by walking along both lists, which are sorted by user id.
    fn follow(&mut self, follows: Follows, arena: bool, report: &mut Report<'_>) -> Rises {
        let mut before = self.before.iter().peekable();
        let mut now = self.now.iter_mut().peekable();
        let mut step = PlayerChanges::default();
        loop {
            let order = match (before.peek(), now.peek()) {
                (None, None) => break,
                (None, _) => Ordering::Greater,
                (_, None) => Ordering::Less,
                (Some(a), Some(b)) => a.userid.cmp(&b.userid),
            };
            let a = if order.is_le() { before.next() } else { None };
            let b = if order.is_ge() { now.next() } else { None };
            match (a, b) {
                (Some(a), Some(b)) => step.stays(a, b, follows, arena, report),
                (Some(a), None) => {
                    let team = TeamId::at(a.team);
                    report.raise(Rule::PlayerLeft { team });
                    step.goes(a);
                }
                (None, Some(b)) => {
                    let team = TeamId::at(b.team);
                    report.raise(Rule::PlayerJoined { team });
                    step.comes(b, report.spot.time);
                }
                (None, None) => {}
            }
        }
        step.judge(follows, report);
        Rises(step.points)
    }
}

/// Changes in the players from one frame to the next.
#[derive(Debug)]
struct PlayerChanges {
    /// The number of players who stayed, without spectators and players without a user id.
    stayed: u64,
    jumped: u64,
    gone: u64,
    come: u64,
    /// See [`Rises`].
    points: [Option<i64>; 2],
}

impl Default for PlayerChanges {
    fn default() -> Self {
        Self {
            stayed: 0,
            jumped: 0,
            gone: 0,
            come: 0,
            points: [Some(0); 2],
        }
    }
}

impl PlayerChanges {
    /// Marks the rise of a team's points as unknown.
    fn unknown(&mut self, team: usize) {
        if let Some(points) = self.points.get_mut(team) {
            *points = None;
        }
    }

    fn goes(&mut self, gone: &SeenPlayer) {
        self.unknown(gone.team);
        self.gone += u64::from(gone.plays());
    }

    fn comes(&mut self, come: &mut SeenPlayer, time: Time) {
        self.unknown(come.team);
        come.joined = Some(time);
        self.come += u64::from(come.plays());
    }

    fn stays(
        &mut self,
        before: &SeenPlayer,
        now: &mut SeenPlayer,
        follows: Follows,
        arena: bool,
        report: &mut Report<'_>,
    ) {
        // Without user ids, players can't be recognised.
        if before.userid == 0 {
            self.unknown(before.team);
            self.unknown(now.team);
            return;
        }
        now.joined = before.joined;
        one(before, now, follows, report);
        if before.team != now.team {
            self.unknown(before.team);
            self.unknown(now.team);
        } else if before.plays() {
            self.stayed += 1;
            let metres = metres(before.head, now.head);
            let reach = JUMP.max(JUMP_SPEED * follows.ms.unwrap_or(0) as f32 / 1_000.0);
            self.jumped += u64::from(metres > reach);
            // In combat, a player who is hit comes back elsewhere.
            if let (true, true, false, Some(ms @ 0..=NEXT_MS)) = (
                arena && follows.playing,
                metres > TELEPORT,
                before.stunned || now.stunned,
                follows.ms,
            ) {
                report.raise(Rule::PlayerJump { metres, ms });
            }
            self.score(before, now, report.spot.time);
        }
    }

    fn score(&mut self, before: &SeenPlayer, now: &SeenPlayer, time: Time) {
        let (Some([before, ..]), Some([after, ..])) = (&before.counts, &now.counts) else {
            return;
        };
        let rise = i64::from(*after) - i64::from(*before);
        if rise <= 0 {
            return;
        }
        let joining = now
            .joined
            .is_some_and(|joined| time.0.saturating_sub(joined.0) < JOINING_MS);
        if joining {
            self.unknown(now.team);
        } else if let Some(Some(points)) = self.points.get_mut(now.team) {
            *points += rise;
        }
    }

    fn judge(&self, follows: Follows, report: &mut Report<'_>) {
        let &Self {
            stayed,
            jumped,
            gone,
            come,
            ..
        } = self;
        let Some(ms @ 0..=REPLACED_MS) = follows.ms else {
            return;
        };
        // One jump is a respawn. If most players jump in play, it is another moment of the match.
        if follows.playing && jumped >= 3 && jumped * 2 > stayed && ms <= 1_000 {
            report.raise(Rule::AllJump {
                moved: jumped,
                players: stayed,
                ms,
            });
        }
        // Players come and leave one by one, or all leave.
        if gone >= 2 && come >= 2 && gone > stayed && come > stayed {
            let players = gone + stayed;
            report.raise(Rule::RosterChanged { gone, players, ms });
        }
    }
}

impl SeenPlayer {
    /// Whether the player is in a team and has a user id.
    const fn plays(&self) -> bool {
        self.team < 2 && self.userid != 0
    }
}

/// Compares one player in two frames.
fn one(before: &SeenPlayer, now: &SeenPlayer, follows: Follows, report: &mut Report<'_>) {
    if before.team != now.team {
        let (before, now) = (TeamId::at(before.team), TeamId::at(now.team));
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

/// The distance between two positions.
pub(super) fn metres(a: Vec3, b: Vec3) -> f32 {
    let squares: f32 = a.iter().zip(b).map(|(a, b)| (b - a) * (b - a)).sum();
    squares.sqrt()
}

/// Checks that at most one player has the disc.
fn possession(session: &Session, report: &mut Report<'_>) {
    let has = |(_, player): &(usize, &Player)| player.possession;
    let players = session.players().filter(has).count() as u64;
    if players > 1 {
        report.raise(Rule::TwoPossess { players });
    }
}

/// Checks the stats of a team. A team keeps the stats of players who left, so it can't have less than its
/// players.
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
            let team = TeamId::at(place);
            report.raise(Rule::TeamStats {
                team,
                stat,
                total,
                sum,
            });
        }
    }
}

/// Follows the disc.
#[derive(Clone, Debug, Default)]
pub(super) struct DiscAudit {
    before: Option<Vec3>,
}

impl DiscAudit {
    pub(super) fn push(&mut self, session: &Session, follows: Follows, report: &mut Report<'_>) {
        let now = session.disc.as_ref().map(|disc| disc.pose.position);
        let before = std::mem::replace(&mut self.before, now);
        if let (true, Some(before), Some(now), Some(ms @ 0..=NEXT_MS)) =
            (follows.playing, before, now, follows.ms)
        {
            let metres = metres(before, now);
            if metres > TELEPORT {
                report.raise(Rule::DiscJump { metres, ms });
            }
        }
    }
}
