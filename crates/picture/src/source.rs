//! Reads from a recording what a picture shows.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use gametape::core::table::Owned;
use gametape::core::tape;
use gametape::{At, Batch, Error, Playback, Recording, Scan, Secrets, Stamp, TableDef, When, Work};

use super::subject::{Ends, Fault};
use crate::scene::board::{Board, Cells, Changes};
use crate::scene::dwell::{Dwell, DwellCounter};
use crate::scene::map::Projection;
use crate::scene::range::{Bounds, number, widen};
use crate::scene::time::{Axis, Stretch};
use crate::scene::tracks::{Density, Track, Tracker, key};
use crate::scene::views::{Points, View};

/// A recording that is read to be drawn.
pub struct Source<'r> {
    pub recording: &'r Recording,
    pub tables: Vec<TableDef>,
    play: Playback,
    secrets: Secrets,
    work: Work<'r>,
    /// The damage of the recording, if the picture reaches it.
    pub problem: Option<Error>,
    /// A problem of the playback, or of the rows that were read.
    pub playback_problem: Option<Error>,
}

impl<'r> Source<'r> {
    pub fn new(recording: &'r Recording, secrets: Secrets, work: Work<'r>) -> Result<Self, Fault> {
        let tables = recording.tables()?;
        let play = recording.playback_with(&work)?;
        Ok(Self {
            recording,
            tables,
            play,
            secrets,
            work,
            problem: None,
            playback_problem: None,
        })
    }

    pub fn table(&self, name: &str) -> Option<&TableDef> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Returns the damage of the recording, if there is any.
    pub fn broken(&self) -> Result<Option<Error>, Fault> {
        Ok(self.recording.info_with(self.secrets, &self.work)?.problem)
    }

    /// Whether the recording has no moment.
    pub fn is_empty(&mut self) -> bool {
        let first = At::Step(self.first().step);
        self.play.seek(first).is_err_and(|error| is_gone(&error))
    }

    /// The first moment.
    pub fn first(&self) -> Stamp {
        self.play.span().first
    }

    /// Seeks a moment as the user gave it; by default the last.
    pub fn seek_when(&mut self, when: Option<&When>) -> Result<Stamp, Fault> {
        let at = self.moment(when)?;
        self.seek(at)
    }

    fn moment(&self, when: Option<&When>) -> Result<Option<At>, Fault> {
        let at = when.map(|when| self.recording.at_with(when, &self.work));
        Ok(at.transpose()?)
    }

    /// Seeks a moment; by default the last.
    pub fn seek(&mut self, at: Option<At>) -> Result<Stamp, Fault> {
        let last = self.play.span().last;
        match self.play.seek(at.unwrap_or(At::Step(last.step))) {
            Ok(now) => {
                // A broken recording breaks off at its end.
                if now.step >= last.step {
                    self.problem = self.broken()?;
                }
                Ok(now)
            }
            Err(error) if is_gone(&error) => {
                // The moment may have been in the lost part.
                Err(self.broken()?.unwrap_or(error).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Seeks the end of a stretch and returns both ends. A stretch that is longer than the recording is cut
    /// to it.
    pub fn stretch(&mut self, stretch: &Stretch) -> Result<Ends, Fault> {
        let from = self.moment(stretch.from.as_ref())?;
        let to = self.moment(stretch.to.as_ref())?;
        let (first, last) = (self.play.span().first, self.play.span().last);
        let from = from.filter(|from| from.order(first) != Some(Ordering::Greater));
        let to = to.filter(|to| to.order(last) != Some(Ordering::Less));
        let start = self.seek(Some(from.unwrap_or(At::Step(first.step))))?;
        let end = self.seek(to)?;
        if end.step < start.step {
            let at = |at: Option<At>, otherwise: Stamp| at.unwrap_or(At::Step(otherwise.step));
            let error = gametape::core::table::ScanError::Backwards {
                from: at(from, start),
                to: at(to, end),
            };
            return Err(fault_of(self.recording)(error.into()));
        }
        Ok((start, end))
    }

    /// Returns the current state of the tables that a view needs.
    pub fn states(&mut self, view: &View) -> Result<Vec<Batch>, Fault> {
        let scans = view.scans(self.secrets);
        scans.iter().map(|scan| self.state(scan)).collect()
    }

    fn state(&mut self, scan: &Scan) -> Result<Batch, Fault> {
        let state = self.play.state_with(scan, &self.work)?;
        if self.playback_problem.is_none() {
            self.playback_problem = self.play.problem();
        }
        Ok(state)
    }

    /// Reads rows of a table; from a broken recording, those before the damage.
    fn rows(
        &mut self,
        scan: &Scan,
        ends: Option<Ends>,
        see: &mut dyn FnMut(&Batch),
    ) -> Result<(), Fault> {
        let mut scan = scan.clone();
        if let Some((from, to)) = ends {
            (scan.from, scan.to) = (Some(At::Step(from.step)), Some(At::Step(to.step)));
        }
        let read = self.recording.scan_with(&scan, &self.work, |batch| {
            see(&batch);
            Ok(ControlFlow::Continue(()))
        })?;
        // If the stretch reaches the damage, that is reported already.
        if ends.is_some() && self.playback_problem.is_none() && self.problem.is_none() {
            self.playback_problem = read.problem;
        }
        Ok(())
    }

    fn scan(&self, table: &str, columns: &[String]) -> Scan {
        Scan {
            secrets: self.secrets,
            ..Scan::table(table).columns(columns)
        }
    }

    /// Counts how often cells change.
    pub fn changes(&mut self, board: &Board<'_>, ends: Ends) -> Result<Changes, Fault> {
        let (cells, table) = (board.cells, board.table);
        let columns = board.grid.keys().into_iter().flatten();
        let columns = columns.chain([board.value]);
        let columns = columns.filter_map(|at| table.columns.get(at));
        let names: Vec<String> = columns.map(|column| column.name.to_string()).collect();
        let scan = self.scan(&table.name, &names);
        let keys = names.len().saturating_sub(1);
        let mut changes = Changes::new(cells);
        self.seek(Some(At::Step(ends.0.step)))?;
        let before = self.state(&scan)?;
        changes.see(cells, keys, &before);
        self.rows(&scan, Some(ends), &mut |batch| {
            changes.see(cells, keys, batch);
        })?;
        Ok(changes)
    }

    /// Counts the time that a cursor spends over each cell.
    pub fn dwell(&mut self, cursor: &str, cells: &Cells, ends: Ends) -> Result<Dwell, Fault> {
        let has = |name: &&str| {
            let table = self.table(cursor);
            table.is_some_and(|table| table.column(name).is_some())
        };
        let places: Vec<&str> = ["x", "y"].into_iter().filter(has).collect();
        let mut columns = vec!["col".to_owned(), "row".to_owned()];
        if places.len() == 2 {
            columns.extend(places.into_iter().map(str::to_owned));
        }
        let scan = self.scan(cursor, &columns);
        self.seek(Some(At::Step(ends.0.step)))?;
        let before = self.state(&scan)?;
        let mut counter = DwellCounter::new(cells, Axis::new(ends.0, ends.1));
        counter.see(&before, Some(ends.0));
        self.rows(&scan, Some(ends), &mut |batch| counter.see(batch, None))?;
        Ok(counter.end(ends.1))
    }

    /// Returns the bounds of all positions, and the number of entities that have one.
    pub fn bounds(&mut self, map: &[Points], ends: Option<Ends>) -> Result<(Bounds, usize), Fault> {
        /// The number at which counting ends.
        const MANY: usize = 1000;
        let mut bounds = Bounds::default();
        let mut known: BTreeSet<(usize, Vec<Owned>)> = BTreeSet::new();
        if let Some((from, _)) = ends {
            self.seek(Some(At::Step(from.step)))?;
        }
        for (nth, points) in map.iter().enumerate() {
            let scan = self.scan(&points.table, &points.columns);
            let mut see = |batch: &Batch| {
                widen(&mut bounds, points, batch);
                for row in 0..batch.len() {
                    if known.len() < MANY && number(batch.get(row, points.at)).is_some() {
                        known.insert((nth, key(points, batch, row)));
                    }
                }
            };
            if ends.is_some() {
                see(&self.state(&scan)?);
            }
            self.rows(&scan, ends, &mut see)?;
        }
        Ok((bounds, known.len()))
    }

    /// Follows the entities of a map.
    pub fn tracks(
        &mut self,
        map: &[Points],
        projection: &Projection,
        count: usize,
        ends: Ends,
    ) -> Result<(Vec<Track>, Density), Fault> {
        let mut tracks = Tracker::new(projection, Axis::new(ends.0, ends.1), count);
        self.seek(Some(At::Step(ends.0.step)))?;
        for (nth, points) in map.iter().enumerate() {
            let scan = self.scan(&points.table, &points.columns);
            let before = self.state(&scan)?;
            tracks.see(nth, points, &before, Some(ends.0));
            self.rows(&scan, Some(ends), &mut |batch| {
                tracks.see(nth, points, batch, None);
            })?;
        }
        Ok(tracks.end(ends.1))
    }
}

/// Whether the recording has no such moment.
fn is_gone(error: &Error) -> bool {
    matches!(error.tape_error(), Some(tape::Error::NotRecorded { .. }))
}

fn fault_of(recording: &Recording) -> impl Fn(tape::Error) -> Fault + use<> {
    let path = recording.path().to_owned();
    move |error| Error::tape(&path)(error).into()
}
