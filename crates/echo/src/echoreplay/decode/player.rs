//! Teams and players, and the response with their bones.

use std::mem;

use super::cursor::Read;
use super::object::{
    Members, Others, Source, account, kind, list, maybe_object, members, object, write_object,
};
use super::scalar::{numbers, part, value};
use crate::echoreplay::json;
use crate::error::WriteError;
use crate::members::{
    bones_members, limb_members, player_members, skeleton_members, stats_members, team_members,
};
use crate::model::{Bones, Object, Player, PlayerBones, Pose, Stats, Team, Vec3};

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
