//! The teams, their players, and what each has done.

use compact_str::CompactString;

use super::space::{Pose, Vec3};
use super::text::{Arm, Holding, Ordnance, TacMod, Weapon};

/// A team.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Team {
    /// `team`: its name.
    pub name: CompactString,
    /// It possesses the disc.
    pub possession: bool,
    /// Sums over its players; spectators have none.
    pub stats: Option<Stats>,
    /// Its players.
    pub players: Vec<Player>,
}

/// What a player or a team has done.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stats {
    /// Seconds.
    pub possession_time: f32,
    /// Points.
    pub points: i32,
    /// Shots at the own goal stopped.
    pub saves: i32,
    /// Goals.
    pub goals: i32,
    /// Opponents stunned.
    pub stuns: i32,
    /// Passes.
    pub passes: i32,
    /// Passes caught.
    pub catches: i32,
    /// Discs taken from an opponent.
    pub steals: i32,
    /// Punches blocked.
    pub blocks: i32,
    /// Passes of the opponents caught.
    pub interceptions: i32,
    /// Assists.
    pub assists: i32,
    /// Shots at the goal.
    pub shots_taken: i32,
}

/// A player.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Player {
    /// Name.
    pub name: CompactString,
    /// Number within the match.
    pub playerid: i32,
    /// Account.
    pub userid: u64,
    /// Jersey; 0 for a couple of frames after joining.
    pub number: i32,
    /// Level; 0 for a couple of frames after joining.
    pub level: i32,
    /// Milliseconds.
    pub ping: i32,
    /// 0 to 1.
    pub packetlossratio: f32,
    /// Possesses the disc.
    pub possession: bool,
    /// Blocks.
    pub blocking: bool,
    /// Is stunned.
    pub stunned: bool,
    /// Can't be stunned.
    pub invulnerable: bool,
    /// Shows an emote.
    pub is_emote_playing: bool,
    /// What the left hand holds. Arena.
    pub holding_left: Option<Holding>,
    /// What the right hand holds. Arena.
    pub holding_right: Option<Holding>,
    /// m/s
    pub velocity: Vec3,
    /// The head.
    pub head: Pose,
    /// The body.
    pub body: Pose,
    /// The left hand.
    pub lhand: Pose,
    /// The right hand.
    pub rhand: Pose,
    /// What the player has done; spectators may have none.
    pub stats: Option<Stats>,
    /// What the player carries. Combat.
    pub loadout: Option<Loadout>,
}

/// What a player carries in combat: `Weapon`, `Ordnance`, `TacMod`, `Arm`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loadout {
    /// Weapon.
    pub weapon: Weapon,
    /// Ordnance.
    pub ordnance: Ordnance,
    /// Tac-mod.
    pub tac_mod: TacMod,
    /// The arm with the tac-mod.
    pub arm: Arm,
}
