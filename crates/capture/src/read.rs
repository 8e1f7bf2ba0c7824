//! Reading captures: their facts, their chunks, and how they end.

use std::collections::BTreeMap;

use gametape_core::text::Crc32;
use gametape_delta::Schema;

use crate::container::{self, ChunkPlace, Extent, WalkEnd, Walked, unpack, walk};
use crate::facts::{Facts, describe, read_schema};
use crate::keyframe::Listed;
use crate::layout::{PROFILE, Role};
use crate::limits::Limits;
use crate::ranges::{Ranges, Window};
use crate::rule::{CaptureRule, DATA_SECTION, Error, Finding, fault};

/// How a capture ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With a summary, as [`Writer::finish`](crate::Writer::finish) leaves it.
    Whole,
    /// Between two records, without a summary: its recorder was stopped.
    NoSummary,
    /// In a record that starts at this byte: it was cut, or is damaged there.
    Cut(u64),
    /// Its summary can't be read; the data before it can.
    BadSummary,
}

/// A capture: in memory, in a file, or somewhere else.
///
/// Opening reads its head and the summary at its end alone, or where there is none, goes from record
/// to record; no chunk is read before it is asked for, and one at a time.
#[derive(Debug)]
pub struct Capture<'a> {
    ranges: Ranges<'a>,
    schema: Schema,
    limits: Limits,
    tick_ns: Option<u64>,
    log_tick_ns: u64,
    has_facts: bool,
    tables: Option<String>,
    end: End,
    listed: Listed,
}

/// What the end of a capture says of it, or what was found without that.
#[derive(Debug)]
struct End {
    channels: BTreeMap<u16, Role>,
    chunks: Vec<ChunkPlace>,
    messages: Option<BTreeMap<u16, u64>>,
    /// Where the summary starts, and its schema as JSON.
    summary: Option<(u64, Option<Vec<u8>>)>,
    ending: Ending,
    /// Where going from record to record ended, where the chunks were found so.
    walked: Option<WalkEnd>,
    /// Messages outside of chunks.
    loose: u64,
    /// What is wrong with the summary.
    problem: Option<Finding>,
}

impl End {
    fn read(ranges: Ranges<'_>) -> Result<Self, Error> {
        match container::read_summary(ranges) {
            Ok(Some(summary)) => {
                let listed = summary.lists_all_chunks();
                let mut end = Self {
                    channels: summary.channels,
                    chunks: summary.chunks,
                    messages: summary.messages,
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

/// Opens a capture: of bytes, or of an [`Input`](gametape_core::Input).
///
/// # Errors
/// Where it is no capture, or nothing of it can be read. One that was cut opens: see
/// [`Capture::ending`].
pub fn read<'a>(source: impl Into<Ranges<'a>>) -> Result<Capture<'a>, Error> {
    read_with(source, Limits::DEFAULT)
}

/// [`read()`], within other limits.
///
/// # Errors
/// As [`read()`].
pub fn read_with<'a>(source: impl Into<Ranges<'a>>, limits: Limits) -> Result<Capture<'a>, Error> {
    let ranges = source.into();
    let mut head = Window::new(ranges);
    let profile = container::profile(&mut head)?;
    if profile != PROFILE {
        let profile = profile.to_owned();
        return Err(CaptureRule::Foreign { profile }.whole());
    }
    let facts = Facts::read(&mut head)?;
    let mut end = End::read(ranges)?;
    let (mut schema, damaged) = match facts.schema {
        Some(Ok(schema)) => (Some(schema), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    if let (None, Some((_, Some(data)))) = (&schema, &end.summary) {
        schema = Some(read_schema(data)?);
    }
    if end.channels.is_empty() || schema.is_none() {
        schema = of_first_chunk(ranges, &limits, schema, &mut end)?;
    }
    if end.channels.is_empty() || end.ending != Ending::Whole {
        // Channels of later chunks, or of a first one that is lost: the numbers are those that
        // our writer gives.
        for (channel, role) in Role::NUMBERED {
            end.channels.entry(channel).or_insert(role);
        }
    }
    Ok(Capture {
        ranges,
        schema: schema.ok_or_else(|| damaged.unwrap_or_else(|| CaptureRule::NoSchema.whole()))?,
        limits,
        tick_ns: facts.tick_ns,
        log_tick_ns: facts.log_tick_ns,
        has_facts: facts.there,
        tables: facts.tables,
        listed: Listed::new(end.chunks.len()),
        end,
    })
}

impl<'a> Capture<'a> {
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

    /// What it says of the tables of another recording that it was made of, as JSON.
    #[must_use]
    pub fn tables(&self) -> Option<&str> {
        self.tables.as_deref()
    }

    /// How it ends.
    #[must_use]
    pub const fn ending(&self) -> Ending {
        self.end.ending
    }

    /// Packets of a role, as the summary counts them.
    #[must_use]
    pub fn counted(&self, role: Role) -> Option<u64> {
        let of_role = |(channel, count): (&u16, &u64)| {
            (self.end.channels.get(channel) == Some(&role)).then_some(*count)
        };
        Some(self.counts()?.iter().filter_map(of_role).sum())
    }

    /// Messages by channel, as the summary counts them.
    #[must_use]
    pub const fn counts(&self) -> Option<&BTreeMap<u16, u64>> {
        self.end.messages.as_ref()
    }

    /// The ticks of the first and the last packet, as the chunks say.
    #[must_use]
    pub fn ticks(&self) -> Option<(u32, u32)> {
        let start = self.chunks().iter().map(|chunk| chunk.start_time).min()?;
        let end = self.chunks().iter().map(|chunk| chunk.end_time).max()?;
        Some((self.tick_of(start), self.tick_of(end)))
    }

    /// What keeps the end of the capture from being read; nothing where only its index is missing.
    #[must_use]
    pub fn problem(&self) -> Option<Error> {
        let truncated = |what, offset| Some(CaptureRule::Truncated { what }.at(offset));
        match self.end.ending {
            Ending::Whole | Ending::NoSummary if self.end.loose > 0 => {
                let messages = self.end.loose;
                Some(CaptureRule::Loose { messages }.whole())
            }
            Ending::Whole | Ending::NoSummary => None,
            Ending::Cut(offset) => truncated("last record", offset),
            Ending::BadSummary => match &self.end.problem {
                Some(problem) => Some(problem.clone().into()),
                None => truncated("summary", self.ranges.size()),
            },
        }
    }

    /// Refuses a capture whose data is not what its checksum says, if it has one: all of it is read.
    pub(crate) fn check_data(&self) -> Result<(), Error> {
        let WalkEnd::DataEnd { at, crc, .. } = self.walked()?.end else {
            return Ok(());
        };
        if crc == 0 {
            return Ok(());
        }
        match Window::new(self.ranges).crc(0, at)? {
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

    /// The same capture with these chunks alone.
    #[must_use]
    pub fn with_chunks(mut self, chunks: Vec<ChunkPlace>) -> Self {
        self.listed = Listed::new(chunks.len());
        self.end.chunks = chunks;
        self.end.walked = None;
        self
    }

    /// Where the summary starts, and its schema as JSON.
    pub(crate) fn summary(&self) -> Option<(u64, Option<&[u8]>)> {
        let (start, schema) = self.end.summary.as_ref()?;
        Some((*start, schema.as_deref()))
    }

    /// What going from record to record finds. Where the chunks were found so, that is not done
    /// again.
    pub(crate) fn walked(&self) -> Result<Walked, Error> {
        match self.end.walked {
            None => walk(self.ranges),
            Some(end) => Ok(Walked {
                chunks: self.end.chunks.clone(),
                loose: self.end.loose,
                end,
            }),
        }
    }

    /// What it is read from.
    #[must_use]
    pub const fn ranges(&self) -> Ranges<'a> {
        self.ranges
    }

    /// Its chunks, by their places.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkPlace] {
        &self.end.chunks
    }

    /// The bounds it is read within.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether it has a channel for packets of this role.
    #[must_use]
    pub fn has_role(&self, role: Role) -> bool {
        self.end.channels.values().any(|other| *other == role)
    }

    /// What its channels are for.
    pub(crate) const fn channels(&self) -> &BTreeMap<u16, Role> {
        &self.end.channels
    }

    pub(crate) fn role(&self, channel: u16) -> Option<Role> {
        self.end.channels.get(&channel).copied()
    }

    /// Reads a chunk and unpacks it into `into`, whatever that held; gives the place of its record
    /// in the file.
    ///
    /// # Errors
    /// What keeps it from being unpacked.
    pub fn unpack(&self, chunk: usize, into: &mut Vec<u8>) -> Result<u64, Error> {
        self.unpack_of(&mut Window::exact(self.ranges), chunk, into)
    }

    /// [`Capture::unpack`], of what goes along there.
    pub(crate) fn unpack_of(
        &self,
        window: &mut Window<'_>,
        chunk: usize,
        into: &mut Vec<u8>,
    ) -> Result<u64, Error> {
        into.clear();
        let Some(extent) = self.end.extent(chunk) else {
            return Err(CaptureRule::Record { what: "chunk" }.at(self.ranges.size()));
        };
        unpack(window, extent, &self.limits, into)?;
        Ok(extent.at)
    }

    pub(crate) fn tick_of(&self, log_time: u64) -> u32 {
        u32::try_from(log_time / self.log_tick_ns).unwrap_or(u32::MAX)
    }

    /// The full snapshots that are known of its chunks.
    pub(crate) const fn listed(&self) -> &Listed {
        &self.listed
    }
}

/// Takes channels of the first chunk, and the schema where it is not known; where there is none, or
/// it can't be read, the schema has to be known.
fn of_first_chunk(
    ranges: Ranges<'_>,
    limits: &Limits,
    schema: Option<Schema>,
    end: &mut End,
) -> Result<Option<Schema>, Error> {
    let Some(extent) = end.extent(0) else {
        return Ok(schema);
    };
    // What overlaps with the second one is told when it is asked for.
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
