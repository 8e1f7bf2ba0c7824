//! The members of teams and players, and of the answer with their bones.

use std::mem;

use super::cursor::Read;
use super::object::{
    Members, Others, Source, kind, list, maybe_object, members, object, write_object,
};
use super::scalar::{maybe, numbers, part, value};
use super::session::pose_numbers;
use crate::echoreplay::json;
use crate::error::WriteError;
use crate::model::{
    Arm, Bones, Holding, Loadout, Object, Ordnance, Player, PlayerBones, Pose, Stats, TacMod, Team,
    Vec3, Weapon,
};

members! {
    Team as TEAM, |team, at| {
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
    "players": filled_list(team.players, |player| player_of(at, player));
    "team": text(team.name);
    "possession": flag(team.possession);
    "stats": object(team.stats, stats_of(at));
}

members! {
    Player as PLAYER, |player, at| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            let mut name = mem::take(&mut self.name);
            name.clear();
            *self = Self { name, ..Self::default() };
        }
    }
    "name": text(player.name);
    "rhand": limb(player.rhand, at, 3, with_pos);
    "playerid": whole(player.playerid);
    "stats": object(player.stats, stats_of(at));
    "userid": count(player.userid);
    "number": whole(player.number);
    "level": whole(player.level);
    "stunned": flag(player.stunned);
    "ping": whole(player.ping);
    "packetlossratio": number(player.packetlossratio);
    "invulnerable": flag(player.invulnerable);
    "holding_left": hand(player.holding_left);
    "possession": flag(player.possession);
    "head": limb(player.head, at, 0, with_position);
    "body": limb(player.body, at, 1, with_position);
    "holding_right": hand(player.holding_right);
    "lhand": limb(player.lhand, at, 2, with_pos);
    "blocking": flag(player.blocking);
    "velocity": vector(player.velocity);
    "is_emote_playing": raised(player.is_emote_playing);
    "Weapon": part(word player.loadout, unarmed, weapon);
    "Ordnance": part(word player.loadout, unarmed, ordnance);
    "TacMod": part(word player.loadout, unarmed, tac_mod);
    "Arm": part(word player.loadout, unarmed, arm);
}

members! {
    Stats as STATS, |stats, at| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "possession_time": number(stats.possession_time);
    "points": whole(stats.points);
    "saves": whole(stats.saves);
    "goals": whole(stats.goals);
    "stuns": whole(stats.stuns);
    "passes": whole(stats.passes);
    "catches": whole(stats.catches);
    "steals": whole(stats.steals);
    "blocks": whole(stats.blocks);
    "interceptions": whole(stats.interceptions);
    "assists": whole(stats.assists);
    "shots_taken": whole(stats.shots_taken);
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
    /// As hands are spelled.
    const fn with_pos(pose: &Pose) -> Self {
        Self {
            pos: Some(pose.position),
            pose: *pose,
        }
    }

    /// As heads and bodies are spelled.
    const fn with_position(pose: &Pose) -> Self {
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

members! {
    Limb as POSE, |limb, at| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "pos": pos(limb);
    "position": position(limb);
    "forward": vector(limb.pose.forward);
    "left": vector(limb.pose.left);
    "up": vector(limb.pose.up);
}

members! {
    Bones as BONES_ANSWER, |bones, at| {
        const LIST: Option<&'static str> = Some("user_bones");

        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {}

        fn clear_list(&mut self) {
            self.user_bones.clear();
        }
    }
    "user_bones": list(bones.user_bones, Object::UserBones);
}

members! {
    PlayerBones as USER_BONES, |bones, at| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "bone_t": bones("bone_t", bones.positions, at);
    "bone_o": bones("bone_o", bones.rotations, at);
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
    let mut limb = Limb::new();
    object(&mut limb, at, source)?;
    *this = limb.pose();
    Ok(())
}

/// A loadout of which nothing is told.
fn unarmed() -> Loadout {
    Loadout {
        weapon: Weapon::from(""),
        ordnance: Ordnance::from(""),
        tac_mod: TacMod::from(""),
        arm: Arm::from(""),
    }
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
