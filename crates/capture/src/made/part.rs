//! A part of a capture that was made of tables: when its packets are, and what is said of it.

use std::ops::ControlFlow;

use gametape_core::table::{Batch, Scan};
use gametape_core::tape::{self, Secrets};
use gametape_core::{Clocks, Stamp};
use gametape_delta::{Schema, Snapshot};

use super::reading::{Clock, Made};
use super::scan::{clocks, scan_each};
use crate::error::CaptureError;
use crate::read::Capture;
use crate::rule::Error;

/// Tells when packets are.
pub(crate) struct When {
    clock: Clock,
    /// How moments can be named.
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

    /// When the packet is that led to a state.
    pub fn stamp(&self, state: &Snapshot) -> Option<Stamp> {
        self.clock.stamp(state)
    }
}

impl Made {
    /// What is said of a part that goes from one moment to another: JSON. Its tables have so many rows;
    /// where that is not known, as many as before.
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

    /// How many rows each of its tables has.
    pub fn count(&self, capture: &Capture<'_>) -> Result<Vec<u64>, tape::Error> {
        let tables = self.of.tables.iter();
        let scans: Vec<Scan> = tables
            .map(|table| Scan {
                secrets: Secrets::Show,
                ..Scan::table(&*table.name)
            })
            .collect();
        let mut rows = vec![0; scans.len()];
        let mut visit = |scan: usize, batch: &Batch| {
            if let Some(rows) = rows.get_mut(scan) {
                *rows += batch.len() as u64;
            }
            Ok(ControlFlow::Continue(()))
        };
        let read = scan_each(capture, self, &scans, &mut visit, &|_, _| {
            gametape_core::table::Value::Null
        })?;
        let problem = read.into_iter().find_map(|read| read.problem);
        problem.map_or(Ok(rows), Err)
    }
}
