//! The spelling of the model's values in JSON.

use std::fmt::Display;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::counts::{COUNT_NAMES, counts};
use crate::model::Stats;

/// A value, as the API spells it.
pub(super) fn text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Values, as the API spells them.
pub(super) fn texts<S: Serializer, T: Display>(
    values: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(ToString::to_string))
}

/// [`Stats`] with the API's names.
pub(super) struct Counted<'a>(pub &'a Stats);

impl Serialize for Counted<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = counts(self.0);
        let mut map = serializer.serialize_map(Some(1 + counts.len()))?;
        map.serialize_entry("possession_time", &self.0.possession_time)?;
        for (name, count) in COUNT_NAMES.iter().zip(counts) {
            map.serialize_entry(name, &count)?;
        }
        map.end()
    }
}
