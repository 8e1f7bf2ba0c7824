//! The rows of a state from frame to frame, and their ends.

use gametape_core::Stamp;
use gametape_core::table::{Filling, Kind, Scanning, TableDef, Value};

use super::frame::{State, Take};
use super::precision::{kept, missing};
use crate::butter::Parts;
use crate::model::Frame;
use crate::tape::persons::Numbers;

/// The key of a row: the values of the key columns, which are the first of a table. Unused ones are 0.
pub type Key = [i64; 2];

/// The rows of a state that are present, so that their ends are noticed.
pub struct Present {
    state: State,
    parts: Parts,
    /// The kinds of the key columns.
    keys: Vec<Kind>,
    /// Columns that the recording does not contain.
    missing: Vec<usize>,
    pub now: Vec<Key>,
    before: Vec<Key>,
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
        let keys = Keys {
            keys: self.keys.len(),
            now: &mut self.now,
        };
        let mut taking = Taking {
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
struct Keys<'t> {
    keys: usize,
    now: &'t mut Vec<Key>,
}

impl Take for Keys<'_> {
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
struct Taking<'t> {
    keys: Keys<'t>,
    missing: &'t [usize],
    stamp: Stamp,
    rows: &'t mut Scanning,
}

impl Take for Taking<'_> {
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
