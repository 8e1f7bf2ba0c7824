//! Fills a packet with the most urgent changes.

use alloc::vec::Vec;

use super::Sender;
use super::groups::group_of;
use crate::bits::varuint_len;
use crate::limits::{Limit, Limits};
use crate::session::change::{Chosen, DESTROY_BYTES, Scratch, Waiting, What};
use crate::session::known::{Known, Waits};
use crate::session::model::{HeldBack, Mode, Sent};
use crate::session::world::World;
use crate::wire::{HEADER_BYTES, Tag, push_section, section_len};

/// So many changes are sorted at once; few packets take more.
const AT_ONCE: usize = 128;
/// After so many changes that do not fit into what is left, the packet counts as full.
const MISSES: usize = 16;

impl Sender {
    /// Makes the packet out of what was found, and notes what is under way. `held` is the number of
    /// entities that the receiver may have.
    pub(super) fn pack(
        &mut self,
        world: &mut World,
        scratch: &mut Scratch,
        held: usize,
        packet: &mut Vec<u8>,
    ) -> Sent {
        let (tick, baseline) = (world.tick(), self.tip());
        let held_back = self.choose(world, scratch, held);
        scratch.chosen.sort_unstable_by_key(|chosen| chosen.at);
        write(world, scratch, packet);
        self.header(tick, baseline).write(packet);
        for chosen in &scratch.chosen {
            let Some(known) = scratch.known.get_mut(chosen.at as usize) else {
                continue;
            };
            known.sent(tick, baseline.is_none(), chosen.what, chosen.face);
            let (create, update, destroy) = match chosen.what {
                What::Create => (1, 0, 0),
                What::Replace => (1, 0, 1),
                What::Update => (0, 1, 0),
                What::Destroy => (0, 0, 1),
            };
            self.totals.created += create;
            self.totals.updated += update;
            self.totals.destroyed += destroy;
        }
        let destroys = |chosen: &&Chosen| chosen.what == What::Destroy;
        let ended = scratch.chosen.iter().filter(destroys).count();
        let named = scratch.chosen.len() - ended;
        if baseline.is_none() {
            self.baseline = Some(tick);
        } else if named + ended > 0 || self.options.mode == Mode::Merged || self.flights.len() > 0 {
            let known = &scratch.known;
            let id = |chosen: &Chosen| known.get(chosen.at as usize).map_or(0, |known| known.id);
            let chosen = scratch.chosen.iter();
            let first = chosen.clone().filter(destroys).map(id);
            let rest = chosen.filter(|chosen| !destroys(chosen)).map(id);
            let counts = (ended, ended + named);
            self.flights.push(tick, counts, first.chain(rest));
        }
        let waited = scratch.chosen.iter().filter(|chosen| chosen.waited);
        Sent {
            tick,
            baseline,
            bytes: packet.len(),
            named,
            waiting: scratch.order.len() - waited.count(),
            held_back,
            stalled: false,
        }
    }

    /// Chooses the changes, the most urgent first. Returns the first that fits into no packet.
    fn choose(&self, world: &mut World, scratch: &mut Scratch, held: usize) -> Option<HeldBack> {
        let (options, mode) = (&self.options, self.options.mode);
        let bytes = self.rate.budget(options);
        let mut budget = Budget::new(bytes, &options.limits, held);
        let mut held_back = None;
        let mut misses = 0;
        let Scratch {
            known,
            order,
            chosen,
            members,
            grouped,
            ..
        } = scratch;
        chosen.clear();
        let mut rest = order.as_mut_slice();
        while !rest.is_empty() {
            let count = rest.len().min(AT_ONCE);
            if count < rest.len() {
                rest.select_nth_unstable(count);
            }
            let (next, later) = rest.split_at_mut(count);
            next.sort_unstable();
            for waiting in next {
                let before = chosen.len();
                let group = match group_of(members, grouped, waiting.at()) {
                    Ok(group) => group,
                    Err(Waits) => continue,
                };
                if let Some((_, members)) = group {
                    chosen.extend(members.iter().filter_map(|member| {
                        let chosen = encoded(world, known, member.change?, mode)?;
                        let waited = member.waits;
                        Some(Chosen { waited, ..chosen })
                    }));
                } else {
                    chosen.extend(encoded(world, known, *waiting, mode));
                }
                let new = chosen.get(before..).unwrap_or_default();
                let Err((limit, ..)) = budget.take(new) else {
                    continue;
                };
                let mut alone = Budget::new(bytes, &options.limits, 0);
                if let Err((limit, max, needed)) = alone.take(new) {
                    let entity = known.get(waiting.at() as usize);
                    held_back = held_back.or(Some(HeldBack {
                        entity: entity.map_or(0, |known| known.id),
                        group: group.map(|(group, _)| group),
                        limit,
                        max,
                        needed,
                    }));
                } else if limit == Limit::PacketBytes {
                    misses += 1;
                }
                chosen.truncate(before);
                if misses >= MISSES || budget.room() < DESTROY_BYTES {
                    return held_back;
                }
            }
            rest = later;
        }
        held_back
    }
}

/// Encodes a change.
#[inline(always)]
fn encoded(world: &mut World, known: &[Known], waiting: Waiting, mode: Mode) -> Option<Chosen> {
    let (at, what, face) = (waiting.at(), waiting.what(), waiting.face());
    let known = known.get(at as usize)?;
    let place = world.find(known.id).filter(|_| what != What::Destroy);
    let span = match (place, what) {
        (None, _) => (0, 0),
        (Some(place), What::Update) => world.changes(place, face, known.base(mode)),
        (Some(place), _) => world.create(place, face),
    };
    Some(Chosen {
        at,
        what,
        face,
        span,
        waited: true,
        is_new: what == What::Create && !known.may_be_held(),
    })
}

/// Writes the sections, after room for the header.
fn write(world: &mut World, scratch: &mut Scratch, packet: &mut Vec<u8>) {
    packet.clear();
    packet.extend_from_slice(&[0; HEADER_BYTES]);
    let Scratch {
        known,
        chosen,
        body,
        ..
    } = scratch;
    for tag in [Tag::Destroy, Tag::Create, Tag::Update] {
        body.clear();
        let mut count = 0;
        for chosen in &*chosen {
            let is_in = match chosen.what {
                What::Create => tag == Tag::Create,
                What::Update => tag == Tag::Update,
                What::Destroy => tag == Tag::Destroy,
                What::Replace => tag != Tag::Update,
            };
            if !is_in {
                continue;
            }
            count += 1;
            if tag == Tag::Destroy {
                let id = known.get(chosen.at as usize).map_or(0, |known| known.id);
                body.extend_from_slice(&id.to_le_bytes());
            } else {
                body.extend_from_slice(world.bytes(chosen.span));
            }
        }
        if count > 0 {
            push_section(packet, tag, count, body);
        }
    }
}

/// The sections of a packet under construction: the entities and bytes of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    bytes: usize,
    limits: Limits,
    counts: [usize; 3],
    bodies: [usize; 3],
    /// The number of entities in the state after the packet.
    entities: usize,
}

impl Budget {
    pub fn new(bytes: usize, limits: &Limits, entities: usize) -> Self {
        Self {
            bytes: bytes.min(limits.max_packet_bytes),
            limits: *limits,
            counts: [0; 3],
            bodies: [0; 3],
            entities,
        }
    }

    /// Returns the size of the packet in bytes.
    pub fn used(&self) -> usize {
        let sections = self.counts.iter().zip(self.bodies);
        let sections = sections
            .filter(|(count, _)| **count > 0)
            .map(|(count, body)| section_len(*count as u32, body));
        HEADER_BYTES + sections.sum::<usize>()
    }

    fn add(&mut self, tag: Tag, bytes: usize) {
        let at = tag as usize - 1;
        if let (Some(count), Some(body)) = (self.counts.get_mut(at), self.bodies.get_mut(at)) {
            *count += 1;
            *body += bytes;
        }
    }

    /// Returns an exceeded limit: the limit, its value, and the actual number. The budget counts as
    /// a limit on bytes.
    pub fn exceeded(&self) -> Option<(Limit, usize, usize)> {
        let limits = &self.limits;
        let [creates, destroys, updates] = self.counts;
        let bodies = self.counts.iter().zip(self.bodies);
        // The count of a section is part of its body.
        let largest = bodies
            .map(|(count, body)| varuint_len(*count as u32) + body)
            .max()
            .unwrap_or_default();
        let sections = self.counts.iter().filter(|count| **count > 0).count();
        let checks = [
            (Limit::Creates, limits.max_entities_create, creates),
            (Limit::Destroys, limits.max_entities_destroy, destroys),
            (Limit::Updates, limits.max_entities_update, updates),
            (Limit::SectionBytes, limits.max_section_bytes, largest),
            (Limit::Sections, limits.max_sections, sections),
            (Limit::Entities, limits.max_entities, self.entities),
            (Limit::PacketBytes, self.bytes, self.used()),
        ];
        checks.into_iter().find(|(_, max, found)| found > max)
    }

    /// Returns the bytes that are left.
    pub fn room(&self) -> usize {
        self.bytes.saturating_sub(self.used())
    }

    /// Adds entities if all of them fit; otherwise returns what they exceed.
    #[inline]
    pub fn take(&mut self, all: &[Chosen]) -> Result<(), (Limit, usize, usize)> {
        let before = (self.counts, self.bodies, self.entities);
        for chosen in all {
            for (tag, bytes) in chosen.parts().into_iter().flatten() {
                self.add(tag, bytes);
            }
            self.entities += usize::from(chosen.is_new);
        }
        match self.exceeded() {
            None => Ok(()),
            Some(exceeded) => {
                (self.counts, self.bodies, self.entities) = before;
                Err(exceeded)
            }
        }
    }
}
