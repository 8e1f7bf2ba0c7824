//! A file of packets.

use gametape_delta::Schema;

use crate::seek::Entry;

/// A file of packets one behind the other, and their schema.
#[derive(Clone, Debug)]
pub struct DeltaFile<'a> {
    bytes: &'a [u8],
    schema: Schema,
}

impl<'a> DeltaFile<'a> {
    /// Packets of this schema.
    #[must_use]
    pub const fn new(bytes: &'a [u8], schema: Schema) -> Self {
        Self { bytes, schema }
    }

    /// The whole file.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The schema.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The packet whose entry this is.
    pub(crate) fn packet(&self, entry: &Entry) -> &'a [u8] {
        self.bytes
            .get(entry.at..)
            .and_then(|rest| rest.get(..entry.len))
            .unwrap_or_default()
    }
}
