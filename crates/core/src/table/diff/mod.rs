//! What differs between the tables of two recordings.

mod compare;
mod feed;
mod found;
mod same;

pub use self::found::{Cell, RowDiff, TableDiff, TablesDiff, Which};

use super::def::TableDef;
use super::kind::Lane;
use crate::tape::{Error, Partial, Tape};

use self::compare::Comparison;

/// Compares the rows of two recordings, table by table, facts apart: those are what the header and the
/// statistics say.
///
/// Rows are those of one moment: the tick where both recordings have one, else the time to the
/// millisecond, else the step. Of a state and of a grid what holds is compared, by key, wherever one of
/// the two says something new; of events the first of a moment with the first, and so on. Numbers that
/// are no further apart than the precisions of both columns allow are the same. What is secret is
/// compared, and not shown.
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
    let told = |tables: &[TableDef]| -> Vec<TableDef> {
        let told = tables.iter().filter(|table| table.lane != Lane::Facts);
        told.cloned().collect()
    };
    let (ours, mut theirs) = (told(&ours), told(&theirs));
    let mut found = TablesDiff::default();
    let mut problem = None;
    for table in &ours {
        let other = theirs.iter().position(|other| other.name == table.name);
        match other.map(|at| theirs.remove(at)) {
            Some(other) => {
                let compared = Comparison::new([table, &other]).run(tapes)?;
                found.put(compared.value);
                problem = problem.or(compared.problem);
            }
            None => found.put(alone(table, Which::First)),
        }
    }
    for table in &theirs {
        found.put(alone(table, Which::Second));
    }
    found.steps.sort_unstable();
    found.steps.dedup();
    Ok(Partial::new(found, problem))
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
