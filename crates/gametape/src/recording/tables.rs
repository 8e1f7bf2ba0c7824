//! The tables of a recording: rows, state, markers.

use std::io::Write;
use std::ops::ControlFlow;

use gametape_core::At;
use gametape_core::surface::{JsonRows, Marker, markers};
use gametape_core::table::{Batch, Lane, Scan, TableDef};
use gametape_core::tape::{self, Audit, Secrets, Work};

use super::{Partial, Recording};
use crate::rows::{RowForm, RowWriter};
use crate::selection::{Selecting, Selection};
use crate::{Error, When};

impl Recording {
    /// Returns the tables.
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn tables(&self) -> Result<Vec<TableDef>, Error> {
        self.explain(self.tape.tables())
    }

    /// Returns the index that a column has in the batches of a scan.
    ///
    /// # Errors
    /// [`ScanError`](gametape_core::table::ScanError); an error if nothing can be read.
    pub fn column(&self, scan: &Scan, name: &str) -> Result<usize, Error> {
        let tables = self.tables()?;
        let table = scan.find(&tables);
        let column = table.and_then(|table| scan.column(table, name));
        self.explain(column.map_err(Into::into))
    }

    /// Gives the rows of a table in the order of their stamps, one batch at a time. Returns the
    /// problem of the recording, if it is not intact.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use gametape::{Scan, At};
    /// # let bytes = gametape_samples::mines::example();
    /// let tape = gametape::Recording::from_bytes(bytes, "game.rmv")?;
    /// let mut clicks = 0;
    /// let scan = Scan::table("mouse_events").columns(["x", "action"]).from("1.5".parse::<At>().unwrap());
    /// let action = tape.column(&scan, "action")?;
    /// let read = tape.scan(&scan, |batch| {
    ///     clicks += (0..batch.len()).filter(|row| batch.get(*row, action) == "lmb_up".into()).count();
    ///     Ok(ControlFlow::Continue(()))
    /// })?;
    /// read.whole()?; // a broken recording is an error here
    /// assert!(clicks > 0);
    /// # Ok::<(), gametape::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`tape::Error::Scan`], [`tape::Error::NoClock`]; the visitor's error; an error if nothing
    /// can be read.
    pub fn scan(
        &self,
        scan: &Scan,
        visit: impl FnMut(Batch) -> Result<ControlFlow<()>, tape::Error>,
    ) -> Result<Partial<()>, Error> {
        self.scan_with(scan, &Work::default(), visit)
    }

    /// Like [`Recording::scan`], with progress and cancellation.
    ///
    /// # Errors
    /// Same as [`Recording::scan`]; [`tape::Error::Cancelled`].
    pub fn scan_with(
        &self,
        scan: &Scan,
        work: &Work<'_>,
        visit: impl FnMut(Batch) -> Result<ControlFlow<()>, tape::Error>,
    ) -> Result<Partial<()>, Error> {
        self.partial(self.tape.scan_table(scan, work, visit))
    }

    /// Returns the moments that are worth a visit: events, and the findings of an audit. If there are very
    /// many events, one marker stands for several and has their number.
    ///
    /// # Errors
    /// Same as [`Recording::scan`] and [`Recording::playback`].
    pub fn markers(&self, audit: &Audit, secrets: Secrets) -> Result<Vec<Marker>, Error> {
        self.explain(markers(&self.tape, audit, secrets))
    }

    /// Returns the moment of the newest step that is not after the given one, on the same clock if the
    /// step has it.
    ///
    /// # Errors
    /// [`tape::Error::NotRecorded`], or the problem of the recording if the moment may be in the
    /// missing part; [`tape::Error::NoClock`]; the errors of [`When::within`].
    pub fn newest(&self, when: &When) -> Result<At, Error> {
        let mut play = self.playback()?;
        let at = self.explain(when.within(play.span(), self.format().step()))?;
        match play.seek(at) {
            Ok(stamp) => Ok(match at {
                At::Time(_) => stamp.time.map_or(At::Step(stamp.step), At::Time),
                At::Tick(_) => stamp.tick.map_or(At::Step(stamp.step), At::Tick),
                At::Step(_) => At::Step(stamp.step),
            }),
            Err(error) if is_not_recorded(&error) => {
                let problem = self.info(Secrets::Hide)?.problem;
                Err(problem.unwrap_or(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Writes the selected rows of a table, and returns their number.
    ///
    /// # Errors
    /// Same as [`Recording::scan`]; [`tape::Error::Output`] in an [`Error::Tape`] for errors of
    /// `out`.
    pub fn write_rows(
        &self,
        scan: &Scan,
        selection: &Selection,
        form: RowForm,
        out: &mut dyn Write,
    ) -> Result<Partial<u64>, Error> {
        let tables = self.tables()?;
        let table = self.explain(scan.find(&tables).map_err(Into::into))?;
        let mut rows = self.explain(RowWriter::new(form, table, scan, out))?;
        let selecting = Selecting::new(table, scan, selection);
        let mut selecting = self.explain(selecting.map_err(Into::into))?;
        let mut count = 0;
        if selecting.is_full() {
            return Ok(count.into());
        }
        // Chosen columns are written without stamps.
        let scan = Scan {
            stamps: scan.columns.is_none(),
            ..selecting.scan.clone()
        };
        let read = self.scan(&scan, |batch| {
            let wanted = selecting.rows(&batch);
            count += wanted.len() as u64;
            rows.rows(&batch, wanted).map_err(tape::Error::Output)?;
            Ok(if selecting.is_full() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        Ok(Partial::new(count, read.problem))
    }

    /// Writes the selected rows of the state at a moment, or at the end. If the scan names a table, writes its rows;
    /// otherwise the rows of all states and grids, each with the name of its table.
    ///
    /// # Errors
    /// [`tape::Error::NotRecorded`], or the problem of the recording if the moment may be in the
    /// missing part; the errors of [`Recording::write_rows`].
    pub fn write_state(
        &self,
        at: Option<At>,
        scan: &Scan,
        selection: &Selection,
        form: RowForm,
        out: &mut dyn Write,
    ) -> Result<Partial<()>, Error> {
        let mut left = selection.limit;
        let mut play = self.playback()?;
        let end = At::Step(play.span().last.step);
        let problem = match play.seek(at.unwrap_or(end)) {
            Ok(now) if now.step < play.span().last.step => None,
            Err(error) if is_not_recorded(&error) => {
                return match self.info(Secrets::Hide)?.problem {
                    Some(problem) => Err(problem),
                    // A recording without steps has no state.
                    None if at.is_none() => Ok(().into()),
                    None => Err(error),
                };
            }
            Err(error) => return Err(error),
            // At the last step, a broken recording reports its problem.
            Ok(_) => self.info(Secrets::Hide)?.problem,
        };
        let tables = self.tables()?;
        let told = [Lane::State, Lane::Grid];
        let all = tables.iter().filter(|table| told.contains(&table.lane));
        let wanted = match scan.table.as_str() {
            "" => all.collect(),
            _ => vec![self.explain(scan.find(&tables).map_err(Into::into))?],
        };
        for table in wanted {
            let scan = Scan {
                table: table.name.to_string(),
                ..scan.clone()
            };
            let selection = Selection {
                limit: left,
                ..selection.clone()
            };
            let selecting = Selecting::new(table, &scan, &selection);
            let mut selecting = self.explain(selecting.map_err(Into::into))?;
            let batch = play.state(&selecting.scan)?;
            let wanted = selecting.rows(&batch);
            left = left.map(|left| left.saturating_sub(wanted.len() as u64));
            let written = if form == RowForm::Json {
                let rows = self.explain(JsonRows::of_scan(table, &scan).map_err(Into::into))?;
                let rows = rows.of_table(&table.name);
                wanted
                    .into_iter()
                    .try_for_each(|row| rows.row(&batch, row, out))
            } else {
                self.explain(RowWriter::new(form, table, &scan, out))?
                    .rows(&batch, wanted)
            };
            self.explain(written.map_err(tape::Error::Output))?;
        }
        // A problem met while building the state comes first, as in a scan.
        Ok(Partial::new((), play.problem().or(problem)))
    }
}

/// Whether the recording has no such moment.
fn is_not_recorded(error: &Error) -> bool {
    matches!(error.tape_error(), Some(tape::Error::NotRecorded { .. }))
}
