//! What becomes of a command, told without simulating.

use murk_core::Coord;
use murk_space::Space as OriginSpace;

use super::error::WorldError;
use super::field::Mutability;
use super::owner::Owner;
use super::space::Space;
use super::world::World;
use crate::check::{CommandCheck, Rejection};
use crate::command::Command;
use crate::list::Coord as Cell;
use crate::payload::Payload;
use crate::simulation::Location;

/// What an audit asks about the commands for a world: which are never applied, and what the others
/// write. Made by [`World::checker`]; cheap to ask, and to keep.
pub struct Checker {
    space: Space,
    ranks: Box<dyn OriginSpace>,
    ndim: usize,
    fields: Vec<(Mutability, u32)>,
    /// For each field the propagator that writes it.
    pub(super) owners: Vec<Option<Owner>>,
    max_ingress_queue: u32,
}

impl World {
    /// What becomes of commands in this world, without simulating it.
    ///
    /// # Errors
    /// As [`World::check`].
    pub fn checker(&self) -> Result<Checker, WorldError> {
        Ok(self.checker_of(self.parts()?.space))
    }

    pub(super) fn checker_of(&self, ranks: Box<dyn OriginSpace>) -> Checker {
        let fields = self.fields.iter();
        Checker {
            ndim: self.space.ndim(),
            space: self.space.clone(),
            ranks,
            fields: fields
                .map(|field| (field.mutability, field.field_type.components()))
                .collect(),
            owners: self.owners(),
            max_ingress_queue: self.max_ingress_queue,
        }
    }
}

impl std::fmt::Debug for Checker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker")
            .field("space", &self.space)
            .field("fields", &self.fields)
            .field("max_ingress_queue", &self.max_ingress_queue)
            .finish_non_exhaustive()
    }
}

impl Checker {
    /// Commands that the engine takes in one tick: it refuses those behind.
    #[must_use]
    pub const fn max_ingress_queue(&self) -> usize {
        self.max_ingress_queue as usize
    }

    /// Why a command is never applied; `None` where it is. `tick` is the tick that the engine
    /// makes of the frame: 1 for the first one, whatever the recording calls it.
    #[must_use]
    pub fn check(&self, command: &Command<'_>, tick: u64) -> Option<Rejection> {
        if command.envelope.expires_after_tick < tick {
            return Some(Rejection::Expired);
        }
        let Ok(Payload::SetField { coord, field, .. }) = command.payload() else {
            return Some(Rejection::Unsupported);
        };
        if self.rank(coord).is_none() {
            return Some(Rejection::Outside);
        }
        match self.fields.get(field as usize) {
            None => Some(Rejection::UnknownField),
            Some((Mutability::Static, _)) => Some(Rejection::StaticField),
            Some(_) => None,
        }
    }

    /// True for a field whose values a propagator writes in each tick, after the commands: what a
    /// command sets there is gone before anybody sees it. (Told of fields with one value a cell
    /// only.)
    #[must_use]
    pub fn is_overwritten(&self, field: u32) -> bool {
        let owner = self.owners.get(field as usize);
        owner.is_some_and(Option::is_some) && self.components(field) == Some(1)
    }

    /// The field and the element that a command writes, unless it has expired.
    ///
    /// The element is the cell's place among the cells, in a field of several values a cell too:
    /// so the origin has it. A command thus reaches the first values of a vector field only, and
    /// [`locate`](Self::locate) tells the cell that it hits, which is not the one it names.
    #[must_use]
    pub fn target(&self, command: &Command<'_>) -> Option<(u32, usize)> {
        let Ok(Payload::SetField { coord, field, .. }) = command.payload() else {
            return None;
        };
        match self.fields.get(field as usize)? {
            (Mutability::Static, _) => None,
            _ => Some((field, self.rank(coord)?)),
        }
    }

    /// The place of a cell among the cells; `None` where the coordinate is no cell.
    #[must_use]
    pub fn cell(&self, coord: &[i32]) -> Option<usize> {
        if coord.len() != self.ndim {
            return None;
        }
        self.ranks
            .canonical_rank(&coord.iter().copied().collect::<Coord>())
    }

    /// The values that a field has in each cell; `None` where there is no such field.
    #[must_use]
    pub fn components(&self, field: u32) -> Option<u32> {
        self.fields
            .get(field as usize)
            .map(|&(_, components)| components)
    }

    /// Which cell an element of a field is of.
    #[must_use]
    pub fn locate(&self, field: u32, element: usize) -> Option<Location> {
        let &(_, components) = self.fields.get(field as usize)?;
        let element = element as u64;
        let cell = element.checked_div(u64::from(components))?;
        Some(Location {
            coord: self.space.coord(cell)?,
            component: u32::try_from(element.checked_rem(u64::from(components))?).ok()?,
            components,
        })
    }

    /// The coordinate that a command has to name to write an element: see [`target`](Self::target).
    pub(super) fn coord_of(&self, field: u32, element: usize) -> Option<Vec<i32>> {
        match self.fields.get(field as usize)? {
            (Mutability::Static, _) => None,
            _ => self.space.coord(element as u64),
        }
    }

    /// How long a field's values last.
    pub(super) fn mutability(&self, field: usize) -> Option<Mutability> {
        self.fields.get(field).map(|&(mutability, _)| mutability)
    }

    /// How long the values of each field last.
    pub(super) fn mutabilities(&self) -> impl Iterator<Item = Mutability> {
        self.fields.iter().map(|&(mutability, _)| mutability)
    }

    fn rank(&self, coord: Cell<'_>) -> Option<usize> {
        if coord.len() != self.ndim {
            return None;
        }
        self.ranks.canonical_rank(&coord.iter().collect::<Coord>())
    }
}

impl CommandCheck for Checker {
    fn check(&self, command: &Command<'_>, engine_tick: u64) -> Option<Rejection> {
        self.check(command, engine_tick).or_else(|| {
            let (field, _) = self.target(command)?;
            self.is_overwritten(field).then_some(Rejection::Overwritten)
        })
    }

    fn queue_limit(&self) -> u64 {
        self.max_ingress_queue() as u64
    }
}
