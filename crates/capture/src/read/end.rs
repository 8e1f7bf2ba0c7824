//! How a capture ends, and what follows it in its file.

use std::collections::BTreeMap;

use gametape_core::Clocks;
use mcap::records::op;

use super::facts::Channels;
use super::wild::{Wild, find, may_have, mend};
use crate::container::{
    self, ChunkPlace, Extent, WalkEnd, Walked, messages, starts_as_mcap, unpack, walk,
};
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

/// The summary of a capture, or the result of walking if there is none.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub channels: Channels,
    pub chunks: Vec<ChunkPlace>,
    pub messages: Option<BTreeMap<u16, u64>>,
    pub rises: Clocks,
    /// The offset of the summary, and the schema in it as JSON.
    pub summary: Option<(u64, Option<Vec<u8>>)>,
    pub ending: Ending,
    /// The end of the walk from record to record, if the chunks were found that way.
    pub walked: Option<WalkEnd>,
    /// The number of messages outside of chunks, and of records of other programs.
    pub loose: u64,
    pub foreign: u64,
    /// The problem of the summary, if it has one.
    pub problem: Option<Finding>,
    /// What follows the capture in its file.
    pub after: Option<After>,
}

impl End {
    /// Reads the end of the first capture in a file, if other bytes follow it.
    pub fn read(ranges: Ranges<'_>) -> Result<Self, Error> {
        let end = Self::of_all(ranges.clone())?;
        if end.ending == Ending::Whole || end.ending == Ending::NoSummary {
            return Ok(end);
        }
        let after = match end.walked {
            Some(walked) => After::find(ranges.clone(), walked)?,
            None => None,
        };
        let Some(after) = after else {
            return Ok(end);
        };
        Ok(Self {
            after: Some(after),
            ..Self::of_all(ranges.up_to_byte(after.at()))?
        })
    }

    fn of_all(ranges: Ranges<'_>) -> Result<Self, Error> {
        match container::read_summary(ranges.clone()) {
            Ok(Some(summary)) => {
                let (listed, counted) = (summary.lists_all_chunks(), summary.counts_all_messages());
                let mut end = Self {
                    channels: Channels::new(summary.channels, summary.foreign),
                    chunks: summary.chunks,
                    messages: summary.messages,
                    rises: summary.rises,
                    summary: summary.is_there.then_some((summary.start, summary.schema)),
                    ending: Ending::Whole,
                    walked: None,
                    loose: 0,
                    foreign: 0,
                    problem: None,
                    after: None,
                };
                if !(listed && counted) {
                    let walked = walk(ranges)?;
                    if !listed || walked.loose > 0 {
                        (end.loose, end.foreign) = (walked.loose, walked.foreign);
                        end.chunks = walked.chunks;
                        end.walked = Some(walked.end);
                    }
                    // Without a summary, nothing else tells that records were lost.
                    if let (None, WalkEnd::Cut(at)) = (&end.summary, walked.end) {
                        end.ending = Ending::Cut(at);
                    }
                }
                Ok(end)
            }
            Ok(None) => Self::walked(ranges, None),
            Err(error) => Self::walked(ranges, Some(fault(error)?)),
        }
    }

    fn walked(ranges: Ranges<'_>, problem: Option<Finding>) -> Result<Self, Error> {
        let Walked {
            chunks,
            loose,
            foreign,
            end,
        } = walk(ranges)?;
        let ending = match (&problem, end) {
            (Some(_), _) | (_, WalkEnd::DataEnd { .. }) => Ending::BadSummary,
            (None, WalkEnd::Border) => Ending::NoSummary,
            (None, WalkEnd::Cut(at)) => Ending::Cut(at),
        };
        Ok(Self {
            channels: Channels::default(),
            chunks,
            messages: None,
            rises: Clocks::STEPS,
            summary: None,
            ending,
            walked: Some(end),
            loose,
            foreign,
            problem,
            after: None,
        })
    }

    /// Finds the packets whose ticks are far off, and gives their chunks the times without them. Only
    /// chunks whose times overlap those of their neighbours are unpacked, and the first and the last.
    pub fn wild(
        &mut self,
        ranges: &Ranges<'_>,
        limits: &Limits,
        log_tick_ns: u64,
    ) -> Result<BTreeMap<u64, Vec<Wild>>, Error> {
        let mut all = BTreeMap::new();
        let mut unpacked = Vec::new();
        for at in 0..self.chunks.len() {
            let (Some(place), Some(extent)) = (self.chunks.get(at), self.extent(at)) else {
                break;
            };
            let (start, end) = (place.start_time, place.end_time);
            let before = at.checked_sub(1).and_then(|at| self.chunks.get(at));
            let after = self.chunks.get(at + 1);
            let is_alone = before.is_some_and(|before| before.end_time <= start)
                && after.is_some_and(|after| end <= after.start_time);
            if is_alone || !may_have(start, end, log_tick_ns) {
                continue;
            }
            let mut window = Window::exact(ranges.clone());
            if let Err(error) = unpack(&mut window, extent, limits, &mut unpacked) {
                fault(error)?;
                continue;
            }
            let found = find(&unpacked, &self.channels, at == 0);
            if found.is_empty() {
                continue;
            }
            for wild in &found {
                mend(&mut unpacked, wild, log_tick_ns);
            }
            if let (Some(place), Some((start, end))) = (self.chunks.get_mut(at), times(&unpacked)) {
                (place.start_time, place.end_time) = (start, end);
            }
            all.insert(extent.at, found);
        }
        Ok(all)
    }

    pub fn extent(&self, chunk: usize) -> Option<Extent> {
        let place = self.chunks.get(chunk)?;
        Some(Extent {
            at: place.at,
            end: place.end(),
            next: self.chunks.get(chunk + 1).map(|next| next.at),
            loose_to: place.loose_to,
        })
    }
}

/// The earliest and the latest log time in an unpacked chunk.
fn times(unpacked: &[u8]) -> Option<(u64, u64)> {
    let all = messages(unpacked, 0, 0).map_while(Result::ok);
    let each = all.map(|(_, message)| (message.log_time, message.log_time));
    each.reduce(|(first, last), (time, _)| (first.min(time), last.max(time)))
}

/// The bytes after a capture in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// Another capture, or at least another MCAP file, begins at this offset.
    Next(u64),
    /// Only zeros.
    Zeros {
        /// The offset of the first.
        at: u64,
        /// Their number.
        bytes: u64,
    },
    /// Bytes that are not of a capture.
    Others {
        /// The offset of the first.
        at: u64,
        /// Their number.
        bytes: u64,
    },
}

impl After {
    /// Its offset, which is the end of the capture.
    #[must_use]
    pub const fn at(&self) -> u64 {
        match self {
            Self::Next(at) | Self::Zeros { at, .. } | Self::Others { at, .. } => *at,
        }
    }

    /// Finds what follows the first capture of a file that does not end as a capture does. `walked` is
    /// where walking through it ended.
    pub(crate) fn find(ranges: Ranges<'_>, walked: WalkEnd) -> Result<Option<Self>, Error> {
        let mut window = Window::new(ranges);
        match walked {
            WalkEnd::Border => Ok(None),
            WalkEnd::Cut(at) => Ok(Self::of(at, &mut window)?.filter(Self::is_known)),
            WalkEnd::DataEnd { end, .. } => Self::of_summary(end, &mut window),
        }
    }

    /// Goes from the end of the data through the summary.
    fn of_summary(data_end: u64, window: &mut Window<'_>) -> Result<Option<Self>, Error> {
        let mut at = data_end;
        while let Some(record) = window.record(at, window.size())? {
            if record.op == 0 || record.op > op::DATA_END {
                break;
            }
            at = record.end();
            if record.op == op::FOOTER {
                let magic = mcap::MAGIC.len() as u64;
                let is_whole = window.at(at, magic)? == mcap::MAGIC;
                if !is_whole {
                    return Ok(None);
                }
                return Self::of(at + magic, window);
            }
        }
        Ok(Self::of(at, window)?.filter(Self::is_known))
    }

    const fn is_known(&self) -> bool {
        !matches!(self, Self::Others { .. })
    }

    /// What the bytes from `at` on are; `None` if there are none.
    fn of(at: u64, window: &mut Window<'_>) -> Result<Option<Self>, Error> {
        let bytes = window.size().saturating_sub(at);
        if bytes == 0 {
            return Ok(None);
        }
        if starts_as_mcap(window.at(at, mcap::MAGIC.len() as u64)?) {
            return Ok(Some(Self::Next(at)));
        }
        let other = window.find_where(at, 1, |here| here != [0])?;
        Ok(Some(match other {
            None => Self::Zeros { at, bytes },
            Some(_) => Self::Others { at, bytes },
        }))
    }

    /// The finding about it.
    pub(crate) fn finding(&self) -> Finding {
        let rule = match *self {
            Self::Next(next) => CaptureRule::Joined { next },
            Self::Zeros { bytes, .. } => CaptureRule::ZerosAfter { bytes },
            Self::Others { bytes, .. } => CaptureRule::BytesAfter { bytes },
        };
        Finding::new(rule.into()).at(self.at())
    }
}
