//! Builds the packet, the state after it, and the sender's memory.

use alloc::vec::Vec;
use core::iter;

use super::draft::Draft;
use super::history::History;
use super::memory::{Gone, Known, Memory};
use crate::session::candidate::{Candidate, What, put};
use crate::session::lane::{Lane, soonest};
use crate::snapshot::{Row, Snapshot};
use crate::wire::{HEADER_BYTES, Header, Tag, push_section};

/// An entity that is in the packet or in the states around it.
struct Part<'a> {
    id: u32,
    /// Its row in the baseline.
    held: Option<Row<'a>>,
    /// The values that the receiver should have, and what the sender knows about it.
    target: Option<(Row<'a>, &'a mut Known)>,
    /// The values that were last sent.
    shown: Option<Row<'a>>,
    /// Its change in the packet.
    chosen: Option<&'a Candidate>,
    gone: Option<&'a mut Gone>,
    /// Whether it is in the previous state.
    in_latest: bool,
    /// When it became absent, if that was after the baseline.
    was_absent: Option<&'a (u32, u32)>,
}

impl Part<'_> {
    fn is_destroyed(&self) -> bool {
        self.chosen
            .is_some_and(|candidate| candidate.what == What::Destroy)
    }

    /// Returns true if the packet creates or updates the entity.
    fn is_named(&self) -> bool {
        self.chosen.is_some() && !self.is_destroyed()
    }
}

impl Draft {
    /// Returns the state that the receiver will hold, and the entities that the packet names. Also
    /// fills the bodies of the packet and the sender's next memory.
    pub fn build(
        &mut self,
        tick: u32,
        history: &mut History,
        memory: &Memory,
    ) -> (Snapshot, Vec<u32>) {
        let (mut state, mut names) = history.spare();
        state.set_tick(tick);
        let bytes = self.bits.aligned();
        let next = &mut self.next;
        let mut held = Lane::new(history.baseline().iter());
        let mut target = Lane::new(self.target.rows.iter().zip(&mut next.known));
        let mut latest = Lane::new(history.latest());
        let absent = memory.absent.iter();
        let mut absent = Lane::new(absent.filter(|(_, tick)| history.is_after_baseline(*tick)));
        let mut shown = Lane::new(memory.shown.rows.iter());
        let mut candidates = Lane::new(&self.candidates);
        let mut gone = Lane::new(&mut next.gone);
        let parts = iter::from_fn(|| {
            let ids = [
                held.next_id(),
                target.next_id(),
                latest.next_id(),
                absent.next_id(),
            ];
            let id = soonest(ids)?;
            Some(Part {
                id,
                held: held.at(id),
                target: target.at(id),
                shown: shown.at(id),
                chosen: candidates.at(id).filter(|candidate| candidate.chosen),
                gone: gone.at(id),
                in_latest: latest.at(id).is_some(),
                was_absent: absent.at(id),
            })
        });
        for part in parts {
            if let Some(candidate) = part.chosen {
                put(&mut self.bodies, bytes, candidate);
            }
            // A destroyed entity is neither in the state nor in the view, so it needs no
            // confirmation.
            names.extend(part.is_named().then_some(part.id));
            lead_to(&part, tick, &mut state, &mut next.absent);
            know(part, tick, &mut next.shown);
        }
        (state, names)
    }

    pub fn write(&self, header: Header, packet: &mut Vec<u8>) {
        packet.clear();
        packet.extend_from_slice(&[0; HEADER_BYTES]);
        for tag in [Tag::Destroy, Tag::Create, Tag::Update] {
            if let Some((count @ 1.., body)) = self.bodies.get(tag as usize - 1) {
                push_section(packet, tag, *count, body);
            }
        }
        header.write(packet);
    }
}

/// Adds the entity to the state that the receiver will hold, or records since when it is absent.
#[inline]
fn lead_to(part: &Part<'_>, tick: u32, state: &mut Snapshot, absent: &mut Vec<(u32, u32)>) {
    let now = if part.is_named() {
        part.target.as_ref().map(|(row, _)| *row)
    } else {
        part.held.filter(|_| !part.is_destroyed())
    };
    match now {
        Some(row) => {
            state.rows.push(row);
            absent.extend(part.was_absent);
        }
        None if part.in_latest || part.held.is_some() => absent.push((part.id, tick)),
        None => absent.extend(part.was_absent),
    }
}

/// Updates the sender's knowledge about an entity after the packet.
#[inline]
fn know(part: Part<'_>, tick: u32, shown: &mut Snapshot) {
    let (is_named, is_destroyed) = (part.is_named(), part.is_destroyed());
    if let Some(gone) = part.gone.filter(|_| is_destroyed) {
        gone.priority = 0;
    }
    let Some((target, known)) = part.target else {
        return;
    };
    if is_named {
        known.priority = 0;
        if part.shown != Some(target) {
            known.since = tick;
            known.confirmed = false;
        }
    }
    if let Some(row) = is_named.then_some(target).or(part.shown) {
        shown.rows.push(row);
    }
}
