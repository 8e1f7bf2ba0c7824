//! The rows of a frame in each state table.

use gametape_core::table::{ColumnDef, Field, Filling, Kind, Rows, Table, TableDef, Value};
use gametape_core::{Stamp, Time};

use super::facts::{MATCH, ROSTER};
use super::game::{DISC, GAME, GOALS, JOINS, PAYLOAD, THROWS};
use super::players::{
    AXES, BONES, Bone, PERSON, PLAYERS, POSE, POSE_COLUMNS, POSES, PlayerRow, hands, of_player,
    of_pose, poses_of, team_name,
};
use crate::butter::Parts;
use crate::course::Course;
use crate::model::{BONES as BONE_COUNT, Frame};
use crate::tape::opened::{Counting, Numbers};

/// Returns the tables that every recording has.
pub fn defs() -> Vec<TableDef> {
    let mut players = PLAYERS.def();
    for name in POSES {
        players = posed(
            players,
            &format!("{name}_"),
            &format!("the {}", name.replace('_', " ")),
        );
    }
    vec![
        MATCH.def(),
        ROSTER.def(),
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
    for (part, unit, doc) in POSE {
        for axis in AXES {
            let doc = format!("{doc} along {axis}: {whose}.");
            let column = ColumnDef::new(format!("{before}{part}{axis}"), Kind::Float32, doc);
            table = table.with(column.unit(unit));
        }
    }
    table
}

/// The milliseconds after a range in which frames of it are still looked for, where lines are in the wrong
/// order.
const LOOK_AHEAD_MS: i64 = 1_000;

/// Whether no frame at or after a stamp was recorded before the first one after a range.
pub fn is_long_after(first: Stamp, now: Stamp) -> bool {
    let passed = first
        .time
        .zip(now.time)
        .map(|(a, b)| b.whole_ms() - a.whole_ms());
    passed.is_none_or(|ms| ms > LOOK_AHEAD_MS)
}

/// Receives the rows of a frame.
pub trait Take {
    /// Takes rows: `fill` gives their values in a column, by its index. Returns whether later rows are
    /// needed.
    fn rows<'r>(&mut self, count: usize, fill: impl Fn(usize, &mut Filling<'_, 'r>)) -> bool;
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
        let asks = |name| table.column(name).is_some_and(&needs);
        let always = if asks(PERSON) {
            always.with(Counting::PARTS)
        } else {
            always
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
    /// were decoded, and `persons` says who its players are. Returns whether later rows are needed.
    pub fn rows(
        self,
        frame: &Frame,
        persons: &Numbers,
        parts: Parts,
        take: &mut impl Take,
    ) -> bool {
        let session = &frame.session;
        let person = |at: usize| persons.get(at).copied().flatten();
        match self {
            Self::Game => one(&GAME, &session, take),
            Self::Disc => session.disc.as_ref().is_none_or(|disc| {
                let row = &disc;
                take.rows(1, |at, column| match posed_column(&DISC, at) {
                    (Some(field), _) => column.with(|_| field.value(row)),
                    (None, at) => column.with(|_| of_pose(&disc.pose, at)),
                })
            }),
            Self::Payload => {
                let payload = session.payload.as_ref();
                payload.is_none_or(|payload| one(&PAYLOAD, &payload, take))
            }
            Self::Players => {
                let holding = parts.has(Parts::HOLDING);
                let row = |(at, (team, player))| PlayerRow {
                    player,
                    person: person(at),
                    team: team_name(team),
                    hands: if holding {
                        hands(session, player)
                    } else {
                        [None, None]
                    },
                    poses: poses_of(player),
                };
                // More than a match has, so that the rows are not moved.
                let mut rows = Vec::with_capacity(16);
                rows.extend(session.players().enumerate().map(row));
                take.rows(rows.len(), |at, column| match posed_column(&PLAYERS, at) {
                    (Some(field), _) => column.with(of_row(&rows, |row| field.value(row))),
                    (None, at) => {
                        let (pose, at) = (at / POSE_COLUMNS, at % POSE_COLUMNS);
                        column.with(of_row(&rows, |row| {
                            let pose = row.poses.get(pose).copied().flatten();
                            pose.map_or(Value::Null, |pose| of_pose(pose, at))
                        }));
                    }
                })
            }
            Self::Bones => {
                let bones = frame.bones.iter().flat_map(|bones| &bones.user_bones);
                let mut each = session.players().zip(bones).enumerate();
                each.all(|(at, ((_, player), bones))| {
                    let rows: [Bone<'_>; BONE_COUNT] = std::array::from_fn(|number| Bone {
                        player: player.playerid,
                        person: person(at),
                        number,
                        bones,
                    });
                    take.rows(BONE_COUNT, |at, column| {
                        if let Some(field) = BONES.fields.get(at) {
                            column.with(of_row(&rows, |row| field.value(row)));
                        }
                    })
                })
            }
        }
    }
}

/// Returns a function from the index of a row to its value.
fn of_row<'r, R>(rows: &'r [R], value: impl Fn(&'r R) -> Value<'r>) -> impl Fn(usize) -> Value<'r> {
    move |at| rows.get(at).map_or(Value::Null, &value)
}

/// Passes on a single row.
fn one<T: Rows>(table: &Table<T>, row: &T::Row<'_>, take: &mut impl Take) -> bool {
    take.rows(1, |at, column| column.with(|_| table.value(row, at)))
}

/// Returns the field of a column, or else its index among the poses after the fields.
fn posed_column<T: Rows>(table: &Table<T>, at: usize) -> (Option<&'static Field<T>>, usize) {
    let fields = table.fields;
    (fields.get(at), at.saturating_sub(fields.len()))
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

/// Returns the stamp of a frame. The first frame sets the start.
pub fn stamp(step: u64, frame: &Frame, course: &mut Course) -> Stamp {
    Stamp {
        step,
        tick: None,
        time: Some(Time::from_ms(course.frame(frame).now.max(0))),
    }
}
