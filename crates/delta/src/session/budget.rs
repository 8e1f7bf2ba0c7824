//! The remaining room in a packet.

use super::change::Chosen;
use crate::bits::varuint_len;
use crate::limits::{Limit, Limits};
use crate::wire::{HEADER_BYTES, Tag, section_len};

/// The sections of a packet under construction: the entities and bytes of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
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
