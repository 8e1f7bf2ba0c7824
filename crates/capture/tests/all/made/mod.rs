//! Captures that are made from tables, and the way back to these tables.

mod cases;
mod random;

use gametape_capture::tape::Mcap;
use gametape_core::table::kit::{self, Made, Row};
use gametape_core::table::{ColumnDef, Kind, Lane, TableDef};
use gametape_core::tape::{Format, Options, Source, Tape, Work};
use std::sync::Arc;

/// A capture of a recording.
pub fn capture(of: &Made, options: &Options) -> Vec<u8> {
    let of = of.clone().shared();
    let mut out = std::io::Cursor::new(Vec::new());
    let made = Mcap
        .maker()
        .unwrap()
        .make(&of, options, &mut out, &Work::default());
    made.unwrap();
    out.into_inner()
}

pub fn open(bytes: Vec<u8>) -> Arc<dyn Tape> {
    Mcap.open(Source::new(bytes)).unwrap()
}

/// All rows of a table.
pub fn scanned(tape: &dyn Tape, table: &TableDef) -> Vec<Row> {
    kit::scanned(tape, &kit::all_of(table))
}

/// The order of the rows within a step does not matter, except that rows of the same key stay in
/// order.
pub fn sorted(table: &TableDef, mut rows: Vec<Row>) -> Vec<Row> {
    if table.lane == Lane::State || table.lane == Lane::Grid {
        rows.sort_by_key(|row| (row.stamp.step, row.key(table)));
    }
    rows
}

pub fn column(name: &'static str, kind: Kind) -> ColumnDef {
    ColumnDef::new(name, kind, "It.")
}
