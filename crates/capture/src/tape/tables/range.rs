//! The part of a capture that scans of a range have to read.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

use gametape_core::table::Scan;
use gametape_core::tape::{Error, Pieces};
use gametape_core::{At, Stamp};
use gametape_delta::wire::Header;

use super::is_state;
use super::packets::BITS;
use crate::cursor::Cursor;
use crate::follow::Steps;
use crate::layout::Role;
use crate::made;
use crate::packets::{Clock, Packets};
use crate::read::Capture;
use crate::replay::{Later, Replay};
use crate::rule::{Error as ReadError, fault};
use crate::tape::dump::stamp;
use crate::tape::opened::{PacketsTape, made_of};

/// A part of a capture, and how to start in it.
pub(crate) struct Excerpt {
    pub chunks: Range<usize>,
    /// The number of packets of the stream before it.
    before: u64,
    /// The clocks of packets and of states, which started before it.
    pub clock: Clock,
    pub of_states: Clock,
    /// The number of the first packet whose state is needed. The packets before it lead to the
    /// state before it; the states of some of them are not known.
    pub sure: u64,
    /// The states that are needed again, if they are known from finding the part.
    later: Option<Later>,
}

impl Excerpt {
    /// The smallest part that is known to give the rows of these scans: chunks before the ranges
    /// and after them are left out. Of a capture without indexes, or whose log times do not follow
    /// its ticks, it is all.
    pub fn of(capture: &Capture<'_>, scans: &[Scan]) -> Result<Self, Error> {
        let has_range = |scan: &Scan| scan.from.is_some() || scan.to.is_some();
        // Facts are about all packets, whatever the range.
        let is_of_all = |scan: &Scan| scan.table == BITS.name;
        if !scans.iter().any(has_range) || scans.iter().any(is_of_all) {
            return Ok(Self::whole(capture));
        }
        let states = scans.iter().filter(|scan| is_state(&scan.table));
        let states: Vec<&Scan> = states.collect();
        let Some(map) = ChunkMap::of(capture, !states.is_empty())? else {
            return Ok(Self::whole(capture));
        };
        let first = scans.iter().map(|scan| map.first(scan)).min();
        let end = scans.iter().map(|scan| map.end(scan)).max();
        let (first, end) = first.zip(end).unwrap_or_default();
        let all = capture.chunks().len();
        let first = first.min(map.before.len().saturating_sub(1));
        if states.is_empty() {
            return Ok(map.part(first..end.max(first), 0, None));
        }
        let end = end.max(first + 1).min(all);
        if !map.ascends {
            return Ok(Self::whole(capture));
        }
        // The steps back become ever larger, as in `Capture::state_at`.
        let mut next = 1;
        for (back, start) in (1..).zip(map.fulls_upto(first)) {
            if back < next {
                continue;
            }
            next *= 2;
            let chunks = start..end;
            if let Some((sure, later)) = map.look_ahead(chunks.clone(), &states)? {
                return Ok(map.part(chunks, sure, Some(later)));
            }
        }
        let chunks = 0..end;
        let later = capture.later(chunks.clone())?;
        Ok(map.part(chunks, 0, Some(later)))
    }

    fn whole(capture: &Capture<'_>) -> Self {
        let clock = Clock::new(capture.tick_ns());
        Self {
            chunks: 0..capture.chunks().len(),
            before: 0,
            clock,
            of_states: clock,
            sure: 0,
            later: None,
        }
    }

    /// Its packets.
    pub fn cursor<'c>(&self, capture: &'c Capture<'_>) -> Cursor<'c> {
        capture.packets_in(self.chunks.clone(), self.before)
    }

    /// A replay of its packets.
    pub fn replay(&self, capture: &Capture<'_>) -> Result<Replay, ReadError> {
        let later = match &self.later {
            Some(later) => later.clone(),
            None => capture.later(self.chunks.clone())?,
        };
        Ok(Replay::looking_ahead(capture.schema(), later))
    }
}

impl Capture<'_> {
    /// The states that are needed again in some chunks, from the headers of their packets.
    fn later(&self, chunks: Range<usize>) -> Result<Later, ReadError> {
        let mut later = Later::default();
        let mut cursor = self.packets_in(chunks, 0);
        while let Some(packet) = cursor.next_or_fault()? {
            if let Ok(packet) = packet {
                later.packet(&packet);
            }
        }
        Ok(later)
    }
}

/// The steps at which parts of a table of packets start. A part of a state starts after a chunk with a
/// full snapshot.
pub(crate) fn pieces(
    capture: &Capture<'_>,
    table: &str,
    at_most: usize,
) -> Result<Vec<u64>, Error> {
    let is_state = is_state(table);
    let mut starts = vec![0];
    if table == BITS.name {
        return Ok(starts);
    }
    if let Some(map) = ChunkMap::of(capture, is_state)?.filter(|map| map.ascends || !is_state) {
        let is = |chunk: &usize| !is_state || capture.has_full(chunk - 1);
        let borders = capture.borders(at_most, is).into_iter();
        starts.extend(borders.filter_map(|chunk| map.before.get(chunk)));
        starts.dedup();
    }
    Ok(starts)
}

/// What the indexes tell about the chunks.
struct ChunkMap<'c, 'a> {
    capture: &'c Capture<'a>,
    /// The number of packets of the stream before each chunk.
    before: Vec<u64>,
    clock: Clock,
    of_states: Clock,
    /// Whether the ticks of a chunk are never before those of the chunk before it.
    ascends: bool,
}

impl<'c, 'a> ChunkMap<'c, 'a> {
    /// `None` if chunks cannot be left out. The first chunk is read: the clocks start in it, and it
    /// shows whether log times follow ticks.
    fn of(capture: &'c Capture<'a>, of_states: bool) -> Result<Option<Self>, Error> {
        let before = capture.packets_before();
        if before.len() < 2 {
            return Ok(None);
        }
        let (mut first, mut first_state) = (None, None);
        let mut steps = Steps::new(Replay::live(capture.schema()));
        let mut cursor = capture.packets_in(0..1, 0);
        loop {
            let packet = match cursor.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => break,
                // The rows end here.
                Err(error) => return fault(error).map(|_| None).map_err(Error::from),
            };
            let tick = packet.tick();
            let logged = packet.times.map(|times| capture.tick_of(times.log_time));
            if tick.is_none() || tick != logged {
                return Ok(None);
            }
            if packet.role != Role::Added && first.is_none() {
                first = tick;
            }
            if of_states && first_state.is_none() {
                let _ = steps.packet(&packet, |_, _, _| Ok(ControlFlow::Break(())))?;
                first_state = tick.filter(|_| steps.has_state());
            }
        }
        if first.is_none() || of_states && first_state.is_none() {
            return Ok(None);
        }
        let tick_ns = capture.tick_ns();
        let mut both = capture.chunks().windows(2);
        Ok(Some(Self {
            capture,
            before,
            clock: Clock::from(tick_ns, first),
            of_states: Clock::from(tick_ns, first_state),
            ascends: both.all(|both| match both {
                [a, b] => a.end_time <= b.start_time,
                _ => true,
            }),
        }))
    }

    fn part(&self, chunks: Range<usize>, sure: u64, later: Option<Later>) -> Excerpt {
        Excerpt {
            before: self.before.get(chunks.start).copied().unwrap_or_default(),
            chunks,
            clock: self.clock,
            of_states: self.of_states,
            sure,
            later,
        }
    }

    /// The stamps between which those of a chunk's packets are.
    fn stamps(&self, scan: &Scan, chunk: usize) -> Option<[Stamp; 2]> {
        let place = self.capture.chunks().get(chunk)?;
        let mut clock = if is_state(&scan.table) {
            self.of_states
        } else {
            self.clock
        };
        let mut stamp = |step, log_time| {
            let tick = self.capture.tick_of(log_time);
            Stamp {
                step,
                tick: Some(tick.into()),
                time: clock.time(tick),
            }
        };
        let known = |at: usize| self.before.get(at).copied();
        let most = known(chunk + 1).map_or(u64::MAX, |after| after.saturating_sub(1));
        let least = known(chunk).or(self.before.last().copied())?;
        Some([stamp(least, place.start_time), stamp(most, place.end_time)])
    }

    /// The first chunk that is not before the range of a scan.
    fn first(&self, scan: &Scan) -> usize {
        let Some(from) = scan.from else {
            return 0;
        };
        let chunks = 0..self.capture.chunks().len();
        let is_before = |chunk: &usize| {
            let stamps = self.stamps(scan, *chunk);
            stamps.is_some_and(|[_, last]| from.order(last) == Some(Ordering::Less))
        };
        chunks.take_while(is_before).count()
    }

    /// The chunk after the last one that is not after the range of a scan.
    fn end(&self, scan: &Scan) -> usize {
        let chunks = self.capture.chunks().len();
        let Some(to) = scan.to else {
            return chunks;
        };
        // Where ticks go back, the first row after the range may be anywhere.
        if made::ends(scan) && !self.ascends && !matches!(to, At::Step(_)) {
            return chunks;
        }
        let is_after = |chunk: &usize| {
            let stamps = self.stamps(scan, *chunk);
            stamps.is_some_and(|[first, _]| to.order(first) == Some(Ordering::Greater))
        };
        chunks - (0..chunks).rev().take_while(is_after).count()
    }

    /// The chunks with full snapshots up to a chunk, nearest first, without the first chunk of all.
    fn fulls_upto(&self, chunk: usize) -> impl Iterator<Item = usize> {
        (1..=chunk).rev().filter(|at| self.capture.has_full(*at))
    }

    /// Reads the headers of the packets in some chunks. If they lead to the state before the ranges
    /// of these scans and to all states in them, returns the number of the first packet that is not
    /// before the ranges, and the states that are needed again.
    fn look_ahead(
        &self,
        chunks: Range<usize>,
        scans: &[&Scan],
    ) -> Result<Option<(u64, Later)>, ReadError> {
        let before = self.before.get(chunks.start).copied().unwrap_or_default();
        let mut clock = self.of_states;
        let mut cursor = self.capture.packets_in(chunks, before);
        let mut later = Later::default();
        let (mut known, mut last) = (HashSet::new(), 0);
        let (mut sure, mut is_known) = (None, false);
        while let Some(packet) = cursor.next_or_fault()? {
            // The rows end at the damage.
            let Ok(packet) = packet else { break };
            later.packet(&packet);
            let Ok((header, _)) = Header::read(packet.bytes) else {
                return Ok(None);
            };
            // Without this order, a baseline may be another state than the one of its tick that is
            // known here.
            if header.tick < last {
                return Ok(None);
            }
            last = header.tick;
            let stamp = stamp(&packet, &mut clock);
            let is_before = |scan: &&Scan| {
                scan.from
                    .is_some_and(|from| from.order(stamp) == Some(Ordering::Less))
            };
            if sure.is_none() && !scans.iter().all(is_before) {
                if !is_known {
                    return Ok(None);
                }
                sure = Some(packet.index);
            }
            let baseline = header.baseline();
            is_known = baseline.is_none_or(|baseline| known.contains(&baseline));
            if is_known {
                known.insert(header.tick);
            } else if sure.is_some() {
                return Ok(None);
            }
        }
        Ok(Some((sure.unwrap_or(u64::MAX), later)))
    }
}

impl Pieces for PacketsTape {
    fn pieces(&self, table: &str, at_most: usize) -> Result<Vec<u64>, Error> {
        let packets = self.packets()?;
        match (made_of(&packets)?, &packets) {
            (Some((capture, made)), _) => made::pieces(capture, &made, table, at_most),
            (None, Packets::Capture(capture)) => pieces(capture, table, at_most),
            // Without an index, each part would look for its start from the first packet on.
            (None, Packets::Delta(_)) => Ok(vec![0]),
        }
    }
}
