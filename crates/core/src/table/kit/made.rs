//! An invented recording for tests.

use std::any::Any;

use super::Row;
use crate::clock::Clocks;
use crate::input::Input;
use crate::table::{Owned, Scan, Scanning, TableDef, Value, Visit, VisitEach, Visitors};
use crate::tape::{Audit, Error, Info, Options, Partial, Repaired, Secrets, Sink, Tape, Work};

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
        let scans = std::slice::from_ref(scan);
        let mut read = self.scan_each(scans, &mut |_, batch| visit(batch))?;
        Ok(Partial::new((), read.pop().and_then(|read| read.problem)))
    }

    /// Goes step by step, like a format that reads its recording once.
    fn scan_each<'v>(
        &self,
        scans: &[Scan],
        visit: &'v mut VisitEach<'v>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let tables = self.tables()?;
        let visitors = Visitors::new(visit);
        let mut visits: Vec<_> = (0..scans.len()).map(|scan| visitors.of(scan)).collect();
        let mut going = Vec::new();
        for (scan, visit) in scans.iter().zip(&mut visits) {
            let table = scan.find(&tables)?;
            let made = self.tables.iter().find(|(made, _)| made.name == table.name);
            let rows = made.into_iter().flat_map(|(_, rows)| rows).peekable();
            going.push((rows, Scanning::new(table, scan, self.clocks, visit)?));
        }
        let steps = self.tables.iter().flat_map(|(_, rows)| rows);
        let mut steps: Vec<u64> = steps.map(|row| row.stamp.step).collect();
        steps.sort_unstable();
        steps.dedup();
        for step in steps {
            for (made, rows) in &mut going {
                while let Some(row) = made.next_if(|row| row.stamp.step == step) {
                    let value = |at: usize| row.values.get(at).map_or(Value::Null, Owned::value);
                    // After the end of the range, no more rows are taken.
                    let _ = if row.ended {
                        rows.ended(row.stamp, value)
                    } else {
                        rows.row(row.stamp, value)
                    }?;
                }
            }
        }
        let problem = || self.problem.map(|problem| problem());
        let ends = going.into_iter().map(|(_, rows)| rows.end(problem()));
        ends.collect()
    }
}
