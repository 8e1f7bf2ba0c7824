//! Following the players from frame to frame.

use std::collections::HashMap;

use compact_str::CompactString;

use super::model::{Join, JoinEvent, Ping, PlayerStats};
use super::step::{MAX_EVENTS, MAX_PLAYER_SPEED, Step, keep};
use super::step::{Track, faster};
use crate::model::{Holding, Player, Session, Stats, TeamId};
use crate::model::{counts, from_counts};

/// All players seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Roster {
    players: Vec<Known>,
    /// The index in `players`, by user id, or by name if the user id is 0 (redacted).
    places: HashMap<(u64, CompactString), usize>,
    /// The players of the frame before, in the order of its teams.
    here: Vec<usize>,
    /// The players of this frame; reused memory.
    next: Vec<usize>,
}

/// A player.
#[derive(Clone, Debug)]
struct Known {
    out: PlayerStats,
    /// The last frame with the player.
    frame: u64,
    team: TeamId,
    head: Track,
    possession: bool,
    holds_disc: bool,
    stunned: bool,
    /// The counts before the game started again.
    base: Stats,
    /// The current counts of the game.
    current: Option<Stats>,
    pings: Moments,
    losses: (u64, f64),
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
        step: Step,
        events: &mut Vec<Join>,
        left_out: &mut u64,
    ) {
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        for (place, (team, player)) in session.players().enumerate() {
            let team = TeamId::at(team);
            let Some(at) = self.find(place, player, &team, left_out) else {
                continue;
            };
            let Some(known) = self.players.get_mut(at) else {
                continue;
            };
            if known.frame == step.frame {
                // If a player is in a frame twice, the first counts.
                continue;
            }
            let what = if step.frame > 0 && known.frame != step.frame - 1 {
                Some(JoinEvent::Join)
            } else {
                (known.team != team).then_some(JoinEvent::Move)
            };
            if let Some(what) = what {
                keep(events, event(step, what, known, &team), left_out);
            }
            known.push(player, team, step);
            next.push(at);
        }
        for &at in &self.here {
            if let Some(known) = self.players.get_mut(at)
                && known.frame != step.frame
            {
                if !step.new_session {
                    // Present until seen to be gone.
                    known.stay(step.passed_ms);
                }
                let left = event(step, JoinEvent::Leave, known, &known.team);
                keep(events, left, left_out);
            }
        }
        self.next = std::mem::replace(&mut self.here, next);
    }

    /// The index of a player; `None` if there are too many to keep.
    fn find(
        &mut self,
        place: usize,
        player: &Player,
        team: &TeamId,
        left_out: &mut u64,
    ) -> Option<usize> {
        // Most players are at the same place as in the frame before.
        if let Some(&at) = self.here.get(place)
            && let Some(known) = self.players.get(at)
            && known.out.userid == player.userid
            && (player.userid != 0 || known.out.name == player.name)
        {
            return Some(at);
        }
        let name = if player.userid == 0 {
            player.name.clone()
        } else {
            CompactString::default()
        };
        let key = (player.userid, name);
        if let Some(&at) = self.places.get(&key) {
            return Some(at);
        }
        if self.players.len() >= MAX_EVENTS {
            *left_out += 1;
            return None;
        }
        self.places.insert(key, self.players.len());
        self.players.push(Known::new(player, team.clone()));
        Some(self.players.len() - 1)
    }

    pub(super) fn finish(self) -> Vec<PlayerStats> {
        self.players.into_iter().map(Known::finish).collect()
    }
}

fn event(step: Step, event: JoinEvent, known: &Known, team: &TeamId) -> Join {
    Join {
        time_ms: step.now_ms,
        event,
        name: known.out.name.clone(),
        team: team.clone(),
        userid: known.out.userid,
    }
}

impl Known {
    fn new(player: &Player, team: TeamId) -> Self {
        Self {
            out: PlayerStats {
                name: player.name.clone(),
                userid: player.userid,
                teams: Vec::new(),
                number: player.number,
                level: player.level,
                present_ms: 0,
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
            head: Track::default(),
            possession: false,
            holds_disc: false,
            stunned: false,
            base: Stats::default(),
            current: None,
            pings: Moments::default(),
            losses: (0, 0.0),
        }
    }

    /// Adds the time since the frame before, whose values still hold.
    fn stay(&mut self, passed: Option<u32>) {
        let ms = passed.map_or(0, u64::from);
        self.out.present_ms += ms;
        for (on, time) in [
            (self.possession, &mut self.out.possession_ms),
            (self.holds_disc, &mut self.out.disc_held_ms),
            (self.stunned, &mut self.out.stunned_ms),
        ] {
            *time += if on { ms } else { 0 };
        }
    }

    fn push(&mut self, player: &Player, team: TeamId, step: Step) {
        let stayed = step.frame > 0 && self.frame == step.frame - 1 && !step.new_session;
        let passed = step.passed_ms.filter(|_| stayed);
        self.frame = step.frame;
        self.stay(passed);
        self.head
            .push(&player.head.position, passed, MAX_PLAYER_SPEED);
        self.out.top_speed = faster(self.out.top_speed, &player.velocity, MAX_PLAYER_SPEED);
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
        if player.ping >= 0 {
            self.pings.push(player.ping);
        }
        if (0.0..=1.0).contains(&player.packetlossratio) {
            self.losses.0 += 1;
            self.losses.1 += f64::from(player.packetlossratio);
        }
        if let Some(now) = player.stats {
            if let Some(before) = self.current
                && counts_anew(&before, &now, stayed)
            {
                self.base = sum(&self.base, &before);
            }
            self.current = Some(now);
        }
    }

    fn finish(mut self) -> PlayerStats {
        self.out.distance = self.head.distance();
        self.out.mean_speed = (self.out.present_ms > 0)
            .then(|| self.out.distance * 1000.0 / self.out.present_ms as f64);
        self.out.ping = self.pings.finish();
        self.out.packet_loss = (self.losses.0 > 0).then(|| self.losses.1 / self.losses.0 as f64);
        self.out.stats = match self.current {
            Some(current) => sum(&self.base, &current),
            None => self.base,
        };
        self.out
    }
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
