//! What holds at a moment.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::batch::{Batch, Owned, Value};
use super::def::{Lane, TableDef};
use super::scan::{Scan, ScanError};
use super::scanning::Wanted;
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

    /// Up to where a moment is reached soon, wherever that is. To go behind it, all that lies between
    /// has to be made first; where that takes long it can be done in pieces, by going a bit further
    /// each time. The last moment, unless the format says otherwise.
    fn reach(&self) -> Stamp {
        self.span().last
    }

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
    /// secrets are those of the scan, its range says nothing. The rows have the stamp of now.
    ///
    /// # Errors
    /// [`Error::Scan`]; where what is needed can't be read.
    fn state(&mut self, scan: &Scan) -> Result<Batch, Error>;
}

/// The rows that hold at a moment, as far as they are wanted: what [`Playback::state`] gives.
pub struct State {
    now: Stamp,
    wanted: Wanted,
}

impl State {
    /// Of a table, now.
    ///
    /// # Errors
    /// [`ScanError`].
    pub fn new(table: &TableDef, scan: &Scan, now: Stamp) -> Result<Self, ScanError> {
        if table.lane == Lane::Events {
            let table = table.name.to_string();
            return Err(ScanError::NoState { table });
        }
        let wanted = scan.wanted(table)?;
        Ok(Self { now, wanted })
    }

    /// The next row: `value` gives what stands in a column, by its place in
    /// the table.
    pub fn row<'r>(&mut self, value: impl Fn(usize) -> Value<'r>) {
        self.wanted.put(self.now, false, value);
    }

    /// All of them.
    #[must_use]
    pub fn rows(self) -> Batch {
        self.wanted.batch
    }

    /// The rows of a table of facts, which hold whenever they are asked for: what a scan gives.
    ///
    /// # Errors
    /// The tape's.
    pub fn facts(mut self, tape: &dyn Tape, scan: &Scan) -> Result<Batch, Error> {
        // Columns, filters and secrets are those of this state.
        let all = Scan {
            secrets: crate::tape::Secrets::Show,
            ..Scan::table(&*scan.table)
        };
        tape.scan(&all, &mut |batch| {
            for row in 0..batch.len() {
                self.row(|column| batch.get(row, column));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(self.rows())
    }
}

/// The steps of a recording, and at which of them a playback is.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    stamps: Vec<Stamp>,
    now: usize,
}

impl Steps {
    /// At the first of these, which rise.
    #[must_use]
    pub const fn new(stamps: Vec<Stamp>) -> Self {
        Self { stamps, now: 0 }
    }

    /// From where to where they go.
    #[must_use]
    pub fn span(&self) -> Span {
        Span {
            first: self.stamps.first().copied().unwrap_or_default(),
            last: self.stamps.last().copied().unwrap_or_default(),
        }
    }

    /// The step that it is at.
    #[must_use]
    pub fn now(&self) -> Stamp {
        self.stamps.get(self.now).copied().unwrap_or_default()
    }

    /// As [`Playback::seek`].
    ///
    /// # Errors
    /// As [`Playback::seek`].
    pub fn seek(&mut self, at: At) -> Result<Stamp, Error> {
        let last = self.span().last;
        let clocks = Clocks {
            ticks: last.tick.is_some(),
            times: last.time.is_some(),
        };
        clocks.check(Some(at))?;
        let order = |stamp: &Stamp| at.order(*stamp);
        let behind = self
            .stamps
            .last()
            .and_then(order)
            .is_none_or(Ordering::is_lt);
        let upto = |stamp: &Stamp| order(stamp).is_some_and(Ordering::is_le);
        let found = self.stamps.partition_point(upto).checked_sub(1);
        match found.filter(|_| !behind) {
            None => Err(Error::NotRecorded { at }),
            Some(found) => {
                self.now = found;
                Ok(self.now())
            }
        }
    }

    /// As [`Playback::step`].
    pub fn step(&mut self) -> Option<Stamp> {
        let next = self.stamps.get(self.now + 1).copied();
        self.now += usize::from(next.is_some());
        next
    }
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
    steps: Steps,
    held: BTreeMap<String, Held>,
}

/// What held at a moment of a table.
struct Held {
    /// Rows up to this step are in.
    upto: u64,
    rows: BTreeMap<Vec<Owned>, Vec<Owned>>,
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
            steps: Steps::new(stamps.into_values().collect()),
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
                held.rows.insert(key, values.collect());
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
        self.steps.span()
    }

    fn now(&self) -> Stamp {
        self.steps.now()
    }

    fn seek(&mut self, at: At) -> Result<Stamp, Error> {
        self.steps.seek(at)
    }

    fn step(&mut self) -> Result<Option<Stamp>, Error> {
        Ok(self.steps.step())
    }

    fn state(&mut self, scan: &Scan) -> Result<Batch, Error> {
        let table = scan.find(&self.tables)?.clone();
        let mut state = State::new(&table, scan, self.now())?;
        self.hold(&table)?;
        for values in self
            .held
            .get(&*table.name)
            .iter()
            .flat_map(|held| held.rows.values())
        {
            state.row(|at| values.get(at).map_or(Value::Null, Owned::value));
        }
        Ok(state.rows())
    }
}
