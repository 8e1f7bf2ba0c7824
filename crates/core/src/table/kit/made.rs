//! A recording that a test makes up.

use std::any::Any;

use super::Row;
use crate::clock::Clocks;
use crate::input::Input;
use crate::table::{Owned, Scan, Scanning, TableDef, Value, Visit};
use crate::tape::{Audit, Error, Info, Options, Partial, Repaired, Secrets, Sink, Tape, Work};

/// Tables with their rows, in memory: for tests of what stands on tables.
#[derive(Clone)]
pub struct Made {
    /// What it has, each with all of its rows.
    pub tables: Vec<(TableDef, Vec<Row>)>,
    clocks: Clocks,
    problem: Option<fn() -> Error>,
    input: Input,
}

impl Made {
    /// A sound one, that has such clocks.
    #[must_use]
    pub fn new(clocks: Clocks, tables: Vec<(TableDef, Vec<Row>)>) -> Self {
        Self {
            tables,
            clocks,
            problem: None,
            input: Input::from(vec![0; 1000]),
        }
    }

    /// The same, with which this is wrong behind the last row.
    #[must_use]
    pub fn broken(self, problem: fn() -> Error) -> Self {
        Self {
            problem: Some(problem),
            ..self
        }
    }
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
            bytes: self.input.size(),
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
        for row in made.iter().flat_map(|(_, rows)| rows) {
            let value = |at: usize| row.values.get(at).map_or(Value::Null, Owned::value);
            let given = if row.ended {
                rows.ended(row.stamp, value)
            } else {
                rows.row(row.stamp, value)
            };
            if given?.is_break() {
                break;
            }
        }
        rows.end(self.problem.map(|problem| problem()))
    }
}
