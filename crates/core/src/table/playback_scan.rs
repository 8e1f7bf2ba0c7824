//! Scanning the tables of a recording through its playback.

use super::changes::Changes;
use super::def::TableDef;
use super::kind::Lane;
use super::playback::Playback;
use super::scan::Scan;
use super::scanning::{Place, Scanning, Visit};
use crate::clock::{At, Clocks, Stamp};
use crate::tape::{Error, Partial, Secrets};

/// Gives the rows of a table by stepping through a playback; the default implementation of
/// [`Tape::scan`](crate::tape::Tape::scan). A row of a state, or a cell of a grid, is given when it
/// is new or when any of its values changed. The whole state is compared at each step, whichever
/// columns are requested. `problem` returns the problem of the recording after its last step.
///
/// # Errors
/// Same as [`Tape::scan`](crate::tape::Tape::scan).
pub fn scan_by_stepping<'v>(
    play: &mut dyn Playback,
    tables: &[TableDef],
    scan: &Scan,
    visit: &'v mut Visit<'v>,
    problem: impl FnOnce() -> Result<Option<Error>, Error>,
) -> Result<Partial<()>, Error> {
    let table = scan.find(tables)?;
    let span = play.span();
    let clocks = Clocks {
        ticks: span.first.tick.is_some(),
        times: span.first.time.is_some(),
    };
    match table.lane {
        Lane::Events => play.events(scan, visit),
        Lane::Facts => {
            let mut rows = Scanning::new(table, scan, clocks, visit)?;
            let facts = play.state(&whole(table))?;
            for row in 0..facts.len() {
                if rows.row(span.first, |at| facts.get(row, at))?.is_break() {
                    break;
                }
            }
            rows.end(problem()?)
        }
        Lane::State | Lane::Grid => {
            let mut rows = Scanning::new(table, scan, clocks, visit)?;
            changes(play, table, &mut rows)?;
            rows.end(problem()?)
        }
    }
}

/// Returns a scan of all columns, including secrets.
fn whole(table: &TableDef) -> Scan {
    Scan {
        secrets: Secrets::Show,
        ..Scan::table(&*table.name)
    }
}

/// Goes to the last step before a range, or to the first step if there is none. From there, changes
/// can be computed.
fn start(play: &mut dyn Playback, from: Option<At>) -> Result<Option<Stamp>, Error> {
    let first = play.span().first;
    let begins = match from.map(|from| play.seek(from)) {
        None | Some(Err(Error::NotRecorded { .. })) => first,
        Some(begins) => begins?,
    };
    // Several steps may share a moment: go back to the first of them.
    let mut begins = begins.step;
    while begins > first.step {
        let before = play.seek(At::Step(begins.saturating_sub(1)))?;
        begins = before.step;
        let is_before = from.and_then(|from| from.order(before)) == Some(std::cmp::Ordering::Less);
        if is_before {
            return Ok(Some(before));
        }
    }
    match play.seek(At::Step(first.step)) {
        // A recording without steps has no state.
        Err(Error::NotRecorded { .. }) => Ok(None),
        sought => sought.map(Some),
    }
}

fn changes(
    play: &mut dyn Playback,
    table: &TableDef,
    rows: &mut Scanning<'_>,
) -> Result<(), Error> {
    let mut changes = Changes::of(table, &whole(table))?;
    let mut now = start(play, rows.from())?;
    while let Some(stamp) = now {
        if rows.place(stamp) == Place::Behind {
            return Ok(());
        }
        let changed = changes.next(play)?;
        for row in 0..changed.len() {
            let value = |at: usize| changed.get(row, at);
            let flow = if changed.is_end(row) {
                rows.ended(stamp, value)?
            } else {
                rows.row(stamp, value)?
            };
            if flow.is_break() {
                return Ok(());
            }
        }
        now = play.step()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::any::Any;

    use super::super::kit::{self, Made, Row};
    use super::super::{ColumnDef, Kind, ScanPlayback, Value};
    use super::*;
    use crate::clock::Time;
    use crate::input::Input;
    use crate::tape::{Audit, Info, Options, Repaired, Sink, Tape, Work};

    /// A recording with a playback and without its own scan.
    struct Played(Made);

    impl Tape for Played {
        fn input(&self) -> &Input {
            self.0.input()
        }

        fn any(&self) -> &dyn Any {
            self
        }

        fn info(&self, secrets: Secrets) -> Result<Partial<Info>, Error> {
            self.0.info(secrets)
        }

        fn audit(&self, options: &Options) -> Result<Audit, Error> {
            self.0.audit(options)
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

        fn own_playback(&self) -> Result<Option<Box<dyn Playback + '_>>, Error> {
            Ok(Some(Box::new(ScanPlayback::new(&self.0)?)))
        }
    }

    fn at(step: u64) -> Stamp {
        Stamp {
            step,
            tick: Some(step * 3),
            // Several steps share a time.
            time: Some(Time::from_ms(step as i64 / 2 * 10)),
        }
    }

    fn made() -> Made {
        let ships = TableDef::new("ships", Lane::State, "Ships.")
            .with(ColumnDef::new("ship", Kind::Uint, "Its number.").key())
            .with(ColumnDef::new("x", Kind::Float64, "Where it is."))
            .with(ColumnDef::new("name", Kind::Text, "Its name."));
        let cells = TableDef::new("cells", Lane::Grid, "Cells.")
            .with(ColumnDef::new("at", Kind::Int, "Where.").key())
            .with(ColumnDef::new("heat", Kind::Float32, "How hot."))
            .shape([3]);
        let shots = TableDef::new("shots", Lane::Events, "Shots.").with(ColumnDef::new(
            "hit",
            Kind::Bool,
            "Whether it hit.",
        ));
        let run = TableDef::new("run", Lane::Facts, "The run.").with(ColumnDef::new(
            "seed",
            Kind::Uint,
            "Its seed.",
        ));
        let mut rows = [const { Vec::new() }; 4];
        rows[3].push(Row::new(at(0), [7_u64.into()]));
        for step in 0..12 {
            for ship in 0..3_u64 {
                // The last ship appears at step 4 and disappears at step 8.
                let here = ship < 2 || (4..8).contains(&step);
                if here && (step + ship) % 2 == 0 {
                    let x = Value::Float64(step as f64);
                    let name = if step == 6 { Value::Null } else { "Ada".into() };
                    rows[0].push(Row::new(at(step), [ship.into(), x, name]));
                }
            }
            if step == 8 {
                rows[0].push(Row::end(at(step), [2_u64.into()]));
            }
            for cell in 0..3_i64 {
                if step == 0 || (step as i64 + cell) % 3 == 0 {
                    let heat = Value::Float32(step as f32 / 8.0);
                    rows[1].push(Row::new(at(step), [cell.into(), heat]));
                }
            }
            if step % 4 == 1 {
                rows[2].push(Row::new(at(step), [(step > 4).into()]));
            }
        }
        let tables = [ships, cells, shots, run].into_iter().zip(rows).collect();
        Made::new(Clocks::ticks(true), tables)
    }

    #[test]
    fn a_recording_that_has_a_playback_alone_is_scanned() {
        kit::check(&made());
        kit::check(&Played(made()));
        let found = super::super::diff_tables([&made(), &Played(made())]).unwrap();
        assert_eq!(found.value.tables, []);
    }

    #[test]
    fn what_is_wrong_behind_the_last_step_is_said() {
        let empty = Played(Made::new(Clocks::STEPS, Vec::new()));
        assert_eq!(empty.tables().unwrap(), []);
        let played = Played(made());
        let mut play = played.own_playback().unwrap().unwrap();
        let tables = played.tables().unwrap();
        for table in ["ships", "run"] {
            let scanned = scan_by_stepping(
                &mut *play,
                &tables,
                &Scan::table(table),
                &mut |_| Ok(std::ops::ControlFlow::Continue(())),
                || Ok(Some(Error::Cancelled)),
            );
            let problem = scanned.unwrap().problem;
            assert!(matches!(problem, Some(Error::Cancelled)), "{table}");
        }
    }
}
