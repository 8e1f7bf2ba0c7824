//! A file of packets.

use std::borrow::Cow;

use gametape_delta::Schema;

use crate::ranges::Ranges;
use crate::rule::Error;
use crate::seek::Entry;

/// A file of concatenated packets, and their schema.
#[derive(Clone, Debug)]
pub struct DeltaFile<'a> {
    ranges: Ranges<'a>,
    schema: Schema,
}

impl<'a> DeltaFile<'a> {
    /// Opens a file of packets with this schema.
    #[must_use]
    pub fn new(source: impl Into<Ranges<'a>>, schema: Schema) -> Self {
        Self {
            ranges: source.into(),
            schema,
        }
    }

    /// The source of the packets.
    #[must_use]
    pub fn ranges(&self) -> Ranges<'a> {
        self.ranges.clone()
    }

    /// The schema with which the file was opened: packets contain only its hash.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The bytes of the packet of an entry.
    pub(crate) fn packet(&self, entry: &Entry) -> Result<Cow<'a, [u8]>, Error> {
        self.ranges.range(entry.at, entry.len as u64)
    }
}
