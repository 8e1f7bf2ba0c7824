//! Finds the changes to send.

use core::mem;

use crate::schema::ones;
use crate::session::audience::{Audience, Relevance, Stamp};
use crate::session::change::{Head, Scratch, Waiting, What};
use crate::session::grid::{Area, Grid, Near};
use crate::session::known::Known;
use crate::session::model::Mode;
use crate::session::world::World;

/// How much sooner a new entity is sent than a change of one that is there; an entity that ends is
/// sent sooner still, because that takes 4 bytes. All grow with the time of waiting, so that none
/// keeps the others out.
const NEW: u64 = 8;
const ENDED: u64 = 16;
/// A change of an entity whose creation is under way repeats the whole of it, so that it is worth
/// less than that of one that is there.
const CHANGED: u64 = 2;

/// A pass over the world and over what the sender knows.
pub(super) struct Scan<'a> {
    pub scratch: &'a mut Scratch,
    pub tick: u32,
    pub mode: Mode,
    /// The largest weight so far, and that of the last packet.
    pub heaviest: u32,
    pub before: u32,
    /// The number of entities that the receiver may see.
    pub visible: usize,
    /// The number of entities that it may have.
    pub held: usize,
}

impl Scan<'_> {
    /// Fills `scratch` with what is known after this packet, and the order of the changes.
    pub fn entities<R: Into<Relevance>>(
        &mut self,
        known: &[Known],
        world: &World,
        relevance: impl FnMut(u32) -> R,
    ) {
        // Two loops, because the question in each turn costs a tenth.
        if world.is_restricted() {
            let stamp = |at, head: &Head, audience| world.stamp(at, head, audience);
            self.pass(known, world, relevance, stamp);
        } else {
            self.pass(known, world, relevance, |_, head, _| head.stamp());
        }
    }

    #[inline(always)]
    fn pass<R: Into<Relevance>>(
        &mut self,
        mut known: &[Known],
        world: &World,
        mut relevance: impl FnMut(u32) -> R,
        stamp: impl Fn(usize, &Head, Audience) -> Stamp,
    ) {
        self.scratch.known.clear();
        self.scratch.order.clear();
        for (at, (id, head)) in world.ids().iter().zip(world.heads()).enumerate() {
            let new = Known::new(*id);
            let entity = self.up_to(&mut known, *id).unwrap_or(&new);
            let Relevance { weight, audience } = relevance(*id).into();
            match weight {
                0 => self.hide(entity),
                weight => self.show(entity, &stamp(at, head, audience), weight),
            }
        }
        for gone in known {
            self.hide(gone);
        }
    }

    /// Like [`entities`](Self::entities), for those near a place alone.
    pub fn near<R: Into<Relevance>>(
        &mut self,
        mut known: &[Known],
        world: &World,
        (grid, area): (&Grid, &Area),
        mut relevance: impl FnMut(Near) -> R,
    ) {
        self.scratch.known.clear();
        self.scratch.order.clear();
        let reach = [false, true].map(|is_seen| area.reach(is_seen));
        let mut bits = mem::take(&mut self.scratch.bits);
        grid.candidates(area, &mut bits);
        for (word, bits) in bits.iter().enumerate() {
            for bit in ones(*bits) {
                let at = word * 64 + bit;
                let (Some(id), Some(head)) = (world.ids().get(at), world.heads().get(at)) else {
                    continue;
                };
                let new = Known::new(*id);
                let entity = self.up_to(&mut known, *id).unwrap_or(&new);
                let distance_squared = grid.distance_squared(at, area);
                let [enter, leave] = reach;
                if distance_squared > if entity.shown { leave } else { enter } {
                    self.hide(entity);
                    continue;
                }
                let near = Near {
                    id: *id,
                    distance_squared,
                };
                let Relevance { weight, audience } = relevance(near).into();
                match weight {
                    0 => self.hide(entity),
                    weight => self.show(entity, &world.stamp(at, head, audience), weight),
                }
            }
        }
        self.scratch.bits = bits;
        for gone in known {
            self.hide(gone);
        }
    }

    /// Returns what is known of an entity. All that are known before it are no longer to be seen.
    #[inline(always)]
    fn up_to<'k>(&mut self, known: &mut &'k [Known], id: u32) -> Option<&'k Known> {
        while let Some((gone, rest)) = known.split_first()
            && gone.id < id
        {
            self.hide(gone);
            *known = rest;
        }
        let (found, rest) = known.split_first().filter(|(found, _)| found.id == id)?;
        *known = rest;
        Some(found)
    }

    // The knowledge of an entity is copied as a whole: taken apart, it has no room in registers.
    #[inline(always)]
    fn show(&mut self, known: &Known, now: &Stamp, weight: u32) {
        self.visible += 1;
        self.heaviest = self.heaviest.max(weight);
        let weight = u64::from(weight);
        let change = known.show(now, self.mode).map(|what| match what {
            // It may be there already: then this is a change like others.
            _ if known.flight >= now.born => (what, weight),
            What::Update => (what, CHANGED * weight),
            _ => (what, NEW * weight),
        });
        self.push(known, change, now.face, true);
    }

    #[inline(always)]
    fn hide(&mut self, known: &Known) {
        if known.may_be_held() {
            let ends = known.hide(self.mode);
            let urgency = ENDED * u64::from(self.before);
            let change = ends.then_some((What::Destroy, urgency));
            self.push(known, change, Audience::All, false);
        }
    }

    #[inline(always)]
    fn push(&mut self, known: &Known, change: Option<(What, u64)>, face: Audience, shown: bool) {
        self.held += usize::from(known.may_be_held());
        let mut since = 0;
        if let Some((what, urgency)) = change {
            since = if known.since == 0 {
                self.tick
            } else {
                known.since
            };
            let waited = u64::from(self.tick - since) + 1;
            let priority = urgency.saturating_mul(waited).min(u32::MAX.into());
            let at = self.scratch.known.len() as u32;
            let waiting = Waiting::new(priority as u32, at, what, face);
            self.scratch.order.push(waiting);
        }
        self.scratch.known.push(*known);
        if let Some(known) = self.scratch.known.last_mut() {
            (known.since, known.shown) = (since, shown);
        }
    }
}
