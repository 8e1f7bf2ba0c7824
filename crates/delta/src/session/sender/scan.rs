//! Finds the changes to send.

use core::mem;

use crate::schema::ones;
use crate::session::audience::{Audience, Relevance, Stamp};
use crate::session::change::{Waiting, What};
use crate::session::grid::{Area, Grid, Near};
use crate::session::known::Known;
use crate::session::options::Mode;
use crate::session::scratch::Scratch;
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
        mut known: &[Known],
        world: &World,
        mut relevance: impl FnMut(u32) -> R,
    ) {
        self.scratch.known.clear();
        self.scratch.order.clear();
        for (at, (id, head)) in world.ids().iter().zip(world.heads()).enumerate() {
            let entity = self.up_to(&mut known, *id);
            let Relevance { weight, audience } = relevance(*id).into();
            match weight {
                0 => self.hide(entity),
                weight => self.show(entity, &world.stamp(at, head, audience), weight),
            }
        }
        for gone in known {
            self.hide(*gone);
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
                let entity = self.up_to(&mut known, *id);
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
            self.hide(*gone);
        }
    }

    /// Returns what is known of an entity. All that are known before it are no longer to be seen.
    #[inline(always)]
    fn up_to(&mut self, known: &mut &[Known], id: u32) -> Known {
        while let Some((gone, rest)) = known.split_first()
            && gone.id < id
        {
            self.hide(*gone);
            *known = rest;
        }
        match known.split_first() {
            Some((found, rest)) if found.id == id => {
                *known = rest;
                *found
            }
            _ => Known::new(id),
        }
    }

    #[inline(always)]
    fn show(&mut self, mut known: Known, now: &Stamp, weight: u32) {
        self.visible += 1;
        known.shown = true;
        self.heaviest = self.heaviest.max(weight);
        let weight = u64::from(weight);
        let change = known.show(now, self.mode).map(|what| match what {
            // It may be there already: then this is a change like others.
            _ if known.flight >= now.born => (what, weight),
            What::Update => (what, CHANGED * weight),
            _ => (what, NEW * weight),
        });
        self.push(known, change, now.face);
    }

    #[inline(always)]
    fn hide(&mut self, mut known: Known) {
        if known.may_be_held() {
            known.shown = false;
            let ends = known.hide(self.mode);
            let urgency = ENDED * u64::from(self.before);
            let change = ends.then_some((What::Destroy, urgency));
            self.push(known, change, Audience::All);
        }
    }

    #[inline(always)]
    fn push(&mut self, mut known: Known, change: Option<(What, u64)>, face: Audience) {
        self.held += usize::from(known.may_be_held());
        if let Some((what, urgency)) = change {
            if known.since == 0 {
                known.since = self.tick;
            }
            let waited = u64::from(self.tick - known.since) + 1;
            let priority = urgency.saturating_mul(waited).min(u32::MAX.into());
            let at = self.scratch.known.len() as u32;
            self.scratch
                .order
                .push(Waiting::new(priority as u32, at, what, face));
        } else {
            known.since = 0;
        }
        self.scratch.known.push(known);
    }
}
