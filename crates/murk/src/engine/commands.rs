//! The effect of commands: as it can be told without simulating, and as it was in a tick.

use murk_core::{Coord, IngressError, Receipt};
use murk_propagator::WriteMode;
use murk_space::Space as OriginSpace;

use super::error::WorldError;
use super::propagator::{Named, Stock, Use};
use super::space::Space;
use super::world::{Mutability, World};
use crate::audit::{CommandCheck, Rejection};
use crate::model::command::Command;
use crate::model::list::Coord as Cell;
use crate::model::payload::Payload;
use crate::simulation::Location;

/// Checks commands for a world: which are never applied, and which value the others write. It is
/// made by [`World::checker`]; it is small, and its methods are fast.
pub struct Checker {
    space: Space,
    ranks: Box<dyn OriginSpace>,
    ndim: usize,
    fields: Vec<(Mutability, u32)>,
    /// The propagator that writes each field.
    pub(super) owners: Vec<Option<Owner>>,
    max_ingress_queue: u32,
}

impl World {
    /// Creates the checker of this world, without simulating it.
    ///
    /// # Errors
    /// Same as [`World::check`].
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
    /// Returns the number of commands that the engine takes in one tick. It refuses further ones.
    #[must_use]
    pub const fn max_ingress_queue(&self) -> usize {
        self.max_ingress_queue as usize
    }

    /// Returns why a command is never applied; `None` if it is. `tick` is the engine's number of
    /// the tick: 1 for the first frame, independently of the recording's tick numbers.
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

    /// Returns true for a field whose values a propagator writes in each tick, after the commands,
    /// so that a command has no effect there. (This is known only for fields with one value per
    /// cell.)
    #[must_use]
    pub fn is_overwritten(&self, field: u32) -> bool {
        let owner = self.owners.get(field as usize);
        owner.is_some_and(Option::is_some) && self.components(field) == Some(1)
    }

    /// Returns the field and the element that a command writes, unless the command has expired.
    ///
    /// The element is the number of the cell, as in the origin, even in a field with several values
    /// per cell. A command thus reaches only the first values of a vector field, and
    /// [`locate`](Self::locate) returns the cell that it really hits, which is not the one that it
    /// names.
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

    /// Returns the number of a cell; `None` if the coordinate is not a cell.
    #[must_use]
    pub fn cell(&self, coord: &[i32]) -> Option<usize> {
        if coord.len() != self.ndim {
            return None;
        }
        self.ranks
            .canonical_rank(&coord.iter().copied().collect::<Coord>())
    }

    /// Returns the number of values that a field has in each cell; `None` if there is no such
    /// field.
    #[must_use]
    pub fn components(&self, field: u32) -> Option<u32> {
        self.fields
            .get(field as usize)
            .map(|&(_, components)| components)
    }

    /// Returns the cell of an element of a field.
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

    /// Returns the coordinate that a command must name to write an element: see
    /// [`target`](Self::target).
    pub(super) fn coord_of(&self, field: u32, element: usize) -> Option<Vec<i32>> {
        match self.fields.get(field as usize)? {
            (Mutability::Static, _) => None,
            _ => self.space.coord(element as u64),
        }
    }

    /// Returns how long the values of a field last.
    pub(super) fn mutability(&self, field: usize) -> Option<Mutability> {
        self.fields.get(field).map(|&(mutability, _)| mutability)
    }

    /// Returns how long the values of each field last.
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

/// The propagator that writes a field. The origin allows one for each field.
pub(super) struct Owner {
    pub number: usize,
    pub name: String,
    pub writes: Writes,
}

/// The values that it writes in each tick.
#[derive(Clone, Copy)]
pub(super) enum Writes {
    /// The first values of the field: all, or some.
    Front(u64),
    /// All, according to the propagator; nothing checks this.
    Promised,
    /// Some. The engine restores the values of the last tick first, so that other writes never
    /// show.
    InPlace,
}

impl Writes {
    /// Returns how a stock propagator writes a field; `None` if it only reads.
    fn of(used: Use, cells: u64) -> Option<Self> {
        match used {
            Use::Read => None,
            Use::Write => Some(Self::Front(u64::MAX)),
            Use::WriteFirst(values) => Some(Self::Front(cells.saturating_mul(values))),
            Use::Update => Some(Self::InPlace),
        }
    }

    const fn promised(mode: WriteMode) -> Self {
        match mode {
            WriteMode::Full => Self::Promised,
            WriteMode::Incremental => Self::InPlace,
        }
    }
}

impl World {
    /// Returns the propagator that writes each field.
    pub(super) fn owners(&self) -> Vec<Option<Owner>> {
        let mut owners: Vec<Option<Owner>> = self.fields.iter().map(|_| None).collect();
        let numbers = self.check_names().unwrap_or_default();
        let own = self.build_own(&numbers).unwrap_or_default();
        let cells = self.cell_count();
        for (number, propagator) in self.propagators.iter().enumerate() {
            let uses = propagator.stock().map(Stock::uses).unwrap_or_default();
            let stock = uses.into_iter().filter_map(|(named, used)| {
                let field = match named {
                    Named::Key(_, name) => numbers.get(name).copied(),
                    Named::Number(field, _) => Some(field),
                };
                Some((field?, Writes::of(used, cells)?))
            });
            let probed = own.get(number).and_then(Option::as_ref);
            let promised = probed.into_iter().flat_map(|probed| probed.uses().1);
            let promised = promised.map(|(id, mode)| (id.0 as usize, Writes::promised(*mode)));
            for (field, writes) in stock.chain(promised) {
                if let Some(owner) = owners.get_mut(field) {
                    owner.get_or_insert_with(|| Owner {
                        number,
                        name: propagator.kind().to_owned(),
                        writes,
                    });
                }
            }
        }
        owners
    }

    /// Returns the number of the propagator that writes a field. Commands that write into that
    /// field are overwritten in the same tick, in each cell of a field with one value per cell. A
    /// registered propagator declares itself what it writes.
    #[must_use]
    pub fn writer(&self, field: u32) -> Option<usize> {
        let owners = self.owners();
        owners
            .get(field as usize)?
            .as_ref()
            .map(|owner| owner.number)
    }
}

/// The outcome of a command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// It wrote its value.
    Applied,
    /// It had expired.
    Expired,
    /// The engine does not apply commands of its kind.
    Unsupported,
    /// Its coordinate or its field can't be written.
    NotApplied,
    /// The queue was full, or the engine makes no more ticks.
    Refused,
    /// It would have written its value, but the tick failed.
    RolledBack,
}

impl Outcome {
    /// All outcomes, in the order of [`Receipts::counts`].
    pub const ALL: [Self; 6] = [
        Self::Applied,
        Self::Expired,
        Self::Unsupported,
        Self::NotApplied,
        Self::Refused,
        Self::RolledBack,
    ];

    /// Returns `applied`, `expired`, `unsupported`, `not_applied`, `refused` or `rolled_back`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Expired => "expired",
            Self::Unsupported => "unsupported",
            Self::NotApplied => "not_applied",
            Self::Refused => "refused",
            Self::RolledBack => "rolled_back",
        }
    }

    fn of(receipt: &Receipt) -> Self {
        match receipt.reason_code {
            None => Self::Applied,
            Some(IngressError::Stale) => Self::Expired,
            Some(IngressError::UnsupportedCommand) => Self::Unsupported,
            Some(IngressError::NotApplied) => Self::NotApplied,
            Some(IngressError::TickRollback) => Self::RolledBack,
            Some(
                IngressError::QueueFull | IngressError::TickDisabled | IngressError::ShuttingDown,
            ) => Self::Refused,
        }
    }
}

/// The outcomes of the commands of the last tick, in the order in which they were submitted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Receipts(Vec<Outcome>);

impl Receipts {
    /// Returns the outcome of each command.
    #[must_use]
    pub fn outcomes(&self) -> &[Outcome] {
        &self.0
    }

    /// Returns the number of commands with this outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.0.iter().filter(|&&one| one == outcome).count()
    }

    /// Returns the number of commands with each outcome, in the order of [`Outcome::ALL`].
    #[must_use]
    pub fn counts(&self) -> [usize; 6] {
        Outcome::ALL.map(|outcome| self.count(outcome))
    }

    /// Starts with `commands` refused commands; those that the engine takes get receipts.
    pub(super) fn reset(&mut self, commands: usize) {
        self.0.clear();
        self.0.resize(commands, Outcome::Refused);
    }

    pub(super) fn fill(&mut self, receipts: &[Receipt]) {
        for receipt in receipts {
            if let Some(outcome) = self.0.get_mut(receipt.command_index) {
                *outcome = Outcome::of(receipt);
            }
        }
    }
}
