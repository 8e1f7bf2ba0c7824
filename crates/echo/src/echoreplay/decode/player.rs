//! The members of teams and players, and of the answer with their bones.

use std::mem;

use super::cursor::{Cursor, Read};
use super::object::{Members, Source, list, maybe_object, members, object};
use super::scalar::{Scalar, maybe, numbers, part, value};
use crate::model::{
    Arm, Bones, Holding, Loadout, Object, Ordnance, Player, PlayerBones, Pose, Stats, TacMod, Team,
    Vec3, Weapon,
};

members! {
    Team as TEAM, |team, at, source, json| {
        const LIST: Option<&'static str> = Some("players");

        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            self.name.clear();
            self.possession = false;
            self.stats = None;
        }

        fn clear_list(&mut self) {
            self.players.clear();
        }
    }
    "players" => list(&mut team.players, |player| player_of(at, player), source);
    "team" => value(&mut team.name, json);
    "possession" => value(&mut team.possession, json);
    "stats" => maybe_object(&mut team.stats, stats_of(at), source);
}

members! {
    Player as PLAYER, |player, at, source, json| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            let mut name = mem::take(&mut self.name);
            name.clear();
            *self = Self { name, ..Self::default() };
        }
    }
    "name" => value(&mut player.name, json);
    "rhand" => pose(&mut player.rhand, at, 3, source);
    "playerid" => value(&mut player.playerid, json);
    "stats" => maybe_object(&mut player.stats, stats_of(at), source);
    "userid" => value(&mut player.userid, json);
    "number" => value(&mut player.number, json);
    "level" => value(&mut player.level, json);
    "stunned" => value(&mut player.stunned, json);
    "ping" => value(&mut player.ping, json);
    "packetlossratio" => value(&mut player.packetlossratio, json);
    "invulnerable" => value(&mut player.invulnerable, json);
    "holding_left" => maybe(&mut player.holding_left, Holding::None, json);
    "possession" => value(&mut player.possession, json);
    "head" => pose(&mut player.head, at, 0, source);
    "body" => pose(&mut player.body, at, 1, source);
    "holding_right" => maybe(&mut player.holding_right, Holding::None, json);
    "lhand" => pose(&mut player.lhand, at, 2, source);
    "blocking" => value(&mut player.blocking, json);
    "velocity" => value(&mut player.velocity, json);
    "is_emote_playing" => value(&mut player.is_emote_playing, json);
    "Weapon" => loadout(player, |loadout| &mut loadout.weapon, json);
    "Ordnance" => loadout(player, |loadout| &mut loadout.ordnance, json);
    "TacMod" => loadout(player, |loadout| &mut loadout.tac_mod, json);
    "Arm" => loadout(player, |loadout| &mut loadout.arm, json);
}

members! {
    Stats as STATS, |stats, at, source, json| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "possession_time" => value(&mut stats.possession_time, json);
    "points" => value(&mut stats.points, json);
    "saves" => value(&mut stats.saves, json);
    "goals" => value(&mut stats.goals, json);
    "stuns" => value(&mut stats.stuns, json);
    "passes" => value(&mut stats.passes, json);
    "catches" => value(&mut stats.catches, json);
    "steals" => value(&mut stats.steals, json);
    "blocks" => value(&mut stats.blocks, json);
    "interceptions" => value(&mut stats.interceptions, json);
    "assists" => value(&mut stats.assists, json);
    "shots_taken" => value(&mut stats.shots_taken, json);
}

/// A head, body or hand as it is spelled: the reference writes both members that a position may be,
/// and `null` for one of them.
#[derive(Default)]
struct Limb {
    pos: Option<Vec3>,
    /// Its position is the member `position`.
    pose: Pose,
}

impl Limb {
    fn pose(self) -> Pose {
        Pose {
            position: self.pos.unwrap_or(self.pose.position),
            ..self.pose
        }
    }
}

members! {
    Limb as POSE, |limb, at, source, json| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "pos" => maybe(&mut limb.pos, Vec3::default(), json);
    "position" => value(&mut limb.pose.position, json);
    "forward" => value(&mut limb.pose.forward, json);
    "left" => value(&mut limb.pose.left, json);
    "up" => value(&mut limb.pose.up, json);
}

members! {
    Bones as BONES_ANSWER, |bones, at, source, json| {
        const LIST: Option<&'static str> = Some("user_bones");

        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {}

        fn clear_list(&mut self) {
            self.user_bones.clear();
        }
    }
    "user_bones" => list(&mut bones.user_bones, Object::UserBones, source);
}

members! {
    PlayerBones as USER_BONES, |bones, at, source, json| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "bone_t" => skeleton(bones.positions.as_flattened_mut(), "bone_t", at, source);
    "bone_o" => skeleton(bones.rotations.as_flattened_mut(), "bone_o", at, source);
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

fn pose(this: &mut Pose, owner: Object, part: u8, source: &mut Source<'_>) -> Read {
    let at = match owner {
        Object::Player(team, player) => Object::Pose(team, player, part),
        other => other,
    };
    let mut limb = Limb::new();
    object(&mut limb, at, source)?;
    *this = limb.pose();
    Ok(())
}

fn loadout<T: Scalar>(
    player: &mut Player,
    place: fn(&mut Loadout) -> &mut T,
    json: &mut Cursor<'_>,
) -> Read {
    let new = || Loadout {
        weapon: Weapon::from(""),
        ordnance: Ordnance::from(""),
        tac_mod: TacMod::from(""),
        arm: Arm::from(""),
    };
    part(&mut player.loadout, new, place, json)
}

/// The bones of a player: so many numbers and no other count.
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
