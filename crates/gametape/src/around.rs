//! Events of a recording, and the time around them.

use std::ops::ControlFlow;
use std::str::FromStr;

use gametape_core::table::{Lane, Scan, ScanError, TableDef};
use gametape_core::tape::{self, Cut};
use gametape_core::text::{Counted, Grouped, nearest};
use gametape_core::{At, Time};

use crate::{Error, Recording};

/// An event, named by its table and number: `goals:3` or `goal:3` is the third goal, `goals` the
/// first.
///
/// ```
/// let goal: gametape::Around = "goals:3".parse().unwrap();
/// assert_eq!((goal.table.as_str(), goal.number), ("goals", 3));
/// assert!("goals:0".parse::<gametape::Around>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Around {
    /// The name of a table of events, or its singular.
    pub table: String,
    /// The number of the row, counted from 1.
    pub number: u64,
}

impl FromStr for Around {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "an event is a table and a number from 1 on: goals:3";
        let (table, number) = text.split_once(':').unwrap_or((text, "1"));
        let digits = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
        let number = number.parse().ok().filter(|number| digits && *number > 0);
        match number {
            Some(number) if !table.is_empty() => Ok(Self {
                table: table.to_owned(),
                number,
            }),
            _ => Err(WRONG),
        }
    }
}

impl Recording {
    /// Returns the range around an event, from `before` it to `after` it.
    ///
    /// ```
    /// use gametape::{Around, Time};
    /// # let bytes = gametape_samples::mines::example();
    /// let tape = gametape::Recording::from_bytes(bytes, "game.rmv")?;
    /// let click: Around = "mouse_events:5".parse().unwrap();
    /// let range = tape.around(&click, Time::from_ms(500), Time::from_ms(100))?;
    /// assert!(range.from.is_some() && range.to.is_some());
    /// # Ok::<(), gametape::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`tape::Error::Scan`] if there is no such table; [`tape::Error::Unsupported`] if it is not a
    /// table of events, has fewer rows, or its rows have no times; an error if the recording cannot
    /// be read up to the event.
    pub fn around(&self, event: &Around, before: Time, after: Time) -> Result<Cut, Error> {
        let tables = self.tables()?;
        let name = self.explain(events_table(&tables, &event.table))?;
        let (mut rows, mut found) = (0_u64, None);
        let scan = Scan::table(name);
        let read = self.scan(&scan, |batch| {
            let left = event.number.saturating_sub(rows + 1);
            let at = usize::try_from(left).unwrap_or(usize::MAX);
            if at < batch.len() {
                found = Some(batch.stamp(at));
                return Ok(ControlFlow::Break(()));
            }
            rows += batch.len() as u64;
            Ok(ControlFlow::Continue(()))
        })?;
        let refused = |why: String| Error::tape(self.path())(tape::Error::Unsupported(why));
        let Some(stamp) = found else {
            // The event may be in the missing part.
            return Err(read.problem.unwrap_or_else(|| {
                let (rows, number) = (Counted(rows, "row"), Grouped(event.number));
                refused(format!("{name} has {rows}: there is no {name}:{number}"))
            }));
        };
        let time = stamp.time.ok_or_else(|| {
            refused(format!(
                "it does not say when its {name} were, but in steps: {name}:{} is at step {}",
                event.number, stamp.step
            ))
        })?;
        let at = |ns: i64| Some(At::Time(Time(ns)));
        Ok(Cut {
            from: at(time.0.saturating_sub(before.0)),
            to: at(time.0.saturating_add(after.0)),
        })
    }
}

/// Finds a table of events by its name or its singular.
fn events_table<'t>(tables: &'t [TableDef], name: &str) -> Result<&'t str, tape::Error> {
    let events = || tables.iter().filter(|table| table.lane == Lane::Events);
    let plural = format!("{name}s");
    let found = [name, &plural].into_iter().find_map(|name| {
        let mut events = events();
        events.find(|table| table.name == name)
    });
    if let Some(table) = found {
        return Ok(&table.name);
    }
    let known: Vec<String> = events().map(|table| table.name.to_string()).collect();
    if let Some(table) = tables.iter().find(|table| table.name == name) {
        let lane = table.lane.name();
        return Err(tape::Error::Unsupported(format!(
            "{name} is a table of {lane}, of which no row is an event; tables of events are {}",
            known.join(", ")
        )));
    }
    let near = nearest(name, known.iter().map(String::as_str));
    Err(ScanError::NoTable {
        name: name.to_owned(),
        nearest: near.map(str::to_owned),
        known,
        needs: None,
    }
    .into())
}
