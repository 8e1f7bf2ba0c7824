//! The interface of a stock propagator.

use std::collections::HashMap;

use gametape_core::text::Grouped;
use murk_core::{Coord, FieldId};
use murk_propagator::Propagator as Origin;

use crate::engine::error::WorldFault;
use crate::engine::space::Space;
use crate::engine::world::Field;

/// A stock propagator, as data. [`parameters`] reads and writes its keys.
///
/// [`parameters`]: crate::engine::define
pub(in crate::engine) trait Stock {
    /// Returns the fields it uses. Those that it writes are overwritten in each tick, after the
    /// commands.
    fn uses(&self) -> Vec<(Named<'_>, Use)>;

    /// Checks what the origin does not check, and would fail on or ignore: the shapes of fields,
    /// which it indexes or copies without looking at their lengths, and elements that do not exist.
    /// Returns the key with the fault.
    fn check(&self, _world: &Surroundings<'_>) -> Result<(), (&'static str, WorldFault)> {
        Ok(())
    }

    /// Builds the origin's propagator. The parameters have been checked, because the origin accepts
    /// some that make it panic later.
    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String>;

    /// Returns the number of bytes that a step allocates for each cell.
    fn memory(&self, _costs: &Costs) -> u64 {
        0
    }

    /// Returns the number of cells that it visits in a tick, beyond a few per cell, in a space with
    /// this many dimensions.
    fn visits(&self, _dimensions: u32, _cells: u64) -> u64 {
        0
    }

    /// Returns how to rebuild it for each tick if the engine counts fewer ticks than were made;
    /// `None` if it does not depend on the count.
    fn rebuild(&self, _fields: &Ids<'_>) -> Result<Option<Rebuild>, String> {
        Ok(None)
    }
}

/// Builds a propagator for one tick, from the engine's count and the number of missing ticks.
pub(in crate::engine) type Rebuild =
    Box<dyn Fn(u64, u64) -> Result<Box<dyn Origin>, String> + Send + Sync>;

/// How a propagator uses a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Use {
    Read,
    /// It writes all values anew.
    Write,
    /// It writes the first values anew: this many per cell, even if the field has more.
    WriteFirst(u64),
    /// It changes some of the values.
    Update,
}

/// A field as a propagator refers to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Named<'a> {
    /// By a key, with the name in the description.
    Key(&'static str, &'a str),
    /// By a fixed number, with the message for a world without it.
    Number(usize, &'static str),
}

/// Returns a field that is read, by a key and the name in the description.
pub(super) const fn reads<'a>(key: &'static str, name: &'a str) -> (Named<'a>, Use) {
    (Named::Key(key, name), Use::Read)
}

/// Returns a field that is written anew.
pub(super) const fn writes<'a>(key: &'static str, name: &'a str) -> (Named<'a>, Use) {
    (Named::Key(key, name), Use::Write)
}

/// Returns a field of which this many values per cell are written, from its start.
pub(super) const fn writes_first<'a>(
    key: &'static str,
    name: &'a str,
    values: u64,
) -> (Named<'a>, Use) {
    (Named::Key(key, name), Use::WriteFirst(values))
}

/// The numbers of the fields by their names.
pub(in crate::engine) struct Ids<'a>(pub &'a HashMap<&'a str, usize>);

impl Ids<'_> {
    pub fn of(&self, name: &str) -> Result<FieldId, String> {
        let number = self
            .0
            .get(name)
            .and_then(|&number| u32::try_from(number).ok());
        number
            .map(FieldId)
            .ok_or_else(|| format!("no field {name:?}"))
    }
}

/// The world around a propagator, as far as it has been checked.
pub(in crate::engine) struct Surroundings<'a> {
    pub space: &'a Space,
    pub cells: u64,
    pub fields: &'a [Field],
    pub numbers: &'a HashMap<&'a str, usize>,
}

impl<'a> Surroundings<'a> {
    /// Returns true for squares with four neighbours, for which the origin has separate code.
    pub fn has_squares(&self) -> bool {
        self.space.has_squares()
    }

    /// Returns the field with a name.
    pub fn field(&self, name: &str) -> Option<&'a Field> {
        self.fields.get(*self.numbers.get(name)?)
    }

    /// Returns the number of values of a field.
    pub fn values(&self, name: &str) -> u64 {
        let values = self.field(name).map_or(1, |f| f.field_type.components());
        self.cells.saturating_mul(values.into())
    }

    /// Checks that a field has one value per cell.
    pub fn one(&self, key: &'static str, name: &str) -> Result<(), (&'static str, WorldFault)> {
        match self.field(name) {
            Some(field) if field.field_type.components() != 1 => {
                Err((key, components(field, "one is needed")))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a field has as many values per cell as a gradient needs.
    pub fn two(
        &self,
        key: &'static str,
        field: Option<&Field>,
    ) -> Result<(), (&'static str, WorldFault)> {
        let squares = self.has_squares();
        match field {
            Some(field) if squares && field.field_type.components() < 2 => {
                Err((key, components(field, "two or more are needed")))
            }
            Some(field) if !squares && field.field_type.components() != 2 => {
                Err((key, components(field, "two are needed")))
            }
            _ => Ok(()),
        }
    }

    /// Checks that elements exist; the origin ignores others.
    pub fn elements(
        key: &'static str,
        mut named: impl Iterator<Item = u64>,
        count: u64,
    ) -> Result<(), (&'static str, WorldFault)> {
        match named.find(|at| *at >= count) {
            None => Ok(()),
            Some(at) => {
                let fault = WorldFault::Value(format!(
                    "element {} does not exist; there are {}",
                    Grouped(at),
                    Grouped(count)
                ));
                Err((key, fault))
            }
        }
    }
}

fn components(field: &Field, needed: &'static str) -> WorldFault {
    WorldFault::Components {
        field: field.name.clone(),
        found: field.field_type.components(),
        needed,
    }
}

/// The memory of the origin's lists of cells and of neighbours, for each cell.
///
/// The origin lists the cells of any space but `square4`, and each cell's neighbours, anew in every
/// tick. In such spaces the lists fill the memory, not the fields.
pub(in crate::engine) struct Costs {
    /// The cells themselves.
    pub cells: u64,
    /// The numbers of the neighbours.
    pub ranks: u64,
    /// The offsets of the neighbours.
    pub deltas: u64,
    /// True if the origin does not need those lists.
    pub squares: bool,
}

impl Costs {
    pub fn of(space: &Space) -> Self {
        /// The size of an empty list, and an allocator's overhead.
        const LIST: u64 = 40;
        let ndim = space.ndim() as u64;
        let inline = size_of::<Coord>() as u64;
        let neighbours = |size: u64| LIST + size * space.degree().next_power_of_two().max(4);
        Self {
            cells: if ndim > 4 {
                inline + 4 * ndim + LIST
            } else {
                inline
            },
            ranks: neighbours(8),
            deltas: neighbours(16),
            squares: space.has_squares(),
        }
    }

    /// Returns 0 for squares, and the size of these lists otherwise.
    pub const fn unless_squares(&self, lists: u64) -> u64 {
        if self.squares { 0 } else { lists }
    }
}
