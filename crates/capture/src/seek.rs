//! Seeking to the state at a tick: a full snapshot, then only the deltas that lead to the state.

use gametape_delta::{Decoder, Schema, Snapshot};

use crate::decoder::decoder;
use crate::rule::{CaptureRule, Error, Finding, Rule};

/// The place of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub tick: u32,
    /// The tick on which it builds; `None` for a full snapshot.
    pub baseline: Option<u32>,
    /// The index of its chunk.
    pub chunk: usize,
    /// The position of its message in the unpacked chunk; in a file of packets, the packet's
    /// offset.
    pub at: u64,
    /// The length of the packet in bytes; only for a file of packets.
    pub len: usize,
    /// The packet's number in the stream, if it is known.
    pub index: Option<u64>,
}

/// A baseline that is not among the entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Missing {
    pub tick: u32,
    pub baseline: u32,
}

impl Missing {
    pub fn error(self) -> Error {
        let Self { tick, baseline } = self;
        CaptureRule::Unreachable { tick, baseline }.whole()
    }
}

/// The indices of the packets that lead to the state of the last entry, beginning with a full
/// snapshot; `None` if there are no entries.
pub(crate) fn chain(entries: &[Entry]) -> Option<Result<Vec<usize>, Missing>> {
    let last = entries.last()?;
    let tick = last.tick;
    // A full snapshot of the same tick has the same state without further packets.
    let mut at = full_of(entries, entries.len() - 1, tick);
    let mut chain = vec![at];
    loop {
        let Some(baseline) = entries.get(at).and_then(|entry| entry.baseline) else {
            chain.reverse();
            return Some(Ok(chain));
        };
        let before = entries.get(..at).unwrap_or_default();
        let Some(found) = before.iter().rposition(|entry| entry.tick == baseline) else {
            return Some(Err(Missing { tick, baseline }));
        };
        // Packets of the baseline's tick next to the current one were already searched for a full
        // snapshot.
        let neighbour = entries.get(at).is_some_and(|entry| entry.tick == baseline);
        at = if neighbour {
            found
        } else {
            full_of(entries, found, baseline)
        };
        chain.push(at);
    }
}

/// Among neighbouring packets of the same tick, the full snapshot if there is one.
fn full_of(entries: &[Entry], at: usize, tick: u32) -> usize {
    let before = entries.get(..=at).unwrap_or_default();
    let same = before.iter().rev().take_while(|entry| entry.tick == tick);
    same.enumerate()
        .find(|(_, entry)| entry.baseline.is_none())
        .map_or(at, |(back, _)| at - back)
}

/// Applies packets, alternating between two states.
pub(crate) struct States {
    decoder: Decoder,
    state: Snapshot,
    next: Snapshot,
}

impl States {
    pub fn new(schema: &Schema) -> Self {
        Self {
            decoder: decoder(schema),
            state: Snapshot::new(schema, 0),
            next: Snapshot::new(schema, 0),
        }
    }

    pub fn apply(&mut self, entry: &Entry, offset: u64, packet: &[u8]) -> Result<(), Error> {
        let result = match entry.baseline {
            None => self.decoder.full(packet, &mut self.next),
            Some(_) => self.decoder.delta(&self.state, packet, &mut self.next),
        };
        result.map_err(|source| {
            let found = Finding::new(Rule::Wire(source)).at(offset);
            let found = found.tick(Some(entry.tick.into()));
            Error::from(match entry.index {
                Some(index) => found.step(index),
                None => found,
            })
        })?;
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(())
    }

    pub fn into_state(self) -> Snapshot {
        self.state
    }
}
