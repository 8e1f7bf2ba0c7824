//! The members of teams and players, and of the answer with their bones.

use std::mem;

use serde::de::{DeserializeSeed, Deserializer};

use super::object::{In, List, MaybeIn, Members, Notes, members};
use super::scalar::{Coordinates, Maybe, Numbers, Part, Value};
use crate::model::{
    Arm, Bones, Holding, Loadout, Object, Ordnance, Player, PlayerBones, Pose, Stats, TacMod, Team,
    Weapon,
};

members! {
    Team as TEAM, |team, at, notes| {
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
    "players" => List { list: &mut team.players, at: &|player| player_of(at, player), notes };
    "team" => Value(&mut team.name);
    "possession" => Value(&mut team.possession);
    "stats" => MaybeIn { this: &mut team.stats, at: stats_of(at), notes };
}

members! {
    Player as PLAYER, |player, at, notes| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            let mut name = mem::take(&mut self.name);
            name.clear();
            *self = Self { name, ..Self::default() };
        }
    }
    "name" => Value(&mut player.name);
    "rhand" => pose(&mut player.rhand, at, 3, notes);
    "playerid" => Value(&mut player.playerid);
    "stats" => MaybeIn { this: &mut player.stats, at: stats_of(at), notes };
    "userid" => Value(&mut player.userid);
    "number" => Value(&mut player.number);
    "level" => Value(&mut player.level);
    "stunned" => Value(&mut player.stunned);
    "ping" => Value(&mut player.ping);
    "packetlossratio" => Value(&mut player.packetlossratio);
    "invulnerable" => Value(&mut player.invulnerable);
    "holding_left" => Maybe(&mut player.holding_left, Holding::None);
    "possession" => Value(&mut player.possession);
    "head" => pose(&mut player.head, at, 0, notes);
    "body" => pose(&mut player.body, at, 1, notes);
    "holding_right" => Maybe(&mut player.holding_right, Holding::None);
    "lhand" => pose(&mut player.lhand, at, 2, notes);
    "blocking" => Value(&mut player.blocking);
    "velocity" => Coordinates(&mut player.velocity);
    "is_emote_playing" => Value(&mut player.is_emote_playing);
    "Weapon" => loadout(player, |loadout| &mut loadout.weapon);
    "Ordnance" => loadout(player, |loadout| &mut loadout.ordnance);
    "TacMod" => loadout(player, |loadout| &mut loadout.tac_mod);
    "Arm" => loadout(player, |loadout| &mut loadout.arm);
}

members! {
    Stats as STATS, |stats, at, notes| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "possession_time" => Value(&mut stats.possession_time);
    "points" => Value(&mut stats.points);
    "saves" => Value(&mut stats.saves);
    "goals" => Value(&mut stats.goals);
    "stuns" => Value(&mut stats.stuns);
    "passes" => Value(&mut stats.passes);
    "catches" => Value(&mut stats.catches);
    "steals" => Value(&mut stats.steals);
    "blocks" => Value(&mut stats.blocks);
    "interceptions" => Value(&mut stats.interceptions);
    "assists" => Value(&mut stats.assists);
    "shots_taken" => Value(&mut stats.shots_taken);
}

members! {
    Pose as POSE, |pose, at, notes| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "pos" | "position" => Coordinates(&mut pose.position);
    "forward" => Coordinates(&mut pose.forward);
    "left" => Coordinates(&mut pose.left);
    "up" => Coordinates(&mut pose.up);
}

members! {
    Bones as BONES_ANSWER, |bones, at, notes| {
        const LIST: Option<&'static str> = Some("user_bones");

        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {}

        fn clear_list(&mut self) {
            self.user_bones.clear();
        }
    }
    "user_bones" => List { list: &mut bones.user_bones, at: &Object::UserBones, notes };
}

members! {
    PlayerBones as USER_BONES, |bones, at, notes| {
        fn new() -> Self {
            Self::default()
        }

        fn blank(&mut self) {
            *self = Self::new();
        }
    }
    "bone_t" => Skeleton {
        numbers: bones.positions.as_flattened_mut(),
        name: "bone_t",
        at,
        notes,
    };
    "bone_o" => Skeleton {
        numbers: bones.rotations.as_flattened_mut(),
        name: "bone_o",
        at,
        notes,
    };
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

fn pose<'a, 't>(
    this: &'a mut Pose,
    owner: Object,
    part: u8,
    notes: &'a mut Notes<'t>,
) -> In<'a, 't, Pose> {
    let at = match owner {
        Object::Player(team, player) => Object::Pose(team, player, part),
        other => other,
    };
    In { this, at, notes }
}

fn loadout<T>(player: &mut Player, place: fn(&mut Loadout) -> &mut T) -> Part<'_, Loadout, T> {
    Part {
        whole: &mut player.loadout,
        new: || Loadout {
            weapon: Weapon::from(""),
            ordnance: Ordnance::from(""),
            tac_mod: TacMod::from(""),
            arm: Arm::from(""),
        },
        place,
    }
}

/// The bones of a player: so many numbers and no other count.
struct Skeleton<'a, 't> {
    numbers: &'a mut [f32],
    name: &'static str,
    at: Object,
    notes: &'a mut Notes<'t>,
}

impl<'de> DeserializeSeed<'de> for Skeleton<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        let needed = self.numbers.len() as u64;
        let found = Numbers(self.numbers).deserialize(json)?;
        if let Some(found) = found
            && found != needed
            && let Object::UserBones(player) = self.at
        {
            let fault = (u64::from(player), self.name, found);
            self.notes.bones.get_or_insert(fault);
        }
        Ok(())
    }
}
