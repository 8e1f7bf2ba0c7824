//! How often recordings are read, and rows that wait for those of the other recording.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::input::Input;
use crate::table::{Scan, Visit};
use crate::tape::{Audit, Depth, Info, Options, Repaired, Secrets, Sink, Work};

#[test]
fn many_rows_wait_for_nobody() {
    // More rows than the queue allows, first on one side and then on the other.
    let many = |range: std::ops::Range<u64>| range.map(|at| ship(step(at), 0, 1.0)).collect();
    let (ours, theirs): (Vec<Row>, Vec<Row>) = (many(0..40_000), many(40_000..80_000));
    let found = compared((ships(), ours), (ships(), theirs));
    let table = &found.tables[0];
    assert_eq!(
        (table.rows, table.only_first, table.only_second),
        (0, 40_000, 0)
    );
    let first = &table.first.as_ref().unwrap().key[0].1;
    assert_eq!(*first, Cell::Is(Owned::Uint(0)));
}

/// A recording that counts how often it is read, large enough to be read by a thread.
struct CountedTape(Made, AtomicUsize, Input);

impl Tape for CountedTape {
    fn input(&self) -> &Input {
        &self.2
    }

    fn describe(
        &self,
        depth: Depth,
        secrets: Secrets,
        work: &Work<'_>,
    ) -> Result<Partial<Info>, Error> {
        self.0.describe(depth, secrets, work)
    }

    fn audit(&self, options: &Options, work: &Work<'_>) -> Result<Audit, Error> {
        self.0.audit(options, work)
    }

    fn repair(
        &self,
        options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Repaired, Error> {
        self.0.repair(options, out, work)
    }

    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        self.0.tables()
    }

    fn scan(
        &self,
        scans: &[Scan],
        work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        // A playback asks for stamps alone.
        let is_compared = |scan: &Scan| scan.columns.as_deref() != Some(&[]);
        let compared = scans.iter().any(is_compared);
        self.1.fetch_add(usize::from(compared), Ordering::Relaxed);
        self.0.scan(scans, work, visit)
    }
}

/// Two tables of ships, with rows for both.
fn fleets(first: Vec<Row>, second: Vec<Row>) -> Arc<CountedTape> {
    let named = |name: &str| TableDef {
        name: name.to_owned().into(),
        ..ships()
    };
    let tables = vec![(named("red"), first), (named("green"), second)];
    let made = Made::new(Clocks::STEPS, tables);
    let input = Input::from(vec![0; (1 << 20) + 1]);
    Arc::new(CountedTape(made, AtomicUsize::new(0), input))
}

fn fleet(steps: std::ops::Range<u64>, x: f64) -> Vec<Row> {
    steps.map(|at| ship(step(at), 0, x + at as f64)).collect()
}

#[test]
fn all_tables_are_compared_in_one_pass() {
    let ours = fleets(fleet(0..30_000, 0.0), fleet(10_000..30_000, 0.5));
    let theirs = fleets(fleet(0..30_000, 0.0), fleet(10_000..29_999, 0.5));
    let found = whole([ours.clone(), theirs.clone()]);
    let said: Vec<String> = found.tables.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "green: 1 row differs (x in 1); first at step 29999: ship 0: x is 29999.5 m in the first, 29998.5 m in the second"
        ]
    );
    let passes = [&ours, &theirs].map(|tape| tape.1.load(Ordering::Relaxed));
    assert_eq!(passes, [1, 1]);
}

#[test]
fn where_one_says_much_that_the_other_does_not_nothing_is_missed() {
    // The second recording has no rows of the green ships until the very end, but many of the red
    // ships.
    let ours = fleets(fleet(0..200_000, 0.0), fleet(0..200_000, 0.5));
    let theirs = fleets(fleet(0..200_000, 0.0), fleet(199_999..200_000, 0.5));
    for (tapes, is) in [
        ([&ours, &theirs], [0, 199_999, 0]),
        ([&theirs, &ours], [0, 0, 199_999]),
    ] {
        let found = whole(tapes.map(|tape| Arc::clone(tape) as Arc<dyn Tape>));
        assert_eq!(found.tables.len(), 1);
        let table = &found.tables[0];
        assert_eq!([table.rows, table.only_first, table.only_second], is);
        assert_eq!(found.steps.len(), 199_999);
    }
    // This table is read a second time, separately.
    assert_eq!(ours.1.load(Ordering::Relaxed), 4);
}

/// Rows of a table of events, each at its own time.
fn clicks(times: impl IntoIterator<Item = (u64, u64)>) -> (TableDef, Vec<Row>) {
    let table = TableDef::new("clicks", Lane::Events, "Clicks.").with(ColumnDef::new(
        "x",
        Kind::Uint,
        "Where.",
    ));
    let rows = (0..).zip(times).map(|(step, (ms, x))| {
        let at = Stamp {
            step,
            tick: None,
            time: Some(Time(ms.cast_signed() * 1_000_000)),
        };
        row(at, [x.into()])
    });
    (table, rows.collect())
}

fn timed(ours: (TableDef, Vec<Row>), theirs: (TableDef, Vec<Row>)) -> TablesDiff {
    let [ours, theirs] = [ours, theirs].map(|table| Made::new(Clocks::TIMES, vec![table]));
    whole([ours.shared(), theirs.shared()])
}

/// An inserted row moves all rows after it; this is one difference.
#[test]
fn a_row_that_is_put_in_between_differs_alone() {
    let plain =
        |from: u64, to: u64, later: u64| (from..to).map(move |n| (n * 7 + later, n * n % 89));
    let ours = || clicks(plain(0, 300, 0));
    let theirs = clicks(
        plain(0, 100, 0)
            .chain([(703, 999)])
            .chain(plain(100, 300, 25)),
    );
    let found = timed(ours(), theirs);
    let table = &found.tables[0];
    let counts = (table.rows, table.only_first, table.only_second, table.moved);
    assert_eq!(counts, (0, 0, 1, 200));
    // The inserted row, and the moved rows.
    assert_eq!(found.steps.len(), 1, "{:?}", found.steps);
    assert!(
        table
            .to_string()
            .contains("200 rows are the same at another moment"),
        "{table}"
    );
    // Without the inserted row, there are only moved rows.
    let theirs = clicks(plain(0, 100, 0).chain(plain(100, 300, 25)));
    let found = timed(ours(), theirs);
    let table = &found.tables[0];
    let counts = (table.rows, table.only_first, table.only_second, table.moved);
    assert_eq!((counts, found.steps.len()), ((0, 0, 0, 200), 1));
    // If two recordings have little in common, rows are matched by moment.
    let theirs = clicks((0..300).map(|n| (n * 7 + 3, n % 7 + 100)));
    assert_eq!(timed(ours(), theirs).tables[0].moved, 0);
}
