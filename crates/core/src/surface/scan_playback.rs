//! Playback of a recording through its scans.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::clock::{At, Clocks, Stamp};
use crate::table::{Batch, Lane, Owned, Playback, Scan, State, StateAt, Stepped, TableDef, Value};
use crate::tape::{Error, Secrets, Tape, Work};

/// A playback for recordings that can be scanned: the state is the result of a scan up to the
/// current moment.
///
/// Going forward scans the steps in between; going back scans from the start. Use it for formats
/// with small recordings. It stores a stamp for each step, and the current state.
///
/// ```
/// # let bytes = include_bytes!("../../README.md");
/// # use gametape_core::tape::{Tape, Work};
/// # use std::sync::Arc;
/// fn cursor(tape: Arc<dyn Tape>) -> Result<(), gametape_core::tape::Error> {
///     use gametape_core::surface::ScanPlayback;
///     use gametape_core::table::{Playback, Scan};
///     let mut play = ScanPlayback::new(tape, &Work::default())?;
///     play.seek("1:23.4".parse().unwrap())?;
///     let cursor = play.state(&Scan::table("cursor"))?;
///     println!("{:?}", cursor.get(0, 0));
///     Ok(())
/// }
/// ```
pub type ScanPlayback = Stepped<Scanned>;

/// Computes the state of a recording from its scans: see [`ScanPlayback`].
pub struct Scanned {
    tape: Arc<dyn Tape>,
    tables: Vec<TableDef>,
    held: BTreeMap<String, Held>,
}

/// The state of a table at a moment.
struct Held {
    /// The last step that is included.
    upto: u64,
    rows: BTreeMap<Vec<Owned>, Vec<Owned>>,
}

impl dyn Tape {
    /// Returns a playback of the recording, at its first moment. It keeps the recording open as long
    /// as it lives.
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn playback(self: &Arc<Self>) -> Result<Box<dyn Playback>, Error> {
        self.playback_with(&Work::default())
    }

    /// Like [`playback`](trait.Tape.html#method.playback), with progress and cancellation.
    ///
    /// # Errors
    /// If nothing can be read; [`Error::Cancelled`].
    pub fn playback_with(self: &Arc<Self>, work: &Work<'_>) -> Result<Box<dyn Playback>, Error> {
        match self.own_playback(work)? {
            Some(playback) => Ok(playback),
            None => Ok(Box::new(ScanPlayback::new(Arc::clone(self), work)?)),
        }
    }
}

impl Stepped<Scanned> {
    /// Creates a playback at the first step.
    ///
    /// # Errors
    /// If nothing can be read; [`Error::Cancelled`].
    pub fn new(tape: Arc<dyn Tape>, work: &Work<'_>) -> Result<Self, Error> {
        let tables = tape.tables()?;
        let mut stamps: BTreeMap<u64, Stamp> = BTreeMap::new();
        let of_steps = |table: &&TableDef| table.lane != Lane::Facts && !table.on_request;
        for table in tables.iter().filter(of_steps) {
            let no_columns: [&str; 0] = [];
            let scan = Scan::table(&*table.name).columns(no_columns);
            let read = tape.scan_table(&scan, work, |batch| {
                for row in 0..batch.len() {
                    let stamp = batch.stamp(row);
                    stamps.entry(stamp.step).or_insert(stamp);
                }
                Ok(ControlFlow::Continue(()))
            })?;
            // A broken recording ends at its last readable moment.
            read.readable();
        }
        let stamps: Vec<Stamp> = stamps.into_values().collect();
        let clocks = Clocks {
            ticks: stamps.iter().any(|stamp| stamp.tick.is_some()),
            times: stamps.iter().any(|stamp| stamp.time.is_some()),
        };
        let held = BTreeMap::new();
        let scanned = Scanned { tape, tables, held };
        Ok(Self::over(stamps, clocks, scanned))
    }
}

impl Scanned {
    /// Brings the state of a table to a step.
    fn hold(&mut self, table: &TableDef, now: u64) -> Result<(), Error> {
        let name = table.name.to_string();
        if self.held.get(&name).is_some_and(|held| held.upto == now) {
            return Ok(());
        }
        let held = self.held.remove(&name).filter(|held| held.upto < now);
        let scan = Scan {
            secrets: Secrets::Show,
            from: held
                .as_ref()
                .map(|held| At::Step(held.upto.saturating_add(1))),
            to: Some(At::Step(now)),
            ..Scan::table(&*name)
        };
        let mut held = held.unwrap_or_else(|| Held {
            upto: 0,
            rows: BTreeMap::new(),
        });
        let columns = table.columns.iter().enumerate();
        let keys = columns.filter_map(|(at, column)| column.key.then_some(at));
        let keys: Vec<usize> = keys.collect();
        let read = self.tape.scan_table(&scan, &Work::default(), |batch| {
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
        // A problem of the recording does not change the state before it.
        read.readable();
        held.upto = now;
        self.held.insert(name, held);
        Ok(())
    }
}

impl StateAt for Scanned {
    fn state_at(&mut self, now: Stamp, scan: &Scan) -> Result<Batch, Error> {
        let table = scan.find(&self.tables)?.clone();
        let mut state = State::new(&table, scan, now)?;
        self.hold(&table, now.step)?;
        let held = self.held.get(&*table.name);
        for values in held.iter().flat_map(|held| held.rows.values()) {
            state.row(|at| values.get(at).map_or(Value::Null, Owned::value));
        }
        Ok(state.rows())
    }
}

impl State {
    /// Returns the facts of a table, which are valid at every moment, by scanning it.
    ///
    /// # Errors
    /// The errors of the tape.
    pub fn facts(mut self, tape: &dyn Tape, scan: &Scan) -> Result<Batch, Error> {
        // The columns, filters and secrets of this state apply later.
        let all = Scan {
            secrets: Secrets::Show,
            ..Scan::table(&*scan.table)
        };
        let read = tape.scan_table(&all, &Work::default(), |batch| {
            for row in 0..batch.len() {
                self.row(|column| batch.get(row, column));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        // The facts that can be read hold, whatever is broken after them.
        read.readable();
        Ok(self.rows())
    }
}
