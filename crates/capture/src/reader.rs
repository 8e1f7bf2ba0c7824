//! Reading captures: their facts, their packets, and the state at any tick.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use gametape_delta::wire::Header;
use gametape_delta::{Schema, Snapshot};

use crate::container::{self, Chunk, ChunkPlace, Inside, Message, WalkEnd, Walked, inside, unpack};
use crate::error::CaptureError;
use crate::facts::{Facts, describe, read_schema};
use crate::layout::{PROFILE, Role};
use crate::limits::ReadLimits;
use crate::seek::{self, Entry, Missing};

/// How a capture ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With a summary, as [`CaptureWriter::finish`](crate::CaptureWriter::finish) leaves it.
    Whole,
    /// Between two records, without a summary: its recorder was stopped.
    NoSummary,
    /// In a record that starts at this byte: it was cut, or is damaged there.
    Cut(u64),
    /// Its summary can't be read; the data before it can.
    BadSummary,
}

/// A full snapshot that seeking can start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keyframe {
    /// Its tick.
    pub tick: u32,
    /// True if the recorder added it.
    pub added: bool,
    chunk: usize,
    /// Where its message starts in the unpacked chunk.
    at: usize,
}

/// A capture that is in memory, or mapped.
///
/// Opening reads the summary alone, or where there is none, goes from record to record; nothing
/// is unpacked before it is asked for.
#[derive(Debug)]
pub struct Capture<'a> {
    bytes: &'a [u8],
    schema: Schema,
    limits: ReadLimits,
    tick_ns: Option<u64>,
    log_tick_ns: u64,
    has_facts: bool,
    channels: BTreeMap<u16, Role>,
    chunks: Vec<ChunkPlace>,
    messages: Option<BTreeMap<u16, u64>>,
    ending: Ending,
    /// Messages outside of chunks.
    loose: u64,
    keyframes: OnceLock<Vec<Keyframe>>,
}

impl<'a> Capture<'a> {
    /// Opens a capture with default limits.
    ///
    /// # Errors
    /// Where it is no capture, or nothing of it can be read. One that was cut opens: see
    /// [`Capture::ending`].
    pub fn open(bytes: &'a [u8]) -> Result<Self, CaptureError> {
        Self::open_with(bytes, ReadLimits::default())
    }

    /// [`Capture::open`] within other limits.
    pub fn open_with(bytes: &'a [u8], limits: ReadLimits) -> Result<Self, CaptureError> {
        let profile = container::profile(bytes)?;
        if profile != PROFILE {
            return Err(CaptureError::Foreign {
                profile: profile.to_owned(),
            });
        }
        let facts = Facts::read(bytes)?;
        let mut channels = BTreeMap::new();
        let mut messages = None;
        let (mut schema, damaged) = match facts.schema {
            Some(Ok(schema)) => (Some(schema), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        let (chunks, ending, loose) = match container::read_summary(bytes) {
            Ok(Some(summary)) => {
                // One behind the other: none twice, so that what is listed of them stays in
                // proportion to the file.
                let ascending = summary.chunks.is_sorted_by(|a, b| a.at < b.at);
                let listed = summary.lists_all_chunks() && ascending;
                channels = summary.channels;
                messages = summary.messages;
                if let (None, Some(data)) = (&schema, summary.schema) {
                    schema = Some(read_schema(data)?);
                }
                if listed {
                    (summary.chunks, Ending::Whole, 0)
                } else {
                    let walked = container::walk(bytes);
                    (walked.chunks, Ending::Whole, walked.loose)
                }
            }
            other => {
                let Walked { chunks, loose, end } = container::walk(bytes);
                let ending = match (other, end) {
                    (Err(_), _) | (_, WalkEnd::DataEnd { .. }) => Ending::BadSummary,
                    (Ok(_), WalkEnd::Border) => Ending::NoSummary,
                    (Ok(_), WalkEnd::Cut(at)) => Ending::Cut(at as u64),
                };
                (chunks, ending, loose)
            }
        };
        if channels.is_empty() || schema.is_none() {
            let first = chunks.first().map(|first| describe(bytes, first, &limits));
            match first {
                Some(Ok(described)) => {
                    channels.extend(described.channels);
                    schema = match (schema, described.schema) {
                        (None, Some(data)) => Some(read_schema(&data)?),
                        (schema, _) => schema,
                    };
                }
                Some(Err(error)) if schema.is_none() => return Err(error),
                _ => {}
            }
        }
        if channels.is_empty() || ending != Ending::Whole {
            // Channels of later chunks, or of a first one that is lost: the numbers are those that
            // our writer gives.
            for (channel, role) in Role::NUMBERED {
                channels.entry(channel).or_insert(role);
            }
        }
        Ok(Self {
            bytes,
            schema: schema.ok_or(damaged.unwrap_or(CaptureError::NoSchema))?,
            limits,
            tick_ns: facts.tick_ns,
            log_tick_ns: facts.log_tick_ns,
            has_facts: facts.there,
            channels,
            chunks,
            messages,
            ending,
            loose,
            keyframes: OnceLock::new(),
        })
    }

    /// The schema of its packets.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The length of a tick in nanoseconds, where the recorder knew it.
    #[must_use]
    pub const fn tick_ns(&self) -> Option<u64> {
        self.tick_ns
    }

    /// What the log time of a message is divided by to have its tick.
    #[must_use]
    pub const fn log_tick_ns(&self) -> u64 {
        self.log_tick_ns
    }

    /// False where the metadata is lost that says how long a tick is.
    #[must_use]
    pub const fn has_facts(&self) -> bool {
        self.has_facts
    }

    /// How it ends.
    #[must_use]
    pub const fn ending(&self) -> Ending {
        self.ending
    }

    /// Packets of a role, as the summary counts them.
    #[must_use]
    pub fn counted(&self, role: Role) -> Option<u64> {
        let of_role = |(channel, count): (&u16, &u64)| {
            (self.channels.get(channel) == Some(&role)).then_some(*count)
        };
        Some(self.messages.as_ref()?.iter().filter_map(of_role).sum())
    }

    /// Messages by channel, as the summary counts them.
    #[must_use]
    pub const fn counts(&self) -> Option<&BTreeMap<u16, u64>> {
        self.messages.as_ref()
    }

    /// The ticks of the first and the last packet, as the chunks say.
    #[must_use]
    pub fn ticks(&self) -> Option<(u32, u32)> {
        let start = self.chunks.iter().map(|chunk| chunk.start_time).min()?;
        let end = self.chunks.iter().map(|chunk| chunk.end_time).max()?;
        Some((self.tick_of(start), self.tick_of(end)))
    }

    /// Full snapshots that seeking starts from, as the index lists them, in the order of the
    /// recording. Chunks that have no index are unpacked for that.
    #[must_use]
    pub fn keyframes(&self) -> &[Keyframe] {
        self.keyframes.get_or_init(|| {
            let mut found = Vec::new();
            for chunk in 0..self.chunks.len() {
                if self.listed(chunk, &mut found).is_none() {
                    self.scanned(chunk, &mut found);
                }
            }
            found
        })
    }

    /// The state at the latest recorded tick that is not after `tick`, from the nearest full
    /// snapshot on. Where a delta builds on a state before that, from the one before; and so on.
    ///
    /// # Errors
    /// [`CaptureError::NoState`] before the first full snapshot; [`CaptureError::Unreachable`]
    /// where a baseline is not recorded; what is wrong with a packet that is needed.
    pub fn state_at(&self, tick: u32) -> Result<Snapshot, CaptureError> {
        let keyframes = self.keyframes();
        let nearest = keyframes.partition_point(|keyframe| keyframe.tick <= tick);
        let mut missing = None;
        // Further back in ever longer steps: a stream whose deltas build on states from before
        // every full snapshot is gone through a few times at most.
        let mut back = 1;
        while let Some(start) = nearest.checked_sub(back).and_then(|at| keyframes.get(at)) {
            back *= 2;
            // An index that does not fit is as good as none.
            let Ok(entries) = self.entries_from((start.chunk, start.at), tick) else {
                break;
            };
            let first = entries.first();
            if !first.is_some_and(|first| first.tick == start.tick && first.baseline.is_none()) {
                break;
            }
            match seek::chain(&entries) {
                Some(Ok(chain)) => return self.make(&entries, &chain),
                Some(Err(not_there)) => missing = Some(not_there),
                None => {}
            }
        }
        self.state_from_start(tick, missing)
    }

    /// Without any help of the index.
    fn state_from_start(
        &self,
        tick: u32,
        missing: Option<Missing>,
    ) -> Result<Snapshot, CaptureError> {
        let entries = self.entries_from((0, 0), tick)?;
        match seek::chain(&entries) {
            Some(Ok(chain)) => self.make(&entries, &chain),
            Some(Err(not_there)) if entries.iter().any(|entry| entry.baseline.is_none()) => {
                Err(missing.unwrap_or(not_there).error())
            }
            _ => Err(CaptureError::NoState {
                tick,
                first: self.keyframes().iter().map(|keyframe| keyframe.tick).min(),
            }),
        }
    }

    /// The packets from a place on whose ticks are not after `tick`.
    fn entries_from(&self, from: (usize, usize), tick: u32) -> Result<Vec<Entry>, CaptureError> {
        let mut entries = Vec::new();
        let mut unpacked = Vec::new();
        let (first, mut at) = from;
        // The packets say where to stop; a time in the index may be damaged.
        for number in first..self.chunks.len() {
            let offset = self.unpack(number, &mut unpacked)?;
            while let Some((found, end)) = inside(&unpacked, at, offset)? {
                if let Inside::Message(message) = found
                    && self.role(message.channel).is_some()
                    && let Ok((header, _)) = Header::read(message.data)
                {
                    if header.tick > tick {
                        return Ok(entries);
                    }
                    entries.push(Entry {
                        tick: header.tick,
                        baseline: header.baseline(),
                        chunk: number,
                        at,
                        len: message.data.len(),
                        index: 0,
                    });
                }
                at = end;
            }
            at = 0;
        }
        Ok(entries)
    }

    /// Applies the packets of a chain.
    fn make(&self, entries: &[Entry], chain: &[usize]) -> Result<Snapshot, CaptureError> {
        let mut states = seek::States::new(&self.schema);
        let mut unpacked = Vec::new();
        let mut open = None;
        for entry in chain.iter().filter_map(|at| entries.get(*at)) {
            let offset = match open {
                Some((chunk, offset)) if chunk == entry.chunk => offset,
                _ => self.unpack(entry.chunk, &mut unpacked)?,
            };
            open = Some((entry.chunk, offset));
            if let Some((Inside::Message(message), _)) = inside(&unpacked, entry.at, offset)? {
                states.apply(entry, offset, message.data)?;
            }
        }
        Ok(states.into_state())
    }

    /// What keeps the end of the capture from being read; nothing where only its index is missing.
    #[must_use]
    pub fn problem(&self) -> Option<CaptureError> {
        match self.ending {
            Ending::Whole | Ending::NoSummary if self.loose > 0 => Some(CaptureError::Loose {
                messages: self.loose,
            }),
            Ending::Whole | Ending::NoSummary => None,
            Ending::Cut(offset) => {
                let what = "last record";
                Some(CaptureError::Truncated { what, offset })
            }
            Ending::BadSummary => container::read_summary(self.bytes).err().or_else(|| {
                let offset = self.bytes.len() as u64;
                let what = "summary";
                Some(CaptureError::Truncated { what, offset })
            }),
        }
    }

    /// The same capture with these chunks alone.
    #[must_use]
    pub fn with_chunks(mut self, chunks: Vec<ChunkPlace>) -> Self {
        self.chunks = chunks;
        self.keyframes = OnceLock::new();
        self
    }

    /// The whole file.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its chunks, by their places.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkPlace] {
        &self.chunks
    }

    /// The bounds it is read within.
    #[must_use]
    pub const fn limits(&self) -> &ReadLimits {
        &self.limits
    }

    /// Whether it has a channel for packets of this role.
    #[must_use]
    pub fn has_role(&self, role: Role) -> bool {
        self.channels.values().any(|other| *other == role)
    }

    pub(crate) fn role(&self, channel: u16) -> Option<Role> {
        self.channels.get(&channel).copied()
    }

    /// Unpacks a chunk into `into`, whatever that held; gives the place of its record in the file.
    ///
    /// # Errors
    /// What keeps it from being unpacked.
    pub fn unpack(&self, chunk: usize, into: &mut Vec<u8>) -> Result<u64, CaptureError> {
        let at = self.chunks.get(chunk).map_or(usize::MAX, |place| place.at);
        into.clear();
        let record = Chunk::at(self.bytes, at)?;
        // Chunks that overlapped could share what unpacks to far more than the file.
        let next = self.chunks.get(chunk + 1);
        if next.is_some_and(|next| record.end() > next.at) {
            return Err(CaptureError::Record {
                what: "chunk",
                offset: at as u64,
            });
        }
        unpack(&record, &self.limits, into)?;
        Ok(at as u64)
    }

    fn tick_of(&self, log_time: u64) -> u32 {
        u32::try_from(log_time / self.log_tick_ns).unwrap_or(u32::MAX)
    }

    /// The full snapshots of a chunk, by its message indexes; `None` where those can't be used.
    fn listed(&self, chunk: usize, found: &mut Vec<Keyframe>) -> Option<()> {
        let place = self.chunks.get(chunk)?;
        // The indexes of the last chunk may be cut off in part.
        let cut = self.ending != Ending::Whole && chunk + 1 == self.chunks.len();
        if place.indexes.is_empty() || cut {
            return None;
        }
        let mut listed = Vec::new();
        // They follow their chunk. Many chunks that shared one index would list it many times.
        let next = self.chunks.get(chunk + 1);
        let end = next.map_or(self.bytes.len(), |next| next.at);
        for (channel, at) in &place.indexes {
            if !(place.at..end).contains(at) {
                return None;
            }
            let added = match self.role(*channel) {
                Some(Role::Keyframe) => false,
                Some(Role::Added) => true,
                _ => continue,
            };
            let entries = container::read_message_index(self.bytes, *at, *channel).ok()?;
            listed.extend(entries.into_iter().map(|(time, at)| Keyframe {
                tick: self.tick_of(time),
                added,
                chunk,
                at,
            }));
        }
        listed.sort_unstable_by_key(|keyframe| keyframe.at);
        found.extend(listed);
        Some(())
    }

    /// The full snapshots of a chunk, by unpacking it.
    fn scanned(&self, chunk: usize, found: &mut Vec<Keyframe>) {
        let mut unpacked = Vec::new();
        let Ok(offset) = self.unpack(chunk, &mut unpacked) else {
            return;
        };
        let mut at = 0;
        while let Ok(Some((inside, end))) = inside(&unpacked, at, offset) {
            if let Inside::Message(message) = inside
                && let Some(role) = self.role(message.channel)
                && role != Role::Delta
                && let Some(tick) = full_tick(&message)
            {
                found.push(Keyframe {
                    tick,
                    added: role == Role::Added,
                    chunk,
                    at,
                });
            }
            at = end;
        }
    }
}

fn full_tick(message: &Message<'_>) -> Option<u32> {
    let (header, _) = Header::read(message.data).ok()?;
    header.baseline().is_none().then_some(header.tick)
}
