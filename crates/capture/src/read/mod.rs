//! Opening captures: their facts, their chunks, and how they end.

pub(crate) mod end;
pub(crate) mod facts;
pub(crate) mod wild;

use std::collections::BTreeMap;
use std::sync::Arc;

use gametape_core::Clocks;
use gametape_delta::Schema;

use self::end::{After, End, Ending};
use self::facts::{Channels, Facts, describe, read_schema, tick_by_times};
use self::wild::{Wild, mend};
use crate::container::{self, ChunkPlace, Extent, Walked, unpack, walk};
use crate::layout::{DEFAULT_TICK_NS, PROFILE, Role};
use crate::limits::Limits;
use crate::ranges::{Ranges, Window};
use crate::rule::{CaptureRule, Error, fault};
use crate::seek::Keyframes;

/// A capture: in memory, in a file, or somewhere else.
///
/// Opening reads only its head and the summary at its end; without a summary, it walks from record
/// to record. Chunks are read one at a time, when they are needed.
#[derive(Debug)]
pub struct Capture<'a> {
    ranges: Ranges<'a>,
    known: Arc<Known>,
}

/// All that is read when a capture is opened. Those who read the capture again share it.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    schema: Schema,
    limits: Limits,
    tick_ns: Option<u64>,
    log_tick_ns: u64,
    has_facts: bool,
    view: bool,
    tables: Option<String>,
    end: End,
    listed: Keyframes,
    /// The packets whose ticks are far off, by the offset of their chunk.
    wild: BTreeMap<u64, Vec<Wild>>,
}

/// Opens a capture from bytes or from an [`Input`](gametape_core::Input).
///
/// # Errors
/// It is not a capture, or nothing of it can be read. A capture that was cut off can be opened: see
/// [`Capture::ending`].
pub fn read<'a>(source: impl Into<Ranges<'a>>) -> Result<Capture<'a>, Error> {
    read_with(source, Limits::DEFAULT)
}

/// Like [`read()`], with other limits.
///
/// # Errors
/// As [`read()`].
pub fn read_with<'a>(source: impl Into<Ranges<'a>>, limits: Limits) -> Result<Capture<'a>, Error> {
    let ranges = source.into();
    let mut head = Window::new(ranges.clone());
    let profile = container::profile(&mut head)?;
    if profile != PROFILE {
        let profile = profile.to_owned();
        return Err(CaptureRule::Foreign { profile }.whole());
    }
    let facts = Facts::read(&mut head)?;
    let mut end = End::read(ranges.clone())?;
    let ranges = match end.after {
        Some(after) => ranges.up_to_byte(after.at()),
        None => ranges,
    };
    let (mut schema, damaged) = match facts.schema {
        Some(Ok(schema)) => (Some(schema), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    if let (None, Some((_, Some(data)))) = (&schema, &end.summary) {
        schema = Some(read_schema(data)?);
    }
    if end.channels.is_without_roles() || schema.is_none() {
        schema = of_first_chunk(ranges.clone(), &limits, schema, &mut end)?;
    }
    if end.channels.is_without_roles() || end.ending != Ending::Whole {
        // For channels that are defined in later chunks, or in a first chunk that is lost, the
        // numbers of our writer are assumed.
        end.channels.assume_ours();
    }
    // In a capture made from tables, log times need not have the unit of a tick.
    let is_made = end.channels.has(Role::Labels) || end.channels.has(Role::Events);
    let told = if facts.there {
        None
    } else {
        let extents = (0..end.chunks.len()).map_while(|chunk| end.extent(chunk));
        tick_by_times(ranges.clone(), extents, &limits, &end.channels)?
    };
    let log_tick_ns = told.unwrap_or(facts.log_tick_ns);
    let wild = end.wild(&ranges, &limits, log_tick_ns)?;
    let known = Known {
        wild,
        schema: schema.ok_or_else(|| damaged.unwrap_or_else(|| CaptureRule::NoSchema.whole()))?,
        limits,
        // A unit of 1 ms is that of recorders that do not know the length of a tick.
        tick_ns: facts
            .tick_ns
            .or(told.filter(|ns| *ns != DEFAULT_TICK_NS && !is_made)),
        log_tick_ns,
        has_facts: facts.there,
        view: facts.view,
        tables: facts.tables,
        listed: Keyframes::new(end.chunks.len()),
        end,
    };
    Ok(Capture::of(ranges, Arc::new(known)))
}

impl<'a> Capture<'a> {
    /// A capture that was opened before, read from `ranges`.
    pub(crate) fn of(ranges: Ranges<'a>, known: Arc<Known>) -> Self {
        let ranges = match known.end.after {
            Some(after) => ranges.up_to_byte(after.at()),
            None => ranges,
        };
        Self { ranges, known }
    }

    /// What follows the capture in its file. It is not read.
    #[must_use]
    pub fn after(&self) -> Option<After> {
        self.known.end.after
    }

    /// All that was read when it was opened.
    #[cfg(feature = "tape")]
    pub(crate) fn known(&self) -> Arc<Known> {
        self.known.clone()
    }

    /// The schema of its packets.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.known.schema
    }

    /// The length of a tick in nanoseconds, if the recorder knew it.
    #[must_use]
    pub fn tick_ns(&self) -> Option<u64> {
        self.known.tick_ns
    }

    /// The number by which the log time of a message is divided to get its tick.
    #[must_use]
    pub fn log_tick_ns(&self) -> u64 {
        self.known.log_tick_ns
    }

    /// False if the metadata with the length of a tick is missing: [`Capture::tick_ns`] is then what the
    /// log times tell.
    #[must_use]
    pub fn has_facts(&self) -> bool {
        self.known.has_facts
    }

    /// True if the states are the view of a receiver: see [`Options::view`](crate::Options::view).
    #[must_use]
    pub fn is_view(&self) -> bool {
        self.known.view
    }

    /// The description, as JSON, of the tables from which the capture was made.
    #[must_use]
    pub fn tables(&self) -> Option<&str> {
        self.known.tables.as_deref()
    }

    /// The clocks of a capture made from tables that are known to rise only: each packet has them,
    /// and none is before an earlier packet.
    #[must_use]
    pub fn rises(&self) -> Clocks {
        self.known.end.rises
    }

    /// How the capture ends.
    #[must_use]
    pub fn ending(&self) -> Ending {
        self.known.end.ending
    }

    /// The number of packets of a role, according to the summary.
    #[must_use]
    pub fn counted(&self, role: Role) -> Option<u64> {
        let of_role = |(channel, count): (&u16, &u64)| {
            (self.known.end.channels.role(*channel) == Some(role)).then_some(*count)
        };
        Some(self.counts()?.iter().filter_map(of_role).sum())
    }

    /// The number of messages by channel, according to the summary.
    #[must_use]
    pub fn counts(&self) -> Option<&BTreeMap<u16, u64>> {
        self.known.end.messages.as_ref()
    }

    /// The ticks of the first and the last packet, according to the chunks.
    #[must_use]
    pub fn ticks(&self) -> Option<(u32, u32)> {
        // The times of messages of other programs are not ticks.
        if self.channels().has_foreign() {
            return None;
        }
        // Definitions without messages have no times.
        let has_times = |place: &&ChunkPlace| {
            let is_without =
                place.loose_to.is_some() || (place.start_time, place.end_time) == (0, 0);
            !(is_without && place.counts.is_empty())
        };
        let places = || self.chunks().iter().filter(has_times);
        let start = places().map(|chunk| chunk.start_time).min()?;
        let end = places().map(|chunk| chunk.end_time).max()?;
        Some((self.tick_of(start), self.tick_of(end)))
    }

    /// The reason why the end of the capture cannot be read; `None` if only its index is missing.
    #[must_use]
    pub fn problem(&self) -> Option<Error> {
        let truncated = |what, offset| Some(CaptureRule::Truncated { what }.at(offset));
        match self.known.end.ending {
            Ending::Whole | Ending::NoSummary => match self.after() {
                Some(after @ After::Next(_)) => Some(after.finding().into()),
                _ => None,
            },
            Ending::Cut(offset) => truncated("last record", offset),
            Ending::BadSummary => match &self.known.end.problem {
                Some(problem) => Some(problem.clone().into()),
                None => truncated("summary", self.ranges.size()),
            },
        }
    }

    /// Refuses a capture whose data does not match its checksum, if it has one. Reads all of the data.
    #[cfg(feature = "tape")]
    pub(crate) fn check_data(&self) -> Result<(), Error> {
        use crate::container::WalkEnd;
        use crate::rule::DATA_SECTION;

        let WalkEnd::DataEnd { at, crc, .. } = self.walked()?.end else {
            return Ok(());
        };
        if crc == 0 {
            return Ok(());
        }
        let found = Window::new(self.ranges.clone()).crc(0, at)?;
        CaptureRule::check_crc(DATA_SECTION, crc, found, 0)
    }

    /// The same capture with only these chunks.
    #[must_use]
    pub fn with_chunks(self, chunks: Vec<ChunkPlace>) -> Self {
        let mut known = Arc::unwrap_or_clone(self.known);
        known.listed = Keyframes::new(chunks.len());
        known.end.chunks = chunks;
        known.end.walked = None;
        Self::of(self.ranges, Arc::new(known))
    }

    /// The offset of the summary, and the schema in it as JSON.
    pub(crate) fn summary(&self) -> Option<(u64, Option<&[u8]>)> {
        let (start, schema) = self.known.end.summary.as_ref()?;
        Some((*start, schema.as_deref()))
    }

    /// The result of walking from record to record. If the chunks were already found that way, the
    /// walk is not repeated.
    pub(crate) fn walked(&self) -> Result<Walked, Error> {
        match self.known.end.walked {
            None => walk(self.ranges.clone()),
            Some(end) => Ok(Walked {
                chunks: self.known.end.chunks.clone(),
                loose: self.known.end.loose,
                foreign: self.known.end.foreign,
                end,
            }),
        }
    }

    /// The source of the capture.
    #[must_use]
    pub fn ranges(&self) -> Ranges<'a> {
        self.ranges.clone()
    }

    /// The places of its chunks.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkPlace] {
        &self.known.end.chunks
    }

    /// The limits within which it is read.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.known.limits
    }

    /// Whether it has a channel for packets of this role.
    #[must_use]
    pub fn has_role(&self, role: Role) -> bool {
        self.known.end.channels.has(role)
    }

    /// Its channels.
    pub(crate) fn channels(&self) -> &Channels {
        &self.known.end.channels
    }

    pub(crate) fn role(&self, channel: u16) -> Option<Role> {
        self.known.end.channels.role(channel)
    }

    /// Reads a chunk and unpacks it into `into`, replacing its content; returns the offset of the
    /// chunk's record.
    ///
    /// # Errors
    /// The chunk cannot be unpacked.
    pub fn unpack(&self, chunk: usize, into: &mut Vec<u8>) -> Result<u64, Error> {
        self.unpack_of(&mut Window::exact(self.ranges.clone()), chunk, into)
    }

    /// Like [`Capture::unpack`], through a window that reads the file in order.
    pub(crate) fn unpack_of(
        &self,
        window: &mut Window<'_>,
        chunk: usize,
        into: &mut Vec<u8>,
    ) -> Result<u64, Error> {
        into.clear();
        let Some(extent) = self.known.end.extent(chunk) else {
            return Err(CaptureRule::Record { what: "chunk" }.at(self.ranges.size()));
        };
        unpack(window, extent, &self.known.limits, into)?;
        for wild in self.wild_of(extent.at) {
            mend(into, wild, self.known.log_tick_ns);
        }
        Ok(extent.at)
    }

    /// The packets of a chunk whose ticks are far off, by the offset of the chunk.
    pub(crate) fn wild_of(&self, at: u64) -> &[Wild] {
        self.known.wild.get(&at).map_or(&[], Vec::as_slice)
    }

    /// All packets whose ticks are far off.
    pub(crate) fn wild(&self) -> impl Iterator<Item = &Wild> {
        self.known.wild.values().flatten()
    }

    pub(crate) fn tick_of(&self, log_time: u64) -> u32 {
        u32::try_from(log_time / self.known.log_tick_ns).unwrap_or(u32::MAX)
    }

    /// The known full snapshots of its chunks.
    pub(crate) fn listed(&self) -> &Keyframes {
        &self.known.listed
    }
}

/// Adds the channels that the first chunk defines, and takes the schema from it if `schema` is
/// `None`. An error if the chunk is unreadable and the schema is not known otherwise.
fn of_first_chunk(
    ranges: Ranges<'_>,
    limits: &Limits,
    schema: Option<Schema>,
    end: &mut End,
) -> Result<Option<Schema>, Error> {
    let Some(extent) = end.extent(0) else {
        return Ok(schema);
    };
    // An overlap with the second chunk is reported when this chunk is read.
    let first = Extent {
        next: None,
        ..extent
    };
    match describe(ranges, first, limits) {
        Ok(described) => {
            end.channels.extend(described.channels);
            match (schema, described.schema) {
                (None, Some(data)) => read_schema(&data).map(Some),
                (schema, _) => Ok(schema),
            }
        }
        Err(error) if schema.is_none() => Err(error),
        Err(error) => fault(error).map(|_| schema),
    }
}
