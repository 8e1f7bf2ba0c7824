//! What a stock propagator has to say of itself, each in a file of its own.

use std::collections::HashMap;

use murk_core::{Coord, FieldId};
use murk_propagator::Propagator as Origin;

use crate::engine::error::Fault;
use crate::engine::field::Field;
use crate::engine::space::Space;

/// A stock propagator, as data. Reading and writing its keys is [`parameters`]' work.
///
/// [`parameters`]: crate::engine::define
pub(in crate::engine) trait Stock {
    /// The fields it uses. Those that it writes are overwritten in each tick, after the commands.
    fn uses(&self) -> Vec<(Named<'_>, Use)>;

    /// What the origin does not look at and fails by, or passes over: the shapes of fields, which
    /// it indexes, or copies slices of, without looking at their lengths first; elements that do
    /// not exist. With the key in question.
    fn check(&self, _world: &Surroundings<'_>) -> Result<(), (&'static str, Fault)> {
        Ok(())
    }

    /// The origin's propagator. The parameters have been checked: the origin takes some on which
    /// it panics later.
    fn build(&self, fields: &Ids<'_>) -> Result<Box<dyn Origin>, String>;

    /// Bytes that a step sets up for each cell.
    fn memory(&self, _costs: &Costs) -> u64 {
        0
    }

    /// Cells that it looks at in a tick, beyond a few for each, in a space of so many dimensions.
    fn visits(&self, _dimensions: u32, _cells: u64) -> u64 {
        0
    }

    /// How it is built anew for each tick where the engine counts fewer ticks than were made; none
    /// where it does not look at the count.
    fn rebuild(&self, _fields: &Ids<'_>) -> Result<Option<Rebuild>, String> {
        Ok(None)
    }
}

/// Builds a propagator for one tick, of the engine's count and of what that is short by.
pub(in crate::engine) type Rebuild =
    Box<dyn Fn(u64, u64) -> Result<Box<dyn Origin>, String> + Send + Sync>;

/// How a propagator uses a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Use {
    Read,
    /// Written from nothing, all of it.
    Write,
    /// Written from nothing: as many values as there are cells, so many times, and no more, even
    /// where the field has more.
    WriteFirst(u64),
    /// Written from what it was: here and there.
    Update,
}

/// A field as a propagator names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::engine) enum Named<'a> {
    /// By the key, and the name that the key has.
    Key(&'static str, &'a str),
    /// By a fixed number, and what to say where there is none.
    Number(usize, &'static str),
}

/// A field that is read, by a key and the name that the key has.
pub(super) const fn reads<'a>(key: &'static str, name: &'a str) -> (Named<'a>, Use) {
    (Named::Key(key, name), Use::Read)
}

/// A field that is written from nothing.
pub(super) const fn writes<'a>(key: &'static str, name: &'a str) -> (Named<'a>, Use) {
    (Named::Key(key, name), Use::Write)
}

/// A field of which so many values a cell are written, at its front.
pub(super) const fn writes_first<'a>(
    key: &'static str,
    name: &'a str,
    values: u64,
) -> (Named<'a>, Use) {
    (Named::Key(key, name), Use::WriteFirst(values))
}

/// The fields' numbers by their names.
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

/// The world around a propagator, as far as it is known to be sound.
pub(in crate::engine) struct Surroundings<'a> {
    pub space: &'a Space,
    pub cells: u64,
    pub fields: &'a [Field],
    pub numbers: &'a HashMap<&'a str, usize>,
}

impl<'a> Surroundings<'a> {
    /// The origin has its own way of squares with four neighbours.
    pub fn has_squares(&self) -> bool {
        self.space.has_squares()
    }

    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&'a Field> {
        self.fields.get(*self.numbers.get(name)?)
    }

    /// Values of a field.
    pub fn values(&self, name: &str) -> u64 {
        let values = self.field(name).map_or(1, |f| f.field_type.components());
        self.cells.saturating_mul(values.into())
    }

    /// That a field has one value a cell.
    pub fn one(&self, key: &'static str, name: &str) -> Result<(), (&'static str, Fault)> {
        match self.field(name) {
            Some(field) if field.field_type.components() != 1 => {
                Err((key, components(field, "one is needed")))
            }
            _ => Ok(()),
        }
    }

    /// That a field has as many values a cell as a gradient needs.
    pub fn two(
        &self,
        key: &'static str,
        field: Option<&Field>,
    ) -> Result<(), (&'static str, Fault)> {
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

    /// That elements named by number exist: the origin passes over others.
    pub fn elements(
        key: &'static str,
        mut named: impl Iterator<Item = u64>,
        count: u64,
    ) -> Result<(), (&'static str, Fault)> {
        match named.find(|at| *at >= count) {
            None => Ok(()),
            Some(at) => {
                let fault = Fault::Value(format!("element {at} does not exist; there are {count}"));
                Err((key, fault))
            }
        }
    }
}

fn components(field: &Field, needed: &'static str) -> Fault {
    Fault::Components {
        field: field.name.clone(),
        found: field.field_type.components(),
        needed,
    }
}

/// What the origin's lists of cells and of neighbours take, for each cell.
///
/// It lists the cells of any space but `square4`, and each cell's neighbours, anew in every tick:
/// on such spaces that, and not the fields, fills the memory.
pub(in crate::engine) struct Costs {
    /// The cells themselves.
    pub cells: u64,
    /// The neighbours' places.
    pub ranks: u64,
    /// How far the neighbours are off.
    pub deltas: u64,
    /// True where the origin does without those lists.
    pub squares: bool,
}

impl Costs {
    pub fn of(space: &Space) -> Self {
        /// Bytes of an empty list, and what an allocator keeps beside its contents.
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

    /// Nothing on squares, else these lists.
    pub const fn unless_squares(&self, lists: u64) -> u64 {
        if self.squares { 0 } else { lists }
    }
}
