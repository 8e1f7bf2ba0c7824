//! The newest event at a moment: what a join as of a time gives.

use std::sync::Arc;

use gametape::core::surface::Pull;
use gametape::core::table::Owned;
use gametape::core::tape::{Error, Tape};
use gametape::{Batch, ColumnDef, Kind, Scan, Stamp, TableDef};

/// The name of the column that says how long ago the event was.
const AGE: &str = "age_ms";
/// The name of the column that says at which step the event was.
const EVENT: &str = "event_step";

/// Adds the columns that say when an event was: the stamps of its row are those of the moment.
pub(crate) fn as_of(events: &TableDef) -> TableDef {
    let step = ColumnDef::new(EVENT, Kind::Uint, "The step of the event.");
    let age = ColumnDef::new(AGE, Kind::Float64, "The time from the event to the moment.");
    events.clone().with(step).with(age.unit("ms"))
}

/// Goes through the events of a recording, from moment to moment.
pub(crate) struct Newest {
    rows: Pull,
    batch: Batch,
    /// The next row of the batch.
    next: usize,
    held: Option<(Stamp, Vec<Owned>)>,
}

impl Newest {
    pub fn new(tape: &Arc<dyn Tape>, scan: Scan) -> Self {
        Self {
            rows: tape.pull([scan]),
            batch: Batch::default(),
            next: 0,
            held: None,
        }
    }

    /// Returns the newest event that is not after a moment. No moment may be before the last one.
    pub fn at(&mut self, moment: Stamp) -> Result<Option<&(Stamp, Vec<Owned>)>, Error> {
        loop {
            if self.next == self.batch.len() {
                let Some((_, batch)) = self.rows.next_batch()? else {
                    break;
                };
                (self.batch, self.next) = (batch, 0);
                continue;
            }
            let stamp = self.batch.stamp(self.next);
            if stamp.step > moment.step {
                break;
            }
            let columns = 0..self.batch.columns().len();
            let values = columns.map(|column| self.batch.get(self.next, column).into());
            self.held = Some((stamp, values.collect()));
            self.next += 1;
        }
        Ok(self.held.as_ref())
    }

    /// Returns the problem of the recording after its last event.
    pub fn problem(&mut self) -> Option<Error> {
        self.rows.problem(0)
    }
}

/// The value of a column that says when an event was; `None` of another column.
pub(crate) fn when(column: &str, moment: Stamp, event: Stamp) -> Option<Owned> {
    match column {
        EVENT => Some(Owned::Uint(event.step)),
        AGE => {
            let age = moment.time.zip(event.time);
            let age = age.map(|(moment, event)| moment.ms() - event.ms());
            Some(age.map_or(Owned::Null, |age| Owned::Float64(age.to_bits())))
        }
        _ => None,
    }
}
