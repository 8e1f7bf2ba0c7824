//! A file of packets.

use std::borrow::Cow;

use gametape_delta::Schema;

use crate::ranges::Ranges;
use crate::rule::Error;
use crate::seek::Entry;

/// A file of packets one behind the other, and their schema.
#[derive(Clone, Debug)]
pub struct DeltaFile<'a> {
    ranges: Ranges<'a>,
    schema: Schema,
}

impl<'a> DeltaFile<'a> {
    /// Packets of this schema.
    #[must_use]
    pub fn new(source: impl Into<Ranges<'a>>, schema: Schema) -> Self {
        Self {
            ranges: source.into(),
            schema,
        }
    }

    /// What it is read from.
    #[must_use]
    pub const fn ranges(&self) -> Ranges<'a> {
        self.ranges
    }

    /// The schema it was opened with: packets name it by its hash alone.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The packet whose entry this is.
    pub(crate) fn packet(&self, entry: &Entry) -> Result<Cow<'a, [u8]>, Error> {
        self.ranges.range(entry.at, entry.len as u64)
    }
}
