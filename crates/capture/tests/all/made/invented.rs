//! A recording of any tables.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use gametape_capture::tape::Mcap;
use gametape_core::table::{
    Batch, ColumnDef, Kind, Lane, Owned, Scan, Scanning, TableDef, Value, Visit,
};
use gametape_core::tape::{
    Audit, Error, Format, Info, Options, Partial, Repaired, Secrets, Sink, Source, Tape, Work,
};
use gametape_core::{Clocks, Input, Stamp};

/// A row of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub stamp: Stamp,
    pub ended: bool,
    pub values: Vec<Owned>,
}

/// Tables and their rows.
pub struct Invented {
    pub tables: Vec<(TableDef, Vec<Row>)>,
    pub problem: bool,
    input: Input,
}

impl Invented {
    pub fn new(tables: Vec<(TableDef, Vec<Row>)>) -> Self {
        Self {
            tables,
            problem: false,
            input: Input::from(vec![0; 1000]),
        }
    }
}

impl Tape for Invented {
    fn input(&self) -> &Input {
        &self.input
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn info(&self, _: Secrets) -> Result<Partial<Info>, Error> {
        Ok(Partial::from(Info {
            format: "invented",
            format_version: 7,
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

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        Ok(self.tables.iter().map(|(def, _)| def.clone()).collect())
    }

    fn scan<'v>(&self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        let tables = self.tables()?;
        let table = scan.find(&tables)?;
        let mut rows = Scanning::new(table, scan, Clocks::ticks(true), visit)?;
        let of = self.tables.iter().find(|(def, _)| def.name == table.name);
        for row in of.into_iter().flat_map(|(_, rows)| rows) {
            let value = |at: usize| row.values.get(at).map_or(Value::Null, Owned::value);
            let given = if row.ended {
                rows.ended(row.stamp, value)?
            } else {
                rows.row(row.stamp, value)?
            };
            if given.is_break() {
                break;
            }
        }
        rows.end(
            self.problem
                .then(|| Error::from(gametape_capture::Capture::open(b"none").unwrap_err())),
        )
    }

    fn repair(&self, _: &Options, _: &mut dyn Sink, _: &Work<'_>) -> Result<Repaired, Error> {
        Ok(Repaired::default())
    }
}

/// As a capture.
pub fn capture(of: &dyn Tape, options: &Options) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let made = Mcap
        .maker()
        .unwrap()
        .make(of, options, &mut out, &Work::default());
    made.unwrap();
    out.into_inner()
}

pub fn open(bytes: Vec<u8>) -> Box<dyn Tape> {
    Mcap.open(Source::new(bytes)).unwrap()
}

fn rows_of(batch: &Batch) -> impl Iterator<Item = Row> + '_ {
    (0..batch.len()).map(|row| Row {
        stamp: batch.stamp(row),
        ended: batch.is_end(row),
        values: batch
            .columns()
            .iter()
            .map(|column| column.get(row).into())
            .collect(),
    })
}

pub fn scanned(tape: &dyn Tape, table: &TableDef) -> Vec<Row> {
    let mut rows = Vec::new();
    let columns = table.columns.iter().map(|column| &*column.name);
    let scan = Scan {
        secrets: Secrets::Show,
        ..Scan::table(&*table.name).columns(columns)
    };
    let scanned = tape.scan(&scan, &mut |batch| {
        rows.extend(rows_of(batch));
        Ok(ControlFlow::Continue(()))
    });
    assert!(scanned.unwrap().problem.is_none());
    rows
}

/// Where the rows of a step stand does not matter, but those of one key stay in their order.
pub fn sorted(table: &TableDef, mut rows: Vec<Row>) -> Vec<Row> {
    if table.lane == Lane::State || table.lane == Lane::Grid {
        rows.sort_by_key(|row| (row.stamp.step, keys(table, row)));
    }
    rows
}

pub fn keys(table: &TableDef, row: &Row) -> Vec<Owned> {
    let columns = table.columns.iter().zip(&row.values);
    let keys = columns.filter(|(column, _)| column.key);
    keys.map(|(_, value)| value.clone()).collect()
}

/// Whether a value is another one, as far as its column is precise.
pub fn same(column: &ColumnDef, a: &Owned, b: &Owned) -> bool {
    let numbers = match (a, b) {
        (Owned::Float32(a), Owned::Float32(b)) => {
            (f32::from_bits(*a).into(), f32::from_bits(*b).into())
        }
        (Owned::Float64(a), Owned::Float64(b)) => (f64::from_bits(*a), f64::from_bits(*b)),
        (a, b) => return a == b,
    };
    let (a_number, b_number): (f64, f64) = numbers;
    let within = |off: f64| (a_number - b_number).abs() <= off;
    a == b || a_number.is_nan() && b_number.is_nan() || column.precision.is_some_and(within)
}

#[track_caller]
pub fn assert_same(table: &TableDef, wanted: &[Row], found: &[Row]) {
    for (at, (a, b)) in wanted.iter().zip(found).enumerate() {
        let mut values = table.columns.iter().zip(a.values.iter().zip(&b.values));
        let same = a.stamp == b.stamp
            && a.ended == b.ended
            && values.all(|(column, (a, b))| same(column, a, b));
        assert!(same, "{} row {at}:\n  {b:?}, not\n  {a:?}", table.name);
    }
    assert_eq!(wanted.len(), found.len(), "rows of {}", table.name);
}

/// What holds up to a step.
pub fn holding(table: &TableDef, rows: &[Row], step: u64) -> Vec<Row> {
    let mut held = BTreeMap::new();
    for row in rows.iter().filter(|row| row.stamp.step <= step) {
        if row.ended {
            held.remove(&keys(table, row));
        } else {
            held.insert(keys(table, row), row.clone());
        }
    }
    held.into_values().collect()
}

pub fn column(name: &'static str, kind: Kind) -> ColumnDef {
    ColumnDef::new(name, kind, "It.")
}
