//! The tables of a recording: their rows, what holds, what is worth going to.

use std::io::Write;
use std::ops::ControlFlow;

use gametape_core::At;
use gametape_core::table::{JsonRows, Lane, Marker, Playback, Scan, TableDef, Visit, markers};
use gametape_core::tape::{self, Audit, Secrets};

use super::{Partial, Recording};
use crate::Error;
use crate::rows::{RowForm, RowWriter};

impl Recording {
    /// Its tables.
    ///
    /// # Errors
    /// Where nothing can be read.
    pub fn tables(&self) -> Result<Vec<TableDef>, Error> {
        self.explain(self.tape.tables())
    }

    /// Gives the rows of a table in the order of their stamps, a batch at a time, and says what is
    /// wrong with the recording where it is not whole.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use gametape::{Scan, At};
    /// # let bytes = gametape_samples::mines::example();
    /// let tape = gametape::Recording::from_bytes(bytes, "game.rmv")?;
    /// let mut clicks = 0;
    /// let scan = Scan::table("mouse_events").columns(["action"]).from("1.5".parse::<At>().unwrap());
    /// tape.scan(&scan, &mut |batch| {
    ///     clicks += (0..batch.len()).filter(|row| batch.get(*row, 0) == "lmb_up".into()).count();
    ///     Ok(ControlFlow::Continue(()))
    /// })?;
    /// assert!(clicks > 0);
    /// # Ok::<(), gametape::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`tape::Error::Scan`], [`tape::Error::NoClock`]; what the visitor says; where nothing can be read.
    pub fn scan<'v>(&self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        self.partial(self.tape.scan(scan, visit))
    }

    /// What holds at a moment: see [`Playback`].
    ///
    /// ```
    /// use gametape::{At, Scan, Value};
    /// # let bytes = gametape_samples::mines::example();
    /// let tape = gametape::Recording::from_bytes(bytes, "game.rmv")?;
    /// let mut play = tape.playback()?;
    /// play.seek("1.5".parse::<At>().unwrap()).unwrap();
    /// let cursor = play.state(&Scan::table("cursor").columns(["x", "y"])).unwrap();
    /// assert!(matches!(cursor.get(0, 0), Value::Int(_)));
    /// # Ok::<(), gametape::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where nothing can be read.
    pub fn playback(&self) -> Result<Box<dyn Playback + '_>, Error> {
        self.explain(self.tape.playback())
    }

    /// The moments that are worth going to: events, and what an audit found. Where there are very many
    /// events, one marker stands for several, and says for how many.
    ///
    /// # Errors
    /// As [`Recording::scan`] and [`Recording::playback`].
    pub fn markers(&self, audit: &Audit, secrets: Secrets) -> Result<Vec<Marker>, Error> {
        self.explain(markers(&*self.tape, audit, secrets))
    }

    /// The moment of the newest step that is not after one: what a moment stands for that somebody
    /// names. In the same clock.
    ///
    /// # Errors
    /// [`tape::Error::NotRecorded`], or what is wrong with the recording where it may have been in what
    /// is lost; [`tape::Error::NoClock`].
    pub fn newest(&self, at: At) -> Result<At, Error> {
        let mut play = self.playback()?;
        match play.seek(at) {
            Ok(stamp) => Ok(match at {
                At::Time(_) => stamp.time.map_or(At::Step(stamp.step), At::Time),
                At::Tick(_) => stamp.tick.map_or(At::Step(stamp.step), At::Tick),
                At::Step(_) => At::Step(stamp.step),
            }),
            Err(error @ tape::Error::NotRecorded { .. }) => {
                let problem = self.info(Secrets::Hide)?.problem;
                Err(problem.unwrap_or_else(|| Error::tape(&self.path)(error)))
            }
            Err(error) => self.explain(Err(error)),
        }
    }

    /// Writes the rows of a table.
    ///
    /// # Errors
    /// As [`Recording::scan`]; [`tape::Error::Output`] in an [`Error::Tape`] is `out`'s.
    pub fn write_rows(
        &self,
        scan: &Scan,
        form: RowForm,
        out: &mut dyn Write,
    ) -> Result<Partial<()>, Error> {
        let tables = self.tables()?;
        let table = self.explain(scan.find(&tables).map_err(Into::into))?;
        let mut rows = self.explain(RowWriter::new(form, table, scan, out))?;
        self.scan(scan, &mut |batch| {
            rows.batch(batch).map_err(tape::Error::Output)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Writes what holds at a moment, or at the end: the rows of all states and the cells of all grids,
    /// each with the name of its table, or those of the scan's table alone.
    ///
    /// # Errors
    /// [`tape::Error::NotRecorded`], or what is wrong with the recording where it may have been in what
    /// is lost; as [`Recording::write_rows`].
    pub fn write_state(
        &self,
        at: Option<At>,
        scan: &Scan,
        form: RowForm,
        out: &mut dyn Write,
    ) -> Result<Partial<()>, Error> {
        let mut play = self.playback()?;
        let end = At::Step(play.span().last.step);
        let problem = match play.seek(at.unwrap_or(end)) {
            Ok(now) if now.step < play.span().last.step => None,
            Err(tape::Error::NotRecorded { at }) => {
                let problem = self.info(Secrets::Hide)?.problem;
                // In a recording without steps nothing holds.
                let error = (at != end).then_some(tape::Error::NotRecorded { at });
                let error = error.map(Error::tape(&self.path));
                return problem.or(error).map_or(
                    Ok(Partial {
                        value: (),
                        problem: None,
                    }),
                    Err,
                );
            }
            Err(error) => return self.explain(Err(error)),
            // The end is where it breaks off, too.
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
            let batch = self.explain(play.state(&scan))?;
            let written = if form == RowForm::Json {
                let rows = self.explain(JsonRows::of_scan(table, &scan).map_err(Into::into))?;
                let rows = rows.of_table(&table.name);
                (0..batch.len()).try_for_each(|row| rows.row(&batch, row, out))
            } else {
                self.explain(RowWriter::new(form, table, &scan, out))?
                    .batch(&batch)
            };
            self.explain(written.map_err(tape::Error::Output))?;
        }
        // As behind rows: what was made of the recording comes first.
        let made = play.problem().map(Error::tape(&self.path));
        let problem = made.or(problem);
        Ok(Partial { value: (), problem })
    }
}
