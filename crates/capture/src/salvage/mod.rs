//! Salvage: keeps the packets that can be read and applied.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use gametape_core::{AllAltered, Altered, Part, Place};
use gametape_delta::wire::Header;
use gametape_delta::{Decoder, Encoder, Limits, Snapshot};

use crate::audit::{check, missing_baseline, wild_ticks};
use crate::container::{Chunk, ChunkPlace, WalkEnd, find_chunks, unreadable};
use crate::layout::Role;
use crate::limits::decoder;
use crate::packets::{Packet, Packets};
use crate::ranges::{Crc, Window};
use crate::read::Capture;
use crate::replay::{Added, Later, Replay};
use crate::rule::{CaptureRule, DATA_SECTION, Error, Finding, Findings, Rule, fault};

mod repair;

pub use repair::Repair;

/// Repairs that are listed one by one; the others are counted.
const LISTED: usize = 20;

/// The result of a salvage.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Salvaged {
    /// The repairs, in their order; of a frequent kind the first are listed, the others counted.
    pub repairs: Vec<Repair>,
    /// Whether something is lost.
    pub lossy: bool,
    /// Packets of the stream that were kept.
    pub kept: u64,
    /// The tick of the last of them.
    pub last_tick: Option<u32>,
    /// The kept parts that may be altered: only the checksum of all data covers them, it is wrong, and no
    /// other damage explains it.
    pub altered: AllAltered<Rule>,
    /// Whether a damaged part of the container was rewritten or left out, which explains a wrong checksum.
    explained: bool,
    /// The packets that were kept from chunks without a checksum.
    unchecked: Vec<Range<u64>>,
    /// Repairs that are only counted.
    unlisted: u64,
    dropped: u64,
    /// Packets that were dropped because they build on dropped ones.
    dependent: u64,
    /// Packets of the stream, kept or not.
    seen: u64,
}

impl Salvaged {
    fn add(&mut self, repair: Repair) {
        self.lossy |= repair.is_loss();
        self.explained |= matches!(repair, Repair::NoRecord { .. } | Repair::NotRead(_));
        if self.repairs.len() < LISTED {
            self.repairs.push(repair);
        } else {
            self.unlisted += 1;
        }
    }

    /// Notes that the packet that was kept last may be altered.
    fn kept_unchecked(&mut self) {
        let Some(last) = self.kept.checked_sub(1) else {
            return;
        };
        match self.unchecked.last_mut() {
            Some(steps) if steps.end >= last => steps.end = self.kept,
            _ => self.unchecked.push(last..self.kept),
        }
    }

    /// Notes that everything that was kept without a checksum of its own may be altered.
    fn doubt(&mut self, finding: &Finding) {
        let beside = "what stands beside the packets, such as the length of a tick";
        let steps = std::mem::take(&mut self.unchecked).into_iter();
        let parts = [Part::Beside(beside)].into_iter();
        for part in parts.chain(steps.map(Part::Steps)) {
            let finding = finding.clone();
            self.altered.push(Altered { finding, part });
        }
    }

    /// Adds the closing entries. `counted` is the number of packets in the summary of a capture.
    fn finish(&mut self, is_capture: bool, counted: Option<u64>) {
        let missing = counted.and_then(|there| there.checked_sub(self.seen));
        let lost = missing.unwrap_or_default();
        if lost > 0 {
            self.add(Repair::NotFound { packets: lost });
        }
        if is_capture {
            self.repairs.push(Repair::Index);
        }
        if self.unlisted > 0 {
            self.repairs.push(Repair::More(self.unlisted));
        }
        if self.dependent > 0 {
            self.lossy = true;
            let packets = self.dependent;
            self.repairs.push(Repair::Dependent { packets });
        }
        self.repairs.push(Repair::Kept {
            packets: self.kept,
            gone: self.dropped + lost,
            last_tick: self.last_tick,
        });
    }
}

/// Passes each packet that can be applied to `keep`, mended if that loses nothing. From a capture, it
/// takes the packets of all whole chunks, wherever they are found, and the messages beside them.
///
/// # Errors
/// The errors of `keep`, and errors of reading the recording.
pub fn salvage<E: From<Error>>(
    packets: Packets<'_>,
    keep: impl FnMut(&Packet<'_>) -> Result<(), E>,
) -> Result<Salvaged, E> {
    let mut done = Salvaged::default();
    match packets {
        Packets::Delta(_) => {
            let mut done = Salvager::new(&packets, done, false)?.all(&packets, keep)?;
            done.finish(false, None);
            Ok(done)
        }
        Packets::Capture(capture) => {
            let full = capture.counted(Role::Keyframe);
            let deltas = capture.counted(Role::Delta);
            if let Some(after) = capture.after() {
                done.add(Repair::LeftOutAfter(after));
            }
            match capture.tick_ns() {
                _ if capture.has_facts() => {}
                Some(ns) => done.add(Repair::TickLength { ns }),
                None => done.add(Repair::TickLengthLost),
            }
            let Sound {
                capture,
                holes,
                wrong,
            } = Sound::of(*capture, &mut done)?;
            let unchecked = match wrong {
                Some(_) => unchecked(&capture)?,
                None => Vec::new(),
            };
            let packets = Packets::Capture(Box::new(capture));
            let mut salvager = Salvager::new(&packets, done, holes)?;
            salvager.unchecked = unchecked;
            let mut done = salvager.all(&packets, keep)?;
            if let Some(finding) = wrong.filter(|_| !done.explained) {
                done.doubt(&finding);
            }
            done.finish(true, full.zip(deltas).map(|(full, deltas)| full + deltas));
            Ok(done)
        }
    }
}

/// The finding that the checksum of all data is wrong, unless damage that is rewritten explains it. If
/// there is one, data without another checksum may be altered.
fn wrong_checksum(capture: &Capture<'_>) -> Result<Option<Finding>, Error> {
    let mut findings = Findings::default();
    check(capture, &mut findings)?;
    let of_index = ["capture.index", "capture.record", "capture.truncated"];
    if of_index.iter().any(|code| findings.has(code)) {
        return Ok(None);
    }
    let data = |finding: &&Finding| {
        let rule = finding.rule.recording();
        matches!(rule, Some(CaptureRule::Crc { what, .. }) if *what == DATA_SECTION)
    };
    Ok(findings.iter().find(data).cloned())
}

/// The places of chunks without a checksum of their own, and of messages outside of chunks.
fn unchecked(capture: &Capture<'_>) -> Result<Vec<Range<u64>>, Error> {
    let mut window = Window::new(capture.ranges());
    let mut found = Vec::new();
    for place in capture.chunks() {
        if let Some(end) = place.loose_to {
            found.push(place.at..end);
            continue;
        }
        match Chunk::at(&mut window, place.at) {
            Ok(chunk) if chunk.crc == 0 => found.push(place.at..chunk.end()),
            Ok(_) => {}
            Err(error) => drop(fault(error)?),
        }
    }
    Ok(found)
}

/// A capture with only its whole chunks, wherever they are found.
struct Sound<'a> {
    capture: Capture<'a>,
    /// Whether packets may be missing between them.
    holes: bool,
    /// See [`wrong_checksum`].
    wrong: Option<Finding>,
}

impl<'a> Sound<'a> {
    fn of(capture: Capture<'a>, done: &mut Salvaged) -> Result<Self, Error> {
        let ranges = capture.ranges();
        let walked = capture.walked()?;
        let (border, recorded) = match walked.end {
            WalkEnd::DataEnd { at, crc, .. } if crc != 0 => (at, crc),
            _ => (0, Crc::from(0).finish()),
        };
        let mut crc = Crc::from(0);
        let mut places: Vec<ChunkPlace> = capture.chunks().to_vec();
        places.extend(walked.chunks);
        if walked.foreign > 0 {
            let records = walked.foreign;
            done.add(Repair::ForeignRecords { records });
        }
        let found = find_chunks(ranges.clone(), capture.limits(), |at, window| {
            crc.up_to(border.min(at), window)
        })?;
        places.extend(found);
        places.sort_by_key(|place| place.at);
        places.dedup_by_key(|place| place.at);
        let wrong = match crc.finish() {
            found if found == recorded => None,
            _ => wrong_checksum(&capture)?,
        };
        let mut holes = false;
        for (from, to, packets) in unreadable(ranges, &places)? {
            holes |= packets;
            done.add(Repair::NoRecord {
                from,
                bytes: to - from,
                packets,
            });
        }
        Ok(Self {
            capture: capture.with_chunks(places),
            holes,
            wrong,
        })
    }
}

/// The decision about a packet.
enum Fate {
    /// It is left out.
    Dropped,
    /// It stays as it is.
    Kept,
    /// It was an added snapshot, and becomes part of the stream.
    TakenIn,
    /// It is written again, without its deviation.
    Mended,
}

/// Goes through the packets and decides which are kept.
struct Salvager {
    in_order: Vec<u64>,
    /// Chunks whose packets may be altered.
    unchecked: Vec<Range<u64>>,
    replay: Replay,
    decoder: Decoder,
    encoder: Encoder,
    /// A packet that was rewritten.
    mended: Vec<u8>,
    /// Ticks whose packets were dropped.
    failed: BTreeSet<u32>,
    /// The ticks of packets that were recorded with another one, which is far off.
    wild: BTreeMap<u32, u32>,
    /// Packets may be missing before this one.
    holes: bool,
    /// The tick of the last packet of the stream, kept or not.
    last_met: Option<u32>,
    done: Salvaged,
}

impl Salvager {
    fn new(packets: &Packets<'_>, done: Salvaged, holes: bool) -> Result<Self, Error> {
        let schema = packets.schema();
        // Both need the headers of all packets: one pass is enough.
        let mut later = Later::default();
        let in_order = in_order(packets, &mut later)?;
        Ok(Self {
            in_order,
            unchecked: Vec::new(),
            replay: Replay::looking_ahead(schema, later),
            decoder: decoder(schema),
            encoder: Encoder::new(schema).limits(Limits::NONE),
            mended: Vec::new(),
            failed: BTreeSet::new(),
            wild: wild_ticks(packets),
            holes,
            last_met: None,
            done,
        })
    }

    fn all<E: From<Error>>(
        mut self,
        packets: &Packets<'_>,
        mut keep: impl FnMut(&Packet<'_>) -> Result<(), E>,
    ) -> Result<Salvaged, E> {
        let mut cursor = packets.messages();
        while let Some(packet) = cursor.next_or_fault()? {
            let packet = match packet {
                Ok(packet) => packet,
                Err(finding) => {
                    self.holes = true;
                    self.done.add(Repair::NotRead(Box::new(finding)));
                    continue;
                }
            };
            let before = self.done.kept;
            let fate = match packet.role {
                Role::Added => self.added(&packet),
                Role::Keyframe | Role::Delta => self.of_stream(&packet),
                Role::Labels | Role::Events => Fate::Kept,
            };
            if self.done.kept > before && self.is_unchecked(packet.offset) {
                self.done.kept_unchecked();
            }
            match fate {
                Fate::Dropped => {}
                Fate::Kept => keep(&packet)?,
                Fate::TakenIn => keep(&Packet {
                    role: Role::Keyframe,
                    ..packet
                })?,
                Fate::Mended => keep(&Packet {
                    bytes: &self.mended,
                    ..packet
                })?,
            }
        }
        for (topic, messages) in cursor.foreign() {
            let topic = topic.to_owned();
            self.done.add(Repair::Foreign { topic, messages });
        }
        Ok(self.done)
    }

    fn is_unchecked(&self, offset: u64) -> bool {
        let after = self.unchecked.partition_point(|place| place.end <= offset);
        let place = self.unchecked.get(after);
        place.is_some_and(|place| place.contains(&offset))
    }

    /// Decides about an added snapshot. If the stream does not have its tick, it is not a state of the
    /// stream, unless packets are missing before it.
    fn added(&mut self, packet: &Packet<'_>) -> Fate {
        let tick = packet.tick();
        let of_stream = self.holes || tick == self.last_met;
        let held = tick.is_some_and(|tick| self.replay.held(tick).is_some());
        let applied = if of_stream || held {
            self.replay.apply_added(packet)
        } else {
            Ok(Added::Differs)
        };
        match applied {
            Ok(Added::Same) => Fate::Kept,
            // The next packets build on it, and no other packets lead to it.
            Ok(Added::Resumed) => {
                let tick = self.replay.state().map(Snapshot::tick);
                self.done.kept += 1;
                self.done.last_tick = tick.or(self.done.last_tick);
                self.done.add(Repair::TakenIn {
                    tick: tick.unwrap_or_default(),
                });
                Fate::TakenIn
            }
            Ok(Added::Differs) | Err(_) => {
                let packet = packet.index;
                self.done.add(Repair::AddedLeftOut { packet });
                Fate::Dropped
            }
        }
    }

    fn of_stream(&mut self, packet: &Packet<'_>) -> Fate {
        self.done.seen += 1;
        let header = Header::read(packet.bytes).ok().map(|(header, _)| header);
        let tick = header.map(|header| header.tick);
        self.last_met = tick.or(self.last_met);
        if let Some((meant, tick)) = tick.and_then(|tick| self.wild.remove_entry(&tick)) {
            let place = place(packet);
            self.done.add(Repair::Tick { place, tick, meant });
        }
        if header.is_some_and(|header| self.is_out_of_order(packet, &header)) {
            self.failed.extend(tick);
            return self.drop(Repair::OutOfOrder(place(packet)));
        }
        let fate = match self.replay.apply_strictly(packet) {
            Ok(None) => Fate::Kept,
            Ok(Some(deviation)) => {
                let (place, rule) = (place(packet), Box::new(Rule::Wire(deviation)));
                if !self.mend(packet) {
                    return self.drop(Repair::Dropped(place, rule));
                }
                self.done.add(Repair::WrittenAnew(place, rule));
                Fate::Mended
            }
            Err(error) => return self.not_applied(packet, tick, error),
        };
        if let Some(tick) = tick {
            self.failed.remove(&tick);
        }
        self.done.kept += 1;
        self.done.last_tick = tick.or(self.done.last_tick);
        fate
    }

    fn is_out_of_order(&self, packet: &Packet<'_>, header: &Header) -> bool {
        let again = self.done.last_tick == Some(header.tick) && header.baseline().is_some();
        again || self.in_order.binary_search(&packet.index).is_err()
    }

    /// Writes a packet again, without its deviation; returns whether that is possible.
    fn mend(&mut self, packet: &Packet<'_>) -> bool {
        let decoded = self.decoder.packet(packet.bytes);
        decoded.is_ok_and(|decoded| self.encoder.packet(&decoded, &mut self.mended).is_ok())
    }

    fn drop(&mut self, why: Repair) -> Fate {
        self.done.dropped += 1;
        self.done.add(why);
        Fate::Dropped
    }

    fn not_applied(&mut self, packet: &Packet<'_>, tick: Option<u32>, error: Error) -> Fate {
        let builds_on = missing_baseline(&error);
        let is_dependent = builds_on.is_some_and(|tick| self.failed.contains(&tick));
        self.failed.extend(tick);
        let rule = match builds_on {
            Some(_) if is_dependent => None,
            Some(baseline) => Some(CaptureRule::NotRecorded { baseline }.into()),
            None => error.into_finding().map(|finding| finding.rule),
        };
        if let Some(rule) = rule {
            return self.drop(Repair::Dropped(place(packet), Box::new(rule)));
        }
        self.done.dropped += 1;
        self.done.dependent += 1;
        Fate::Dropped
    }
}

/// `packet 12 (tick 9,001)`
fn place(packet: &Packet<'_>) -> Place {
    Place {
        step: Some(packet.index),
        tick: packet.tick().map(u64::from),
        ..Place::nowhere("packet")
    }
}

/// The numbers of the packets that are in order if as few as possible are left out. So a packet with a
/// damaged tick does not exclude all that follow.
fn in_order(packets: &Packets<'_>, later: &mut Later) -> Result<Vec<u64>, Error> {
    /// A packet, and the one before it in the longest row that ends with it.
    struct InOrder {
        index: u64,
        key: u64,
        before: Option<usize>,
    }
    let mut links: Vec<InOrder> = Vec::new();
    // The ends of the rows of each length, their keys ascending.
    let mut ends: Vec<usize> = Vec::new();
    let mut cursor = packets.cursor();
    while let Some(packet) = cursor.next_or_fault()? {
        let Ok(packet) = packet else { continue };
        later.packet(&packet);
        if packet.role == Role::Added {
            continue;
        }
        let Ok((header, _)) = Header::read(packet.bytes) else {
            continue;
        };
        // A full snapshot may follow a delta of its tick.
        let key = u64::from(header.tick) * 2 + u64::from(header.baseline().is_none());
        let place = ends.partition_point(|end| links.get(*end).is_some_and(|l| l.key <= key));
        let before = place.checked_sub(1).and_then(|at| ends.get(at).copied());
        match ends.get_mut(place) {
            Some(end) => *end = links.len(),
            None => ends.push(links.len()),
        }
        links.push(InOrder {
            index: packet.index,
            key,
            before,
        });
    }
    let mut row = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(link) = next.and_then(|at| links.get(at)) {
        row.push(link.index);
        next = link.before;
    }
    row.reverse();
    Ok(row)
}
