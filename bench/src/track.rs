//! `track`, the example of a format: the rows of a table, beside a loop that looks for nothing wrong.

use std::hint::black_box;
use std::ops::ControlFlow;

use gametape::core::table::Scan;
use gametape::core::tape::{Format as _, Partial, Source, Tape, Work};
use own_format::Track;

use crate::report;
use crate::timing::{Plain, race};

/// Measures the cases whose names contain `filter`.
pub fn run(filter: &str) {
    if !"scan".contains(filter) {
        return;
    }
    let lines = (0..10_000).map(|ms| format!("{ms},{},{ms}.5,1,2\n", ms % 8));
    let text: String = lines.collect();
    let tape = Track.open(Source::new(text.clone().into_bytes()));
    let tape = tape.expect("nothing is missing");
    let pair = race(
        21,
        &mut Plain(|| scanned(&*tape)),
        &mut Plain(|| split(&text)),
    );
    report("track", "scan", pair);
}

fn scanned(tape: &dyn Tape) -> usize {
    let mut rows = 0;
    let scan = Scan::table("positions");
    let read = tape.scan_table(&scan, &Work::default(), |batch| {
        rows += black_box(batch).len();
        Ok(ControlFlow::Continue(()))
    });
    read.and_then(Partial::whole).expect("a sound recording");
    rows
}

/// The peer: every number of every line.
fn split(text: &str) -> usize {
    let numbers = text.lines().flat_map(|line| line.split(','));
    let numbers = numbers.filter_map(|number| number.parse::<f64>().ok());
    numbers.map(black_box).count()
}
