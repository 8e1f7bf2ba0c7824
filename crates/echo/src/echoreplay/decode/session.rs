//! The members of the session and what lies in it, save for teams and players.

use std::mem;

use super::cursor::{Cursor, Read};
use super::object::{Members, Source, list, maybe_object, members};
use super::scalar::{Scalar, maybe, part, value};
use crate::model::{
    Disc, GoalType, LastScore, LastThrow, Object, Pause, PausedState, Payload, Pose, Session,
    TeamId,
};
use compact_str::CompactString;

/// The playspace of the client: a pose, by other names.
pub(super) struct Playspace(pub Pose);

members! {
    Session as SESSION, |session, at, source, json| {
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
    "disc" => maybe_object(&mut session.disc, Object::Disc, source);
    "orange_team_restart_request" => value(&mut session.orange_team_restart_request, json);
    "sessionid" => value(&mut session.sessionid, json);
    "game_clock_display" => value(&mut session.game_clock_display, json);
    "game_status" => value(&mut session.game_status, json);
    "sessionip" => value(&mut session.sessionip, json);
    "match_type" => value(&mut session.match_type, json);
    "map_name" => value(&mut session.map_name, json);
    "right_shoulder_pressed2" => value(&mut session.inputs.right_shoulder2, json);
    "teams" => list(&mut session.teams, Object::Team, source);
    "blue_round_score" => value(&mut session.blue_round_score, json);
    "orange_points" => value(&mut session.orange_points, json);
    "player" => player(session, source);
    "private_match" => value(&mut session.private_match, json);
    "blue_team_restart_request" => value(&mut session.blue_team_restart_request, json);
    "tournament_match" => value(&mut session.tournament_match, json);
    "orange_round_score" => value(&mut session.orange_round_score, json);
    "total_round_count" => value(&mut session.total_round_count, json);
    "left_shoulder_pressed2" => value(&mut session.inputs.left_shoulder2, json);
    "left_shoulder_pressed" => value(&mut session.inputs.left_shoulder, json);
    "pause" => maybe_object(&mut session.pause, Object::Pause, source);
    "right_shoulder_pressed" => value(&mut session.inputs.right_shoulder, json);
    "blue_points" => value(&mut session.blue_points, json);
    "last_throw" => maybe_object(&mut session.last_throw, Object::LastThrow, source);
    "client_name" => value(&mut session.client_name, json);
    "game_clock" => value(&mut session.game_clock, json);
    "possession" => possession(session, source);
    "last_score" => maybe_object(&mut session.last_score, Object::LastScore, source);
    "contested" => payload(session, |payload| &mut payload.contested, json);
    "payload_multiplier" => payload(session, |payload| &mut payload.payload_multiplier, json);
    "payload_checkpoint" => payload(session, |payload| &mut payload.payload_checkpoint, json);
    "payload_distance" => payload(session, |payload| &mut payload.payload_distance, json);
    "payload_defenders" => payload(session, |payload| &mut payload.payload_defenders, json);
    "payload_speed" => payload(session, |payload| &mut payload.payload_speed, json);
    "rules_changed_by" => maybe(&mut session.rules_changed_by, CompactString::default(), json);
    "rules_changed_at" => maybe(&mut session.rules_changed_at, 0, json);
    "err_code" => maybe(&mut session.err_code, 0, json);
    "err_description" => maybe(&mut session.err_description, CompactString::default(), json);
}

fn emptied(mut text: CompactString) -> CompactString {
    text.clear();
    text
}

fn payload<T: Scalar>(
    session: &mut Session,
    place: fn(&mut Payload) -> &mut T,
    json: &mut Cursor<'_>,
) -> Read {
    part(&mut session.payload, Payload::default, place, json)
}

/// `possession`: two numbers; whatever else it is, is kept as it is.
fn possession(session: &mut Session, source: &mut Source<'_>) -> Read {
    session.possession = None;
    let mut ahead = source.json.clone();
    let value = ahead.raw()?;
    session.possession = pair(value);
    if session.possession.is_none() && value != "null" {
        return source.keep(Object::Session, "possession");
    }
    source.json = ahead;
    Ok(())
}

/// Two whole numbers in a list.
pub(in crate::echoreplay) fn pair(text: &str) -> Option<[i32; 2]> {
    let mut json = Cursor::new(text);
    let mut pair = [0; 2];
    let mut first = true;
    json.open_list().ok()?;
    for place in &mut pair {
        json.item(&mut first).ok().filter(|more| *more)?;
        place.read(&mut json).ok()?;
    }
    let more = json.item(&mut first).ok()?;
    (!more && json.end().is_ok()).then_some(pair)
}

/// `player`
fn player(session: &mut Session, source: &mut Source<'_>) -> Read {
    let mut playspace = None::<Playspace>;
    maybe_object(&mut playspace, Object::VrPlayer, source)?;
    session.player = playspace.map(|playspace| playspace.0);
    Ok(())
}

members! {
    Playspace as PLAYSPACE, |player, at, source, json| {
        fn new() -> Self {
            Self(Pose::default())
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "vr_left" => value(&mut player.0.left, json);
    "vr_position" => value(&mut player.0.position, json);
    "vr_forward" => value(&mut player.0.forward, json);
    "vr_up" => value(&mut player.0.up, json);
}

members! {
    Disc as DISC, |disc, at, source, json| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "position" => value(&mut disc.pose.position, json);
    "forward" => value(&mut disc.pose.forward, json);
    "left" => value(&mut disc.pose.left, json);
    "up" => value(&mut disc.pose.up, json);
    "velocity" => value(&mut disc.velocity, json);
    "bounce_count" => value(&mut disc.bounce_count, json);
}

members! {
    Pause as PAUSE, |pause, at, source, json| {
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
    "paused_state" => value(&mut pause.paused_state, json);
    "unpaused_team" => value(&mut pause.unpaused_team, json);
    "paused_requested_team" => value(&mut pause.paused_requested_team, json);
    "unpaused_timer" => value(&mut pause.unpaused_timer, json);
    "paused_timer" => value(&mut pause.paused_timer, json);
}

members! {
    LastScore as LAST_SCORE, |score, at, source, json| {
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
    "disc_speed" => value(&mut score.disc_speed, json);
    "team" => value(&mut score.team, json);
    "goal_type" => value(&mut score.goal_type, json);
    "point_amount" => value(&mut score.point_amount, json);
    "distance_thrown" => value(&mut score.distance_thrown, json);
    "person_scored" => value(&mut score.person_scored, json);
    "assist_scored" => value(&mut score.assist_scored, json);
}

members! {
    LastThrow as LAST_THROW, |throw, at, source, json| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "arm_speed" => value(&mut throw.arm_speed, json);
    "total_speed" => value(&mut throw.total_speed, json);
    "off_axis_spin_deg" => value(&mut throw.off_axis_spin_deg, json);
    "wrist_throw_penalty" => value(&mut throw.wrist_throw_penalty, json);
    "rot_per_sec" => value(&mut throw.rot_per_sec, json);
    "pot_speed_from_rot" => value(&mut throw.pot_speed_from_rot, json);
    "speed_from_arm" => value(&mut throw.speed_from_arm, json);
    "speed_from_movement" => value(&mut throw.speed_from_movement, json);
    "speed_from_wrist" => value(&mut throw.speed_from_wrist, json);
    "wrist_align_to_throw_deg" => value(&mut throw.wrist_align_to_throw_deg, json);
    "throw_align_to_movement_deg" => value(&mut throw.throw_align_to_movement_deg, json);
    "off_axis_penalty" => value(&mut throw.off_axis_penalty, json);
    "throw_move_penalty" => value(&mut throw.throw_move_penalty, json);
}
