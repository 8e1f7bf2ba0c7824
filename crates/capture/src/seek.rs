//! To the state at a tick: from full snapshot to delta to delta, and nothing besides.

use gametape_delta::{Decoder, Schema, Snapshot};

use crate::decoder::decoder;
use crate::rule::{CaptureRule, Error, Finding, Rule};

/// A packet, by its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub tick: u32,
    /// None for a full snapshot.
    pub baseline: Option<u32>,
    /// Which chunk it is in.
    pub chunk: usize,
    /// Where its message starts in the unpacked chunk; the packet itself in a file of packets.
    pub at: u64,
    /// The packet's bytes, in a file of packets.
    pub len: usize,
    /// Which packet of the stream, where that is known.
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

/// The packets that make the state of the last entry, from a full snapshot on; `None` without
/// entries.
pub(crate) fn chain(entries: &[Entry]) -> Option<Result<Vec<usize>, Missing>> {
    let last = entries.last()?;
    let tick = last.tick;
    // A full snapshot of the same tick is the same state, and nearer.
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
        // Its neighbours, where it is one of them, were looked through when the first was met.
        let neighbour = entries.get(at).is_some_and(|entry| entry.tick == baseline);
        at = if neighbour {
            found
        } else {
            full_of(entries, found, baseline)
        };
        chain.push(at);
    }
}

/// Of neighbours of one tick, the full snapshot, where there is one.
fn full_of(entries: &[Entry], at: usize, tick: u32) -> usize {
    let before = entries.get(..=at).unwrap_or_default();
    let same = before.iter().rev().take_while(|entry| entry.tick == tick);
    same.enumerate()
        .find(|(_, entry)| entry.baseline.is_none())
        .map_or(at, |(back, _)| at - back)
}

/// Two states, one made from the other.
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
