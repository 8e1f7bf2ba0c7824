//! The rows of tables, frame after frame: of as many tables as are asked for at once.

use gametape_core::Clocks;
use gametape_core::table::{Place, Scan, Scanning, TableDef, Visit, VisitEach, Visitors};
use gametape_core::tape::{Error, Partial};

use super::beside::{Beside, Given};
use super::frame::{State, stamp};
use super::giving::{Ended, Giving};
use super::precision::tables;
use crate::Error as ReadError;
use crate::butter::Parts;
use crate::stats::StatsBuilder;
use crate::tape::opened::EchoTape;

/// The rows of a table.
pub fn scan<'v>(
    tape: &EchoTape,
    scan: &Scan,
    visit: &'v mut Visit<'v>,
) -> Result<Partial<()>, Error> {
    let tables = tables(tape.format);
    tape.reads_all();
    let from = match beside(tape, &tables, scan, visit)? {
        Given::All => return Ok(().into()),
        Given::Before(step) => step,
    };
    let scans = std::slice::from_ref(scan);
    let mut read = in_order(tape, &tables, scans, from, &mut |_, batch| visit(batch))?;
    Ok(Partial::new((), read.pop().and_then(|read| read.problem)))
}

/// The rows of several tables, in one pass.
pub fn scan_each<'v>(
    tape: &EchoTape,
    scans: &[Scan],
    visit: &'v mut VisitEach<'v>,
) -> Result<Vec<Partial<()>>, Error> {
    match scans {
        [] => Ok(Vec::new()),
        [scan] => Ok(vec![self::scan(tape, scan, &mut |batch| visit(0, batch))?]),
        scans => {
            tape.reads_all();
            in_order(tape, &tables(tape.format), scans, 0, visit)
        }
    }
}

/// The rows of a state of a .butter, as far as they can be had from several chunks at once.
fn beside(
    tape: &EchoTape,
    tables: &[TableDef],
    scan: &Scan,
    visit: &mut Visit<'_>,
) -> Result<Given, Error> {
    let table = scan.find(tables)?;
    let Some(state) = State::of(&table.name) else {
        return Ok(Given::Before(0));
    };
    let mut nobody = |_: &_| Ok(std::ops::ControlFlow::Continue(()));
    let wanted = Scanning::new(table, scan, Clocks::TIMES, &mut nobody)?;
    let parts = state.parts(table, |column| wanted.needs(column));
    let beside = Beside {
        tape,
        table,
        scan,
        state,
        parts,
    };
    beside.given(visit)
}

/// A table whose rows are given.
struct Going<'v> {
    giving: Giving,
    rows: Scanning<'v>,
    /// Nothing that follows is wanted.
    enough: bool,
}

/// Gives the rows of all frames from a step on, one after another.
fn in_order<'v>(
    tape: &EchoTape,
    tables: &[TableDef],
    scans: &[Scan],
    from: u64,
    visit: &'v mut VisitEach<'v>,
) -> Result<Vec<Partial<()>>, Error> {
    let visitors = Visitors::new(visit);
    let mut visits: Vec<_> = (0..scans.len()).map(|scan| visitors.of(scan)).collect();
    let mut going = Vec::with_capacity(scans.len());
    let mut parts = Parts::NONE;
    for (scan, visit) in scans.iter().zip(&mut visits) {
        let table = scan.find(tables)?;
        let rows = Scanning::new(table, scan, Clocks::TIMES, visit)?;
        let giving = Giving::of(table, &rows, scan.secrets);
        parts = parts.with(giving.parts());
        going.push(Going {
            giving,
            rows,
            enough: false,
        });
    }
    let mut frames = tape.frames_of(parts)?;
    // What tells of the whole match is counted once, whoever asks for it.
    let counts = going.iter().any(|going| going.giving.counts());
    let mut builder = counts.then(StatsBuilder::new);
    let mut start = None;
    let failed = loop {
        let step = frames.count;
        let frame = match frames.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break None,
            Err(ReadError::Malformed(finding)) if step > 0 => break Some(finding),
            Err(error) => return Err(error.into()),
        };
        let stamp = stamp(step, frame, &mut start);
        if let Some(builder) = &mut builder {
            builder.push(frame);
        }
        let so_far = builder.as_ref().map(StatsBuilder::so_far);
        let mut enough = true;
        for going in going.iter_mut().filter(|going| !going.enough) {
            if step < from {
                if step + 1 == from {
                    going.giving.know(frame)?;
                }
            } else {
                let (giving, rows) = (&mut going.giving, &mut going.rows);
                let behind = !giving.is_of_the_whole() && rows.place(stamp) == Place::Behind;
                going.enough = behind || giving.frame(frame, stamp, so_far, rows)?.is_break();
            }
            enough &= going.enough;
        }
        if enough {
            break None;
        }
    };
    let ended = Ended {
        tape,
        frames: &frames,
        stats: builder.map(StatsBuilder::finish),
    };
    let problem = || match &failed {
        Some(finding) => Some((**finding).clone().into()),
        None => frames.findings().problem(),
    };
    let ends = going.into_iter().map(|going| {
        // Who has enough has not asked for what is behind it.
        let problem = (!going.enough).then(problem).flatten();
        going.giving.end(&ended, problem, going.rows)
    });
    ends.collect()
}
