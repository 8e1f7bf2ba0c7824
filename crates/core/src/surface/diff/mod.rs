//! Differences between the tables of two recordings.

mod align;
mod compare;
mod found;
mod pass;
mod queue;

pub use self::found::{Cell, RowDiff, TableDiff, TablesDiff, Which};

use std::sync::Arc;

use crate::table::TableDef;
use crate::tape::{Error, Partial, Tape, Work};

/// Compares the rows of two recordings, table by table, in one pass over each. A table in which the two
/// are far apart, or whose rows may only have moved, is read once more.
///
/// Rows are matched by tick if both recordings have ticks, else by time to the millisecond if both
/// have times, else by step. If several steps share a time, or if a clock goes backwards, they are
/// matched in order: the first with the first, and so on. States and grids are compared by key, at
/// each moment when either recording has a new row; after a recording's last step its state is
/// empty. Events of a moment are compared in order. Floating-point numbers are equal if they differ
/// by no more than the precisions of both columns together; if both columns have the same
/// precision, only equal numbers are. Secret values are compared but not shown.
///
/// If a row that only one recording has moves all later rows to other times, rows are matched by
/// their content and order instead. Rows that are the same at another moment are then counted, and
/// reported as one difference. This is tried only for tables with at most a few hundred thousand
/// rows, almost all of which are the same in both recordings.
///
/// ```
/// # use std::sync::Arc;
/// # use gametape_core::tape::{Tape, Work};
/// fn first(ours: &Arc<dyn Tape>, theirs: &Arc<dyn Tape>) -> Result<(), gametape_core::tape::Error> {
///     // Broken recordings are not compared here: their problem is an error.
///     let found = gametape_core::surface::diff_tables([ours, theirs], &Work::default())?.whole()?;
///     for table in &found.tables {
///         // players: 12 rows differ: head_x in 12, ping in 3; first at step 137 (1:23.4), …
///         println!("{table}");
///     }
///     Ok(())
/// }
/// ```
///
/// If a recording is broken, the readable parts are compared, and the problem is returned with the
/// result; a problem of the second recording is wrapped in [`Error::Other`].
///
/// Reports as progress how many bytes of the first recording were compared.
///
/// # Errors
/// If nothing can be read, for the second recording wrapped in [`Error::Other`]; [`Error::Cancelled`].
pub fn diff_tables(
    tapes: [&Arc<dyn Tape>; 2],
    work: &Work<'_>,
) -> Result<Partial<TablesDiff>, Error> {
    let [ours, theirs] = tapes;
    let (mut ours, mut theirs) = (ours.tables()?, theirs.tables().map_err(Error::of_other)?);
    for tables in [&mut ours, &mut theirs] {
        tables.retain(|table| !table.on_request);
    }
    // The ends are found quickly, or take a reading of their own: the progress is that of the rows.
    let silent = work.silent();
    let last = [
        tapes[0].playback_with(&silent)?,
        tapes[1].playback_with(&silent).map_err(Error::of_other)?,
    ];
    let last = last.map(|play| play.span().last);
    let pairs = ours.iter().filter_map(|table| {
        let other = theirs.iter().find(|other| other.name == table.name);
        other.map(|other| [table, other])
    });
    let pairs: Vec<[&TableDef; 2]> = pairs.collect();
    let compared = pass::compare(tapes, last, &pairs, work)?;
    let closer = pairs.iter().zip(compared).map(|(pair, compared)| {
        let closer = match compared.problem {
            Some(_) => None,
            None => closer(tapes, *pair, &compared.value, &silent)?,
        };
        Ok(closer.map_or(compared, Partial::from))
    });
    let compared: Result<Vec<_>, Error> = closer.collect();
    let mut compared = compared?.into_iter();
    let mut found = TablesDiff::default();
    let mut problem = None;
    let in_both = |name: &str| pairs.iter().any(|[table, _]| table.name == name);
    for table in &ours {
        if !in_both(&table.name) {
            found.put(alone(table, Which::First));
        } else if let Some(compared) = compared.next() {
            found.put(compared.value);
            problem = problem.or(compared.problem);
        }
    }
    for table in theirs.iter().filter(|table| !in_both(&table.name)) {
        found.put(alone(table, Which::Second));
    }
    found.steps.sort_unstable();
    found.steps.dedup();
    Ok(Partial::new(found, problem))
}

/// Looks for rows that moved to other times. Columns whose numbers need not be exactly equal cannot
/// identify rows.
fn closer(
    tapes: [&Arc<dyn Tape>; 2],
    tables: [&TableDef; 2],
    found: &(TableDiff, Vec<u64>),
    work: &Work<'_>,
) -> Result<Option<(TableDiff, Vec<u64>)>, Error> {
    let comparison = compare::Comparison::new(tables);
    match comparison.scan().filter(|_| comparison.is_exact()) {
        Some(scan) => align::closer(tapes, tables[0], &scan, found, work),
        None => Ok(None),
    }
}

/// Returns the difference for a table that only one recording has.
fn alone(table: &TableDef, which: Which) -> (TableDiff, Vec<u64>) {
    let found = TableDiff {
        table: table.name.to_string(),
        only_in: Some(which),
        ..TableDiff::default()
    };
    (found, Vec::new())
}

#[cfg(test)]
mod tests;
