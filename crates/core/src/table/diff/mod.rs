//! What differs between the tables of two recordings.

mod align;
mod compare;
mod feed;
mod found;
mod pass;
mod same;

pub use self::found::{Cell, RowDiff, TableDiff, TablesDiff, Which};

use super::def::TableDef;
use crate::tape::{Error, Partial, Tape};

/// Compares the rows of two recordings, table by table, in one pass over each of them.
///
/// Rows belong together by their tick where those of both recordings have one, else by their time to the
/// millisecond, else by their step; of several steps at one time, and where a clock goes back, the
/// first with the first, and so on. Of a state and of a grid what holds is compared, by key, wherever
/// one of the two says something new, and nothing holds behind a recording's last step; of events
/// the first of a step with the first. Numbers that are no further apart than the precisions of
/// both columns allow are the same; of columns that are rounded in one way, those that are equal. What
/// is secret is compared, and not shown.
///
/// Where a row that one has alone moves all that follow it to other times, rows belong together by
/// their order: those that are the same at another moment are counted, and are one difference. That is
/// tried with tables of a few hundred thousand rows at most, of which all but a few are the same.
///
/// ```
/// # use gametape_core::tape::Tape;
/// fn first(ours: &dyn Tape, theirs: &dyn Tape) -> Result<(), gametape_core::tape::Error> {
///     let found = gametape_core::table::diff_tables([ours, theirs])?;
///     for table in &found.value.tables {
///         // players: 12 rows differ: head_x in 12, ping in 3; first at step 137 (1:23.4), …
///         println!("{table}");
///     }
///     Ok(())
/// }
/// ```
///
/// Recordings that break off are compared as far as both can be read; what is wrong with them is said
/// beside, of the second as [`Error::Other`].
///
/// # Errors
/// Where nothing can be read, of the second as [`Error::Other`]; where the system gives no thread.
pub fn diff_tables(tapes: [&dyn Tape; 2]) -> Result<Partial<TablesDiff>, Error> {
    let [ours, theirs] = tapes;
    let (ours, theirs) = (ours.tables()?, theirs.tables().map_err(Error::of_other)?);
    let last = [
        tapes[0].playback()?,
        tapes[1].playback().map_err(Error::of_other)?,
    ];
    let last = last.map(|play| play.span().last);
    let pairs = ours.iter().filter_map(|table| {
        let other = theirs.iter().find(|other| other.name == table.name);
        other.map(|other| [table, other])
    });
    let pairs: Vec<[&TableDef; 2]> = pairs.collect();
    let compared = pass::compare(tapes, last, &pairs)?;
    let closer = pairs.iter().zip(compared).map(|(pair, compared)| {
        let closer = match compared.problem {
            Some(_) => None,
            None => closer(tapes, *pair, &compared.value)?,
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

/// What is left where rows have moved; columns whose numbers need not be equal tell no rows apart.
fn closer(
    tapes: [&dyn Tape; 2],
    tables: [&TableDef; 2],
    found: &(TableDiff, Vec<u64>),
) -> Result<Option<(TableDiff, Vec<u64>)>, Error> {
    let comparison = compare::Comparison::new(tables);
    match comparison.scan().filter(|_| comparison.is_exact()) {
        Some(scan) => align::closer(tapes, tables[0], &scan, found),
        None => Ok(None),
    }
}

/// A table that one of the two has.
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
