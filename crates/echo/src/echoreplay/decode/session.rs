//! The session and the objects in it, and the response with bones.

use std::mem;

use compact_str::CompactString;

use super::cursor::{Cursor, Read};
use super::object::{
    Members, Others, Source, account, kind, list, maybe_object, members, object, write_object,
};
use super::scalar::{Scalar, either, numbers, part, value};
use crate::echoreplay::json;
use crate::error::WriteError;
use crate::members::{
    bones_members, disc_members, last_score_members, last_throw_members, limb_members,
    pause_members, player_members, playspace_members, session_members, skeleton_members,
    stats_members, team_members,
};
use crate::model::{
    Bones, Disc, Game, LastScore, LastThrow, Missing, Object, Pause, Player, PlayerBones, Pose,
    Session, Stats, Team, Vec3,
};

/// The playspace of the client: a pose with other names.
#[derive(Default)]
pub(super) struct Playspace(pub Pose);

session_members! {
    members Session as SESSION {
        const LIST: Option<&'static str> = Some("teams");
        const ROOT: bool = true;

        fn blank(&mut self) {
            // Keeps allocations. A member that is the same in every frame is not even written again; a text
            // that is absent is emptied first and so costs a little more.
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

        fn set_missing(&mut self, missing: u64) {
            self.missing = Missing::of(missing);
        }

        fn missing(&self) -> u64 {
            self.missing.bits()
        }
    }
}

fn emptied(mut text: CompactString) -> CompactString {
    text.clear();
    text
}

/// Whole numbers in arena, fractions in combat.
fn points(
    o: &mut json::JsonMembers<'_, '_>,
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

/// `possession`: two numbers. Anything else is kept as it is spelled.
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

/// Parses a list of two whole numbers.
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

playspace_members! {
    members Playspace as PLAYSPACE {}
}

disc_members! {
    members Disc as DISC {}
}

pause_members! {
    members Pause as PAUSE {}
}

last_score_members! {
    members LastScore as LAST_SCORE {}
}

last_throw_members! {
    members LastThrow as LAST_THROW {}
}

team_members! {
    members Team as TEAM {
        const LIST: Option<&'static str> = Some("players");

        fn blank(&mut self) {
            self.name.clear();
            self.possession = false;
            self.stats = None;
        }

        fn clear_list(&mut self) {
            self.players.clear();
        }
    }
}

player_members! {
    members Player as PLAYER {
        fn blank(&mut self) {
            let mut name = mem::take(&mut self.name);
            name.clear();
            *self = Self { name, ..Self::default() };
        }

        fn set_missing(&mut self, missing: u64) {
            self.missing = Missing::of(missing);
        }

        fn missing(&self) -> u64 {
            self.missing.bits()
        }
    }
}

stats_members! {
    members Stats as STATS {}
}

/// A head, body or hand as it is spelled. The reference writes both members that may hold the position, one
/// of them as `null`.
#[derive(Default)]
struct Limb {
    pos: Option<Vec3>,
    /// The position is in the member `position`.
    pose: Pose,
}

impl Limb {
    /// Spelled as hands are.
    const fn pos(pose: &Pose) -> Self {
        Self {
            pos: Some(pose.position),
            pose: *pose,
        }
    }

    /// Spelled as heads and bodies are.
    const fn position(pose: &Pose) -> Self {
        Self {
            pos: None,
            pose: *pose,
        }
    }

    fn pose(self) -> Pose {
        Pose {
            position: self.pos.unwrap_or(self.pose.position),
            ..self.pose
        }
    }
}

limb_members! {
    members Limb as POSE {}
}

bones_members! {
    members Bones as BONES_ANSWER {
        const LIST: Option<&'static str> = Some("user_bones");

        fn blank(&mut self) {}

        fn clear_list(&mut self) {
            self.user_bones.clear();
        }
    }
}

skeleton_members! {
    members PlayerBones as USER_BONES {}
}

fn player_of(team: Object, player: u8) -> Object {
    match team {
        Object::Team(team) => Object::Player(team, player),
        other => other,
    }
}

fn stats_of(owner: Object) -> Object {
    match owner {
        Object::Team(team) => Object::TeamStats(team),
        Object::Player(team, player) => Object::PlayerStats(team, player),
        other => other,
    }
}

fn limb_of(owner: Object, part: u8) -> Object {
    match owner {
        Object::Player(team, player) => Object::Pose(team, player, part),
        other => other,
    }
}

fn limb(this: &mut Pose, at: Object, source: &mut Source<'_>) -> Read {
    let mut limb = Limb::default();
    object(&mut limb, at, source)?;
    *this = limb.pose();
    Ok(())
}

/// Reads the bones of a player, which must have exactly this many numbers.
fn skeleton(places: &mut [f32], name: &'static str, at: Object, source: &mut Source<'_>) -> Read {
    if source.json.null()? {
        return Ok(());
    }
    let needed = places.len() as u64;
    let found = numbers(places, &mut source.json)?;
    if found != needed
        && let Object::UserBones(player) = at
    {
        source.bones.get_or_insert((player.into(), name, found));
    }
    Ok(())
}
