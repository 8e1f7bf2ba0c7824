//! Keeping what can be read and applied.

use std::collections::BTreeSet;
use std::path::Path;

use gametape_capture::container::{ChunkPlace, find_chunks, unreadable, walk};
use gametape_capture::{
    Added, Capture, CaptureError, CaptureWriter, Options, Packet, Packets, Role,
};
use gametape_delta::wire::Header;
use gametape_delta::{Encoder, Limits, Schema, Snapshot};

use super::audit::{missing_baseline, not_recorded};
use super::{audit, broken, convert, open};
use crate::format::Repaired;
use crate::source::Source;
use crate::{Error, Verdict};

/// Actions that are told one by one; the others are counted.
const TOLD: usize = 20;

pub(super) fn repair<'a>(path: &Path, source: &'a Source) -> Result<Repaired<'a>, Error> {
    let packets = open(path, source)?;
    if audit::audit(path, source)?.verdict() == Verdict::Pass {
        let beside = match &packets {
            Packets::Capture(_) => Vec::new(),
            Packets::Delta(file) => vec![convert::beside(file.schema())],
        };
        return Ok(Repaired {
            content: (&**source).into(),
            actions: Vec::new(),
            lossy: false,
            beside,
        });
    }
    let unwritable = |error: CaptureError| Error::Unwritable {
        path: path.to_owned(),
        message: error.to_string(),
    };
    let mut done = Done::default();
    match packets {
        Packets::Delta(file) => {
            let schema = file.schema().clone();
            let mut bytes = Vec::new();
            let packets = Packets::Delta(file);
            keep(&packets, &schema, &mut done, |packet, mended| {
                if packet.role != Role::Added {
                    bytes.extend_from_slice(mended);
                }
                Ok(())
            })
            .map_err(unwritable)?;
            Ok(done.repaired(bytes, vec![convert::beside(&schema)]))
        }
        Packets::Capture(capture) => {
            let counted = capture
                .counted(Role::Keyframe)
                .zip(capture.counted(Role::Delta));
            if !capture.has_facts() {
                done.lose("the length of a tick is lost, if it was recorded".into());
            }
            let capture = sound(*capture, source, &mut done);
            let schema = capture.schema().clone();
            let options = Options {
                tick_ns: capture.tick_ns(),
                ..Options::default()
            };
            let mut writer =
                CaptureWriter::new(Vec::new(), &schema, options).map_err(unwritable)?;
            if capture.has_role(Role::Added) {
                writer.define(Role::Added).map_err(unwritable)?;
            }
            let packets = Packets::Capture(Box::new(capture));
            keep(&packets, &schema, &mut done, |packet, mended| {
                let time = packet
                    .times
                    .filter(|times| times.publish_time != times.log_time)
                    .map(|times| times.publish_time);
                if packet.role == Role::Added {
                    let (header, _) = Header::read(mended).map_err(CaptureError::BadPacket)?;
                    return writer.push_added(header.tick, mended, time);
                }
                writer.push_timed(mended, time).map(|_| ())
            })
            .map_err(unwritable)?;
            let bytes = writer.finish().map_err(|error| broken(path, error))?;
            if let Some(missing) = counted
                .map(|(full, deltas)| full + deltas)
                .and_then(|there| there.checked_sub(done.seen))
                .filter(|missing| *missing > 0)
            {
                done.lost = missing;
                let (packets, are) = if missing == 1 {
                    ("packet", "is")
                } else {
                    ("packets", "are")
                };
                done.lose(format!(
                    "{missing} more {packets} that the summary counts {are} not to be found"
                ));
            }
            done.actions.push("wrote the index anew".into());
            Ok(done.repaired(bytes, Vec::new()))
        }
    }
}

#[derive(Default)]
struct Done {
    actions: Vec<String>,
    untold: usize,
    dropped: u64,
    /// Those that are not there at all.
    lost: u64,
    kept: u64,
    /// Those that were dropped because they build on others.
    behind: u64,
    /// Packets of the stream that were met.
    seen: u64,
    last_tick: Option<u32>,
    /// Packets may be missing in between.
    holes: bool,
    lossy: bool,
}

impl Done {
    fn tell(&mut self, action: String) {
        if self.actions.len() < TOLD {
            self.actions.push(action);
        } else {
            self.untold += 1;
        }
    }

    fn lose(&mut self, what: String) {
        self.lossy = true;
        self.tell(what);
    }

    fn repaired(mut self, bytes: Vec<u8>, beside: Vec<crate::Beside>) -> Repaired<'static> {
        if self.untold > 0 {
            self.actions
                .push(format!("and {} more of the kind", self.untold));
        }
        if self.behind > 0 {
            let (packets, build) = if self.behind == 1 {
                ("packet", "builds")
            } else {
                ("packets", "build")
            };
            self.actions.push(format!(
                "dropped {} more {packets} that {build} on what was dropped",
                self.behind
            ));
        }
        let up_to = self
            .last_tick
            .map_or_else(String::new, |tick| format!(", up to tick {tick}"));
        let s = if self.kept + self.dropped + self.lost == 1 {
            ""
        } else {
            "s"
        };
        let of = match self.dropped + self.lost {
            0 => String::new(),
            gone => format!(" of {}", self.kept + gone),
        };
        self.actions
            .push(format!("kept {}{of} packet{s}{up_to}", self.kept));
        Repaired {
            content: bytes.into(),
            actions: self.actions,
            lossy: self.lossy,
            beside,
        }
    }
}

/// A capture with its whole chunks alone, wherever they are found.
fn sound<'a>(capture: Capture<'a>, bytes: &'a [u8], done: &mut Done) -> Capture<'a> {
    let mut places: Vec<ChunkPlace> = capture.chunks().to_vec();
    places.extend(walk(bytes).chunks);
    let found = find_chunks(bytes, capture.limits());
    places.extend(found.iter().map(ChunkPlace::of));
    places.sort_unstable_by_key(|place| place.at);
    places.dedup_by_key(|place| place.at);
    for (from, to, packets) in unreadable(bytes, &places) {
        let what = format!(
            "{} bytes from byte {from} on are no whole record",
            to - from
        );
        if packets {
            done.holes = true;
            done.lose(format!("{what}: dropped"));
        } else {
            done.tell(format!("{what}; they are of the index"));
        }
    }
    capture.with_chunks(places)
}

/// Hands on each packet that can be applied, mended where that loses nothing.
fn keep(
    packets: &Packets<'_>,
    schema: &Schema,
    done: &mut Done,
    mut hand_on: impl FnMut(&Packet<'_>, &[u8]) -> Result<(), CaptureError>,
) -> Result<(), CaptureError> {
    let in_order = in_order(packets);
    let mut replay = packets.replay();
    let decoder = gametape_capture::decoder(schema);
    let mut encoder = Encoder::new(schema).limits(Limits::NONE);
    let mut mended = Vec::new();
    // Ticks whose packets were dropped.
    let mut failed = BTreeSet::new();
    let mut cursor = packets.cursor();
    let mut unreadable = done.holes;
    // The tick of the last packet of the stream, kept or not.
    let mut last_met = None;
    loop {
        let packet = match cursor.next_packet() {
            Ok(None) => return Ok(()),
            Ok(Some(packet)) => packet,
            Err(error) => {
                let offset = error.offset();
                let at = offset.map_or_else(String::new, |at| format!("byte {at}: "));
                done.lose(format!("{at}dropped what can't be read: {error}"));
                unreadable = true;
                continue;
            }
        };
        if packet.role == Role::Added {
            // One of a tick that the stream does not have is no state of it, unless packets are
            // missing before it.
            let tick = Header::read(packet.bytes)
                .ok()
                .map(|(header, _)| header.tick);
            let of_stream = unreadable || tick == last_met;
            let held = tick.is_some_and(|tick| replay.held(tick).is_some());
            let applied = if of_stream || held {
                replay.apply_added(&packet)
            } else {
                Ok(Added::Differs)
            };
            match applied {
                Ok(Added::Same) => hand_on(&packet, packet.bytes)?,
                // What follows builds on it, and nothing else leads there any more.
                Ok(Added::Resumed) => {
                    let tick = replay.state().map(Snapshot::tick);
                    let role = Role::Keyframe;
                    hand_on(&Packet { role, ..packet }, packet.bytes)?;
                    done.kept += 1;
                    done.last_tick = tick.or(done.last_tick);
                    done.tell(format!(
                        "took a full snapshot that was added, of tick {}, into the stream, as what leads to it is lost",
                        tick.unwrap_or_default()
                    ));
                }
                _ => done.tell(format!(
                    "left out a full snapshot that was added behind packet {}: the stream does not give its state",
                    packet.index
                )),
            }
            continue;
        }
        done.seen += 1;
        let place = place(&packet);
        let tick = Header::read(packet.bytes).ok().map(|(header, _)| header);
        last_met = tick.map(|header| header.tick).or(last_met);
        let again = tick.is_some_and(|header| {
            done.last_tick == Some(header.tick) && header.baseline().is_some()
        });
        if tick.is_some() && (again || in_order.binary_search(&packet.index).is_err()) {
            done.dropped += 1;
            done.lose(format!("{place}: dropped: its tick is out of order"));
            failed.extend(tick.map(|header| header.tick));
            continue;
        }
        match replay.apply_strictly(&packet) {
            Ok(None) => hand_on(&packet, packet.bytes)?,
            Ok(Some(deviation)) => {
                let again = decoder
                    .packet(packet.bytes)
                    .is_ok_and(|decoded| encoder.packet(&decoded, &mut mended).is_ok());
                if !again {
                    done.dropped += 1;
                    done.lose(format!("{place}: dropped: {deviation}"));
                    continue;
                }
                done.tell(format!("{place}: written anew, nothing lost: {deviation}"));
                hand_on(&packet, &mended)?;
            }
            Err(error) => {
                done.dropped += 1;
                let builds_on = match &error {
                    CaptureError::Packet { source, .. } => missing_baseline(&source.rule),
                    _ => None,
                };
                let behind = builds_on.is_some_and(|tick| failed.contains(&tick));
                failed.extend(tick.map(|header| header.tick));
                if behind {
                    done.behind += 1;
                    done.lossy = true;
                    continue;
                }
                let why = match (&error, builds_on) {
                    (_, Some(tick)) => not_recorded(tick),
                    (CaptureError::Packet { source, .. }, None) => source.to_string(),
                    (error, None) => error.to_string(),
                };
                done.lose(format!("{place}: dropped: {why}"));
                continue;
            }
        }
        if let Some(header) = tick {
            failed.remove(&header.tick);
        }
        done.kept += 1;
        done.last_tick = tick.map(|header| header.tick).or(done.last_tick);
    }
}

/// The packets, by their numbers, that are in order if as few as possible are left out: one whose
/// tick is damaged must not drive out all that follow.
fn in_order(packets: &Packets<'_>) -> Vec<u64> {
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
    loop {
        let packet = match cursor.next_packet() {
            Ok(None) => break,
            Ok(Some(packet)) if packet.role != Role::Added => packet,
            Ok(Some(_)) | Err(_) => continue,
        };
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
    row
}

fn place(packet: &Packet<'_>) -> String {
    match Header::read(packet.bytes) {
        Ok((header, _)) => format!("packet {} (tick {})", packet.index, header.tick),
        Err(_) => format!("packet {}", packet.index),
    }
}
