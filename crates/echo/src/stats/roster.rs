//! Following the players from frame to frame.

use compact_str::CompactString;

use super::model::{Join, JoinEvent, Ping, PlayerStats};
use super::{FrameStep, MAX_EVENTS, MAX_GAP_MS, MAX_PLAYER_SPEED, keep};
use super::{Track, faster};
use crate::model::{Holding, Player, Session, Stats, TeamId};
use crate::model::{counts, from_counts, is_somebody};
use crate::people::People;

/// The number of earlier names of a player that are kept.
const MAX_NAMES: usize = 64;

/// All players seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Roster {
    players: Vec<PlayerRecord>,
    /// Who is who: numbers are indices in `players`.
    people: People,
    /// The players of the frame before, in the order of its teams.
    here: Vec<usize>,
    /// The players of this frame; reused memory.
    next: Vec<usize>,
    /// Frames since then in which nobody is.
    blank: Option<Blank>,
    /// The number of frames that were left out because nobody was in them.
    blanks: u64,
    /// Whether the match was being played in the frame before.
    playing: bool,
}

/// Frames without any player, in the middle of a session: the API lost all players for a moment.
#[derive(Clone, Copy, Debug)]
struct Blank {
    frames: u64,
    /// The time from the last frame with players to the first without.
    first_ms: Option<u32>,
    /// The time from the last frame with players to the last without.
    passed_ms: Option<u32>,
    /// When the first of them was recorded.
    from_ms: u64,
}

/// A player.
#[derive(Clone, Debug)]
struct PlayerRecord {
    out: PlayerStats,
    /// The last frame with the player.
    frame: u64,
    team: TeamId,
    /// When the player was seen to be gone, if not back since.
    left: Option<u64>,
    head: Track,
    /// The time in a team that plays.
    in_team_ms: u64,
    possession: bool,
    holds_disc: bool,
    stunned: bool,
    /// The counts before the game started again.
    base: Stats,
    /// The current counts of the game.
    current: Option<Stats>,
    fell: Option<FallenCounts>,
    pings: Moments,
    losses: (u64, f64),
}

/// Counts that fell. If they return soon, they did not start again.
#[derive(Clone, Copy, Debug)]
struct FallenCounts {
    at_ms: u64,
    /// Both as they were before.
    base: Stats,
    current: Stats,
}

/// Count, sum and sum of squares.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: u64,
    sum: f64,
    squares: f64,
    min: i32,
    max: i32,
}

impl Roster {
    pub(super) fn push(
        &mut self,
        session: &Session,
        mut step: FrameStep,
        events: &mut Vec<Join>,
        left_out: &mut u64,
    ) {
        let playing = std::mem::replace(&mut self.playing, session.is_played());
        if self.is_blank(session, step) {
            return;
        }
        self.pass_blank(session, &mut step);
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        self.people.next_frame(session);
        for (place, player) in session.players() {
            let team = TeamId::at(place);
            let Some(at) = self.people.find(place, player, MAX_EVENTS) else {
                *left_out += 1;
                continue;
            };
            if at == self.players.len() {
                self.players.push(PlayerRecord::new(player, team.clone()));
            }
            let Some(known) = self.players.get_mut(at) else {
                continue;
            };
            known.call(&player.name);
            let what = if step.frame > 0 && known.frame != step.frame - 1 {
                Some(JoinEvent::Join)
            } else {
                (known.team != team).then_some(JoinEvent::Move)
            };
            if let Some(what) = what {
                keep(events, event(step, what, (at, known), &team), left_out);
            }
            known.push(player, team, step, playing);
            next.push(at);
        }
        for &at in &self.here {
            if let Some(known) = self.players.get_mut(at)
                && known.frame != step.frame
            {
                if !step.new_session {
                    // Present until seen to be gone.
                    known.stay(step.passed_ms, playing);
                }
                known.left = Some(step.now_ms);
                let left = event(step, JoinEvent::Leave, (at, known), &known.team);
                keep(events, left, left_out);
            }
        }
        self.next = std::mem::replace(&mut self.here, next);
    }

    /// Whether nobody is in a frame, though somebody was a moment ago: the players are still there.
    fn is_blank(&mut self, session: &Session, step: FrameStep) -> bool {
        if self.here.is_empty() || step.new_session || session.players().next().is_some() {
            return false;
        }
        let blank = self.blank.get_or_insert(Blank {
            frames: 0,
            first_ms: step.passed_ms,
            passed_ms: Some(0),
            from_ms: step.now_ms,
        });
        let both = blank.passed_ms.zip(step.passed_ms);
        blank.passed_ms = both.map(|(before, ms)| before.saturating_add(ms));
        if blank.passed_ms.is_none_or(|ms| ms > MAX_GAP_MS) {
            return false;
        }
        blank.frames += 1;
        true
    }

    /// Makes a step of one that follows frames in which nobody was.
    fn pass_blank(&mut self, session: &Session, step: &mut FrameStep) {
        if let Some(blank) = self.blank.take() {
            self.blanks += blank.frames;
            step.passed_ms = if session.players().next().is_none() {
                // They were gone in the first of these frames.
                blank.first_ms
            } else {
                let both = blank.passed_ms.zip(step.passed_ms);
                both.map(|(before, ms)| before.saturating_add(ms))
                    .filter(|ms| *ms <= MAX_GAP_MS)
            };
        }
        step.frame -= self.blanks.min(step.frame);
    }

    pub(super) fn finish(mut self) -> Vec<PlayerStats> {
        if let Some(blank) = self.blank {
            // Nobody is there at the end.
            for at in self.here {
                if let Some(known) = self.players.get_mut(at) {
                    known.stay(blank.first_ms, self.playing);
                    known.left = Some(blank.from_ms);
                }
            }
        }
        self.players.into_iter().map(PlayerRecord::finish).collect()
    }
}

fn event(
    step: FrameStep,
    event: JoinEvent,
    (person, known): (usize, &PlayerRecord),
    team: &TeamId,
) -> Join {
    Join {
        time_ms: step.now_ms,
        event,
        person,
        name: known.out.name.clone(),
        team: team.clone(),
        userid: known.out.userid,
    }
}

impl PlayerRecord {
    fn new(player: &Player, team: TeamId) -> Self {
        Self {
            out: PlayerStats {
                name: player.name.clone(),
                earlier_names: Vec::new(),
                userid: player.userid,
                teams: Vec::new(),
                team: team.clone(),
                number: player.number,
                level: player.level,
                present_ms: 0,
                left_ms: None,
                distance: 0.0,
                top_speed: 0.0,
                mean_speed: None,
                possession_ms: 0,
                disc_held_ms: 0,
                stunned: 0,
                stunned_ms: 0,
                ping: None,
                packet_loss: None,
                stats: Stats::default(),
            },
            // No frame yet.
            frame: u64::MAX,
            team,
            left: None,
            head: Track::default(),
            in_team_ms: 0,
            possession: false,
            holds_disc: false,
            stunned: false,
            base: Stats::default(),
            current: None,
            fell: None,
            pings: Moments::default(),
            losses: (0, 0.0),
        }
    }

    /// Notes the name of this moment.
    fn call(&mut self, name: &CompactString) {
        if self.out.name == *name || !is_somebody(name) {
            return;
        }
        let before = std::mem::replace(&mut self.out.name, name.clone());
        let names = &mut self.out.earlier_names;
        names.retain(|known| known != name);
        if is_somebody(&before) && !names.contains(&before) && names.len() < MAX_NAMES {
            names.push(before);
        }
    }

    /// Adds the time since the frame before, whose values still hold, and in which the match was being
    /// played or not.
    fn stay(&mut self, passed: Option<u32>, playing: bool) {
        let ms = passed.map_or(0, u64::from);
        self.out.present_ms += ms;
        self.in_team_ms += if is_in_team(&self.team) { ms } else { 0 };
        if !playing {
            return;
        }
        for (on, time) in [
            (self.possession, &mut self.out.possession_ms),
            (self.holds_disc, &mut self.out.disc_held_ms),
            (self.stunned, &mut self.out.stunned_ms),
        ] {
            *time += if on { ms } else { 0 };
        }
    }

    fn push(&mut self, player: &Player, team: TeamId, step: FrameStep, playing: bool) {
        let stayed = step.frame > 0 && self.frame == step.frame - 1 && !step.new_session;
        let passed = step.passed_ms.filter(|_| stayed);
        self.frame = step.frame;
        self.left = None;
        self.stay(passed, playing);
        if is_in_team(&team) {
            match player.known_head() {
                Some(head) => self.head.push(&head.position, passed, MAX_PLAYER_SPEED),
                None => self.head.lose(),
            }
            self.out.top_speed = faster(self.out.top_speed, &player.velocity, MAX_PLAYER_SPEED);
        } else {
            // A spectator flies where no player can.
            self.head.lose();
        }
        self.out.stunned += u64::from(player.stunned && !(self.stunned && stayed));
        self.stunned = player.stunned;
        self.possession = player.possession;
        self.holds_disc = [&player.holding_left, &player.holding_right]
            .into_iter()
            .any(|hand| *hand == Some(Holding::Disc));

        // Both are 0 for a few frames after a join, and -1 where a .butter stores nothing.
        if player.number > 0 {
            self.out.number = player.number;
        }
        if player.level > 0 {
            self.out.level = player.level;
        }
        if self.out.teams.last() != Some(&team) && !self.out.teams.contains(&team) {
            self.out.teams.push(team.clone());
        }
        self.team = team;
        if let Some(ping) = player.ping().filter(|ping| *ping >= 0) {
            self.pings.push(ping);
        }
        if (0.0..=1.0).contains(&player.packetlossratio) {
            self.losses.0 += 1;
            self.losses.1 += f64::from(player.packetlossratio);
        }
        if let Some(now) = player.stats {
            self.count(now, stayed, step.now_ms);
        }
    }

    fn count(&mut self, now: Stats, stayed: bool, now_ms: u64) {
        let Some(before) = self.current.replace(now) else {
            return;
        };
        if let Some(fall) = self.fell {
            if now_ms.saturating_sub(fall.at_ms) > u64::from(MAX_GAP_MS) {
                self.fell = None;
            } else if !counts_anew(&fall.current, &now, false) {
                // They are back: a frame had nothing, or too little.
                (self.base, self.fell) = (fall.base, None);
                return;
            }
        }
        if counts_anew(&before, &now, stayed) {
            // The first fall of several in a row has the counts that may return.
            self.fell.get_or_insert(FallenCounts {
                at_ms: now_ms,
                base: self.base,
                current: before,
            });
            self.base = sum(&self.base, &before);
        }
    }

    fn finish(mut self) -> PlayerStats {
        self.out.distance = self.head.distance();
        self.out.team = self.team;
        self.out.mean_speed =
            (self.in_team_ms > 0).then(|| self.out.distance * 1000.0 / self.in_team_ms as f64);
        self.out.left_ms = self.left;
        self.out.ping = self.pings.finish();
        self.out.packet_loss = (self.losses.0 > 0).then(|| self.losses.1 / self.losses.0 as f64);
        self.out.stats = match self.current {
            Some(current) => sum(&self.base, &current),
            None => self.base,
        };
        self.out
    }
}

/// Whether the players of a team move as players do.
fn is_in_team(team: &TeamId) -> bool {
    matches!(team, TeamId::Blue | TeamId::Orange)
}

/// Whether the game started its counts from 0 again: all counts that were not 0 are 0, the time of
/// possession fell by more than a .butter's rounding, or any count fell while the player was away (or in
/// another session).
fn counts_anew(before: &Stats, now: &Stats, stayed: bool) -> bool {
    let fell = counts(before)
        .iter()
        .zip(counts(now))
        .any(|(before, now)| now < *before);
    let rounding = 0.5 + before.possession_time / 256.0;
    now.possession_time < before.possession_time - rounding
        || (*now == Stats::default() && *before != Stats::default())
        || (!stayed && fell)
}

fn sum(a: &Stats, b: &Stats) -> Stats {
    let mut total = counts(a);
    for (to, from) in total.iter_mut().zip(counts(b)) {
        *to = to.saturating_add(from);
    }
    from_counts(a.possession_time + b.possession_time, total)
}

impl Moments {
    fn push(&mut self, value: i32) {
        if self.count == 0 {
            (self.min, self.max) = (value, value);
        }
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += f64::from(value);
        self.squares += f64::from(value) * f64::from(value);
    }

    fn finish(&self) -> Option<Ping> {
        let count = self.count as f64;
        (self.count > 0).then(|| {
            let mean = self.sum / count;
            Ping {
                min: self.min,
                mean,
                max: self.max,
                deviation: (self.squares / count - mean * mean).max(0.0).sqrt(),
            }
        })
    }
}
