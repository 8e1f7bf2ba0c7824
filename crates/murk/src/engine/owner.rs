//! The propagators that write the fields of a world.

use murk_propagator::WriteMode;

use super::propagator::{Named, Stock, Use};
use super::world::World;

/// The propagator that writes a field: the origin suffers one for each.
pub(super) struct Owner {
    pub number: usize,
    pub name: String,
    pub writes: Writes,
}

/// What it writes in each tick.
#[derive(Clone, Copy)]
pub(super) enum Writes {
    /// The values at the front: all, or some.
    Front(u64),
    /// All, as it says itself: nobody holds it to that.
    Promised,
    /// Here and there. The engine puts back the last tick's values before, so that no other's
    /// writing is ever seen.
    InPlace,
}

impl Writes {
    /// How a propagator of the origin's kinds uses a field; none where it only reads.
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
    /// For each field the propagator that writes it.
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

    /// The propagator that writes a field, by number: what commands write into that field is
    /// overwritten in the same tick, in each cell of a field of one value a cell. One of one's own
    /// says itself what it writes.
    #[must_use]
    pub fn writer(&self, field: u32) -> Option<usize> {
        let owners = self.owners();
        owners
            .get(field as usize)?
            .as_ref()
            .map(|owner| owner.number)
    }
}
