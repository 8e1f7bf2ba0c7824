//! The state of an arena match.

use compact_str::CompactString;
use fastrand::Rng;
use gametape_echo::{GameStatus, GoalType, LastScore, LastThrow, TeamId};

use super::disc::Disc;
use super::pause::Pausing;
use super::{attacks, of_team};
use crate::echo::actor::{Act, Actor, Room};
use crate::echo::crowd::{Crowd, SPECTATORS};
use crate::echo::math::between;
use crate::echo::options::MatchOptions;

#[derive(Clone, Debug)]
pub(in crate::echo) struct Arena {
    pub(super) crowd: Crowd,
    pub(super) disc: Disc,
    pub(super) status: GameStatus,
    /// The number of seconds until the status changes; play ends by the clock.
    pub(super) status_left: f32,
    pub(super) clock: f32,
    pub(super) points: [i32; 2],
    pub(super) rounds_won: [i32; 2],
    pub(super) rounds_played: i32,
    pub(super) rounds: i32,
    pub(super) last_score: LastScore,
    pub(super) last_throw: LastThrow,
    /// The player who possesses the disc, and for how many more seconds after throwing it.
    pub(super) possessor: Option<i32>,
    pub(super) possession_left: f32,
    pub(super) pausing: Pausing,
    /// For each team, the number of seconds for which it continues to ask for a restart.
    pub(super) restart: [f32; 2],
    pub(super) rules: Option<(CompactString, i64)>,
    /// The game's own counter in milliseconds.
    pub(super) count: f64,
    pub(super) room: Room,
    pub(super) bones: bool,
}

impl Arena {
    pub(in crate::echo) fn new(rng: &mut Rng, options: &MatchOptions) -> Self {
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

    pub(in crate::echo) fn crowd(&self) -> &Crowd {
        &self.crowd
    }

    /// The length of a round in seconds.
    pub(super) fn round_length(&self) -> f32 {
        if self.rounds > 1 { 300.0 } else { 600.0 }
    }

    /// Moves all players into the launch tubes and the disc to the middle.
    pub(super) fn line_up(&mut self, rng: &mut Rng) {
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
    pub(super) fn contested(&self) -> bool {
        matches!(self.status, GameStatus::Playing | GameStatus::SuddenDeath)
    }

    pub(super) fn drop_possession(&mut self) {
        if let Some(actor) = self.possessor.and_then(|id| self.crowd.get_mut(id)) {
            actor.possession = false;
        }
        self.possessor = None;
    }

    pub(super) fn possess(&mut self, playerid: i32) {
        self.drop_possession();
        if let Some(actor) = self.crowd.get_mut(playerid) {
            actor.possession = true;
            self.possessor = Some(playerid);
        }
    }
}

pub(super) fn no_score() -> LastScore {
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
pub(super) fn launch(actor: &mut Actor, lane: f32) {
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
