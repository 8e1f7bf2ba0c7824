//! Reads columns of a table of recordings as Arrow, and keeps the arrays.
//!
//! `cargo run --release -p gametape-tables --example arrow_columns -- players head_x,head_y match.butter`

use std::time::Instant;

use gametape::core::table::Scan;
use gametape::{Recording, Secrets};
use gametape_tables::ArrowTable;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(table), Some(columns)) = (args.next(), args.next()) else {
        return Err("give a table, columns with commas between, and recordings".into());
    };
    let start = Instant::now();
    let scan = Scan::table(table);
    let mut batches = Vec::new();
    for path in args {
        let recording = Recording::open(&path)?;
        let tables = recording.tables()?;
        let table = ArrowTable::new(scan.find(&tables)?, Secrets::Hide);
        let columns = columns.split(',').map(|name| table.schema().index_of(name));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        for batch in table.reader(&path, recording.tape(), &scan, Some(&columns))? {
            batches.push(batch?);
        }
    }
    let rows: usize = batches.iter().map(arrow_array::RecordBatch::num_rows).sum();
    println!("{rows} rows in {:.4} s", start.elapsed().as_secs_f64());
    Ok(())
}
