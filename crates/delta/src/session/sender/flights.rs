//! The packets under way, and what becomes of them.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::session::known::Known;

/// A packet of which nothing is known yet.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub tick: u32,
    /// The number of entities that it destroys.
    destroys: usize,
    /// The ids of these, ascending, and then of those that it creates or updates, ascending.
    ids: Vec<u32>,
}

impl Flight {
    pub fn destroyed(&self) -> &[u32] {
        self.ids.get(..self.destroys).unwrap_or_default()
    }

    pub fn named(&self) -> &[u32] {
        self.ids.get(self.destroys..).unwrap_or_default()
    }
}

/// The packets under way, by tick.
#[derive(Clone, Default, Debug)]
pub(super) struct Flights {
    queue: VecDeque<Flight>,
    spare: Vec<Vec<u32>>,
    /// The most ids of a packet so far, rounded up. All lists get room for them at once, so that
    /// they do not grow one after the other for a long time.
    most: usize,
}

impl Flights {
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Returns the tick of the oldest packet.
    pub fn first(&self) -> Option<u32> {
        self.queue.front().map(|flight| flight.tick)
    }

    /// Returns the tick of the newest packet.
    pub fn last(&self) -> Option<u32> {
        self.queue.back().map(|flight| flight.tick)
    }

    pub fn has(&self, tick: u32) -> bool {
        let found = self.queue.binary_search_by_key(&tick, |flight| flight.tick);
        found.is_ok()
    }

    /// Adds a packet: how many entities it destroys and how many it names in all, and the ids, of
    /// the destroyed ones first.
    pub fn push(
        &mut self,
        tick: u32,
        (destroys, count): (usize, usize),
        ids: impl Iterator<Item = u32>,
    ) {
        let mut list = Vec::new();
        if count > 0 {
            list = self.spare.pop().unwrap_or_default();
            self.most = self.most.max(count.next_power_of_two());
            list.clear();
            list.reserve_exact(self.most);
        }
        list.extend(ids);
        self.queue.push_back(Flight {
            tick,
            destroys,
            ids: list,
        });
    }

    /// Removes the newest packet if it names nothing, and returns its tick.
    pub fn pop_empty(&mut self) -> Option<u32> {
        let flight = self.queue.pop_back_if(|flight| flight.ids.is_empty())?;
        let tick = flight.tick;
        self.give_back(flight);
        Some(tick)
    }

    /// Removes the oldest packet that is not after a tick.
    pub fn pop_until(&mut self, tick: u32) -> Option<Flight> {
        self.queue.pop_front_if(|flight| flight.tick <= tick)
    }

    pub fn give_back(&mut self, flight: Flight) {
        if flight.ids.capacity() > 0 {
            self.spare.push(flight.ids);
        }
    }

    pub fn clear(&mut self) {
        while let Some(flight) = self.queue.pop_front() {
            self.give_back(flight);
        }
    }

    pub fn memory(&self) -> usize {
        let lists = self.queue.iter().map(|flight| &flight.ids);
        let ids: usize = lists.chain(&self.spare).map(Vec::capacity).sum();
        ids * size_of::<u32>()
            + self.queue.capacity() * size_of::<Flight>()
            + self.spare.capacity() * size_of::<Vec<u32>>()
    }
}

/// A packet has arrived: the baseline has what it brought.
pub(super) fn arrived(known: &mut [Known], flight: &Flight) {
    each(known, flight.destroyed(), |known| known.ended(flight.tick));
    each(known, flight.named(), |known| known.arrived(flight.tick));
}

/// A packet was lost: its changes wait again, unless a newer packet has them.
pub(super) fn lost(known: &mut [Known], flight: &Flight) {
    for ids in [flight.destroyed(), flight.named()] {
        each(known, ids, |known| {
            if known.flight == flight.tick {
                known.ground();
            }
        });
    }
}

/// Calls `change` for the entities with these ids; both lists ascend.
fn each(mut known: &mut [Known], ids: &[u32], mut change: impl FnMut(&mut Known)) {
    for id in ids {
        let before = known.partition_point(|known| known.id < *id);
        known = known.get_mut(before..).unwrap_or_default();
        if let Some(found) = known.first_mut().filter(|known| known.id == *id) {
            change(found);
        }
    }
}
