//! Keeping what can be read and applied.

mod repair;

use std::collections::BTreeSet;

use gametape_core::Place;
use gametape_delta::wire::Header;
use gametape_delta::{Decoder, Encoder, Limits, Snapshot};

use crate::audit::missing_baseline;
use crate::container::{ChunkPlace, find_chunks, unreadable};
use crate::decoder::decoder;
use crate::layout::Role;
use crate::packet::Packet;
use crate::read::Capture;
use crate::replay::{Added, Later, Replay};
use crate::rule::{CaptureRule, Error, Rule};
use crate::stream::Packets;

pub use repair::Repair;

/// Repairs that are told one by one; the others are counted.
const TOLD: usize = 20;

/// What came of keeping what is whole.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Salvaged {
    /// What was done, in that order; of what happens often the first are told, the others counted.
    pub repairs: Vec<Repair>,
    /// True where something is lost.
    pub lossy: bool,
    /// Packets of the stream that were kept.
    pub kept: u64,
    /// The tick of the last of them.
    pub last_tick: Option<u32>,
    untold: u64,
    dropped: u64,
    /// Those that were dropped because they build on others.
    behind: u64,
    /// Packets of the stream that were met.
    seen: u64,
}

impl Salvaged {
    fn tell(&mut self, repair: Repair) {
        self.lossy |= repair.is_loss();
        if self.repairs.len() < TOLD {
            self.repairs.push(repair);
        } else {
            self.untold += 1;
        }
    }

    /// Tells what it comes to; the summary of a capture counts so many packets.
    fn finish(&mut self, is_capture: bool, counted: Option<u64>) {
        let missing = counted.and_then(|there| there.checked_sub(self.seen));
        let lost = missing.unwrap_or_default();
        if lost > 0 {
            self.tell(Repair::NotFound { packets: lost });
        }
        if is_capture {
            self.repairs.push(Repair::Index);
        }
        if self.untold > 0 {
            self.repairs.push(Repair::More(self.untold));
        }
        if self.behind > 0 {
            self.lossy = true;
            let packets = self.behind;
            self.repairs.push(Repair::Behind { packets });
        }
        self.repairs.push(Repair::Kept {
            packets: self.kept,
            gone: self.dropped + lost,
            last_tick: self.last_tick,
        });
    }
}

/// Gives each packet that can be applied to `keep`, mended where that loses nothing; of a capture
/// those of all whole chunks, wherever they are found, and what lies beside them.
///
/// # Errors
/// `keep`'s; where the recording can't be read.
pub fn salvage<E: From<Error>>(
    packets: Packets<'_>,
    keep: impl FnMut(&Packet<'_>) -> Result<(), E>,
) -> Result<Salvaged, E> {
    let mut done = Salvaged::default();
    match packets {
        Packets::Delta(_) => {
            let mut done = Keeper::new(&packets, done, false)?.all(&packets, keep)?;
            done.finish(false, None);
            Ok(done)
        }
        Packets::Capture(capture) => {
            let full = capture.counted(Role::Keyframe);
            let deltas = capture.counted(Role::Delta);
            if !capture.has_facts() {
                done.tell(Repair::TickLengthLost);
            }
            let (capture, holes) = sound(*capture, &mut done)?;
            let packets = Packets::Capture(Box::new(capture));
            let mut done = Keeper::new(&packets, done, holes)?.all(&packets, keep)?;
            done.finish(true, full.zip(deltas).map(|(full, deltas)| full + deltas));
            Ok(done)
        }
    }
}

/// A capture with its whole chunks alone, wherever they are found; and whether packets may be
/// missing in between.
fn sound<'a>(capture: Capture<'a>, done: &mut Salvaged) -> Result<(Capture<'a>, bool), Error> {
    let ranges = capture.ranges();
    let mut places: Vec<ChunkPlace> = capture.chunks().to_vec();
    places.extend(capture.walked()?.chunks);
    places.extend(find_chunks(ranges, capture.limits())?);
    places.sort_by_key(|place| place.at);
    places.dedup_by_key(|place| place.at);
    let mut holes = false;
    for (from, to, packets) in unreadable(ranges, &places)? {
        holes |= packets;
        done.tell(Repair::NoRecord {
            from,
            bytes: to - from,
            packets,
        });
    }
    Ok((capture.with_chunks(places), holes))
}

/// What becomes of a packet.
enum Fate {
    /// It is left out.
    Dropped,
    /// It stays as it is.
    Kept,
    /// It was added, and is of the stream now.
    TakenIn,
    /// It is written anew.
    Mended,
}

/// Goes through the packets and says which are kept.
struct Keeper {
    in_order: Vec<u64>,
    replay: Replay,
    decoder: Decoder,
    encoder: Encoder,
    /// A packet that was written anew.
    mended: Vec<u8>,
    /// Ticks whose packets were dropped.
    failed: BTreeSet<u32>,
    /// Packets may be missing before this one.
    holes: bool,
    /// The tick of the last packet of the stream, kept or not.
    last_met: Option<u32>,
    done: Salvaged,
}

impl Keeper {
    fn new(packets: &Packets<'_>, done: Salvaged, holes: bool) -> Result<Self, Error> {
        let schema = packets.schema();
        // Both need the headers of all packets: one pass is enough.
        let mut later = Later::default();
        let in_order = in_order(packets, &mut later)?;
        Ok(Self {
            in_order,
            replay: Replay::looking_ahead(schema, later),
            decoder: decoder(schema),
            encoder: Encoder::new(schema).limits(Limits::NONE),
            mended: Vec::new(),
            failed: BTreeSet::new(),
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
                    self.done.tell(Repair::NotRead(Box::new(finding)));
                    continue;
                }
            };
            let fate = match packet.role {
                Role::Added => self.added(&packet),
                Role::Keyframe | Role::Delta => self.of_stream(&packet),
                Role::Labels | Role::Events => Fate::Kept,
            };
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
        Ok(self.done)
    }

    /// One of a tick that the stream does not have is no state of it, unless packets are missing
    /// before it.
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
            // What follows builds on it, and nothing else leads there any more.
            Ok(Added::Resumed) => {
                let tick = self.replay.state().map(Snapshot::tick);
                self.done.kept += 1;
                self.done.last_tick = tick.or(self.done.last_tick);
                self.done.tell(Repair::TakenIn {
                    tick: tick.unwrap_or_default(),
                });
                Fate::TakenIn
            }
            Ok(Added::Differs) | Err(_) => {
                let packet = packet.index;
                self.done.tell(Repair::AddedLeftOut { packet });
                Fate::Dropped
            }
        }
    }

    fn of_stream(&mut self, packet: &Packet<'_>) -> Fate {
        self.done.seen += 1;
        let header = Header::read(packet.bytes).ok().map(|(header, _)| header);
        let tick = header.map(|header| header.tick);
        self.last_met = tick.or(self.last_met);
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
                self.done.tell(Repair::WrittenAnew(place, rule));
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

    /// Writes a packet anew; false where that can't be.
    fn mend(&mut self, packet: &Packet<'_>) -> bool {
        let decoded = self.decoder.packet(packet.bytes);
        decoded.is_ok_and(|decoded| self.encoder.packet(&decoded, &mut self.mended).is_ok())
    }

    fn drop(&mut self, why: Repair) -> Fate {
        self.done.dropped += 1;
        self.done.tell(why);
        Fate::Dropped
    }

    fn not_applied(&mut self, packet: &Packet<'_>, tick: Option<u32>, error: Error) -> Fate {
        let builds_on = missing_baseline(&error);
        let behind = builds_on.is_some_and(|tick| self.failed.contains(&tick));
        self.failed.extend(tick);
        let rule = match builds_on {
            Some(_) if behind => None,
            Some(baseline) => Some(CaptureRule::NotRecorded { baseline }.into()),
            None => error.into_finding().map(|finding| finding.rule),
        };
        if let Some(rule) = rule {
            return self.drop(Repair::Dropped(place(packet), Box::new(rule)));
        }
        self.done.dropped += 1;
        self.done.behind += 1;
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

/// The packets, by their numbers, that are in order if as few as possible are left out: one whose
/// tick is damaged must not drive out all that follow.
fn in_order(packets: &Packets<'_>, later: &mut Later) -> Result<Vec<u64>, Error> {
    /// A packet, and the one before it in the longest row that ends with it.
    struct Link {
        index: u64,
        key: u64,
        before: Option<usize>,
    }
    let mut links: Vec<Link> = Vec::new();
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
        links.push(Link {
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
