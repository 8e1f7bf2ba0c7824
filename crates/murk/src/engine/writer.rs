//! Finds the writer of a value of a world, from its description and the commands.

use super::commands::{Checker, Owner, Writes};
use super::world::Mutability;
use crate::model::payload::Payload;
use crate::simulation::past::{Past, PastFrame, Touch, WrittenBy};

/// The value whose writer is asked for, after a tick of the engine.
struct AskedValue<'p> {
    field: u32,
    element: usize,
    tick: u64,
    past: &'p Past<'p>,
}

impl Checker {
    /// Returns the writer of a value; see
    /// [`Simulation::written_by`](crate::Simulation::written_by).
    pub(super) fn written_by(
        &self,
        field: u32,
        element: usize,
        past: &Past<'_>,
    ) -> Option<WrittenBy> {
        // A failed tick shows the values of earlier ones, and of sparse fields possibly more.
        let value = &AskedValue {
            field,
            element,
            tick: past.made()?,
            past,
        };
        let index = field as usize;
        if let Some(owner) = self.owners.get(index)? {
            return self.owned(owner, value);
        }
        let by = match self.mutability(index)? {
            Mutability::Static => WrittenBy::Nobody,
            Mutability::PerTick if past.known_from() > past.frame() => return None,
            Mutability::PerTick => match self.set_now(value) {
                Some(touch) => WrittenBy::Command(touch),
                None => WrittenBy::Nobody,
            },
            Mutability::Sparse => self.set_ever(value)?,
        };
        // A registered propagator may write values that it has not declared.
        let left = match &by {
            WrittenBy::Command(touch) => is_of(touch, past),
            _ => past.value().to_bits() == 0,
        };
        left.then_some(by)
    }

    /// Returns the writer of a value in a field that a propagator writes.
    fn owned(&self, owner: &Owner, value: &AskedValue<'_>) -> Option<WrittenBy> {
        let overwrote = match owner.writes {
            Writes::Front(values) if value.element as u64 >= values => return None,
            Writes::Promised if self.may_show(value) => return None,
            Writes::Front(_) | Writes::Promised => self.set_now(value),
            // Values start as +0. The propagator may or may not have written that.
            Writes::InPlace if value.past.value().to_bits() == 0 => return None,
            Writes::InPlace => None,
        };
        Some(WrittenBy::Propagator {
            number: owner.number,
            name: owner.name.clone(),
            overwrote,
        })
    }

    /// Returns true if the value may be a command's, which a propagator left unchanged.
    fn may_show(&self, value: &AskedValue<'_>) -> bool {
        let lasts = self.mutability(value.field as usize) == Some(Mutability::Sparse);
        let past = value.past;
        past.frames()
            .filter(|frame| lasts || frame.index == past.frame())
            .filter_map(|frame| self.set_last(value, frame.made?, &frame))
            .any(|touch| is_of(&touch, past))
    }

    /// Returns the command of this tick that set a value last, if one is known.
    fn set_now(&self, value: &AskedValue<'_>) -> Option<Touch> {
        let now = value.past.frames().next();
        let now = now.filter(|frame| frame.index == value.past.frame())?;
        self.set_last(value, value.tick, &now)
    }

    /// Returns the writer of a value in a field that lasts and that only commands write.
    fn set_ever(&self, value: &AskedValue<'_>) -> Option<WrittenBy> {
        let past = value.past;
        // There is a tick for each frame, so no tick failed in between, which might show in these
        // fields.
        let ahead = |tick: u64, frame: u64| tick.wrapping_sub(frame);
        let steady = ahead(value.tick, past.frame());
        for frame in past.frames() {
            let tick = frame
                .made
                .filter(|&tick| ahead(tick, frame.index) == steady)?;
            if let Some(touch) = self.set_last(value, tick, &frame) {
                return Some(WrittenBy::Command(touch));
            }
        }
        let (first, made) = past.first();
        let whole = past.known_from() <= first && made == Some(1) && ahead(1, first) == steady;
        whole.then_some(WrittenBy::Nobody)
    }

    /// Returns the command of a tick that set a value last, in the engine's order.
    fn set_last(&self, value: &AskedValue<'_>, tick: u64, frame: &PastFrame<'_>) -> Option<Touch> {
        let mut taken = 0;
        let target = (value.field, value.element);
        let mut touch = frame.last_by(
            |command| {
                taken += 1;
                taken <= self.max_ingress_queue()
                    && command.envelope.expires_after_tick >= tick
                    && self.target(command) == Some(target)
            },
            |command| {
                let envelope = &command.envelope;
                let source = envelope.source_id.unwrap_or(u64::MAX);
                // Without a source, its number is ignored.
                let seq = envelope.source_id.and(envelope.source_seq);
                (envelope.priority_class, source, seq.unwrap_or(u64::MAX))
            },
        )?;
        touch.cell = self.named_cell(target, frame, touch.command);
        Some(touch)
    }

    /// Returns the cell that a command names, if it sets the value of another cell.
    fn named_cell(
        &self,
        (field, element): (u32, usize),
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

/// Returns true if a command set this value.
fn is_of(touch: &Touch, past: &Past<'_>) -> bool {
    touch.value.map(f32::to_bits) == Some(past.value().to_bits())
}
