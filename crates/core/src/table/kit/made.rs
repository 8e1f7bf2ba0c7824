//! An invented recording for tests.

use std::sync::Arc;

use super::Row;
use crate::clock::Clocks;
use crate::input::Input;
use crate::table::{Owned, Scan, Scanning, Scans, TableDef, Value, Visit};
use crate::tape::{
    Audit, Depth, Error, FormatInfo, Info, Options, Partial, Repaired, Secrets, Sink, Tape, Work,
};

/// Tables with their rows, in memory, to test code that works on tables.
#[derive(Clone)]
pub struct Made {
    /// The tables, each with all its rows.
    pub tables: Vec<(TableDef, Vec<Row>)>,
    clocks: Clocks,
    problem: Option<fn() -> Error>,
    input: Input,
}

impl Made {
    /// Creates an intact recording with these clocks.
    #[must_use]
    pub fn new(clocks: Clocks, tables: Vec<(TableDef, Vec<Row>)>) -> Self {
        Self {
            tables,
            clocks,
            problem: None,
            input: Input::from(vec![0; 1000]),
        }
    }

    /// Adds a problem after the last row.
    #[must_use]
    pub fn broken(self, problem: fn() -> Error) -> Self {
        Self {
            problem: Some(problem),
            ..self
        }
    }

    /// Opens the recording.
    #[must_use]
    pub fn shared(self) -> Arc<dyn Tape> {
        Arc::new(self)
    }
}

const INFO: FormatInfo = FormatInfo::new("made", "Made for tests");

impl Tape for Made {
    fn input(&self) -> &Input {
        &self.input
    }

    fn describe(&self, _: Depth, _: Secrets, _: &Work<'_>) -> Result<Partial<Info>, Error> {
        Ok(Info::new(&INFO, 1, self.input.size()).into())
    }

    fn audit(&self, _: &Options, _: &Work<'_>) -> Result<Audit, Error> {
        Ok(Audit::default())
    }

    fn repair(&self, _: &Options, _: &mut dyn Sink, _: &Work<'_>) -> Result<Repaired, Error> {
        Ok(Repaired::default())
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        Ok(self.tables.iter().map(|(table, _)| table.clone()).collect())
    }

    /// Goes step by step, like a format that reads its recording once.
    fn scan(
        &self,
        scans: &[Scan],
        work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let mut scans = Scans::new(&self.tables()?, scans, self.clocks)?;
        let rows_of = |scan: &Scanning| {
            let mut tables = self.tables.iter();
            let made = tables.find(|(made, _)| made.name == scan.table());
            made.into_iter().flat_map(|(_, rows)| rows).peekable()
        };
        let mut made: Vec<_> = scans.iter().map(rows_of).collect();
        let steps = self.tables.iter().flat_map(|(_, rows)| rows);
        let mut steps: Vec<u64> = steps.map(|row| row.stamp.step).collect();
        steps.sort_unstable();
        steps.dedup();
        for step in steps {
            for (made, rows) in made.iter_mut().zip(scans.iter_mut()) {
                while let Some(row) = made.next_if(|row| row.stamp.step == step) {
                    let value = |at: usize| row.values.get(at).map_or(Value::Null, Owned::value);
                    if row.ended {
                        rows.ended(row.stamp, value);
                    } else {
                        rows.row(row.stamp, value);
                    }
                }
            }
            work.done(step)?;
            if scans.give(visit)?.is_break() {
                break;
            }
        }
        scans.end(visit, |_| self.problem.map(|problem| problem()))
    }
}
