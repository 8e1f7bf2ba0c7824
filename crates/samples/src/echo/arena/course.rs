//! The course of an arena match: its clock and its statuses.

use fastrand::Rng;
use gametape_echo::{GameStatus, Pause, PausedState, TeamId};

use super::{ArenaMatch, launch, no_score};
use super::{ROOM, of_team, team_id};
use crate::echo::actor::Hold;
use crate::echo::math::{between, once_in};

/// The number of seconds of sudden death after which the match is a draw.
const SUDDEN_DEATH: f32 = 120.0;

impl ArenaMatch {
    /// Advances the match by `dt`; returns `false` when it is over.
    pub(in crate::echo) fn step(&mut self, rng: &mut Rng, dt: f32) -> bool {
        self.count += f64::from(dt) * 1000.0;
        self.crowd.pass_time(rng, dt);
        self.room.step(rng, dt);
        for left in &mut self.restart {
            *left = (*left - dt).max(0.0);
        }
        let playing = self.status == GameStatus::Playing;
        if self.pausing.step(rng, dt, playing && self.clock > 10.0) {
            // Only heads and hands move.
            self.crowd.pose(rng, dt, self.disc.position, self.bones);
            return true;
        }
        if once_in(rng, 500.0, dt) {
            self.change_rules(rng);
        }
        if playing && once_in(rng, 400.0, dt) {
            *of_team(&mut self.restart, rng.u32(..2) as usize) = between(rng, 0.5, 3.0);
        }
        let keep = self.disc.carrier();
        let left = self.crowd.come_and_go(rng, dt, keep, |rng, actor| {
            launch(actor, between(rng, 1.0, 6.0));
        });
        if let Some(id) = left {
            self.disc.forget(id);
            if self.possessor == Some(id) {
                self.possessor = None;
            }
        }
        let moving = !matches!(
            self.status,
            GameStatus::PreMatch | GameStatus::RoundStart | GameStatus::PreSuddenDeath
        );
        if moving {
            self.roam(rng, dt);
        } else {
            self.wait(rng, dt);
        }
        if self.contested() {
            self.stuns(rng, dt);
            self.contest(rng, dt);
            self.count_possession(dt);
        } else {
            self.disc.drift(rng, dt);
        }
        self.crowd.watch(rng, dt, ROOM);
        self.crowd.pose(rng, dt, self.disc.position, self.bones);
        self.carry();
        self.advance(rng, dt)
    }

    fn count_possession(&mut self, dt: f32) {
        if self.disc.carrier().is_none() {
            self.possession_left -= dt;
            if self.possession_left <= 0.0 {
                self.drop_possession();
            }
        }
        if let Some(actor) = self.possessor.and_then(|id| self.crowd.get_mut(id)) {
            actor.stats.possession_time += dt;
        }
    }

    fn change_rules(&mut self, rng: &mut Rng) {
        let players = self.crowd.players().count() as u32;
        let who = rng.u32(..players.max(1)) as usize;
        let name = self.crowd.players().nth(who);
        if let (Some(rules), Some(actor)) = (&mut self.rules, name) {
            *rules = (actor.person.name.clone(), self.count as i64);
        }
    }

    /// Advances clock and status; returns `false` when the match is over.
    fn advance(&mut self, rng: &mut Rng, dt: f32) -> bool {
        if self.status == GameStatus::Playing {
            self.clock = (self.clock - dt).max(0.0);
            if self.clock > 0.0 {
                return true;
            }
        } else {
            self.status_left -= dt;
            if self.status_left > 0.0 {
                return true;
            }
        }
        let [blue, orange] = self.points;
        let (next, seconds) = match self.status {
            GameStatus::PreMatch => (GameStatus::RoundStart, 5.0),
            GameStatus::RoundStart => (GameStatus::Playing, 0.0),
            GameStatus::Score => {
                self.line_up(rng);
                (GameStatus::RoundStart, 3.5)
            }
            GameStatus::Playing if blue == orange => {
                self.release();
                self.line_up(rng);
                (GameStatus::PreSuddenDeath, 4.0)
            }
            GameStatus::PreSuddenDeath => (GameStatus::SuddenDeath, SUDDEN_DEATH),
            GameStatus::RoundOver => {
                if self.rounds_played < self.rounds {
                    self.points = [0; 2];
                    self.clock = self.round_length();
                    self.line_up(rng);
                    (GameStatus::RoundStart, 5.0)
                } else {
                    (GameStatus::PostMatch, 12.0)
                }
            }
            GameStatus::PostMatch => {
                self.start_again(rng);
                return false;
            }
            // The time is up, or sudden death was decided or ended without a goal.
            _ => {
                self.release();
                self.rounds_played += 1;
                if blue != orange {
                    *of_team(&mut self.rounds_won, usize::from(orange > blue)) += 1;
                }
                (GameStatus::RoundOver, 6.0)
            }
        };
        if next == GameStatus::Playing {
            self.launch_all(rng);
        }
        (self.status, self.status_left) = (next, seconds);
        true
    }

    /// Takes the disc out of all hands.
    fn release(&mut self) {
        for actor in self.crowd.players_mut() {
            for hold in &mut actor.holds {
                if *hold == Hold::Disc {
                    *hold = Hold::Nothing;
                }
            }
        }
        self.disc.let_loose();
        self.drop_possession();
    }

    /// Starts another match in the same session.
    fn start_again(&mut self, rng: &mut Rng) {
        self.crowd.forget_stats();
        self.points = [0; 2];
        self.rounds_won = [0; 2];
        self.rounds_played = 0;
        self.clock = self.round_length();
        self.last_score = no_score();
        self.line_up(rng);
        self.status = GameStatus::PreMatch;
        self.status_left = between(rng, 4.0, 8.0);
    }
}

/// The number of seconds of the countdown before play continues.
const COUNTDOWN: f32 = 3.0;

#[derive(Clone, Debug)]
pub(super) struct Pausing {
    pause: Pause,
    /// The number of seconds until the state changes.
    left: f32,
    wanted: bool,
}

impl Pausing {
    pub(super) fn new(rng: &mut Rng, wanted: bool) -> Self {
        Self {
            pause: Pause {
                paused_state: PausedState::Unpaused,
                unpaused_team: TeamId::None,
                paused_requested_team: TeamId::None,
                unpaused_timer: 0.0,
                paused_timer: 0.0,
            },
            left: between(rng, 15.0, 60.0),
            wanted,
        }
    }

    /// Advances by `dt`; a pause begins only if `may` is true. Returns whether the match stands
    /// still.
    pub(super) fn step(&mut self, rng: &mut Rng, dt: f32, may: bool) -> bool {
        if !self.wanted {
            return false;
        }
        let pause = &mut self.pause;
        if pause.paused_state != PausedState::Unpaused || may {
            self.left -= dt;
        }
        match pause.paused_state {
            PausedState::Pausing => {}
            PausedState::Paused => pause.paused_timer += dt,
            PausedState::Unpausing => pause.unpaused_timer = self.left.max(0.0),
            _ if !may => return false,
            _ => {}
        }
        if self.left <= 0.0 {
            (pause.paused_state, self.left) = match pause.paused_state {
                PausedState::Pausing => (PausedState::Paused, between(rng, 2.0, 25.0)),
                PausedState::Paused => {
                    pause.unpaused_team = team_id(rng.u32(..2) as usize);
                    pause.unpaused_timer = COUNTDOWN;
                    (PausedState::Unpausing, COUNTDOWN)
                }
                PausedState::Unpausing => {
                    pause.unpaused_team = TeamId::None;
                    pause.paused_requested_team = TeamId::None;
                    pause.unpaused_timer = 0.0;
                    pause.paused_timer = 0.0;
                    (PausedState::Unpaused, between(rng, 60.0, 240.0))
                }
                _ => {
                    pause.paused_requested_team = team_id(rng.u32(..2) as usize);
                    (PausedState::Pausing, 1.0)
                }
            };
        }
        self.frozen()
    }

    /// Whether the match stands still.
    pub(super) fn frozen(&self) -> bool {
        self.pause.paused_state != PausedState::Unpaused
    }

    pub(super) fn write(&self) -> Pause {
        self.pause.clone()
    }
}
