//! The rows of tables, frame after frame: of as many tables as are asked for at once.

use gametape_core::Clocks;
use gametape_core::table::{Scan, TableDef, Visit, VisitEach, Waiting, go_on};
use gametape_core::tape::{Error, Partial};

use super::beside::{Beside, Given};
use super::frame::State;
use super::pass::Pass;
use super::precision::tables;
use crate::Error as ReadError;
use crate::tape::info::Known;
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
    let wanted = Waiting::new(table, scan, Clocks::TIMES)?;
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

/// Gives the rows of all frames from a step on, one after another.
fn in_order<'v>(
    tape: &EchoTape,
    tables: &[TableDef],
    scans: &[Scan],
    from: u64,
    visit: &'v mut VisitEach<'v>,
) -> Result<Vec<Partial<()>>, Error> {
    let (mut pass, mut waiting) = Pass::new(tables, scans)?;
    let mut frames = tape.frames_of(pass.parts)?;
    let failed = go_on(&mut waiting, visit, |rows| {
        loop {
            let step = frames.count;
            let frame = match frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(None),
                Err(ReadError::Malformed(finding)) if step > 0 => return Ok(Some(finding)),
                Err(error) => return Err(error.into()),
            };
            if pass.frame(step, from, frame, rows)?.is_break() {
                return Ok(None);
            }
        }
    })?;
    let problem = || match &failed {
        Some(finding) => Some((**finding).clone().into()),
        None => frames.findings().problem(),
    };
    pass.end(Known::of(tape, &frames), problem, waiting, visit)
}
