//! Who wrote a value of a world, told from its description and from the commands.

use super::checker::Checker;
use super::field::Mutability;
use super::propagator::{Named, Use};
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
enum Writes {
    /// The values at the front: all, or some.
    Front(u64),
    /// Here and there. The engine puts back the last tick's values before, so that no other's
    /// writing is ever seen.
    InPlace,
}

/// For each field the propagator that writes it.
pub(super) fn owners(world: &World) -> Vec<Option<Owner>> {
    let mut owners: Vec<Option<Owner>> = world.fields.iter().map(|_| None).collect();
    for (number, propagator) in world.propagators.iter().enumerate() {
        for (named, used) in propagator.stock().uses() {
            let writes = match used {
                Use::Read => continue,
                Use::Write => Writes::Front(u64::MAX),
                Use::WriteFirst(values) => Writes::Front(world.cell_count().saturating_mul(values)),
                Use::Update => Writes::InPlace,
            };
            let field = match named {
                Named::Key(_, name) => world.fields.iter().position(|field| field.name == name),
                Named::Number(field, _) => Some(field),
            };
            if let Some(owner) = field.and_then(|field| owners.get_mut(field)) {
                let name = propagator.kind().to_owned();
                *owner = Some(Owner {
                    number,
                    name,
                    writes,
                });
            }
        }
    }
    owners
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
        match self.mutability(index)? {
            Mutability::Static => Some(WrittenBy::Nobody),
            Mutability::PerTick if past.known_from() > past.frame() => None,
            Mutability::PerTick => Some(match self.set_now(field, element, tick, past) {
                Some(touch) => WrittenBy::Command(touch),
                None => WrittenBy::Nobody,
            }),
            Mutability::Sparse => self.set_ever(field, element, tick, past),
        }
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
            Writes::Front(_) => self.set_now(field, element, tick, past),
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
