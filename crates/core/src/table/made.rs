//! A recording of rows that a test makes up.

use std::any::Any;

use super::{Owned, Scan, Scanning, TableDef, Value, Visit};
use crate::clock::{Clocks, Stamp};
use crate::input::Input;
use crate::tape::{Audit, Error, Info, Options, Partial, Repaired, Secrets, Sink, Tape, Work};

/// A row: whether it ends what has its key, and a value for each column.
pub type MadeRow = (Stamp, bool, Vec<Owned>);

/// Tables with their rows.
pub struct Made {
    input: Input,
    clocks: Clocks,
    tables: Vec<(TableDef, Vec<MadeRow>)>,
    /// What is wrong with it.
    problem: Option<fn() -> Error>,
}

impl Made {
    pub fn new(clocks: Clocks, tables: Vec<(TableDef, Vec<MadeRow>)>) -> Self {
        Self {
            input: Input::from(Vec::new()),
            clocks,
            tables,
            problem: None,
        }
    }

    pub fn broken(self, problem: fn() -> Error) -> Self {
        Self {
            problem: Some(problem),
            ..self
        }
    }
}

/// At a step that has neither tick nor time.
pub fn step(step: u64) -> Stamp {
    Stamp {
        step,
        ..Stamp::default()
    }
}

/// A row that says something.
pub fn row<'v>(stamp: Stamp, values: impl IntoIterator<Item = Value<'v>>) -> MadeRow {
    (stamp, false, values.into_iter().map(Owned::from).collect())
}

impl Tape for Made {
    fn input(&self) -> &Input {
        &self.input
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn info(&self, _: Secrets) -> Result<Partial<Info>, Error> {
        Ok(Partial::from(Info {
            format: "made",
            format_version: 1,
            bytes: 0,
            duration_ms: None,
            frames: None,
            step: "step",
            details: serde_json::Map::new(),
        }))
    }

    fn audit(&self, _: &Options) -> Result<Audit, Error> {
        Ok(Audit::default())
    }

    fn repair(&self, _: &Options, _: &mut dyn Sink, _: &Work<'_>) -> Result<Repaired, Error> {
        Ok(Repaired::default())
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        Ok(self.tables.iter().map(|(table, _)| table.clone()).collect())
    }

    fn scan<'v>(&self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        let tables = self.tables()?;
        let table = scan.find(&tables)?;
        let mut rows = Scanning::new(table, scan, self.clocks, visit)?;
        let made = self.tables.iter().find(|(made, _)| made.name == table.name);
        for (stamp, ends, values) in made.iter().flat_map(|(_, rows)| rows) {
            let value = |at: usize| values.get(at).map_or(Value::Null, Owned::value);
            let given = if *ends {
                rows.ended(*stamp, value)
            } else {
                rows.row(*stamp, value)
            };
            if given?.is_break() {
                break;
            }
        }
        rows.end(self.problem.map(|problem| problem()))
    }
}
