//! Measures all packets in a single pass.

use gametape_core::tape::{self, Work};
use gametape_delta::wire::Header;
use gametape_delta::{Decoder, Schema, Sizes, Tag};

use crate::layout::Role;
use crate::limits::decoder;
use crate::packets::{Packet, Packets};
use crate::replay::{Added, Replay};
use crate::rule::Error;

/// The measurements of all packets.
#[derive(Debug)]
pub(super) struct Measured {
    pub sizes: Sizes,
    pub full: u64,
    pub deltas: u64,
    pub added: u64,
    pub added_bytes: u64,
    /// The sizes of the packets in bytes, ascending.
    pub packet_bytes: Vec<u32>,
    pub first_tick: Option<u32>,
    pub last_tick: Option<u32>,
    /// The number of ticks that have a packet.
    pub ticks: u64,
    /// The number of gaps in the ticks, and of missing ticks.
    pub gaps: u64,
    pub missing_ticks: u64,
    /// The number of ticks with a packet that could be decoded.
    pub read_ticks: u64,
    /// The number of entities in each state that could be built.
    pub entities: Range,
    /// Packets that could be applied: their bytes, and the entities of their states.
    pub applied: Applied,
    /// The first problem that a packet had.
    pub problem: Option<Error>,
}

/// Smallest, largest and mean value.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Range {
    pub count: u64,
    pub sum: u64,
    pub min: u64,
    pub max: u64,
}

/// Totals of the packets that could be applied.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Applied {
    pub bytes: u64,
    pub entities: u64,
}

impl Range {
    pub fn add(&mut self, value: u64) {
        self.min = if self.count == 0 {
            value
        } else {
            self.min.min(value)
        };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += value;
    }

    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

impl Measured {
    pub fn packets(&self) -> u64 {
        self.full + self.deltas
    }

    pub fn bytes(&self) -> u64 {
        self.packet_bytes
            .iter()
            .map(|bytes| u64::from(*bytes))
            .sum()
    }

    /// The size that this share of the packets does not exceed.
    pub fn percentile(&self, share: f64) -> Option<u32> {
        let last = self.packet_bytes.len().checked_sub(1)?;
        let at = (self.packet_bytes.len() as f64 * share).ceil() as usize;
        self.packet_bytes
            .get(at.saturating_sub(1).min(last))
            .copied()
    }

    /// The number of entities in sections with this tag.
    pub fn named(&self, tag: Tag) -> u64 {
        let at = tag as usize - 1;
        self.sizes.entity_heads.get(at).map_or(0, |size| size.count)
    }

    /// The number of ticks from the first to the last.
    pub fn span(&self) -> Option<u64> {
        Some(u64::from(self.last_tick?.saturating_sub(self.first_tick?)))
    }

    fn of_nothing(schema: &Schema) -> Self {
        Self {
            sizes: Sizes::new(schema),
            full: 0,
            deltas: 0,
            added: 0,
            added_bytes: 0,
            packet_bytes: Vec::new(),
            first_tick: None,
            last_tick: None,
            ticks: 0,
            gaps: 0,
            missing_ticks: 0,
            read_ticks: 0,
            entities: Range::default(),
            applied: Applied::default(),
            problem: None,
        }
    }

    fn wrong(&mut self, error: Error) {
        self.problem.get_or_insert(error);
    }

    fn added(&mut self, packet: &Packet<'_>, replay: &mut Replay) {
        self.added += 1;
        self.added_bytes += packet.bytes.len() as u64;
        if let Ok(Added::Resumed) = replay.apply_added(packet)
            && let Some(state) = replay.state()
        {
            self.entities.add(state.len() as u64);
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, decoder: &Decoder, replay: &mut Replay) {
        match packet.role {
            Role::Keyframe => self.full += 1,
            _ => self.deltas += 1,
        }
        let bytes = u32::try_from(packet.bytes.len()).unwrap_or(u32::MAX);
        self.packet_bytes.push(bytes);
        let read = Header::read(packet.bytes).ok();
        let is_new = read.is_some_and(|(header, _)| self.tick(header.tick));
        match self.sizes.add(decoder, packet.bytes) {
            Ok(_) => self.read_ticks += u64::from(is_new),
            Err(error) => self.wrong(packet.error(error)),
        }
        match replay.apply(packet) {
            Ok(state) => {
                let entities = state.len() as u64;
                self.entities.add(entities);
                self.applied.bytes += u64::from(bytes);
                self.applied.entities += entities;
            }
            Err(error) => self.wrong(error),
        }
    }

    /// Counts the tick of a packet; returns false if the previous packet had the same tick.
    fn tick(&mut self, tick: u32) -> bool {
        if self.last_tick == Some(tick) {
            return false;
        }
        if let Some(last) = self.last_tick
            && let Some(steps) = tick.checked_sub(last).filter(|steps| *steps > 1)
        {
            self.gaps += 1;
            self.missing_ticks += u64::from(steps) - 1;
        }
        self.ticks += 1;
        self.first_tick = Some(self.first_tick.map_or(tick, |first| first.min(tick)));
        self.last_tick = Some(self.last_tick.map_or(tick, |last| last.max(tick)));
        true
    }
}

pub(super) fn measure(packets: &Packets<'_>, work: &Work<'_>) -> Result<Measured, tape::Error> {
    let mut measured = Measured::of_nothing(packets.schema());
    let decoder = decoder(packets.schema());
    let mut replay = packets.replay()?;
    let mut cursor = packets.cursor();
    while let Some(packet) = cursor.next_or_fault()? {
        if let Ok(packet) = &packet {
            work.done(packet.offset)?;
        }
        match packet {
            Ok(packet) if packet.role == Role::Added => measured.added(&packet, &mut replay),
            Ok(packet) => measured.packet(&packet, &decoder, &mut replay),
            Err(finding) => measured.wrong(finding.into()),
        }
    }
    measured.problem = measured.problem.or_else(|| packets.problem());
    measured.packet_bytes.sort_unstable();
    Ok(measured)
}
