//! A part of a capture that was made from tables: the stamps of its packets, and its description.

use std::ops::ControlFlow;

use gametape_core::table::{Batch, Scan, Value};
use gametape_core::tape::{self, Secrets, Work};
use gametape_core::{Clocks, Stamp};
use gametape_delta::{Schema, Snapshot};

use super::reading::{Clock, Made};
use super::scan::{clocks, scan};
use crate::error::CaptureError;
use crate::read::Capture;
use crate::rule::Error;

/// Finds the stamps of packets.
pub(crate) struct When {
    clock: Clock,
    /// The clocks by which moments can be named.
    pub clocks: Clocks,
}

impl When {
    /// # Errors
    /// [`CaptureRule::Tables`](crate::CaptureRule::Tables).
    pub fn of(made: &Made, schema: &Schema) -> Result<Self, Error> {
        Ok(Self {
            clock: Clock::new(&made.of, schema)?,
            clocks: clocks(&made.of),
        })
    }

    /// The stamp of the packet that led to a state.
    pub fn stamp(&self, state: &Snapshot) -> Option<Stamp> {
        self.clock.stamp(state)
    }
}

impl Made {
    /// The description, as JSON, of a part from one moment to another. `rows` gives the number of
    /// rows of each table; without it, the old numbers are kept.
    pub fn part(
        &self,
        [first, last]: [Stamp; 2],
        rows: Option<&[u64]>,
    ) -> Result<String, CaptureError> {
        let mut of = self.of.clone();
        of.made_of.first = Some(first.into());
        of.made_of.last = Some(last.into());
        for (table, rows) in of.tables.iter_mut().zip(rows.unwrap_or_default()) {
            table.rows = *rows;
        }
        serde_json::to_string(&of).map_err(|error| CaptureError::Write(error.to_string()))
    }

    /// Counts the rows of each table.
    pub fn count(&self, capture: &Capture<'_>) -> Result<Vec<u64>, tape::Error> {
        let tables = self.of.tables.iter();
        let scans: Vec<Scan> = tables
            .map(|table| Scan {
                secrets: Secrets::Show,
                ..Scan::table(&*table.name)
            })
            .collect();
        let mut rows = vec![0; scans.len()];
        let mut visit = |scan: usize, batch: Batch| {
            if let Some(rows) = rows.get_mut(scan) {
                *rows += batch.len() as u64;
            }
            Ok(ControlFlow::Continue(()))
        };
        let work = Work::default();
        let read = scan(
            capture,
            self,
            &scans,
            &|_, _| Value::Null,
            &work,
            &mut visit,
        )?;
        let problem = read.into_iter().find_map(|read| read.problem);
        problem.map_or(Ok(rows), Err)
    }
}
