//! The members of the session and what lies in it, save for teams and players.

use std::mem;

use compact_str::CompactString;
use serde::de::{DeserializeSeed, Deserializer};

use super::object::{In, List, MaybeIn, Members, Notes, Raw, members};
use super::scalar::{Coordinates, Maybe, Pair, Part, Value};
use crate::model::{
    Disc, GoalType, LastScore, LastThrow, Object, Pause, PausedState, Payload, Pose, Session,
    TeamId,
};

/// The playspace of the client: a pose, by other names.
pub(super) struct Playspace(pub Pose);

members! {
    Session as SESSION, |session, at, notes| {
        const LIST: Option<&'static str> = Some("teams");
        const ROOT: bool = true;

        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            // What lies on the heap stays; a member that is the same in every frame is not even
            // written again. A text that is not there is emptied first and so costs a little more.
            let old = mem::take(self);
            self.teams = old.teams;
            self.sessionid = emptied(old.sessionid);
            self.sessionip = emptied(old.sessionip);
            self.client_name = emptied(old.client_name);
            self.match_type = emptied(old.match_type);
            self.game_clock_display = emptied(old.game_clock_display);
        }

        fn clear_list(&mut self) {
            self.teams.clear();
        }
    }
    "disc" => MaybeIn { this: &mut session.disc, at: Object::Disc, notes };
    "orange_team_restart_request" => Value(&mut session.orange_team_restart_request);
    "sessionid" => Value(&mut session.sessionid);
    "game_clock_display" => Value(&mut session.game_clock_display);
    "game_status" => Value(&mut session.game_status);
    "sessionip" => Value(&mut session.sessionip);
    "match_type" => Value(&mut session.match_type);
    "map_name" => Value(&mut session.map_name);
    "right_shoulder_pressed2" => Value(&mut session.inputs.right_shoulder2);
    "teams" => List { list: &mut session.teams, at: &Object::Team, notes };
    "blue_round_score" => Value(&mut session.blue_round_score);
    "orange_points" => Value(&mut session.orange_points);
    "player" => Player { session, notes };
    "private_match" => Value(&mut session.private_match);
    "blue_team_restart_request" => Value(&mut session.blue_team_restart_request);
    "tournament_match" => Value(&mut session.tournament_match);
    "orange_round_score" => Value(&mut session.orange_round_score);
    "total_round_count" => Value(&mut session.total_round_count);
    "left_shoulder_pressed2" => Value(&mut session.inputs.left_shoulder2);
    "left_shoulder_pressed" => Value(&mut session.inputs.left_shoulder);
    "pause" => MaybeIn { this: &mut session.pause, at: Object::Pause, notes };
    "right_shoulder_pressed" => Value(&mut session.inputs.right_shoulder);
    "blue_points" => Value(&mut session.blue_points);
    "last_throw" => MaybeIn { this: &mut session.last_throw, at: Object::LastThrow, notes };
    "client_name" => Value(&mut session.client_name);
    "game_clock" => Value(&mut session.game_clock);
    "possession" => Possession { session, notes };
    "last_score" => MaybeIn { this: &mut session.last_score, at: Object::LastScore, notes };
    "contested" => payload(session, |payload| &mut payload.contested);
    "payload_multiplier" => payload(session, |payload| &mut payload.payload_multiplier);
    "payload_checkpoint" => payload(session, |payload| &mut payload.payload_checkpoint);
    "payload_distance" => payload(session, |payload| &mut payload.payload_distance);
    "payload_defenders" => payload(session, |payload| &mut payload.payload_defenders);
    "payload_speed" => payload(session, |payload| &mut payload.payload_speed);
    "rules_changed_by" => Maybe(&mut session.rules_changed_by, CompactString::default());
    "rules_changed_at" => Maybe(&mut session.rules_changed_at, 0);
    "err_code" => Maybe(&mut session.err_code, 0);
    "err_description" => Maybe(&mut session.err_description, CompactString::default());
}

fn emptied(mut text: CompactString) -> CompactString {
    text.clear();
    text
}

fn payload<T>(session: &mut Session, place: fn(&mut Payload) -> &mut T) -> Part<'_, Payload, T> {
    Part {
        whole: &mut session.payload,
        new: Payload::default,
        place,
    }
}

/// `possession`: two numbers; whatever else it is, is kept as it is.
struct Possession<'a, 't> {
    session: &'a mut Session,
    notes: &'a mut Notes<'t>,
}

impl<'de> DeserializeSeed<'de> for Possession<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        let raw = Raw(self.notes).deserialize(json)?;
        let text = raw.as_raw_str();
        self.session.possession = None;
        if let Some(pair) = pair(text) {
            self.session.possession = Some(pair);
        } else if text != "null" {
            self.notes.keep_text(Object::Session, "possession", text)?;
        }
        Ok(())
    }
}

/// Two whole numbers in brackets.
pub(in crate::echoreplay) fn pair(text: &str) -> Option<[i32; 2]> {
    // As the game spells them.
    let plain = || {
        let (a, b) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(',')?;
        let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+'));
        Some([number(a)?, number(b)?])
    };
    plain().or_else(|| {
        let mut json = sonic_rs::Deserializer::from_str(text);
        Pair.deserialize(&mut json).ok()
    })
}

/// `player`
struct Player<'a, 't> {
    session: &'a mut Session,
    notes: &'a mut Notes<'t>,
}

impl<'de> DeserializeSeed<'de> for Player<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        let mut playspace = None::<Playspace>;
        MaybeIn {
            this: &mut playspace,
            at: Object::VrPlayer,
            notes: self.notes,
        }
        .deserialize(json)?;
        self.session.player = playspace.map(|playspace| playspace.0);
        Ok(())
    }
}

members! {
    Playspace as PLAYSPACE, |player, at, notes| {
        fn new() -> Self {
            Self(Pose::default())
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "vr_left" => Coordinates(&mut player.0.left);
    "vr_position" => Coordinates(&mut player.0.position);
    "vr_forward" => Coordinates(&mut player.0.forward);
    "vr_up" => Coordinates(&mut player.0.up);
}

members! {
    Disc as DISC, |disc, at, notes| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "position" => Coordinates(&mut disc.pose.position);
    "forward" => Coordinates(&mut disc.pose.forward);
    "left" => Coordinates(&mut disc.pose.left);
    "up" => Coordinates(&mut disc.pose.up);
    "velocity" => Coordinates(&mut disc.velocity);
    "bounce_count" => Value(&mut disc.bounce_count);
}

members! {
    Pause as PAUSE, |pause, at, notes| {
        fn new() -> Self {
            Self {
                paused_state: PausedState::None,
                unpaused_team: TeamId::None,
                paused_requested_team: TeamId::None,
                unpaused_timer: 0.0,
                paused_timer: 0.0,
            }
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "paused_state" => Value(&mut pause.paused_state);
    "unpaused_team" => Value(&mut pause.unpaused_team);
    "paused_requested_team" => Value(&mut pause.paused_requested_team);
    "unpaused_timer" => Value(&mut pause.unpaused_timer);
    "paused_timer" => Value(&mut pause.paused_timer);
}

members! {
    LastScore as LAST_SCORE, |score, at, notes| {
        fn new() -> Self {
            Self {
                disc_speed: 0.0,
                team: TeamId::None,
                goal_type: GoalType::Unknown,
                point_amount: 0,
                distance_thrown: 0.0,
                person_scored: CompactString::default(),
                assist_scored: CompactString::default(),
            }
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "disc_speed" => Value(&mut score.disc_speed);
    "team" => Value(&mut score.team);
    "goal_type" => Value(&mut score.goal_type);
    "point_amount" => Value(&mut score.point_amount);
    "distance_thrown" => Value(&mut score.distance_thrown);
    "person_scored" => Value(&mut score.person_scored);
    "assist_scored" => Value(&mut score.assist_scored);
}

members! {
    LastThrow as LAST_THROW, |throw, at, notes| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "arm_speed" => Value(&mut throw.arm_speed);
    "total_speed" => Value(&mut throw.total_speed);
    "off_axis_spin_deg" => Value(&mut throw.off_axis_spin_deg);
    "wrist_throw_penalty" => Value(&mut throw.wrist_throw_penalty);
    "rot_per_sec" => Value(&mut throw.rot_per_sec);
    "pot_speed_from_rot" => Value(&mut throw.pot_speed_from_rot);
    "speed_from_arm" => Value(&mut throw.speed_from_arm);
    "speed_from_movement" => Value(&mut throw.speed_from_movement);
    "speed_from_wrist" => Value(&mut throw.speed_from_wrist);
    "wrist_align_to_throw_deg" => Value(&mut throw.wrist_align_to_throw_deg);
    "throw_align_to_movement_deg" => Value(&mut throw.throw_align_to_movement_deg);
    "off_axis_penalty" => Value(&mut throw.off_axis_penalty);
    "throw_move_penalty" => Value(&mut throw.throw_move_penalty);
}

/// The outermost object.
pub(super) fn root<'a, 't>(
    session: &'a mut Session,
    notes: &'a mut Notes<'t>,
) -> In<'a, 't, Session> {
    In {
        this: session,
        at: Object::Session,
        notes,
    }
}
