//! A recording that grows.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::row::KeptInput;
use super::{Row, all_of, rows_of};
use crate::input::Input;
use crate::table::{Batch, Lane, Scan, TableDef};
use crate::tape::{Follow, Tape, Work};

/// Checks that a recording that arrives in pieces gives the same as the whole recording: the same
/// rows in the same order, the same problems, and no new rows at or before a step that was already
/// reported as complete. `cuts` are the sizes of the pieces, counted from the start; `open` opens
/// the bytes so far. Following starts with the first piece that can be opened. Returns how often a
/// new step was reported as complete; 0 if the recording cannot be followed.
///
/// # Panics
/// If a check fails.
pub fn grows(open: impl Fn(Input) -> Option<Arc<dyn Tape>>, bytes: &[u8], cuts: &[usize]) -> usize {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let piece = |cut: &usize| Input::from(bytes.get(..*cut).unwrap_or_default().to_vec());
    let begun = cuts.iter().enumerate().find_map(|(at, cut)| {
        let tape = open(piece(cut))?;
        let tables = tape.tables().ok()?;
        let scans: Vec<Scan> = tables.iter().map(all_of).collect();
        let follow = tape.follow(&scans).ok()?;
        Some((at, tables, scans, follow))
    });
    let Some((first, tables, scans, Some(mut follow))) = begun else {
        return 0;
    };
    let mut seen = Seen::of(&tables);
    let mut reported = 0;
    for cut in cuts.iter().skip(first) {
        let _kept = KeptInput {
            input: &piece(cut),
            what: format!("the first {cut} of {} bytes", bytes.len()),
        };
        let whole = match follow.more(&piece(cut), &mut |scan, batch| Ok(seen.take(scan, &batch))) {
            Ok(whole) => whole.map(|stamp| stamp.step),
            Err(error) => panic!("{cut} bytes: {error}"),
        };
        assert!(whole >= seen.settled, "{cut} bytes: {whole:?} goes back");
        reported += usize::from(whole > seen.settled);
        seen.settled = whole;
    }
    let all = Input::from(bytes.to_vec());
    let _kept = KeptInput {
        input: &all.clone(),
        what: format!("the whole, which came in pieces up to {cuts:?}"),
    };
    let problems = ended(follow, &all, &mut seen);
    let Some(tape) = open(all) else {
        panic!("the whole can't be opened");
    };
    let mut wanted: Vec<Vec<Row>> = vec![Vec::new(); scans.len()];
    let read = tape.scan(&scans, &Work::default(), &mut |scan, batch| {
        if let Some(rows) = wanted.get_mut(scan) {
            rows.extend(rows_of(&batch));
        }
        Ok(ControlFlow::Continue(()))
    });
    let read = read.unwrap_or_else(|error| panic!("the whole can't be read: {error}"));
    let read = read
        .iter()
        .map(|read| Some(read.problem.as_ref()?.to_string()));
    assert_eq!(problems, read.collect::<Vec<_>>(), "what is wrong");
    for ((scan, found), wanted) in scans.iter().zip(&seen.rows).zip(&wanted) {
        super::row::same_rows(scan, found, wanted);
    }
    reported
}

fn ended(follow: Box<dyn Follow>, all: &Input, seen: &mut Seen<'_>) -> Vec<Option<String>> {
    match follow.end(all, &mut |scan, batch| Ok(seen.take(scan, &batch))) {
        Ok(ends) => ends
            .iter()
            .map(|end| Some(end.problem.as_ref()?.to_string()))
            .collect(),
        Err(error) => panic!("at its end: {error}"),
    }
}

/// The rows given so far.
struct Seen<'t> {
    tables: &'t [TableDef],
    rows: Vec<Vec<Row>>,
    /// The last step that was reported as complete.
    settled: Option<u64>,
}

impl<'t> Seen<'t> {
    fn of(tables: &'t [TableDef]) -> Self {
        Self {
            tables,
            rows: vec![Vec::new(); tables.len()],
            settled: None,
        }
    }

    fn take(&mut self, scan: usize, batch: &Batch) -> ControlFlow<()> {
        let (Some(table), Some(rows)) = (self.tables.get(scan), self.rows.get_mut(scan)) else {
            panic!("there is no scan {scan}");
        };
        for row in rows_of(batch) {
            let new = table.lane == Lane::Facts || self.settled < Some(row.stamp.step);
            assert!(new, "{}: {row} after {:?}", table.name, self.settled);
            rows.push(row);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clocks, Stamp};
    use crate::table::{ColumnDef, Kind, Scans, Visit};
    use crate::tape::{
        Audit, Depth, Error, Grown, Info, Options, Partial, Repaired, Secrets, Sink,
    };

    #[derive(Clone, Copy, PartialEq, Debug)]
    enum GrowthFault {
        None,
        /// A row is lost between two pieces.
        Lost,
        /// A row is given twice.
        Twice,
        /// A step is reported as complete too early.
        Early,
        /// The complete step goes backwards.
        Back,
        /// The problem is not reported.
        Problem,
    }

    /// A recording with one row for each byte.
    #[derive(Clone)]
    struct GrowingBytes(GrowthFault, Input);

    fn table() -> TableDef {
        let column = ColumnDef::new("byte", Kind::Uint, "The byte.");
        TableDef::new("bytes", Lane::Events, "GrowingBytes.").with(column)
    }

    fn stamp(step: u64) -> Stamp {
        Stamp {
            step,
            ..Stamp::default()
        }
    }

    fn row(scans: &mut Scans, step: u64, byte: u8) {
        for rows in scans.iter_mut() {
            rows.row(stamp(step), |_| u64::from(byte).into());
        }
    }

    impl Tape for GrowingBytes {
        fn input(&self) -> &Input {
            &self.1
        }

        fn describe(&self, _: Depth, _: Secrets, _: &Work<'_>) -> Result<Partial<Info>, Error> {
            Err(Error::Cancelled)
        }

        fn audit(&self, _: &Options, _: &Work<'_>) -> Result<Audit, Error> {
            Ok(Audit::default())
        }

        fn repair(&self, _: &Options, _: &mut dyn Sink, _: &Work<'_>) -> Result<Repaired, Error> {
            Ok(Repaired::default())
        }

        fn tables(&self) -> Result<Vec<TableDef>, Error> {
            Ok(vec![table()])
        }

        fn scan(
            &self,
            scans: &[Scan],
            _: &Work<'_>,
            visit: &mut Visit<'_>,
        ) -> Result<Vec<Partial<()>>, Error> {
            let mut scans = Scans::new(&[table()], scans, Clocks::STEPS)?;
            let bytes = self.1.bytes().map_err(Error::Io)?;
            for (step, byte) in (0..).zip(&*bytes) {
                row(&mut scans, step, *byte);
            }
            scans.end(visit, |_| Some(Error::Cancelled))
        }

        fn follow(&self, scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
            Ok(Some(Box::new(Following {
                fault: self.0,
                grown: Grown::default(),
                scans: Scans::new(&[table()], scans, Clocks::STEPS)?,
                calls: 0,
            })))
        }
    }

    struct Following {
        fault: GrowthFault,
        grown: Grown,
        scans: Scans,
        calls: u64,
    }

    impl Follow for Following {
        fn more(&mut self, input: &Input, visit: &mut Visit<'_>) -> Result<Option<Stamp>, Error> {
            self.grown.look(input, b"")?;
            self.calls += 1;
            let from = self.grown.end();
            let mut bytes = Vec::new();
            while let Some(piece) = self.grown.next(input)? {
                bytes.extend_from_slice(&piece);
            }
            let new = (from..).zip(bytes).collect::<Vec<_>>();
            let wrong = |fault| self.fault == fault && self.calls == 3;
            let skipped = usize::from(wrong(GrowthFault::Lost));
            let again = new.first().filter(|_| wrong(GrowthFault::Twice)).copied();
            for (step, byte) in again.iter().chain(new.iter().skip(skipped)) {
                row(&mut self.scans, *step, *byte);
            }
            self.scans.give_all(visit)?;
            let last = match self.fault {
                GrowthFault::Early => Some(self.grown.end()),
                GrowthFault::Back if self.calls == 3 => None,
                _ => self.grown.end().checked_sub(1),
            };
            Ok(last.map(stamp))
        }

        fn end(
            self: Box<Self>,
            _: &Input,
            visit: &mut Visit<'_>,
        ) -> Result<Vec<Partial<()>>, Error> {
            let problem = || (self.fault != GrowthFault::Problem).then_some(Error::Cancelled);
            self.scans.end(visit, |_| problem())
        }
    }

    #[test]
    fn what_grows_as_it_should_stands_and_every_fault_is_noticed() {
        let bytes = b"some bytes that come in pieces";
        let stands = |fault| {
            let open = |input| Some(Arc::new(GrowingBytes(fault, input)) as Arc<dyn Tape>);
            let grows = || grows(open, bytes, &[0, 3, 11, 11, 20]);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(grows))
        };
        assert_eq!(stands(GrowthFault::None).unwrap(), 4);
        for fault in [
            GrowthFault::Lost,
            GrowthFault::Twice,
            GrowthFault::Early,
            GrowthFault::Back,
            GrowthFault::Problem,
        ] {
            assert!(stands(fault).is_err(), "{fault:?}");
        }
    }
}
