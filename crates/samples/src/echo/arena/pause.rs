//! Pauses: a team requests one, the match stops, a team ends the pause, and the match continues
//! after a countdown.

use fastrand::Rng;
use gametape_echo::{Pause, PausedState, TeamId};

use super::team_id;
use crate::echo::math::between;

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
