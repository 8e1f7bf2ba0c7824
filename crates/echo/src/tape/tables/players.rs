//! The rows of players, of their poses and of their bones.

use compact_str::{CompactString, ToCompactString};
use gametape_core::table::{Field, Kind, Lane, Rows, Table, Value};

use super::columns::{
    Axes, cell, column_kind, column_part, column_parts, columns, fields, one_column, owner, there,
};
use crate::butter::Parts;
use crate::members::{self, player_members, stats_members};
use crate::model::{Holding, Player, PlayerBones, Pose, Session, Vec3};

/// A player in a frame.
pub struct PlayerRow<'a> {
    pub player: &'a Player,
    /// The number of the person.
    pub person: Option<u64>,
    pub team: &'static str,
    /// The contents of the left and the right hand.
    pub hands: Hands,
    pub poses: [Option<&'a Pose>; POSES.len()],
}

/// The contents of the left and the right hand of a player. A held player is given by number, never by
/// account.
pub type Hands = [Option<CompactString>; 2];

/// Returns the contents of a player's hands.
pub fn hands(session: &Session, player: &Player) -> Hands {
    let of = |hand: &Option<Holding>| Some(contents(session, hand.as_ref()?));
    [of(&player.holding_left), of(&player.holding_right)]
}

impl PlayerRow<'_> {
    fn holding_left(&self) -> Value<'_> {
        let [left, _] = &self.hands;
        left.as_deref().into()
    }

    fn holding_right(&self) -> Value<'_> {
        let [_, right] = &self.hands;
        right.as_deref().into()
    }
}

/// `blue`, `orange` or `spectator`.
pub const fn team_name(team: usize) -> &'static str {
    match team {
        0 => "blue",
        1 => "orange",
        _ => "spectator",
    }
}

/// Returns the contents of a hand. Recorders before 2022 used the account to name a held player. It is not
/// shown: it is replaced by the number, if the player is present.
fn contents(session: &Session, hand: &Holding) -> CompactString {
    let number = match hand {
        Holding::None => return CompactString::const_new("none"),
        Holding::Geo => return CompactString::const_new("geo"),
        Holding::Disc => return CompactString::const_new("disc"),
        Holding::Number(number) => number,
        Holding::Other(text) => return text.clone(),
    };
    let account = session.player_by_userid(*number);
    match account.map(|player| player.playerid) {
        Some(player) => player.to_compact_string(),
        None if u8::try_from(*number).is_ok() => number.to_compact_string(),
        None => "player".into(),
    }
}

/// Rows of [`PlayerRow`].
pub struct Players;

impl Rows for Players {
    type Row<'a> = PlayerRow<'a>;
}

player_members! { columns of_player Players player }
stats_members! { columns of_stats Players stats }

player_members! { column_parts part_of_player }
stats_members! { column_parts part_of_stats }

/// Returns the parts of a frame that a column of the players needs, except for columns of poses.
pub fn of_player(column: &str) -> Parts {
    let member = part_of_player(column).or_else(|| part_of_stats(column));
    // The team is stored with the list of players.
    member.unwrap_or(Parts::PLAYERS)
}

/// The name of the column of persons, in all tables that have it.
pub const PERSON: &str = "person";

/// The documentation of that column.
pub const PERSON_DOC: &str = "The person, by account: numbered from 0 in the order of arrival. The number lasts when the player leaves, returns or is renamed, and nobody else gets it.";

const OF_PERSON: Field<Players> =
    Field::new(PERSON, Kind::Uint, PERSON_DOC, |row| row.person.into());

const TEAM: Field<Players> = Field::new(
    "team",
    Kind::Text,
    "`blue`, `orange` or `spectator`.",
    |row| row.team.into(),
);

/// The columns of a player's poses come after these: see [`POSES`](POSES).
pub const PLAYERS: Table<Players> = Table {
    name: "players",
    lane: Lane::State,
    doc: "Each player, one row per frame, until they leave.",
    fields: &[
        of_player::playerid,
        OF_PERSON,
        TEAM,
        of_player::name,
        of_player::userid,
        of_player::number,
        of_player::level,
        of_player::ping,
        of_player::packetlossratio,
        of_player::possession,
        of_player::blocking,
        of_player::stunned,
        of_player::invulnerable,
        of_player::is_emote_playing,
        of_player::holding_left,
        of_player::holding_right,
        of_player::velocity.x,
        of_player::velocity.y,
        of_player::velocity.z,
        of_stats::possession_time,
        of_stats::points,
        of_stats::goals,
        of_stats::assists,
        of_stats::saves,
        of_stats::stuns,
        of_stats::passes,
        of_stats::catches,
        of_stats::steals,
        of_stats::blocks,
        of_stats::interceptions,
        of_stats::shots_taken,
        of_player::weapon,
        of_player::ordnance,
        of_player::tac_mod,
        of_player::arm,
    ],
};

/// The poses of a player, by the names of their columns.
pub const POSES: [&str; 4] = ["head", "body", "left_hand", "right_hand"];

/// Returns these poses of a player; `None` for those that the answer lacks.
pub fn poses_of(player: &Player) -> [Option<&Pose>; POSES.len()] {
    const fn bit(member: &str) -> u64 {
        members::bit(members::PLAYER, member)
    }
    const BITS: [u64; POSES.len()] = [bit("head"), bit("body"), bit("lhand"), bit("rhand")];
    let [head, body, left, right] = BITS.map(|bit| !player.missing.has(bit));
    [
        head.then_some(&player.head),
        body.then_some(&player.body),
        left.then_some(&player.lhand),
        right.then_some(&player.rhand),
    ]
}

/// The parts of a pose: its part of the column's name, its unit, and its documentation.
pub const POSE: [(&str, &str, &str); 4] = [
    ("", "m", "The position"),
    ("forward_", "", "The unit vector forwards"),
    ("left_", "", "The unit vector to its left"),
    ("up_", "", "The unit vector upwards"),
];

/// The ends of the names of columns for the coordinates of a vector, in their order.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// The number of columns of a pose.
pub const POSE_COLUMNS: usize = POSE.len() * AXES.len();

/// Returns one of three coordinates.
#[inline]
pub fn of_axis(vector: &Vec3, axis: usize) -> Value<'static> {
    match vector.get(axis) {
        Some(number) => Value::Float32(*number),
        None => Value::Null,
    }
}

/// Returns the value of a column of a pose.
#[inline]
pub fn of_pose(pose: &Pose, column: usize) -> Value<'static> {
    let parts = [&pose.position, &pose.forward, &pose.left, &pose.up];
    let part = parts.get(column / AXES.len());
    part.map_or(Value::Null, |part| of_axis(part, column % AXES.len()))
}

/// A bone of a player in a frame.
pub struct Bone<'a> {
    pub player: i32,
    pub person: Option<u64>,
    pub number: usize,
    pub bones: &'a PlayerBones,
}

impl Bone<'_> {
    fn position(&self, axis: usize) -> Value<'static> {
        let position = self.bones.positions.get(self.number);
        position.map_or(Value::Null, |position| of_axis(position, axis))
    }

    fn rotation(&self, part: usize) -> Value<'static> {
        let rotation = self.bones.rotations.get(self.number);
        rotation
            .and_then(|rotation| rotation.get(part).copied())
            .into()
    }
}

/// Rows of [`Bone`].
pub struct BoneRows;

impl Rows for BoneRows {
    type Row<'a> = Bone<'a>;
}

pub const BONES: Table<BoneRows> = Table {
    name: "bones",
    lane: Lane::State,
    doc: "The skeletons of the players, relative to them: one row per bone and frame, if they were recorded.",
    fields: fields! {
        BoneRows;
        "player" => Int [key], "The player's number within the match.", |row| row.player;
        "bone" => Uint [key], "The number of the bone, 0 to 22.", |row| row.number as u64;
        PERSON => Uint, PERSON_DOC, |row| row.person;
        "x" => Float32 in "m", "The position along x.", |row| row.position(0);
        "y" => Float32 in "m", "The position along y.", |row| row.position(1);
        "z" => Float32 in "m", "The position along z.", |row| row.position(2);
        "qx" => Float32, "The rotation: x of the quaternion.", |row| row.rotation(0);
        "qy" => Float32, "The rotation: y of the quaternion.", |row| row.rotation(1);
        "qz" => Float32, "The rotation: z of the quaternion.", |row| row.rotation(2);
        "qw" => Float32, "The rotation: w of the quaternion.", |row| row.rotation(3);
    },
};
