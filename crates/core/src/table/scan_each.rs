//! Several tables in one pass.

use std::cell::Cell;
use std::ops::ControlFlow;

use super::batch::Batch;
use super::scanning::{Scanning, Waiting};
use crate::tape::Error;

/// Takes the rows of several scans: the index of the scan, and a batch of its rows. It breaks to
/// stop that scan.
pub type VisitEach<'v> = dyn FnMut(usize, &Batch) -> Result<ControlFlow<()>, Error> + 'v;

/// Splits one [`VisitEach`] into a visitor for each scan. A format that reads several tables in one
/// pass has a [`Scanning`](super::Scanning) for each.
///
/// ```
/// use std::ops::ControlFlow;
/// use gametape_core::table::{Batch, ColumnDef, Kind, Lane, Scan, Scanning, TableDef, Visitors};
/// use gametape_core::{Clocks, Stamp};
///
/// let number = |name| {
///     let column = ColumnDef::new("number", Kind::Uint, "A number.");
///     TableDef::new(name, Lane::Events, "Numbers.").with(column)
/// };
/// let tables = [number("even"), number("odd")];
/// let scans = ["even", "odd"].map(Scan::table);
///
/// let mut seen = Vec::new();
/// let mut visit = |scan: usize, batch: &Batch| {
///     seen.push((scan, batch.len()));
///     Ok(ControlFlow::Continue(()))
/// };
/// let visitors = Visitors::new(&mut visit);
/// let mut each: Vec<_> = (0..scans.len()).map(|scan| visitors.of(scan)).collect();
/// let mut rows = Vec::new();
/// for ((table, scan), visit) in tables.iter().zip(&scans).zip(&mut each) {
///     rows.push(Scanning::new(table, scan, Clocks::STEPS, visit)?);
/// }
/// for step in 0..7_u64 {
///     let stamp = Stamp { step, tick: None, time: None };
///     let _ = rows[step as usize % 2].row(stamp, |_| step.into())?;
/// }
/// for rows in rows {
///     rows.end(None)?;
/// }
/// drop(each);
/// assert_eq!(seen, [(0, 4), (1, 3)]);
/// # Ok::<(), gametape_core::tape::Error>(())
/// ```
pub struct Visitors<'v> {
    /// Always present, except while the visitor runs.
    visit: Cell<Option<&'v mut VisitEach<'v>>>,
}

impl<'v> Visitors<'v> {
    /// Splits this visitor.
    pub const fn new(visit: &'v mut VisitEach<'v>) -> Self {
        Self {
            visit: Cell::new(Some(visit)),
        }
    }

    /// Returns the visitor of a scan.
    pub fn of(
        &self,
        scan: usize,
    ) -> impl FnMut(&Batch) -> Result<ControlFlow<()>, Error> + use<'_, 'v> {
        move |batch| {
            let Some(visit) = self.visit.take() else {
                return Ok(ControlFlow::Break(()));
            };
            let seen = visit(scan, batch);
            self.visit.set(Some(visit));
            seen
        }
    }
}

/// Resumes several scans: `give` passes them the rows that have arrived, and then they wait again.
///
/// # Errors
/// The errors of the visitor and of `give`; the scans are then lost.
pub fn go_on<T>(
    scans: &mut Vec<Waiting>,
    visit: &mut VisitEach<'_>,
    give: impl FnOnce(&mut [Scanning<'_>]) -> Result<T, Error>,
) -> Result<T, Error> {
    let visitors = Visitors::new(visit);
    let mut each: Vec<_> = (0..scans.len()).map(|scan| visitors.of(scan)).collect();
    let begun = scans.drain(..).zip(&mut each);
    let mut rows: Vec<Scanning<'_>> = begun.map(|(scan, visit)| scan.go_on(visit)).collect();
    let given = give(&mut rows)?;
    for rows in rows {
        scans.push(rows.wait()?);
    }
    Ok(given)
}
