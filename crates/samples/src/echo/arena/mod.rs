//! An arena match: its statuses, its clock, its score. Blue plays towards +z.

mod disc;
mod pause;
mod players;

use compact_str::CompactString;
use fastrand::Rng;

use self::disc::{Disc, Flight};
use self::pause::Pausing;
use super::MatchOptions;
use super::actor::{Actor, Hold, Room, pose};
use super::crowd::{Crowd, SPECTATORS};
use super::math::{between, once_in, rounded};
use gametape_echo::{
    Disc as DiscModel, GameStatus, GoalType, Inputs, LastScore, LastThrow, Map, Session, TeamId,
    Vec3, clock_display,
};

/// Half the size of the room, metres.
const ROOM: Vec3 = [14.5, 9.5, 38.5];
/// Where the goals stand: `GOAL` and `-GOAL` along z.
const GOAL: f32 = 36.0;
/// Metres from the middle of a goal to its rim.
const RIM: f32 = 1.5;
/// From here on a goal counts three.
const THREE_POINTS: f32 = 10.0;
/// Seconds of sudden death until it is called a draw.
const SUDDEN_DEATH: f32 = 120.0;

#[derive(Clone, Debug)]
pub(super) struct Arena {
    crowd: Crowd,
    disc: Disc,
    status: GameStatus,
    /// Seconds until the status changes; playing ends by the clock.
    status_left: f32,
    clock: f32,
    points: [i32; 2],
    rounds_won: [i32; 2],
    rounds_played: i32,
    rounds: i32,
    last_score: LastScore,
    last_throw: LastThrow,
    /// Who possesses the disc, and for how long still once it is thrown.
    possessor: Option<i32>,
    possession_left: f32,
    pausing: Pausing,
    /// Seconds for which a team goes on asking for a restart.
    restart: [f32; 2],
    rules: Option<(CompactString, i64)>,
    /// Milliseconds of the game's own count.
    count: f64,
    room: Room,
    bones: bool,
}

/// 1 for blue, which plays towards +z, -1 for orange.
fn attacks(team: usize) -> f32 {
    if team == 0 { 1.0 } else { -1.0 }
}

fn team_id(team: usize) -> TeamId {
    if team == 0 {
        TeamId::Blue
    } else {
        TeamId::Orange
    }
}

/// A value for each team: that of `team`.
fn of_team<T>([blue, orange]: &mut [T; 2], team: usize) -> &mut T {
    if team == 0 { blue } else { orange }
}

fn no_score() -> LastScore {
    LastScore {
        disc_speed: 0.0,
        team: TeamId::None,
        goal_type: GoalType::NoGoal,
        point_amount: 0,
        distance_thrown: 0.0,
        person_scored: CompactString::const_new("[INVALID]"),
        assist_scored: CompactString::const_new("[INVALID]"),
    }
}

impl Arena {
    pub(super) fn new(rng: &mut Rng, options: &MatchOptions) -> Self {
        let crowd = Crowd::new(rng, options);
        let mut arena = Self {
            crowd,
            disc: Disc::new(rng),
            status: GameStatus::PreMatch,
            status_left: between(rng, 4.0, 8.0),
            clock: if options.private { 300.0 } else { 600.0 },
            points: [0; 2],
            rounds_won: [0; 2],
            rounds_played: 0,
            rounds: if options.private { 3 } else { 1 },
            last_score: no_score(),
            last_throw: LastThrow::default(),
            possessor: None,
            possession_left: 0.0,
            pausing: Pausing::new(rng, options.pauses),
            restart: [0.0; 2],
            rules: options
                .private
                .then(|| (CompactString::const_new("[INVALID]"), 0)),
            count: between(rng, 1e9, 9e9).into(),
            room: Room::new(rng),
            bones: options.bones,
        };
        arena.line_up(rng);
        arena
    }

    pub(super) fn crowd(&self) -> &Crowd {
        &self.crowd
    }

    /// Seconds of a round.
    fn round_length(&self) -> f32 {
        if self.rounds > 1 { 300.0 } else { 600.0 }
    }

    /// Everybody into the launch tubes, the disc into the middle.
    fn line_up(&mut self, rng: &mut Rng) {
        let mut lane = [0.0; 2];
        for actor in self.crowd.players_mut() {
            let x = of_team(&mut lane, actor.team);
            *x += 1.0;
            launch(actor, *x);
            // Until the countdown begins, nobody is there in mind.
            actor.act = super::actor::Act::Statue;
            actor.act_left = 1.0;
        }
        self.drop_possession();
        self.disc.centre(rng);
    }

    /// The disc is in play.
    fn contested(&self) -> bool {
        matches!(self.status, GameStatus::Playing | GameStatus::SuddenDeath)
    }

    fn drop_possession(&mut self) {
        if let Some(actor) = self.possessor.and_then(|id| self.crowd.get_mut(id)) {
            actor.possession = false;
        }
        self.possessor = None;
    }

    fn possess(&mut self, playerid: i32) {
        self.drop_possession();
        if let Some(actor) = self.crowd.get_mut(playerid) {
            actor.possession = true;
            self.possessor = Some(playerid);
        }
    }

    /// Goes on by `dt`. `false` where the match is over.
    pub(super) fn step(&mut self, rng: &mut Rng, dt: f32) -> bool {
        self.count += f64::from(dt) * 1000.0;
        self.crowd.pass_time(rng, dt);
        self.room.step(rng, dt);
        for left in &mut self.restart {
            *left = (*left - dt).max(0.0);
        }
        let playing = self.status == GameStatus::Playing;
        if self.pausing.step(rng, dt, playing && self.clock > 10.0) {
            // Nothing moves but heads and hands.
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

    /// Clock and status. `false` where the match is over.
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
            // Played, or decided by sudden death, or by none.
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

    /// Nobody has the disc any more.
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

    /// Another match in the same session.
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

    pub(super) fn write(&self, session: &mut Session) {
        session.match_type = CompactString::const_new(if session.private_match {
            "Echo_Arena_Private"
        } else {
            "Echo_Arena"
        });
        session.map_name = Map::Arena;
        session.game_status.clone_from(&self.status);
        if session.game_clock.to_bits() != self.clock.to_bits()
            || session.game_clock_display.is_empty()
        {
            session.game_clock = self.clock;
            session.game_clock_display = clock_display(self.clock);
        }
        let [blue, orange] = self.points;
        (session.blue_points, session.orange_points) = (blue as f32, orange as f32);
        [session.blue_round_score, session.orange_round_score] = self.rounds_won;
        session.total_round_count = self.rounds;
        let place = self.possessor.and_then(|id| self.crowd.place_of(id));
        session.possession = Some(place.unwrap_or([-1, -1]));
        session.inputs = self.inputs();
        let [blue, orange] = self.restart;
        session.blue_team_restart_request = blue > 0.0;
        session.orange_team_restart_request = orange > 0.0;
        session.pause = Some(self.pausing.write());
        if session.last_score.as_ref() != Some(&self.last_score) {
            session.last_score = Some(self.last_score.clone());
        }
        session.last_throw = Some(self.last_throw);
        session.player = Some(self.room.pose());
        let frozen = self.pausing.frozen();
        session.disc = Some(DiscModel {
            pose: pose(self.disc.position, &self.disc.basis),
            velocity: if frozen {
                [0.0; 3]
            } else {
                rounded(self.disc.velocity)
            },
            bounce_count: self.disc.bounces,
        });
        session.payload = None;
        let (by, at) = match &self.rules {
            Some((by, at)) => (Some(by), Some(*at)),
            None => (None, None),
        };
        if session.rules_changed_by.as_ref() != by {
            session.rules_changed_by = by.cloned();
        }
        session.rules_changed_at = at;
        self.crowd.write(session, frozen, true);
    }

    /// The client presses what its hands need.
    fn inputs(&self) -> Inputs {
        let Some(client) = self.crowd.get(self.crowd.client) else {
            return Inputs::default();
        };
        let [left, right] = client.holds;
        let pressed = |yes: bool| f32::from(u8::from(yes));
        Inputs {
            left_shoulder: pressed(client.blocking > 0.0),
            right_shoulder: pressed(client.blocking > 0.0),
            left_shoulder2: pressed(left != Hold::Nothing),
            right_shoulder2: pressed(right != Hold::Nothing),
        }
    }
}

/// Into a tube of its team; the tubes stand side by side.
fn launch(actor: &mut Actor, lane: f32) {
    if actor.team == SPECTATORS {
        actor.spawn([lane * 2.0, 4.0, 0.0], [0.0, 0.0, 1.0]);
        return;
    }
    let way = attacks(actor.team);
    // Left and right of the middle in turns, as far as there is room.
    let x = if lane % 2.0 < 1.0 { lane } else { -lane };
    actor.spawn(
        [x.clamp(-8.0, 8.0) * 1.25, -3.0, -way * 33.0],
        [0.0, 0.0, way],
    );
}

impl Flight {
    const fn carrier(&self) -> Option<i32> {
        match self {
            Self::Held { by, .. } => Some(*by),
            Self::Free => None,
        }
    }
}
