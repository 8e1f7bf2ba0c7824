//! Who wrote a value of a world, told from its description and from the commands.

use murk_propagator::WriteMode;

use super::checker::Checker;
use super::field::Mutability;
use super::propagator::{Named, Stock, Use};
use super::world::World;
use crate::past::{Past, PastFrame, Touch, WrittenBy};
use crate::payload::Payload;

/// The propagator that writes a field: the origin suffers one for each.
pub(super) struct Owner {
    number: usize,
    name: String,
    writes: Writes,
}

/// What it writes in each tick.
#[derive(Clone, Copy)]
enum Writes {
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

impl Checker {
    /// Who wrote a value, as [`Simulation::written_by`](crate::Simulation::written_by) says it.
    pub(super) fn written_by(
        &self,
        field: u32,
        element: usize,
        past: &Past<'_>,
    ) -> Option<WrittenBy> {
        // A tick that failed shows what earlier ones left, and of sparse fields more than that.
        let tick = past.made()?;
        let index = field as usize;
        if let Some(owner) = self.owners.get(index)? {
            return self.owned(owner, field, element, tick, past);
        }
        let by = match self.mutability(index)? {
            Mutability::Static => WrittenBy::Nobody,
            Mutability::PerTick if past.known_from() > past.frame() => return None,
            Mutability::PerTick => match self.set_now(field, element, tick, past) {
                Some(touch) => WrittenBy::Command(touch),
                None => WrittenBy::Nobody,
            },
            Mutability::Sparse => self.set_ever(field, element, tick, past)?,
        };
        // A propagator of one's own may write what it has not said.
        let left = match &by {
            WrittenBy::Command(touch) => is_of(touch, past),
            _ => past.value().to_bits() == 0,
        };
        left.then_some(by)
    }

    /// Of a field that a propagator writes.
    fn owned(
        &self,
        owner: &Owner,
        field: u32,
        element: usize,
        tick: u64,
        past: &Past<'_>,
    ) -> Option<WrittenBy> {
        let overwrote = match owner.writes {
            Writes::Front(values) if element as u64 >= values => return None,
            Writes::Promised if self.may_show(field, element, past) => return None,
            Writes::Front(_) | Writes::Promised => self.set_now(field, element, tick, past),
            // All begins as +0, which it may have written and need not.
            Writes::InPlace if past.value().to_bits() == 0 => return None,
            Writes::InPlace => None,
        };
        Some(WrittenBy::Propagator {
            number: owner.number,
            name: owner.name.clone(),
            overwrote,
        })
    }

    /// True if what there is may be a command's value, which a propagator left as it was.
    fn may_show(&self, field: u32, element: usize, past: &Past<'_>) -> bool {
        let lasts = self.mutability(field as usize) == Some(Mutability::Sparse);
        past.frames()
            .filter(|frame| lasts || frame.index == past.frame())
            .filter_map(|frame| self.set_last(field, element, frame.made?, &frame))
            .any(|touch| is_of(&touch, past))
    }

    /// The command of the tick in question that set a value last, if any is known to have.
    fn set_now(&self, field: u32, element: usize, tick: u64, past: &Past<'_>) -> Option<Touch> {
        let now = past.frames().next();
        let now = now.filter(|frame| frame.index == past.frame())?;
        self.set_last(field, element, tick, &now)
    }

    /// Of a field that lasts, and that commands alone write.
    fn set_ever(
        &self,
        field: u32,
        element: usize,
        tick: u64,
        past: &Past<'_>,
    ) -> Option<WrittenBy> {
        // A tick for each frame: no tick failed between, which may show in these fields.
        let ahead = |tick: u64, frame: u64| tick.wrapping_sub(frame);
        let steady = ahead(tick, past.frame());
        for frame in past.frames() {
            let tick = frame
                .made
                .filter(|&tick| ahead(tick, frame.index) == steady)?;
            if let Some(touch) = self.set_last(field, element, tick, &frame) {
                return Some(WrittenBy::Command(touch));
            }
        }
        let (first, made) = past.first();
        let whole = past.known_from() <= first && made == Some(1) && ahead(1, first) == steady;
        whole.then_some(WrittenBy::Nobody)
    }

    /// The command of a tick that set a value last, in the engine's order.
    fn set_last(
        &self,
        field: u32,
        element: usize,
        tick: u64,
        frame: &PastFrame<'_>,
    ) -> Option<Touch> {
        let mut taken = 0;
        let mut touch = frame.last_by(
            |command| {
                taken += 1;
                taken <= self.max_ingress_queue()
                    && command.envelope.expires_after_tick >= tick
                    && self.target(command) == Some((field, element))
            },
            |command| {
                let envelope = &command.envelope;
                let source = envelope.source_id.unwrap_or(u64::MAX);
                // Without a source its number counts for nothing.
                let seq = envelope.source_id.and(envelope.source_seq);
                (envelope.priority_class, source, seq.unwrap_or(u64::MAX))
            },
        )?;
        touch.cell = self.named_cell(field, element, frame, touch.command);
        Some(touch)
    }

    /// The cell that a command names, where the value that it sets is another's.
    fn named_cell(
        &self,
        field: u32,
        element: usize,
        frame: &PastFrame<'_>,
        command: u32,
    ) -> Option<Vec<i32>> {
        let command = frame.commands.iter().nth(command as usize)?;
        let Payload::SetField { coord, .. } = command.payload().ok()? else {
            return None;
        };
        let named: Vec<i32> = coord.iter().collect();
        let hit = self.locate(field, element)?.coord;
        (named != hit).then_some(named)
    }
}

/// True if a command set the value that is in question.
fn is_of(touch: &Touch, past: &Past<'_>) -> bool {
    touch.value.map(f32::to_bits) == Some(past.value().to_bits())
}
