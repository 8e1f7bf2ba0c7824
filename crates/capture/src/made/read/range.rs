//! Finds the chunks of a capture that a range needs, from the stamps of its full snapshots.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use gametape_core::table::{Lane, Late, Scan};
use gametape_core::{At, Stamp, tape};
use gametape_delta::Decoder;

use super::{Made, StampReader};
use crate::container::messages;
use crate::layout::Role;
use crate::limits::decoder_to_show;
use crate::read::Capture;
use crate::rule::{Error, fault};

/// A part of a capture.
pub(crate) struct Stretch {
    pub chunks: Range<usize>,
    /// The tick of the full snapshot with which it starts; `None` for the first packet.
    pub tick: Option<u32>,
}

impl Stretch {
    pub fn whole(capture: &Capture<'_>) -> Self {
        Self {
            chunks: 0..capture.chunks().len(),
            tick: None,
        }
    }
}

/// Whether a scan is complete, so that problems after its range do not concern it, once a later
/// moment was reached. Another scan asks for rows wherever they are recorded.
pub(crate) const fn ends(scan: &Scan) -> bool {
    matches!(
        (scan.late, scan.to),
        (Late::End, _) | (_, Some(At::Step(_)))
    )
}

/// The first full snapshot of a chunk.
#[derive(Clone, Copy)]
struct Full {
    tick: u32,
    stamp: Stamp,
}

/// Finds chunks by their first full snapshots. Each is read at most once.
pub(crate) struct Finder<'c> {
    capture: &'c Capture<'c>,
    clock: &'c StampReader,
    decoder: Decoder,
    /// The chunks that have full snapshots.
    chunks: Vec<usize>,
    /// The number of packets before each chunk, as far as indexes tell.
    before: Vec<u64>,
    known: HashMap<usize, Option<Full>>,
    unpacked: Vec<u8>,
}

impl<'c> Finder<'c> {
    pub fn new(capture: &'c Capture<'c>, clock: &'c StampReader) -> Self {
        let chunks = 0..capture.chunks().len();
        Self {
            capture,
            clock,
            decoder: decoder_to_show(capture.schema()),
            chunks: chunks.filter(|at| capture.has_full(*at)).collect(),
            before: capture.packets_before(),
            known: HashMap::new(),
            unpacked: Vec::new(),
        }
    }

    pub const fn clock(&self) -> &'c StampReader {
        self.clock
    }

    /// The part with the rows of these scans. It starts with a state before their ranges, and ends
    /// with a chunk that has a state after them.
    pub fn part<'s>(
        &mut self,
        scans: impl Iterator<Item = &'s Scan>,
    ) -> Result<Stretch, tape::Error> {
        let mut start: Option<(usize, Option<u32>)> = None;
        let mut end = 0;
        for scan in scans {
            let from = self.start(scan.from)?;
            start = Some(start.map_or(from, |start| start.min(from)));
            end = end.max(self.end(scan.to)?);
        }
        let (first, tick) = start.unwrap_or_default();
        Ok(Stretch {
            chunks: first..end.max(first),
            tick,
        })
    }

    /// Whether no packet is before an earlier one in the clock of this moment.
    fn rises(&self, at: At) -> bool {
        let rises = self.capture.rises();
        match at {
            At::Step(_) => true,
            At::Tick(_) => rises.ticks,
            At::Time(_) => rises.times,
        }
    }

    /// The last chunk whose first full snapshot is before a moment, and the tick of that snapshot.
    fn start(&mut self, from: Option<At>) -> Result<(usize, Option<u32>), tape::Error> {
        let Some(from) = from.filter(|from| self.rises(*from)) else {
            return Ok((0, None));
        };
        // A scan cannot start at a damaged full snapshot.
        let is_before = |full: Option<Full>| {
            full.is_some_and(|full| from.order(full.stamp) == Some(Ordering::Less))
        };
        let before = self.count(from, is_before)?.checked_sub(1);
        let Some(chunk) = before.and_then(|at| self.chunks.get(at).copied()) else {
            return Ok((0, None));
        };
        let tick = self.full(chunk)?.map(|full| full.tick);
        Ok((chunk, tick))
    }

    /// The chunk after the first one whose first full snapshot is after a moment.
    fn end(&mut self, to: Option<At>) -> Result<usize, tape::Error> {
        let all = self.capture.chunks().len();
        let Some(to) = to.filter(|to| self.rises(*to)) else {
            return Ok(all);
        };
        let is_upto = |full: Option<Full>| {
            full.is_none_or(|full| to.order(full.stamp) != Some(Ordering::Greater))
        };
        let upto = self.count(to, is_upto)?;
        Ok(self.chunks.get(upto).map_or(all, |chunk| chunk + 1))
    }

    /// The number of chunks, from the first one on, for whose full snapshots `is` is true. The search starts
    /// where the moment would be if each packet were a step, as it mostly is.
    fn count(&mut self, at: At, is: impl Fn(Option<Full>) -> bool) -> Result<usize, tape::Error> {
        let (mut low, mut high) = (0, self.chunks.len());
        let guess = match at {
            At::Step(step) => {
                let chunk = self.before.partition_point(|before| *before < step);
                Some(self.chunks.partition_point(|full| *full < chunk))
            }
            _ => None,
        };
        let mut next = guess.unwrap_or(high / 2);
        let mut reach = 1;
        while low < high {
            let middle = next.clamp(low, high - 1);
            let Some(chunk) = self.chunks.get(middle).copied() else {
                break;
            };
            if is(self.full(chunk)?) {
                low = middle + 1;
                next = middle + reach;
            } else {
                high = middle;
                next = middle.saturating_sub(reach);
            }
            reach *= 2;
            if guess.is_none() || low > 0 && high < self.chunks.len() {
                next = usize::midpoint(low, high);
            }
        }
        Ok(low)
    }

    /// The first full snapshot of a chunk; `None` if it cannot be read.
    fn full(&mut self, chunk: usize) -> Result<Option<Full>, Error> {
        if let Some(known) = self.known.get(&chunk) {
            return Ok(*known);
        }
        let full = match self.read(chunk) {
            Ok(full) => full,
            Err(error) => fault(error).map(|_| None)?,
        };
        self.known.insert(chunk, full);
        Ok(full)
    }

    fn read(&mut self, chunk: usize) -> Result<Option<Full>, Error> {
        let offset = self.capture.unpack(chunk, &mut self.unpacked)?;
        for found in messages(&self.unpacked, 0, offset) {
            let (_, message) = found?;
            let role = self.capture.role(message.channel);
            if !matches!(role, Some(Role::Keyframe | Role::Added)) {
                continue;
            }
            // Only the clock is decoded; it comes first.
            let decoded = self.decoder.packet_upto(message.data, self.clock.entity());
            let Some(packet) = decoded
                .ok()
                .filter(|packet| packet.header.baseline().is_none())
            else {
                return Ok(None);
            };
            let stamp = self.clock.stamp_after(&packet, &mut HashMap::new());
            let tick = packet.header.tick;
            return Ok(stamp.map(|stamp| Full { tick, stamp }));
        }
        Ok(None)
    }
}

/// The steps at which parts of a table start: each after a full snapshot.
pub(crate) fn pieces(
    capture: &Capture<'_>,
    made: &Made,
    table: &str,
    at_most: usize,
) -> Result<Vec<u64>, tape::Error> {
    let mut starts = vec![0];
    let of = made.tables.iter().find(|other| other.name == table);
    if of.is_none_or(|table| table.lane == Lane::Facts) {
        return Ok(starts);
    }
    let clock = StampReader::new(&made.of, capture.schema())?;
    let mut finder = Finder::new(capture, &clock);
    for chunk in capture.borders(at_most, |chunk| capture.has_full(*chunk)) {
        let full = finder.full(chunk)?;
        let start = full.and_then(|full| full.stamp.step.checked_add(1));
        starts.extend(start.filter(|start| starts.last() < Some(start)));
    }
    Ok(starts)
}
