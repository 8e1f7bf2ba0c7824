//! A value that differs between two states.

use std::fmt;

use gametape_core::{Datum, ToDatum};

use crate::model::text::ShownValue;
use crate::simulation::{Location, Simulation};

/// A value that differs.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The field's number, from 0: its place in the hash.
    pub field: u32,
    /// The field's name, if the simulation knows it.
    pub field_name: Option<String>,
    /// The value's place in the field.
    pub element: usize,
    /// The cell, if the simulation knows it.
    pub location: Option<Location>,
    /// The value in the replay.
    pub replayed: f32,
    /// The value in the recording.
    pub recorded: f32,
}

/// Values are equal if their bits are.
impl PartialEq for Difference {
    fn eq(&self, other: &Self) -> bool {
        self.field == other.field
            && self.element == other.element
            && self.replayed.to_bits() == other.replayed.to_bits()
            && self.recorded.to_bits() == other.recorded.to_bits()
    }
}

impl Difference {
    pub(crate) fn new<S: Simulation + ?Sized>(
        simulation: &S,
        field: u32,
        element: usize,
        replayed: f32,
        recorded: f32,
    ) -> Self {
        Self {
            field,
            field_name: simulation.field_name(field).map(str::to_owned),
            element,
            location: simulation.locate(field, element),
            replayed,
            recorded,
        }
    }

    /// Returns true if one bit of the value differs, as after a fault of memory.
    pub(super) const fn is_one_bit(&self) -> bool {
        (self.replayed.to_bits() ^ self.recorded.to_bits()).is_power_of_two()
    }

    /// Returns `field 0 (heat) at [3, 4]`, or `field 0, element 12` if the simulation gives no
    /// names.
    #[must_use]
    pub fn place(&self) -> String {
        let name = self
            .field_name
            .as_ref()
            .map_or_else(String::new, |name| format!(" ({name})"));
        match &self.location {
            Some(location) => format!("field {}{name} at {location}", self.field),
            None => format!("field {}{name}, element {}", self.field, self.element),
        }
    }
}

impl Difference {
    /// Returns the parts of a difference by name; all are null for `None`.
    pub(crate) fn figures(value: Option<&Self>) -> Vec<(&'static str, Datum)> {
        let location = value.and_then(|value| value.location.as_ref());
        vec![
            ("field", value.map(|value| value.field).to_datum()),
            (
                "field_name",
                value.and_then(|v| v.field_name.as_ref()).to_datum(),
            ),
            ("cell", location.map(|at| &at.coord).to_datum()),
            ("component", location.map(|at| at.component).to_datum()),
            ("element", value.map(|value| value.element).to_datum()),
            ("replayed", value.map(|v| ShownValue(v.replayed)).to_datum()),
            ("recorded", value.map(|v| ShownValue(v.recorded)).to_datum()),
        ]
    }
}

impl ToDatum for Difference {
    fn to_datum(&self) -> Datum {
        Datum::Map(Self::figures(Some(self)))
    }
}

/// The first values in which two states differ, and how many differ: `field 2 (level) at [0, 0] is 1.5 and 1.75, …`.
pub(crate) struct Listed<'d>(pub &'d [Difference], pub u64);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(differences, count) = *self;
        for (at, value) in differences.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            let (one, other) = (ShownValue(value.replayed), ShownValue(value.recorded));
            write!(f, "{} is {one} and {other}", value.place())?;
        }
        if count > differences.len() as u64 {
            f.write_str(", …")?;
        }
        Ok(())
    }
}
