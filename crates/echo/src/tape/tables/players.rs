//! The rows of players.

use compact_str::{CompactString, ToCompactString};
use gametape_core::table::{Field, Kind, Lane, Rows, Table, Value};

use super::columns::{
    Axes, cell, column_kind, column_part, column_parts, columns, one_column, owner, there,
};
use super::poses::{POSES, of_axis};
use crate::butter::Parts;
use crate::members::{self, player_members, stats_members};
use crate::model::{Holding, Player, Pose, Session};

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

/// The columns of a player's poses come after these: see [`POSES`](super::poses::POSES).
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
