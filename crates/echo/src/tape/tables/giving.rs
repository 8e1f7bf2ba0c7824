//! The source of a table's rows, frame by frame; of a state, also the ends of its rows.

use std::collections::VecDeque;

use gametape_core::table::{Filling, Kind, Scanning, TableDef, Value};
use gametape_core::{Stamp, Time};

use super::facts::{self, Facts, MATCH, ROSTER, RosterRow};
use super::frame::{State, Take};
use super::game::{GOALS, JOINS, THROWS};
use super::players::PERSON;
use super::precision::{kept, missing};
use crate::butter::Parts;
use crate::model::{Frame, LastThrow};
use crate::stats::{Goal, MatchStats, StatsBuilder};
use crate::tape::info::{FileFacts, Summary};
use crate::tape::opened::Numbers;

/// The source of a table's rows.
pub enum Giving {
    /// The rows of a state, the parts of a frame that they need, and whether they have the numbers of persons.
    State(Present, Parts, bool),
    /// The last throw.
    Throws(Option<LastThrow>),
    /// How many were given.
    Joins(usize),
    /// When the points rose, of goals that were not given yet, and how many were.
    Goals(VecDeque<Stamp>, usize),
    /// A summary of all frames; the parts of them that the facts need, and of which frames.
    Match(Box<Summary>, Parts, Needs),
    /// The statistics of the players.
    Roster,
}

/// The frames that the facts need.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    First,
    All,
    /// All, and their statistics.
    Stats,
}

/// The facts that are known once all frames were read.
pub struct MatchEnd<'t> {
    pub known: FileFacts<'t>,
    /// The statistics of the match, if they were counted.
    pub stats: Option<MatchStats>,
}

impl Giving {
    pub fn of(table: &TableDef, rows: &Scanning) -> Self {
        if let Some(state) = State::of(&table.name) {
            let parts = state.parts(table, |column| rows.needs(column));
            let asks = table.column(PERSON).is_some_and(|at| rows.needs(at));
            return Self::State(Present::new(table, state, parts), parts, asks);
        }
        match &*table.name {
            name if name == THROWS.name => Self::Throws(None),
            name if name == JOINS.name => Self::Joins(0),
            name if name == ROSTER.name => Self::Roster,
            name if name == GOALS.name => Self::Goals(VecDeque::new(), 0),
            _ => {
                let needs = |column| rows.needs(column);
                let parts = facts::parts(table, needs);
                let of = if facts::needs_first_alone(table, needs) {
                    Needs::First
                } else if facts::needs_stats(needs) {
                    Needs::Stats
                } else {
                    Needs::All
                };
                Self::Match(Box::default(), parts, of)
            }
        }
    }

    /// The parts of a frame that are needed.
    pub const fn parts(&self) -> Parts {
        match self {
            Self::State(_, parts, _) | Self::Match(_, parts, _) => *parts,
            Self::Throws(_) => Parts::THROW,
            Self::Joins(_) | Self::Goals(..) | Self::Roster => Parts::ALL,
        }
    }

    /// Whether it has the numbers of persons.
    pub const fn asks_persons(&self) -> bool {
        matches!(self, Self::State(.., true))
    }

    /// Whether it needs the statistics over all frames.
    pub const fn counts(&self) -> bool {
        matches!(
            self,
            Self::Joins(_) | Self::Goals(..) | Self::Match(_, _, Needs::Stats) | Self::Roster
        )
    }

    /// Whether frames after a range may say more about rows in it.
    pub const fn is_of_the_whole(&self) -> bool {
        matches!(self, Self::Goals(..) | Self::Match(..) | Self::Roster)
    }

    /// Whether the frames so far decide everything.
    pub const fn is_decided(&self) -> bool {
        matches!(self, Self::Match(summary, _, Needs::First) if summary.frames > 0)
    }

    /// Whether rows of earlier frames are not given yet, because more may be learnt of them.
    pub fn waits(&self) -> bool {
        matches!(self, Self::Goals(stamps, _) if !stamps.is_empty())
    }

    /// Adds the rows of a frame; `so_far` has the statistics up to it. Returns whether later rows
    /// are needed.
    pub fn frame(
        &mut self,
        (frame, persons): (&Frame, &Numbers),
        stamp: Stamp,
        so_far: Option<&StatsBuilder>,
        rows: &mut Scanning,
    ) -> bool {
        let timeline = so_far.map(|counted| &counted.so_far().timeline);
        match self {
            Self::State(present, ..) => present.frame(frame, persons, stamp, rows),
            Self::Throws(last) => throws(frame, stamp, last, rows),
            Self::Joins(given) => {
                let all = timeline.map_or(&[][..], |timeline| &timeline.joins);
                let mut new = all.iter().skip(std::mem::replace(given, all.len()));
                new.all(|joining| rows.row_of(&JOINS, stamp, &joining))
            }
            Self::Goals(stamps, given) => {
                let all = timeline.map_or(&[][..], |timeline| &timeline.goals);
                stamps.resize(all.len().saturating_sub(*given), stamp);
                // More may be learnt of the last goal.
                let known = all.len() - usize::from(so_far.is_some_and(StatsBuilder::is_goal_open));
                goals(all.get(..known).unwrap_or_default(), stamps, given, rows)
            }
            Self::Match(summary, ..) => {
                summary.push(frame);
                true
            }
            Self::Roster => true,
        }
    }

    /// Adds the rows that belong to the whole match.
    pub fn end(self, ended: &MatchEnd<'_>, rows: &mut Scanning) {
        match self {
            Self::Goals(mut stamps, mut given) => {
                let all = ended.stats.as_ref().map(|stats| &*stats.timeline.goals);
                goals(all.unwrap_or_default(), &mut stamps, &mut given, rows);
            }
            Self::Match(summary, ..) => {
                let facts = Facts::new(&ended.known, &summary, ended.stats.as_ref());
                rows.row_of(&MATCH, START, &facts);
            }
            Self::Roster => {
                let players = ended.stats.as_ref().map(|stats| &*stats.players);
                (0..)
                    .zip(players.unwrap_or_default())
                    .all(|(person, of)| rows.row_of(&ROSTER, START, &RosterRow::new(person, of)));
            }
            Self::State(..) | Self::Throws(_) | Self::Joins(_) => {}
        }
    }
}

/// The stamp of what holds for the whole match.
const START: Stamp = Stamp {
    step: 0,
    tick: None,
    time: Some(Time::START),
};

/// Adds the goals that were not given yet. Returns whether later rows are needed.
fn goals(
    all: &[Goal],
    stamps: &mut VecDeque<Stamp>,
    given: &mut usize,
    rows: &mut Scanning,
) -> bool {
    for goal in all.get(*given..).unwrap_or_default() {
        *given += 1;
        let stamp = stamps.pop_front().unwrap_or_default();
        if !rows.row_of(&GOALS, stamp, &goal) {
            return false;
        }
    }
    true
}

fn throws(frame: &Frame, stamp: Stamp, last: &mut Option<LastThrow>, rows: &mut Scanning) -> bool {
    let throw = &frame.session.last_throw;
    let before = std::mem::replace(last, *throw);
    // The throw of the first frame was before the recording; a .butter may leave it out for a while.
    match throw {
        Some(throw) if before.is_some_and(|before| before != *throw) => {
            rows.row_of(&THROWS, stamp, &throw)
        }
        Some(_) => true,
        None => {
            *last = before;
            true
        }
    }
}

/// The key of a row: the values of the key columns, which are the first of a table. Unused ones are 0.
pub type RowKey = [i64; 2];

/// The rows of a state that are present, so that their ends are noticed.
pub struct Present {
    state: State,
    parts: Parts,
    /// The kinds of the key columns.
    keys: Vec<Kind>,
    /// Columns that the recording does not contain.
    missing: Vec<usize>,
    now: Vec<RowKey>,
    before: Vec<RowKey>,
}

impl Present {
    pub fn new(table: &TableDef, state: State, parts: Parts) -> Self {
        let keys = table.columns.iter().take_while(|column| column.key);
        Self {
            state,
            parts,
            keys: keys.map(|column| column.kind).collect(),
            missing: missing(table),
            now: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Adds the rows of a frame, and the ends of those that are gone. Returns whether later rows are needed.
    pub fn frame(
        &mut self,
        frame: &Frame,
        persons: &Numbers,
        stamp: Stamp,
        rows: &mut Scanning,
    ) -> bool {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        let keys = RowKeys {
            keys: self.keys.len(),
            now: &mut self.now,
        };
        let mut taking = RowsAndKeys {
            keys,
            missing: &self.missing,
            stamp,
            rows,
        };
        let goes_on = self.state.rows(frame, persons, self.parts, &mut taking);
        // Nearly always a frame has the same rows as the one before.
        if !goes_on || self.now == self.before {
            return goes_on;
        }
        for gone in self.before.iter().filter(|key| !self.now.contains(key)) {
            let value = |column: usize| match (gone.get(column), self.keys.get(column)) {
                (Some(number), Some(Kind::Uint)) => Value::Uint(number.cast_unsigned()),
                (Some(number), Some(_)) => Value::Int(*number),
                _ => Value::Null,
            };
            if !rows.ended(stamp, value) {
                return false;
            }
        }
        true
    }
}

/// Takes the keys of the rows of a frame.
struct RowKeys<'t> {
    keys: usize,
    now: &'t mut Vec<RowKey>,
}

impl Take for RowKeys<'_> {
    #[inline]
    fn rows<'r>(&mut self, count: usize, fill: impl Fn(usize, &mut Filling<'_, 'r>)) -> bool {
        self.now.extend((0..count).map(|row| {
            let key = |at| {
                if at < self.keys {
                    number(Filling::one(row, |one| fill(at, one)))
                } else {
                    0
                }
            };
            [key(0), key(1)]
        }));
        true
    }
}

/// Takes the rows of a frame.
struct RowsAndKeys<'t> {
    keys: RowKeys<'t>,
    missing: &'t [usize],
    stamp: Stamp,
    rows: &'t mut Scanning,
}

impl Take for RowsAndKeys<'_> {
    #[inline]
    fn rows<'r>(&mut self, count: usize, fill: impl Fn(usize, &mut Filling<'_, 'r>)) -> bool {
        self.keys.rows(count, &fill);
        self.rows.rows(self.stamp, count, kept(self.missing, fill))
    }
}

/// Returns the value of a key column: all of them are numbers.
const fn number(value: Value<'_>) -> i64 {
    match value {
        Value::Int(value) => value,
        Value::Uint(value) => value.cast_signed(),
        _ => 0,
    }
}
