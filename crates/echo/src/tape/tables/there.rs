//! Who is there of a state from frame to frame.

use std::ops::ControlFlow;

use gametape_core::Stamp;
use gametape_core::table::{Kind, Scanning, TableDef, Value};
use gametape_core::tape::Error;

use super::frame::{State, Take};
use super::precision::{kept, missing};
use crate::butter::Parts;
use crate::model::Frame;

/// What tells the rows of a state apart: the first columns of its table, of those that have so many.
pub type Key = [i64; 2];

/// Who is there of a state, so that who goes is told.
pub struct There {
    state: State,
    parts: Parts,
    /// Of what kind the columns are that are keys.
    keys: Vec<Kind>,
    /// Columns that the recording does not keep.
    missing: Vec<usize>,
    pub now: Vec<Key>,
    before: Vec<Key>,
}

impl There {
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

    /// Takes who is there in a frame whose rows were given before.
    pub fn know(&mut self, frame: &Frame) -> Result<(), Error> {
        self.now.clear();
        let mut keys = Keys {
            keys: self.keys.len(),
            now: &mut self.now,
        };
        self.state.rows(frame, self.parts, &mut keys).map(drop)
    }

    /// Gives the rows of a frame, and says who is there no more.
    pub fn frame(
        &mut self,
        frame: &Frame,
        stamp: Stamp,
        rows: &mut Scanning<'_>,
    ) -> Result<ControlFlow<()>, Error> {
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
        let given = self.state.rows(frame, self.parts, &mut taking)?;
        // Nearly always those who were there are there.
        if given.is_break() || self.now == self.before {
            return Ok(given);
        }
        for gone in self.before.iter().filter(|key| !self.now.contains(key)) {
            let value = |column: usize| match (gone.get(column), self.keys.get(column)) {
                (Some(number), Some(Kind::Uint)) => Value::Uint(number.cast_unsigned()),
                (Some(number), Some(_)) => Value::Int(*number),
                _ => Value::Null,
            };
            let ended = rows.ended(stamp, value)?;
            if ended.is_break() {
                return Ok(ended);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Takes the keys of the rows of a frame.
struct Keys<'t> {
    keys: usize,
    now: &'t mut Vec<Key>,
}

impl Take for Keys<'_> {
    #[inline]
    fn row<'r>(&mut self, value: impl Fn(usize) -> Value<'r>) -> Result<ControlFlow<()>, Error> {
        self.now.push(match self.keys {
            0 => [0; 2],
            1 => [number(value(0)), 0],
            _ => [number(value(0)), number(value(1))],
        });
        Ok(ControlFlow::Continue(()))
    }
}

/// Takes the rows of a frame.
struct Taking<'t, 'v> {
    keys: Keys<'t>,
    missing: &'t [usize],
    stamp: Stamp,
    rows: &'t mut Scanning<'v>,
}

impl Take for Taking<'_, '_> {
    #[inline]
    fn row<'r>(&mut self, value: impl Fn(usize) -> Value<'r>) -> Result<ControlFlow<()>, Error> {
        let _ = self.keys.row(&value)?;
        if self.missing.is_empty() {
            return self.rows.row(self.stamp, value);
        }
        self.rows.row(self.stamp, kept(self.missing, value))
    }
}

/// Keys are numbers.
const fn number(value: Value<'_>) -> i64 {
    match value {
        Value::Int(value) => value,
        Value::Uint(value) => value.cast_signed(),
        _ => 0,
    }
}
