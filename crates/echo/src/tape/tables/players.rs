//! The rows of players.

use compact_str::{CompactString, ToCompactString};
use gametape_core::table::{Field, Kind, Lane, Rows, Table, Value};

use super::columns::{
    Axes, cell, column_kind, column_part, column_parts, columns, one_column, owner,
};
use super::poses::of_axis;
use crate::butter::Parts;
use crate::members::{self, player_members, stats_members};
use crate::model::{Holding, Player, Session};

/// A player in a frame.
pub struct PlayerRow<'a> {
    pub player: &'a Player,
    pub team: &'static str,
    /// What the hands hold.
    pub held: Held,
}

/// What the left and the right hand of a player hold. A held player is given by the number, never by
/// the account.
pub type Held = [Option<CompactString>; 2];

/// What a player holds.
pub fn held(session: &Session, player: &Player) -> Held {
    [&player.holding_left, &player.holding_right].map(|held| Some(held_by(session, held.as_ref()?)))
}

impl PlayerRow<'_> {
    fn holding_left(&self) -> Value<'_> {
        let [left, _] = &self.held;
        left.as_deref().into()
    }

    fn holding_right(&self) -> Value<'_> {
        let [_, right] = &self.held;
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

/// What a hand holds. Recorders before 2022 gave the account of a held player. The account is not
/// shown, but the player's number, if the player is in the frame.
fn held_by(session: &Session, held: &Holding) -> CompactString {
    let number = match held {
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

/// The parts of a frame that a column of the players is made of. The columns of poses are not included.
pub fn of_player(column: &str) -> Parts {
    let member = part_of_player(column).or_else(|| part_of_stats(column));
    // The column of the team comes from the list of who is there.
    member.unwrap_or(Parts::PLAYERS)
}

const TEAM: Field<Players> = Field::new(
    "team",
    Kind::Text,
    "`blue`, `orange` or `spectator`.",
    |row| row.team.into(),
);

/// The columns of the poses come after these: see [`POSES`](super::poses::POSES).
pub const PLAYERS: Table<Players> = Table {
    name: "players",
    lane: Lane::State,
    doc: "Each player, a row a frame, until they leave.",
    fields: &[
        of_player::playerid,
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
