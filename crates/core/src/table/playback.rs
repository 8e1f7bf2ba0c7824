//! What holds at a moment.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::batch::{Batch, Owned, Value};
use super::def::{Lane, TableDef};
use super::scan::{Scan, ScanError};
use crate::clock::{At, Clocks, Stamp};
use crate::tape::{Error, Tape};

/// From where to where a recording goes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Span {
    /// The first moment.
    pub first: Stamp,
    /// The last one.
    pub last: Stamp,
}

/// A recording at a moment: it is sought, or gone to step by step; what holds then can be asked for.
pub trait Playback {
    /// From where to where the recording goes; of a broken one as far as it can be read.
    fn span(&self) -> Span;

    /// The moment that it is at: at first that of the first step.
    fn now(&self) -> Stamp;

    /// Goes to the newest step that is not after this moment, and gives its stamp.
    ///
    /// # Errors
    /// [`Error::NotRecorded`] before the first moment and behind the last, [`Error::NoClock`]; where
    /// what is needed can't be read. It then stays where it is.
    fn seek(&mut self, at: At) -> Result<Stamp, Error>;

    /// Goes to the next step, and gives its stamp; `None` behind the last.
    ///
    /// # Errors
    /// Where what is needed can't be read.
    fn step(&mut self) -> Result<Option<Stamp>, Error>;

    /// The rows of a state, and the cells of a grid, that hold now; the facts. Columns, filters and
    /// secrets are those of the scan, its range says nothing. The rows have the stamps that they hold
    /// since, and come in the order of their keys.
    ///
    /// # Errors
    /// [`Error::Scan`]; where what is needed can't be read.
    fn state(&mut self, scan: &Scan) -> Result<Batch, Error>;
}

/// The playback of a recording that can scan: what holds is what a scan up to then gives.
///
/// Going forward costs what lies between, going back what lies before: for formats whose recordings
/// are small. It holds a stamp a step, and what holds.
///
/// ```
/// # let bytes = include_bytes!("../../README.md");
/// # use gametape_core::tape::Tape;
/// fn cursor(tape: &dyn Tape) -> Result<(), gametape_core::tape::Error> {
///     use gametape_core::table::{Playback, Scan, ScanPlayback};
///     let mut play = ScanPlayback::new(tape)?;
///     play.seek("1:23.4".parse().unwrap())?;
///     let cursor = play.state(&Scan::table("cursor"))?;
///     println!("{:?}", cursor.get(0, 0));
///     Ok(())
/// }
/// ```
pub struct ScanPlayback<'t> {
    tape: &'t dyn Tape,
    tables: Vec<TableDef>,
    /// A stamp a step.
    stamps: Vec<Stamp>,
    now: usize,
    held: BTreeMap<String, Held>,
}

/// What held at a moment of a table.
struct Held {
    /// Rows up to this step are in.
    upto: u64,
    rows: BTreeMap<Vec<Owned>, (Stamp, Vec<Owned>)>,
}

impl<'t> ScanPlayback<'t> {
    /// At the first step.
    ///
    /// # Errors
    /// Where nothing can be read.
    pub fn new(tape: &'t dyn Tape) -> Result<Self, Error> {
        let tables = tape.tables()?;
        let mut stamps = BTreeMap::new();
        for table in tables.iter().filter(|table| table.lane != Lane::Facts) {
            // Stamps alone can't be asked for: a column that costs little is.
            let column = table.columns.iter().find(|column| column.key);
            let column = column.or_else(|| table.columns.first());
            let scan = Scan::table(&*table.name).columns(column.map(|column| &*column.name));
            tape.scan(&scan, &mut |batch| {
                for row in 0..batch.len() {
                    let stamp = batch.stamp(row);
                    stamps.entry(stamp.step).or_insert(stamp);
                }
                Ok(ControlFlow::Continue(()))
            })?;
        }
        Ok(Self {
            tape,
            tables,
            stamps: stamps.into_values().collect(),
            now: 0,
            held: BTreeMap::new(),
        })
    }

    /// Brings a table up to now.
    fn hold(&mut self, table: &TableDef) -> Result<(), Error> {
        let now = self.now().step;
        let name = table.name.to_string();
        if self.held.get(&name).is_some_and(|held| held.upto == now) {
            return Ok(());
        }
        let held = self.held.remove(&name).filter(|held| held.upto < now);
        let scan = Scan {
            secrets: crate::tape::Secrets::Show,
            from: held
                .as_ref()
                .map(|held| At::Step(held.upto.saturating_add(1))),
            to: (table.lane != Lane::Facts).then_some(At::Step(now)),
            ..Scan::table(&*name)
        };
        let mut held = held.unwrap_or_else(|| Held {
            upto: 0,
            rows: BTreeMap::new(),
        });
        let keys: Vec<usize> = places(table, |column| column.key);
        // What is wrong with the recording does not change what holds before it.
        self.tape.scan(&scan, &mut |batch| {
            for row in 0..batch.len() {
                let key = keys.iter().map(|at| batch.get(row, *at).into()).collect();
                if batch.is_end(row) {
                    held.rows.remove(&key);
                    continue;
                }
                let values = batch.columns().iter().map(|column| column.get(row).into());
                held.rows.insert(key, (batch.stamp(row), values.collect()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        held.upto = now;
        self.held.insert(name, held);
        Ok(())
    }
}

fn places(table: &TableDef, is: impl Fn(&super::ColumnDef) -> bool) -> Vec<usize> {
    let columns = table.columns.iter().enumerate();
    columns
        .filter_map(|(at, column)| is(column).then_some(at))
        .collect()
}

impl Playback for ScanPlayback<'_> {
    fn span(&self) -> Span {
        Span {
            first: self.stamps.first().copied().unwrap_or_default(),
            last: self.stamps.last().copied().unwrap_or_default(),
        }
    }

    fn now(&self) -> Stamp {
        self.stamps.get(self.now).copied().unwrap_or_default()
    }

    fn seek(&mut self, at: At) -> Result<Stamp, Error> {
        let last = self.span().last;
        let clocks = Clocks {
            ticks: last.tick.is_some(),
            times: last.time.is_some(),
        };
        clocks.check(Some(at))?;
        self.now = newest(&self.stamps, at)?;
        Ok(self.now())
    }

    fn step(&mut self) -> Result<Option<Stamp>, Error> {
        let next = self.stamps.get(self.now + 1).copied();
        self.now += usize::from(next.is_some());
        Ok(next)
    }

    fn state(&mut self, scan: &Scan) -> Result<Batch, Error> {
        let table = scan.find(&self.tables)?.clone();
        if table.lane == Lane::Events {
            return Err(ScanError::NoState {
                table: table.name.into(),
            }
            .into());
        }
        let mut state = scan.holding(&table)?;
        self.hold(&table)?;
        if let Some(held) = self.held.get(&*table.name) {
            for (stamp, values) in held.rows.values() {
                let value = |at: usize| values.get(at).map_or(Value::Null, Owned::value);
                state.row(*stamp, value);
            }
        }
        Ok(state.batch)
    }
}

/// Which stamp is the newest that is not after a moment.
///
/// # Errors
/// [`Error::NotRecorded`] before the first and behind the last. A clock that no stamp has is refused
/// before.
fn newest(stamps: &[Stamp], at: At) -> Result<usize, Error> {
    let not_recorded = Error::NotRecorded { at };
    let last = stamps.last().and_then(|last| at.order(*last));
    if last.is_none_or(Ordering::is_lt) {
        return Err(not_recorded);
    }
    let after = stamps.partition_point(|stamp| at.order(*stamp).is_some_and(Ordering::is_le));
    after.checked_sub(1).ok_or(not_recorded)
}
