//! Writes an arena match in the form of the game's API.

use compact_str::CompactString;
use gametape_echo::{Disc as DiscModel, Inputs, Map, Session, clock_display};

use super::state::Arena;
use crate::echo::actor::{Hold, pose};
use crate::echo::math::rounded;

impl Arena {
    pub(in crate::echo) fn write(&self, session: &mut Session) {
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
