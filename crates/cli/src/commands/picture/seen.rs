//! What is read of a recording to draw it.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use gametape::core::table::{Owned, Playback};
use gametape::core::tape;
use gametape::{At, Batch, Error, Recording, Scan, Secrets, Stamp, TableDef};

use super::subject::{Ends, Fault};
use crate::scene::cells::{Cells, number};
use crate::scene::change::Changes;
use crate::scene::clock::Lasts;
use crate::scene::map::{Sides, Thing, things};
use crate::scene::range::{Bounds, widen};
use crate::scene::stay::{Follow, Stay};
use crate::scene::tracks::{Density, Track, Tracks, key};
use crate::scene::views::{Grid, Points, View};

/// A recording that is looked at.
pub struct Source<'r> {
    pub recording: &'r Recording,
    pub tables: Vec<TableDef>,
    play: Box<dyn Playback + 'r>,
    secrets: Secrets,
    /// What is wrong with it, where that may be seen.
    pub problem: Option<Error>,
    /// What is wrong with what was made of it, where that is seen.
    pub made: Option<Error>,
}

impl<'r> Source<'r> {
    pub fn new(recording: &'r Recording, secrets: Secrets) -> Result<Self, Fault> {
        let tables = recording.tables()?;
        let play = recording.playback()?;
        Ok(Self {
            recording,
            tables,
            play,
            secrets,
            problem: None,
            made: None,
        })
    }

    pub fn table(&self, name: &str) -> Option<&TableDef> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// What is wrong with the recording, if it is.
    pub fn broken(&self) -> Result<Option<Error>, Fault> {
        Ok(self.recording.info(self.secrets)?.problem)
    }

    /// Whether there is no moment in it.
    pub fn is_empty(&mut self) -> bool {
        let first = At::Step(self.first().step);
        matches!(self.play.seek(first), Err(tape::Error::NotRecorded { .. }))
    }

    /// The first moment.
    pub fn first(&self) -> Stamp {
        self.play.span().first
    }

    /// Goes to a moment; without one to the last.
    pub fn seek(&mut self, at: Option<At>) -> Result<Stamp, Fault> {
        let last = self.play.span().last;
        match self.play.seek(at.unwrap_or(At::Step(last.step))) {
            Ok(now) => {
                // The end is where it breaks off, too.
                if now.step >= last.step {
                    self.problem = self.broken()?;
                }
                Ok(now)
            }
            Err(error @ tape::Error::NotRecorded { .. }) => {
                // It may have been in what is lost.
                let broken = self.broken()?;
                Err(broken.map_or_else(
                    || of(self.recording)(error),
                    |error| Fault::Error(Box::new(error)),
                ))
            }
            Err(error) => Err(of(self.recording)(error)),
        }
    }

    /// Goes to the end of a stretch: its two ends. Of one that goes beyond the recording's what is
    /// within it.
    pub fn stretch(&mut self, from: Option<At>, to: Option<At>) -> Result<Ends, Fault> {
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
            return Err(of(self.recording)(error.into()));
        }
        Ok((start, end))
    }

    /// What holds now, of what a view needs.
    pub fn states(&mut self, view: &View) -> Result<Vec<Batch>, Fault> {
        let scans = view.scans(self.secrets);
        scans.iter().map(|scan| self.state(scan)).collect()
    }

    fn state(&mut self, scan: &Scan) -> Result<Batch, Fault> {
        let state = self.play.state(scan).map_err(of(self.recording))?;
        if self.made.is_none() {
            self.made = self.play.problem().map(Error::tape(self.recording.path()));
        }
        Ok(state)
    }

    /// Rows of some columns of a table; of a broken recording those before the damage.
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
        let read = self.recording.scan(&scan, |batch| {
            see(&batch);
            Ok(ControlFlow::Continue(()))
        })?;
        // Where it breaks off is said of the stretch.
        if ends.is_some() && self.made.is_none() && self.problem.is_none() {
            self.made = read.problem;
        }
        Ok(())
    }

    fn scan(&self, table: &str, columns: &[String]) -> Scan {
        Scan {
            secrets: self.secrets,
            ..Scan::table(table).columns(columns)
        }
    }

    /// How often cells changed.
    pub fn changes(
        &mut self,
        grid: &Grid,
        value: usize,
        cells: &Cells,
        ends: Ends,
    ) -> Result<Changes, Fault> {
        let keys = [Some(grid.across), grid.down, grid.deep];
        let columns = keys.into_iter().flatten().chain([value]);
        let names = self.names(&grid.table, columns);
        let scan = self.scan(&grid.table, &names);
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

    fn names(&self, table: &str, columns: impl Iterator<Item = usize>) -> Vec<String> {
        let table = self.table(table);
        let columns = columns.filter_map(|at| table?.columns.get(at));
        columns.map(|column| column.name.to_string()).collect()
    }

    /// Where a cursor was.
    pub fn stay(&mut self, cursor: &str, cells: &Cells, ends: Ends) -> Result<Stay, Fault> {
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
        let mut follow = Follow::new(cells, Lasts::of(ends.0, ends.1));
        follow.see(&before, Some(ends.0));
        self.rows(&scan, Some(ends), &mut |batch| follow.see(batch, None))?;
        Ok(follow.end(ends.1))
    }

    /// How far positions go, and how many things have some.
    pub fn bounds(&mut self, map: &[Points], ends: Option<Ends>) -> Result<(Bounds, usize), Fault> {
        /// More than this need not be counted.
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

    /// Where things went.
    pub fn tracks(
        &mut self,
        map: &[Points],
        sides: &Sides,
        count: usize,
        ends: Ends,
    ) -> Result<(Vec<Track>, Density), Fault> {
        let mut tracks = Tracks::new(sides, Lasts::of(ends.0, ends.1), count);
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

/// What is at places now.
pub fn placed(map: &[Points], batches: &[Batch], sides: &Sides) -> Vec<(usize, Thing)> {
    let tables = map.iter().zip(batches).enumerate();
    tables
        .flat_map(|(nth, (points, batch))| {
            things(points, nth, batch, sides).map(move |thing| (nth, thing))
        })
        .collect()
}

fn of(recording: &Recording) -> impl Fn(tape::Error) -> Fault + use<> {
    let path = recording.path().to_owned();
    move |error| Error::tape(&path)(error).into()
}
