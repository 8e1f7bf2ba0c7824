//! The packet, the state it leads to, and what is known from then on.

use alloc::vec::Vec;
use core::mem;

use super::{Sender, skip};
use crate::schema::Schema;
use crate::session::candidate::{What, put};
use crate::snapshot::Snapshot;
use crate::wire::{HEADER_BYTES, Header, Kind, Tag, push_section};

impl Sender {
    /// The state the receiver will hold; what is known and shown goes along.
    pub(super) fn build(&mut self, tick: u32) -> Snapshot {
        let mut state = self.states.take_spare();
        state.set_tick(tick);
        let mut names = self.spare_names.pop().unwrap_or_default();
        names.clear();
        self.next_shown.clear();
        for (count, body) in &mut self.bodies {
            *count = 0;
            body.clear();
        }
        let baseline = self.acked.and_then(|acked| self.states.get(acked));
        let bytes = self.bits.aligned();
        let (mut held_at, mut shown_at, mut target_at, mut gone_at) = (0, 0, 0, 0);
        let mut candidates = self.candidates.iter().copied().peekable();
        let mut last = self
            .states
            .latest()
            .map_or(&[][..], Snapshot::ids)
            .iter()
            .peekable();
        let mut absent = self
            .absent
            .iter()
            .filter(|(_, tick)| Some(*tick) > self.acked)
            .peekable();
        self.next_absent.clear();
        loop {
            let held = baseline.and_then(|baseline| baseline.rows.get(held_at));
            let target = self.target.rows.get(target_at);
            let ids = [held, target].map(|row| row.map(|row| row.id));
            let also = [last.peek().map(|id| **id), absent.peek().map(|(id, _)| *id)];
            let Some(id) = ids.into_iter().chain(also).flatten().min() else {
                break;
            };
            let in_last = last.next_if(|last| **last == id).is_some();
            let was_absent = absent.next_if(|(absent, _)| *absent == id);
            let held = held.filter(|row| row.id == id);
            let target = target.filter(|row| row.id == id);
            held_at += usize::from(held.is_some());
            let chosen = candidates
                .next_if(|candidate| candidate.id == id)
                .filter(|candidate| candidate.chosen);
            if let Some(candidate) = chosen {
                put(&mut self.bodies, bytes, &candidate);
            }
            let destroyed = chosen.is_some_and(|candidate| candidate.what == What::Destroy);
            let named = chosen.is_some() && !destroyed;
            if destroyed {
                gone_at += skip(self.next_gone.get(gone_at..), |gone| gone.id < id);
                let gone = self.next_gone.get_mut(gone_at);
                if let Some(gone) = gone.filter(|gone| gone.id == id) {
                    gone.priority = 0;
                }
            }
            let now = if named {
                target
            } else {
                held.filter(|_| !destroyed)
            };
            match now {
                Some(row) => {
                    state.rows.push(row);
                    self.next_absent.extend(was_absent);
                }
                None if in_last || held.is_some() => self.next_absent.push((id, tick)),
                None => self.next_absent.extend(was_absent),
            }
            // A destroyed entity is gone from state and view alike: nothing to confirm.
            names.extend(named.then_some(id));
            let Some(target) = target else {
                continue;
            };
            shown_at += skip(self.shown.ids().get(shown_at..), |shown| *shown < id);
            let shown = self.shown.rows.get(shown_at).filter(|shown| shown.id == id);
            if let Some(known) = self.next_known.get_mut(target_at) {
                if named {
                    known.priority = 0;
                }
                if named && shown != Some(target) {
                    known.since = tick;
                    known.confirmed = false;
                }
            }
            if let Some(row) = named.then_some(target).or(shown) {
                self.next_shown.rows.push(row);
            }
            target_at += 1;
        }
        self.named.push_back((tick, names));
        mem::swap(&mut self.known, &mut self.next_known);
        mem::swap(&mut self.shown, &mut self.next_shown);
        mem::swap(&mut self.gone, &mut self.next_gone);
        mem::swap(&mut self.absent, &mut self.next_absent);
        state
    }

    pub(super) fn write(&self, schema: &Schema, tick: u32, packet: &mut Vec<u8>) {
        packet.clear();
        packet.extend_from_slice(&[0; HEADER_BYTES]);
        for tag in [Tag::Destroy, Tag::Create, Tag::Update] {
            if let Some((count @ 1.., body)) = self.bodies.get(tag as usize - 1) {
                push_section(packet, tag, *count, body);
            }
        }
        Header {
            kind: match self.acked {
                None => Kind::Full,
                Some(baseline) => Kind::Delta { baseline },
            },
            schema_hash: schema.hash(),
            tick,
        }
        .write(packet);
    }

    pub(super) fn remember(&mut self, tick: u32, state: Snapshot) {
        self.last_tick = tick;
        if self.states.len() == self.states.capacity() {
            self.states.drop_oldest_but(self.acked);
        }
        // The tick is newer than all: looked at before.
        let _ = self.states.push(state);
        if self.named.len() > self.states.capacity() {
            let oldest = self.named.pop_front();
            self.spare_names.extend(oldest.map(|(_, names)| names));
        }
    }
}
