//! Estimates of a scan before it runs.

use crate::clock::Clocks;
use crate::table::Span;

/// The number of rows of a table, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RowCount {
    /// There are exactly so many rows.
    Exact(u64),
    /// There are about so many rows: a guess that is right to an order of magnitude.
    About(u64),
    /// Nothing is known.
    #[default]
    Unknown,
}

/// An estimate of a scan of a table before it runs, from the header alone.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Estimate {
    /// The number of rows.
    pub rows: RowCount,
    /// How long scanning the whole table takes on one core, in nanoseconds, right to an order of
    /// magnitude. Bytes are no measure: a recording of a few bytes may be a long simulation.
    pub work_ns: u64,
    /// The first and the last moment, if the header tells.
    pub span: Option<Span>,
    /// The clocks that are known to rise only.
    pub rises: Clocks,
}

impl Estimate {
    /// Estimates from the size of a recording in bytes: about five nanoseconds each, as long as
    /// reading takes in most formats.
    #[must_use]
    pub const fn of_bytes(bytes: u64) -> Self {
        Self {
            rows: RowCount::Unknown,
            work_ns: bytes.saturating_mul(5),
            span: None,
            rises: Clocks::STEPS,
        }
    }
}
