//! Opening captures: their facts, their chunks, and how they end.

use std::collections::BTreeMap;
use std::sync::Arc;

use gametape_core::Clocks;
use gametape_delta::Schema;

use crate::container::{self, ChunkPlace, Extent, WalkEnd, Walked, unpack, walk};
use crate::facts::{Facts, describe, read_schema};
use crate::keyframe::Listed;
use crate::layout::{PROFILE, Role};
use crate::limits::Limits;
use crate::ranges::{Ranges, Window};
use crate::rule::{CaptureRule, Error, Finding, fault};

/// How a capture ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With a summary, as written by [`Writer::finish`](crate::Writer::finish).
    Whole,
    /// Between two records, without a summary: the recorder was stopped.
    NoSummary,
    /// In a record that starts at this offset: the capture was cut off or is damaged there.
    Cut(u64),
    /// With an unreadable summary; the data before it is readable.
    BadSummary,
}

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
    listed: Listed,
}

/// The summary of a capture, or the result of walking if there is none.
#[derive(Clone, Debug)]
struct End {
    channels: BTreeMap<u16, Role>,
    chunks: Vec<ChunkPlace>,
    messages: Option<BTreeMap<u16, u64>>,
    rises: Clocks,
    /// The offset of the summary, and the schema in it as JSON.
    summary: Option<(u64, Option<Vec<u8>>)>,
    ending: Ending,
    /// The end of the walk from record to record, if the chunks were found that way.
    walked: Option<WalkEnd>,
    /// The number of messages outside of chunks.
    loose: u64,
    /// The problem of the summary, if it has one.
    problem: Option<Finding>,
}

impl End {
    fn read(ranges: Ranges<'_>) -> Result<Self, Error> {
        match container::read_summary(ranges.clone()) {
            Ok(Some(summary)) => {
                let listed = summary.lists_all_chunks();
                let mut end = Self {
                    channels: summary.channels,
                    chunks: summary.chunks,
                    messages: summary.messages,
                    rises: summary.rises,
                    summary: Some((summary.start, summary.schema)),
                    ending: Ending::Whole,
                    walked: None,
                    loose: 0,
                    problem: None,
                };
                if !listed {
                    let walked = walk(ranges)?;
                    (end.chunks, end.loose) = (walked.chunks, walked.loose);
                    end.walked = Some(walked.end);
                }
                Ok(end)
            }
            Ok(None) => Self::walked(ranges, None),
            Err(error) => Self::walked(ranges, Some(fault(error)?)),
        }
    }

    fn walked(ranges: Ranges<'_>, problem: Option<Finding>) -> Result<Self, Error> {
        let Walked { chunks, loose, end } = walk(ranges)?;
        let ending = match (&problem, end) {
            (Some(_), _) | (_, WalkEnd::DataEnd { .. }) => Ending::BadSummary,
            (None, WalkEnd::Border) => Ending::NoSummary,
            (None, WalkEnd::Cut(at)) => Ending::Cut(at),
        };
        Ok(Self {
            channels: BTreeMap::new(),
            chunks,
            messages: None,
            rises: Clocks::STEPS,
            summary: None,
            ending,
            walked: Some(end),
            loose,
            problem,
        })
    }

    fn extent(&self, chunk: usize) -> Option<Extent> {
        let place = self.chunks.get(chunk)?;
        Some(Extent {
            at: place.at,
            end: place.end(),
            next: self.chunks.get(chunk + 1).map(|next| next.at),
        })
    }
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
    let (mut schema, damaged) = match facts.schema {
        Some(Ok(schema)) => (Some(schema), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    if let (None, Some((_, Some(data)))) = (&schema, &end.summary) {
        schema = Some(read_schema(data)?);
    }
    if end.channels.is_empty() || schema.is_none() {
        schema = of_first_chunk(ranges.clone(), &limits, schema, &mut end)?;
    }
    if end.channels.is_empty() || end.ending != Ending::Whole {
        // For channels that are defined in later chunks, or in a first chunk that is lost, the
        // numbers of our writer are assumed.
        for (channel, role) in Role::NUMBERED {
            end.channels.entry(channel).or_insert(role);
        }
    }
    let known = Known {
        schema: schema.ok_or_else(|| damaged.unwrap_or_else(|| CaptureRule::NoSchema.whole()))?,
        limits,
        tick_ns: facts.tick_ns,
        log_tick_ns: facts.log_tick_ns,
        has_facts: facts.there,
        view: facts.view,
        tables: facts.tables,
        listed: Listed::new(end.chunks.len()),
        end,
    };
    Ok(Capture::of(ranges, Arc::new(known)))
}

impl<'a> Capture<'a> {
    /// A capture that was opened before, read from `ranges`.
    pub(crate) const fn of(ranges: Ranges<'a>, known: Arc<Known>) -> Self {
        Self { ranges, known }
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

    /// False if the metadata with the length of a tick is lost.
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
            (self.known.end.channels.get(channel) == Some(&role)).then_some(*count)
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
        let start = self.chunks().iter().map(|chunk| chunk.start_time).min()?;
        let end = self.chunks().iter().map(|chunk| chunk.end_time).max()?;
        Some((self.tick_of(start), self.tick_of(end)))
    }

    /// The reason why the end of the capture cannot be read; `None` if only its index is missing.
    #[must_use]
    pub fn problem(&self) -> Option<Error> {
        let truncated = |what, offset| Some(CaptureRule::Truncated { what }.at(offset));
        match self.known.end.ending {
            Ending::Whole | Ending::NoSummary if self.known.end.loose > 0 => {
                let messages = self.known.end.loose;
                Some(CaptureRule::Loose { messages }.whole())
            }
            Ending::Whole | Ending::NoSummary => None,
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
        use crate::rule::DATA_SECTION;
        use gametape_core::text::Crc32;

        let WalkEnd::DataEnd { at, crc, .. } = self.walked()?.end else {
            return Ok(());
        };
        if crc == 0 {
            return Ok(());
        }
        match Window::new(self.ranges.clone()).crc(0, at)? {
            found if found == crc => Ok(()),
            found => {
                let rule = CaptureRule::Crc {
                    what: DATA_SECTION,
                    recorded: Crc32(crc),
                    found: Crc32(found),
                };
                Err(rule.at(0))
            }
        }
    }

    /// The same capture with only these chunks.
    #[must_use]
    pub fn with_chunks(self, chunks: Vec<ChunkPlace>) -> Self {
        let mut known = Arc::unwrap_or_clone(self.known);
        known.listed = Listed::new(chunks.len());
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
        self.known.end.channels.values().any(|other| *other == role)
    }

    /// The roles of its channels.
    pub(crate) fn channels(&self) -> &BTreeMap<u16, Role> {
        &self.known.end.channels
    }

    pub(crate) fn role(&self, channel: u16) -> Option<Role> {
        self.known.end.channels.get(&channel).copied()
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
        Ok(extent.at)
    }

    pub(crate) fn tick_of(&self, log_time: u64) -> u32 {
        u32::try_from(log_time / self.known.log_tick_ns).unwrap_or(u32::MAX)
    }

    /// The known full snapshots of its chunks.
    pub(crate) fn listed(&self) -> &Listed {
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
