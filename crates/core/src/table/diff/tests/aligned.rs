//! Rows that one recording has more, which move all later ones.

use super::*;

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
