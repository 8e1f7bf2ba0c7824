//! The propagators that write the fields of a world.

use murk_propagator::WriteMode;

use super::propagator::{Named, Stock, Use};
use super::world::World;

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
