//! The members of the session and what lies in it, save for teams and players.

use std::mem;

use super::cursor::{Cursor, Read};
use super::object::{Members, Others, Source, kind, list, maybe_object, members, write_object};
use super::scalar::{Scalar, maybe, part, value};
use crate::echoreplay::json;
use crate::error::WriteError;
use crate::model::{
    Disc, Game, GoalType, LastScore, LastThrow, Object, Pause, PausedState, Payload, Pose, Session,
    TeamId,
};
use compact_str::CompactString;

/// The playspace of the client: a pose, by other names.
pub(super) struct Playspace(pub Pose);

members! {
    Session as SESSION, |session, at| {
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
    "disc": object(session.disc, Object::Disc);
    "orange_team_restart_request": whole(session.orange_team_restart_request);
    "sessionid": text(session.sessionid);
    "game_clock_display": text(session.game_clock_display);
    "game_status": word(session.game_status);
    "sessionip": text(session.sessionip);
    "match_type": text(session.match_type);
    "map_name": word(session.map_name);
    "right_shoulder_pressed2": number(session.inputs.right_shoulder2);
    "teams": list(session.teams, Object::Team);
    "blue_round_score": whole(session.blue_round_score);
    "orange_points": points(session.orange_points, session);
    "player": playspace(session.player, Object::VrPlayer);
    "private_match": flag(session.private_match);
    "blue_team_restart_request": whole(session.blue_team_restart_request);
    "tournament_match": flag(session.tournament_match);
    "orange_round_score": whole(session.orange_round_score);
    "total_round_count": whole(session.total_round_count);
    "left_shoulder_pressed2": number(session.inputs.left_shoulder2);
    "left_shoulder_pressed": number(session.inputs.left_shoulder);
    "pause": object(session.pause, Object::Pause);
    "right_shoulder_pressed": number(session.inputs.right_shoulder);
    "blue_points": points(session.blue_points, session);
    "last_throw": object(session.last_throw, Object::LastThrow);
    "client_name": text(session.client_name);
    "game_clock": number(session.game_clock);
    "possession": pair(session.possession);
    "last_score": object(session.last_score, Object::LastScore);
    "err_code": maybe_whole(session.err_code);
    "err_description": maybe_text(session.err_description);
    "contested": part(flag session.payload, Payload::default, contested);
    "payload_multiplier": part(number session.payload, Payload::default, payload_multiplier);
    "payload_checkpoint": part(whole session.payload, Payload::default, payload_checkpoint);
    "payload_distance": part(number session.payload, Payload::default, payload_distance);
    "payload_defenders": part(whole session.payload, Payload::default, payload_defenders);
    "payload_speed": part(number session.payload, Payload::default, payload_speed);
    "rules_changed_by": maybe_text(session.rules_changed_by);
    "rules_changed_at": maybe_whole(session.rules_changed_at);
}

fn emptied(mut text: CompactString) -> CompactString {
    text.clear();
    text
}

/// Whole numbers in arena, fractions in combat.
fn points(
    o: &mut json::Members<'_, '_>,
    name: &'static str,
    points: f32,
    session: &Session,
) -> Result<(), WriteError> {
    let whole = points as i32;
    let exact = (whole as f32).to_bits() == points.to_bits();
    if exact && whole != i32::MAX && session.map_name.game() != Game::Combat {
        o.whole(name, whole.into());
        return Ok(());
    }
    o.number(name, points)
}

/// `possession`: two numbers; whatever else it is, is kept as it is.
fn possession(place: &mut Option<[i32; 2]>, source: &mut Source<'_>) -> Read {
    *place = None;
    let mut ahead = source.json.clone();
    let value = ahead.raw()?;
    *place = pair(value);
    if place.is_none() && value != "null" {
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

/// Every number of a pose.
#[cfg_attr(not(feature = "tape"), allow(dead_code))]
pub(super) fn pose_numbers(pose: &mut Pose, visit: &mut impl FnMut(&mut f32)) {
    for vector in [
        &mut pose.position,
        &mut pose.forward,
        &mut pose.left,
        &mut pose.up,
    ] {
        vector.iter_mut().for_each(&mut *visit);
    }
}

members! {
    Playspace as PLAYSPACE, |player, at| {
        fn new() -> Self {
            Self(Pose::default())
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "vr_left": vector(player.0.left);
    "vr_position": vector(player.0.position);
    "vr_forward": vector(player.0.forward);
    "vr_up": vector(player.0.up);
}

members! {
    Disc as DISC, |disc, at| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "position": vector(disc.pose.position);
    "forward": vector(disc.pose.forward);
    "left": vector(disc.pose.left);
    "up": vector(disc.pose.up);
    "velocity": vector(disc.velocity);
    "bounce_count": whole(disc.bounce_count);
}

members! {
    Pause as PAUSE, |pause, at| {
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
    "paused_state": word(pause.paused_state);
    "unpaused_team": word(pause.unpaused_team);
    "paused_requested_team": word(pause.paused_requested_team);
    "unpaused_timer": number(pause.unpaused_timer);
    "paused_timer": number(pause.paused_timer);
}

members! {
    LastScore as LAST_SCORE, |score, at| {
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
    "disc_speed": number(score.disc_speed);
    "team": word(score.team);
    "goal_type": word(score.goal_type);
    "point_amount": whole(score.point_amount);
    "distance_thrown": number(score.distance_thrown);
    "person_scored": text(score.person_scored);
    "assist_scored": text(score.assist_scored);
}

members! {
    LastThrow as LAST_THROW, |throw, at| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "arm_speed": number(throw.arm_speed);
    "total_speed": number(throw.total_speed);
    "off_axis_spin_deg": number(throw.off_axis_spin_deg);
    "wrist_throw_penalty": number(throw.wrist_throw_penalty);
    "rot_per_sec": number(throw.rot_per_sec);
    "pot_speed_from_rot": number(throw.pot_speed_from_rot);
    "speed_from_arm": number(throw.speed_from_arm);
    "speed_from_movement": number(throw.speed_from_movement);
    "speed_from_wrist": number(throw.speed_from_wrist);
    "wrist_align_to_throw_deg": number(throw.wrist_align_to_throw_deg);
    "throw_align_to_movement_deg": number(throw.throw_align_to_movement_deg);
    "off_axis_penalty": number(throw.off_axis_penalty);
    "throw_move_penalty": number(throw.throw_move_penalty);
}
