//! An arena match: its statuses, its clock, its score. Blue plays towards +z.

mod contest;
mod course;
mod disc;
mod players;

use compact_str::CompactString;
use course::Pausing;
use disc::Disc;
use fastrand::Rng;
use gametape_echo::{
    Disc as DiscModel, GameStatus, GoalType, Inputs, LastScore, LastThrow, Map, Session, TeamId,
    Vec3, clock_display,
};

use crate::echo::actor::{Act, Actor, Hold, Room, pose};
use crate::echo::crowd::{Crowd, SPECTATORS};
use crate::echo::game::MatchOptions;
use crate::echo::math::{between, rounded};

/// Half the size of the room, in metres.
const ROOM: Vec3 = [14.5, 9.5, 38.5];
/// The positions of the goals: `GOAL` and `-GOAL` along z.
const GOAL: f32 = 36.0;
/// The distance in metres from the centre of a goal to its rim.
const RIM: f32 = 1.5;
/// The distance in metres from which a goal counts three points.
const THREE_POINTS: f32 = 10.0;

/// The direction of play along z: 1 for blue, -1 for orange.
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

/// The value of `team` among values for each team.
fn of_team<T>([blue, orange]: &mut [T; 2], team: usize) -> &mut T {
    if team == 0 { blue } else { orange }
}

#[derive(Clone, Debug)]
pub(super) struct ArenaMatch {
    crowd: Crowd,
    disc: Disc,
    status: GameStatus,
    /// The number of seconds until the status changes; play ends by the clock.
    status_left: f32,
    clock: f32,
    points: [i32; 2],
    rounds_won: [i32; 2],
    rounds_played: i32,
    rounds: i32,
    last_score: LastScore,
    last_throw: LastThrow,
    /// The player who possesses the disc, and for how many more seconds after throwing it.
    possessor: Option<i32>,
    possession_left: f32,
    pausing: Pausing,
    /// For each team, the number of seconds for which it continues to ask for a restart.
    restart: [f32; 2],
    rules: Option<(CompactString, i64)>,
    /// The game's own counter in milliseconds.
    count: f64,
    room: Room,
    bones: bool,
}

impl ArenaMatch {
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

    /// The length of a round in seconds.
    fn round_length(&self) -> f32 {
        if self.rounds > 1 { 300.0 } else { 600.0 }
    }

    /// Moves all players into the launch tubes and the disc to the middle.
    fn line_up(&mut self, rng: &mut Rng) {
        let mut lane = [0.0; 2];
        for actor in self.crowd.players_mut() {
            let x = of_team(&mut lane, actor.team);
            *x += 1.0;
            launch(actor, *x);
            // Until the countdown begins, the players do not move.
            actor.act = Act::Statue;
            actor.act_left = 1.0;
        }
        self.drop_possession();
        self.disc.centre(rng);
    }

    /// Whether the disc is in play.
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

/// Moves a player into a tube of its team; the tubes are side by side.
fn launch(actor: &mut Actor, lane: f32) {
    if actor.team == SPECTATORS {
        actor.spawn([lane * 2.0, 4.0, 0.0], [0.0, 0.0, 1.0]);
        return;
    }
    let way = attacks(actor.team);
    // Alternately left and right of the middle, as far as there is room.
    let x = if lane % 2.0 < 1.0 { lane } else { -lane };
    actor.spawn(
        [x.clamp(-8.0, 8.0) * 1.25, -3.0, -way * 33.0],
        [0.0, 0.0, way],
    );
}

impl ArenaMatch {
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

    /// The buttons that the client's hands press.
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
