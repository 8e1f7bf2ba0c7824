//! Seeking to the state at a tick: a full snapshot, then only the deltas that lead to the state.

use std::sync::OnceLock;

use gametape_delta::wire::Header;
use gametape_delta::{Decoder, Schema, Snapshot};

use crate::container::{Inside, Message, inside, messages, read_message_index};
use crate::layout::Role;
use crate::limits::decoder;
use crate::read::Capture;
use crate::read::end::Ending;
use crate::rule::{CaptureRule, Error, Finding, Rule, fault};

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
pub(crate) struct TwoStates {
    decoder: Decoder,
    state: Snapshot,
    next: Snapshot,
}

impl TwoStates {
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

/// A full snapshot that seeking can start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keyframe {
    /// The tick of its state.
    pub tick: u32,
    /// True if the recorder added it.
    pub added: bool,
    pub(crate) chunk: usize,
    /// The position of its message in the unpacked chunk.
    pub(crate) at: usize,
}

/// The full snapshots of each chunk, stored when first requested.
#[derive(Clone, Debug)]
pub(crate) struct Keyframes(Vec<OnceLock<Box<[Keyframe]>>>);

impl Keyframes {
    pub fn new(chunks: usize) -> Self {
        Self((0..chunks).map(|_| OnceLock::new()).collect())
    }

    /// The full snapshots of a chunk. `find` is called once, unless it fails.
    pub fn of<E>(
        &self,
        chunk: usize,
        find: impl FnOnce() -> Result<Vec<Keyframe>, E>,
    ) -> Result<&[Keyframe], E> {
        let Some(known) = self.0.get(chunk) else {
            return Ok(&[]);
        };
        if let Some(keyframes) = known.get() {
            return Ok(keyframes);
        }
        let found = find()?.into_boxed_slice();
        Ok(known.get_or_init(|| found))
    }
}

impl Capture<'_> {
    /// The full snapshots from which seeking can start, taken from the index, in the order of the
    /// recording. Chunks without an index are unpacked.
    ///
    /// # Errors
    /// The capture cannot be read; damaged parts are skipped.
    pub fn keyframes(&self) -> Result<Vec<Keyframe>, Error> {
        let mut all = Vec::new();
        for chunk in 0..self.chunks().len() {
            all.extend_from_slice(self.keyframes_of(chunk)?);
        }
        Ok(all)
    }

    /// The state at the latest recorded tick that is not after `tick`, built from the nearest full
    /// snapshot before it. If a delta builds on an earlier state, the full snapshot before that one
    /// is used, and so on.
    ///
    /// # Errors
    /// [`CaptureRule::NoState`] before the first full snapshot; [`CaptureRule::Unreachable`] if a
    /// baseline is not recorded; a problem of a packet that is needed; the capture cannot be read.
    pub fn state_at(&self, tick: u32) -> Result<Snapshot, Error> {
        let mut missing = None;
        // The steps back become ever larger, so that a stream whose deltas build on states from
        // before every full snapshot is read only a few times.
        let mut next = 1;
        for (back, start) in (1..).zip(self.before(tick)) {
            let start = start?;
            if back < next {
                continue;
            }
            next *= 2;
            let entries = match self.entries_from((start.chunk, start.at), tick) {
                Ok(entries) => entries,
                // An index that does not fit is ignored.
                Err(error) => {
                    fault(error)?;
                    break;
                }
            };
            let first = entries.first();
            if !first.is_some_and(|first| first.tick == start.tick && first.baseline.is_none()) {
                break;
            }
            match chain(&entries) {
                Some(Ok(chain)) => return self.make(&entries, &chain),
                Some(Err(not_there)) => missing = Some(not_there),
                None => {}
            }
        }
        self.state_from_start(tick, missing)
    }

    /// The full snapshots that are not after `tick`, nearest first. Chunks are examined from the
    /// last one backwards, and only when needed.
    fn before(&self, tick: u32) -> impl Iterator<Item = Result<Keyframe, Error>> {
        let started = |time| self.tick_of(time) <= tick;
        let chunks = self.chunks();
        let chunks = chunks.partition_point(|chunk| started(chunk.start_time));
        (0..chunks).rev().flat_map(move |chunk| {
            let (listed, failed) = match self.keyframes_of(chunk) {
                Ok(listed) => (listed, None),
                Err(error) => (&[][..], Some(Err(error))),
            };
            let listed = listed.iter().rev().filter(move |start| start.tick <= tick);
            listed.copied().map(Ok).chain(failed)
        })
    }

    /// Builds the state without using the index.
    fn state_from_start(&self, tick: u32, missing: Option<Missing>) -> Result<Snapshot, Error> {
        let entries = self.entries_from((0, 0), tick)?;
        match chain(&entries) {
            Some(Ok(chain)) => self.make(&entries, &chain),
            Some(Err(not_there)) if entries.iter().any(|entry| entry.baseline.is_none()) => {
                Err(missing.unwrap_or(not_there).error())
            }
            _ => {
                let first = self.first_keyframe()?;
                Err(CaptureRule::NoState { tick, first }.whole())
            }
        }
    }

    fn first_keyframe(&self) -> Result<Option<u32>, Error> {
        for chunk in 0..self.chunks().len() {
            let ticks = self.keyframes_of(chunk)?.iter().map(|start| start.tick);
            if let Some(first) = ticks.min() {
                return Ok(Some(first));
            }
        }
        Ok(None)
    }

    /// The packets from a place on whose ticks are not after `tick`.
    fn entries_from(&self, from: (usize, usize), tick: u32) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        let mut unpacked = Vec::new();
        let (first, mut start) = from;
        // The packets themselves decide where to stop; a time in the index may be damaged.
        for number in first..self.chunks().len() {
            let offset = self.unpack(number, &mut unpacked)?;
            for found in messages(&unpacked, start, offset) {
                let (at, message) = found?;
                let role = self.role(message.channel);
                if role.is_some_and(|role| !role.is_beside())
                    && let Ok((header, _)) = Header::read(message.data)
                {
                    if header.tick > tick {
                        return Ok(entries);
                    }
                    entries.push(Entry {
                        tick: header.tick,
                        baseline: header.baseline(),
                        chunk: number,
                        at: at as u64,
                        len: message.data.len(),
                        index: None,
                    });
                }
            }
            start = 0;
        }
        Ok(entries)
    }

    /// Applies the packets of a chain.
    fn make(&self, entries: &[Entry], chain: &[usize]) -> Result<Snapshot, Error> {
        let mut states = TwoStates::new(self.schema());
        let mut unpacked = Vec::new();
        let mut open = None;
        for entry in chain.iter().filter_map(|at| entries.get(*at)) {
            let offset = match open {
                Some((chunk, offset)) if chunk == entry.chunk => offset,
                _ => self.unpack(entry.chunk, &mut unpacked)?,
            };
            open = Some((entry.chunk, offset));
            if let Some((Inside::Message(message), _)) =
                inside(&unpacked, entry.at as usize, offset)?
            {
                states.apply(entry, offset, message.data)?;
            }
        }
        Ok(states.into_state())
    }

    /// The number of packets of the stream before each chunk, from the first one on as far as the
    /// indexes tell; after the last chunk, the number of all of them.
    #[cfg(feature = "tape")]
    pub(crate) fn packets_before(&self) -> Vec<u64> {
        let mut all = 0_u64;
        let mut before = vec![0];
        let chunks = self.chunks();
        for (at, chunk) in chunks.iter().enumerate() {
            // The indexes of the last chunk may be partly cut off.
            let cut = self.ending() != Ending::Whole && at + 1 == chunks.len();
            let is_loose = chunk.loose_to.is_some();
            if !is_loose && (chunk.counts.is_empty() || cut) {
                return before;
            }
            let of_stream = |channel: &u16| self.role(*channel).is_some_and(Role::is_of_stream);
            let counts = chunk.counts.iter();
            let counts = counts.filter(|(channel, _)| of_stream(channel));
            all = counts.fold(all, |all, (_, count)| all.saturating_add(*count));
            before.push(all);
        }
        let counted = self.counted(Role::Keyframe).zip(self.counted(Role::Delta));
        match counted {
            // Numbers that disagree are not trusted.
            Some((full, deltas)) if full.saturating_add(deltas) != all => vec![0],
            _ => before,
        }
    }

    /// Whether a chunk has a full snapshot, according to its indexes.
    #[cfg(feature = "tape")]
    pub(crate) fn has_full(&self, chunk: usize) -> bool {
        let is_full = |channel: &u16| {
            let role = self.role(*channel);
            matches!(role, Some(Role::Keyframe | Role::Added))
        };
        let place = self.chunks().get(chunk);
        place.is_some_and(|place| place.indexes.keys().any(is_full))
    }

    /// Chunks, other than the first, at which parts of about the same size start. `is` says at which
    /// chunks a part can start.
    #[cfg(feature = "tape")]
    pub(crate) fn borders(&self, at_most: usize, is: impl Fn(&usize) -> bool) -> Vec<usize> {
        let chunks = self.chunks();
        let possible: Vec<usize> = (1..chunks.len()).filter(is).collect();
        let offset = |chunk: usize| chunks.get(chunk).map_or(0, |chunk| chunk.at);
        let (first, last) = (offset(0), self.ranges().size());
        let border = |part: u64| {
            let share = u128::from(last - first) * u128::from(part) / at_most as u128;
            let from = first + share as u64;
            let next = possible.partition_point(|chunk| offset(*chunk) < from);
            possible.get(next).copied()
        };
        let mut borders: Vec<usize> = (1..at_most as u64).filter_map(border).collect();
        borders.dedup();
        borders
    }

    /// The full snapshots of a chunk.
    fn keyframes_of(&self, chunk: usize) -> Result<&[Keyframe], Error> {
        self.listed().of(chunk, || match self.by_index(chunk)? {
            Some(listed) => Ok(listed),
            None => self.by_unpacking(chunk),
        })
    }

    /// The full snapshots of a chunk from its message indexes; `None` if these cannot be used.
    fn by_index(&self, chunk: usize) -> Result<Option<Vec<Keyframe>>, Error> {
        let chunks = self.chunks();
        // The indexes of the last chunk may be partly cut off.
        let cut = self.ending() != Ending::Whole && chunk + 1 == chunks.len();
        let place = chunks.get(chunk).filter(|place| !place.indexes.is_empty());
        let Some(place) = place.filter(|place| !cut && self.wild_of(place.at).is_empty()) else {
            return Ok(None);
        };
        let mut listed = Vec::new();
        // Indexes follow their chunk. If many chunks shared one index, it would be listed many
        // times.
        let next = chunks.get(chunk + 1).map(|next| next.at);
        let here = place.at..next.unwrap_or(self.ranges().size());
        for (channel, at) in &place.indexes {
            if !here.contains(at) {
                return Ok(None);
            }
            let added = match self.role(*channel) {
                Some(Role::Keyframe) => false,
                Some(Role::Added) => true,
                _ => continue,
            };
            let entries = match read_message_index(self.ranges(), *at, *channel) {
                Ok(entries) => entries,
                Err(error) => return fault(error).map(|_| None),
            };
            listed.extend(entries.into_iter().map(|(time, at)| Keyframe {
                tick: self.tick_of(time),
                added,
                chunk,
                at,
            }));
        }
        listed.sort_unstable_by_key(|keyframe| keyframe.at);
        Ok(Some(listed))
    }

    /// The full snapshots of a chunk, by unpacking it.
    fn by_unpacking(&self, chunk: usize) -> Result<Vec<Keyframe>, Error> {
        let mut found = Vec::new();
        let mut unpacked = Vec::new();
        let offset = match self.unpack(chunk, &mut unpacked) {
            Ok(offset) => offset,
            Err(error) => return fault(error).map(|_| found),
        };
        for (at, message) in messages(&unpacked, 0, offset).map_while(Result::ok) {
            if let Some(role) = self.role(message.channel)
                && role != Role::Delta
                && !role.is_beside()
                && let Some(tick) = full_tick(&message)
            {
                found.push(Keyframe {
                    tick,
                    added: role == Role::Added,
                    chunk,
                    at,
                });
            }
        }
        Ok(found)
    }
}

fn full_tick(message: &Message<'_>) -> Option<u32> {
    let (header, _) = Header::read(message.data).ok()?;
    header.baseline().is_none().then_some(header.tick)
}
