//! The rows of a frame in each state table.

use gametape_core::Stamp;
use gametape_core::table::{ColumnDef, Kind, TableDef, Value};

use super::bones::{BONES, Bone};
use super::events::{GOALS, JOINS, THROWS};
use super::facts::MATCH;
use super::game::{DISC, GAME, PAYLOAD};
use super::players::{PLAYERS, PlayerRow, hands, of_player, team_name};
use super::poses::{AXES, POSE, POSE_COLUMNS, POSES, of_pose};
use crate::Time;
use crate::butter::Parts;
use crate::model::{BONES as BONE_COUNT, Frame, Player};

/// Returns the tables that every recording has.
pub fn defs() -> Vec<TableDef> {
    let mut players = PLAYERS.def();
    for (name, _) in POSES {
        players = posed(
            players,
            &format!("{name}_"),
            &format!("the {}", name.replace('_', " ")),
        );
    }
    vec![
        MATCH.def(),
        GAME.def(),
        players,
        BONES.def(),
        posed(DISC.def(), "", "the disc"),
        PAYLOAD.def(),
        GOALS.def(),
        THROWS.def(),
        JOINS.def(),
    ]
}

/// Adds the columns of a pose.
fn posed(mut table: TableDef, before: &str, whose: &str) -> TableDef {
    for (part, unit, doc, _) in POSE {
        for axis in AXES {
            let doc = format!("{doc} along {axis}: {whose}.");
            let column = ColumnDef::new(format!("{before}{part}{axis}"), Kind::Float32, doc);
            table = table.with(column.unit(unit));
        }
    }
    table
}

/// Receives the rows of a frame.
pub trait Take {
    /// Takes rows: `value` returns the value of a row in a column, both by index. Returns whether
    /// later rows are needed.
    fn rows<'r>(&mut self, count: usize, value: impl Fn(usize, usize) -> Value<'r>) -> bool;
}

/// The state tables. A single frame has all of their rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Game,
    Players,
    Bones,
    Disc,
    Payload,
}

impl State {
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "game" => Self::Game,
            "players" => Self::Players,
            "bones" => Self::Bones,
            "disc" => Self::Disc,
            "payload" => Self::Payload,
            _ => return None,
        })
    }

    /// Returns the parts of frames that the needed columns of the table are made of.
    pub fn parts(self, table: &TableDef, needs: impl Fn(usize) -> bool) -> Parts {
        let always = match self {
            Self::Game => Parts::GAME,
            Self::Players => Parts::PLAYERS,
            Self::Bones => Parts::PLAYERS.with(Parts::BONES),
            Self::Disc => Parts::DISC,
            Self::Payload => Parts::PAYLOAD,
        };
        if self != Self::Players {
            return always;
        }
        let columns = table.columns.iter().enumerate();
        let needed = columns.filter(|(at, _)| needs(*at));
        needed.fold(always, |parts, (at, column)| {
            parts.with(match at.checked_sub(PLAYERS.fields.len()) {
                None => of_player(&column.name),
                Some(at) => of_poses_part(at),
            })
        })
    }

    /// Passes on the rows of a frame, in the order in which the frame has them; `parts` of the frame
    /// were decoded. Returns whether later rows are needed.
    pub fn rows(self, frame: &Frame, parts: Parts, take: &mut impl Take) -> bool {
        let session = &frame.session;
        match self {
            Self::Game => take.rows(1, |_, column| GAME.value(&session, column)),
            Self::Disc => match &session.disc {
                None => true,
                Some(disc) => {
                    take.rows(1, |_, column| match column.checked_sub(DISC.fields.len()) {
                        None => DISC.value(&disc, column),
                        Some(column) => of_pose(&disc.pose, column),
                    })
                }
            },
            Self::Payload => match &session.payload {
                None => true,
                Some(payload) => take.rows(1, |_, column| PAYLOAD.value(&payload, column)),
            },
            Self::Players => {
                let holding = parts.has(Parts::HOLDING);
                let row = |(team, player)| PlayerRow {
                    player,
                    team: team_name(team),
                    hands: if holding {
                        hands(session, player)
                    } else {
                        [None, None]
                    },
                };
                let rows: Vec<PlayerRow<'_>> = session.players().map(row).collect();
                take.rows(rows.len(), |row, column| match rows.get(row) {
                    None => Value::Null,
                    Some(row) => match column.checked_sub(PLAYERS.fields.len()) {
                        None => PLAYERS.value(row, column),
                        Some(column) => of_poses(row.player, column),
                    },
                })
            }
            Self::Bones => {
                let bones = frame.bones.iter().flat_map(|bones| &bones.user_bones);
                session.players().zip(bones).all(|((_, player), bones)| {
                    let rows: [Bone<'_>; BONE_COUNT] = std::array::from_fn(|number| Bone {
                        player: player.playerid,
                        number,
                        bones,
                    });
                    take.rows(BONE_COUNT, |row, column| match rows.get(row) {
                        None => Value::Null,
                        Some(row) => BONES.value(row, column),
                    })
                })
            }
        }
    }
}

/// Returns the parts of a frame that a column of a player's pose needs.
const fn of_poses_part(column: usize) -> Parts {
    let pose = column / POSE_COLUMNS;
    if column % POSE_COLUMNS < AXES.len() {
        Parts::position(pose)
    } else {
        // The vectors are computed together with the position.
        Parts::rotation(pose).with(Parts::position(pose))
    }
}

fn of_poses(player: &Player, column: usize) -> Value<'static> {
    let pose = POSES.get(column / POSE_COLUMNS);
    pose.map_or(Value::Null, |(_, get)| {
        of_pose(get(player), column % POSE_COLUMNS)
    })
}

/// Returns the stamp of a frame. The first frame sets the start.
pub fn stamp(step: u64, frame: &Frame, start: &mut Option<Time>) -> Stamp {
    Stamp {
        step,
        tick: None,
        time: Some(frame.time.since(*start.get_or_insert(frame.time))),
    }
}
