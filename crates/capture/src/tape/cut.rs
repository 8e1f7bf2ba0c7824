//! Cuts a part of a stream: it begins with a full snapshot and continues with the original packets.

use std::fs::File;
use std::io::Write;

use gametape_core::table::Position;
use gametape_core::tape::{Converted, Cut, CutSteps, Error, Kept, Options, Sink, Work};
use gametape_core::text::Counted;
use gametape_core::{Clocks, Input};
use gametape_delta::wire::Header;
use gametape_delta::{Encoder, Limits, Snapshot};

use super::convert::{beside, keep, log_tick_ns, options_of};
use super::dump::stamp;
use super::opened::made_of;
use crate::error::CaptureError;
use crate::layout::Role;
use crate::made::{Made, When};
use crate::packets::{Clock, Packet, Packets};
use crate::read::{Capture, read};
use crate::write::{OfTables, Writer};

/// Cuts the part; no conversion is returned if the whole recording is kept, since a copy is enough
/// then.
pub(super) fn cut(
    packets: &Packets<'_>,
    cut: &Cut,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<(Kept, Option<Converted>), Error> {
    let made = made_of(packets)?;
    let (kept, ticks) = match &made {
        Some((capture, made)) => of_tables(capture, made, cut, work)?,
        None => of_packets(packets, cut, work)?,
    };
    if kept.is_all {
        return Ok((kept, None));
    }
    let part = CutPart {
        packets,
        kept: &kept,
        ticks,
        work,
    };
    let made = match made {
        Some((_, made)) => Some(part.described(&made)?),
        None => None,
    };
    let anew = part.write(made.as_deref(), out)?;
    let mut converted = Converted::default();
    if anew > 0 {
        let (packets, s) = (Counted(anew, "packet"), if anew == 1 { "s" } else { "" });
        let are = if anew == 1 {
            "is a full snapshot"
        } else {
            "are full snapshots"
        };
        converted.notes.push(format!(
            "{packets} build{s} on what is before the range, and {are} now"
        ));
    }
    if let Packets::Delta(file) = packets {
        converted.beside.push(beside(file.schema()));
    }
    Ok((kept, Some(converted)))
}

/// The ticks of the first and the last kept packet.
type Ticks = [u32; 2];

/// Finds the packets in the range by reading only their headers.
fn of_packets(packets: &Packets<'_>, cut: &Cut, work: &Work<'_>) -> Result<(Kept, Ticks), Error> {
    let mut steps = cut.steps(Clocks::ticks(packets.tick_ns().is_some()))?;
    let mut clock = Clock::new(packets.tick_ns());
    let mut ticks = None;
    let mut cursor = packets.cursor();
    while let Some(packet) = cursor.next_packet()? {
        if packet.role == Role::Added {
            continue;
        }
        let place = steps.position(stamp(&packet, &mut clock));
        if !take(place, packet.tick(), &mut ticks) {
            break;
        }
        work.done(packet.offset / 2)?;
    }
    ended(packets, &steps, ticks)
}

/// The same for a capture that was made from tables, whose states contain the stamps.
fn of_tables(
    capture: &Capture<'_>,
    made: &Made,
    cut: &Cut,
    work: &Work<'_>,
) -> Result<(Kept, Ticks), Error> {
    let when = When::of(made, capture.schema())?;
    let mut steps = cut.steps(when.clocks)?;
    let mut replay = crate::replay::Replay::live(capture.schema()).max_state_bytes(0);
    let mut ticks = None;
    let mut cursor = capture.packets();
    while let Some(packet) = cursor.next_packet()? {
        if packet.role == Role::Added {
            continue;
        }
        let stamp = when.stamp(replay.apply(&packet)?).unwrap_or_default();
        if !take(steps.position(stamp), packet.tick(), &mut ticks) {
            break;
        }
        work.done(packet.offset / 2)?;
    }
    let problem = capture.problem().filter(|_| !steps.has_ended());
    problem.map_or(Ok(()), Err)?;
    Ok((steps.kept()?, ticks.unwrap_or_default()))
}

/// Notes the ticks of a packet in the range; returns false after the range.
fn take(place: Position, tick: Option<u32>, ticks: &mut Option<Ticks>) -> bool {
    if let (Position::Within, Some(tick)) = (place, tick) {
        let [_, last] = ticks.get_or_insert([tick, tick]);
        *last = tick;
    }
    place != Position::After
}

fn ended(
    packets: &Packets<'_>,
    steps: &CutSteps,
    ticks: Option<Ticks>,
) -> Result<(Kept, Ticks), Error> {
    // The lost part may be in the range.
    let problem = packets.problem().filter(|_| !steps.has_ended());
    problem.map_or(Ok(()), Err)?;
    Ok((steps.kept()?, ticks.unwrap_or_default()))
}

/// The part while it is written.
struct CutPart<'p> {
    packets: &'p Packets<'p>,
    kept: &'p Kept,
    ticks: Ticks,
    work: &'p Work<'p>,
}

impl CutPart<'_> {
    /// The description of the part's tables. To count their rows, the part is written to a
    /// temporary file first.
    fn described(&self, made: &Made) -> Result<String, Error> {
        let moments = [self.kept.first, self.kept.last];
        let before = made.part(moments, None)?;
        let mut draft: File = self.work.scratch().map_err(Error::Output)?;
        self.write(Some(&before), &mut draft)?;
        let draft = Input::file(draft).map_err(Error::Io)?;
        let rows = made.count(&read(&draft)?)?;
        Ok(made.part(moments, Some(&rows))?)
    }

    /// Writes the part; returns the number of packets, other than the first one, that had to be
    /// rewritten.
    fn write(&self, tables: Option<&str>, out: &mut dyn Sink) -> Result<u64, Error> {
        let mut put = match self.packets {
            Packets::Delta(_) => Put::Delta(out),
            Packets::Capture(capture) => {
                let of = tables.map(|tables| OfTables {
                    tables,
                    log_tick_ns: log_tick_ns(capture),
                    rises: capture.rises(),
                });
                let options = options_of(&Options::new(), capture.tick_ns(), capture.is_view());
                let mut writer = Writer::of_tables(out, capture.schema(), options, of)?;
                if capture.has_role(Role::Added) {
                    writer.define(Role::Added)?;
                }
                Put::Capture(Box::new(writer))
            }
        };
        let anew = self.each(&mut put)?;
        if let Put::Capture(writer) = put {
            writer.finish()?;
        }
        Ok(anew)
    }

    fn each(&self, put: &mut Put<'_>) -> Result<u64, Error> {
        let mut replay = self.packets.replay()?;
        let mut encoder = Encoder::new(self.packets.schema()).limits(Limits::NONE);
        let mut full = Vec::new();
        // The tick of the first packet: a reader of the part has the states from this tick on.
        let mut first = None;
        let is_known = |first: Option<u32>, tick: u32| first.is_some_and(|first| tick >= first);
        let mut anew = 0;
        let range = &self.kept.steps;
        let mut cursor = self.packets.messages();
        while let Some(packet) = cursor.next_packet()? {
            if packet.role.is_beside() {
                self.beside(&packet, put)?;
                continue;
            }
            if packet.role == Role::Added {
                let tick = packet.tick();
                if tick.is_some_and(|tick| is_known(first, tick)) {
                    put.put(&packet)?;
                }
                continue;
            }
            if packet.index >= range.end {
                break;
            }
            let applied = replay.apply(&packet);
            if packet.index < range.start {
                // If this packet cannot be applied, then either the part does not need it or a
                // later packet reports the problem.
                continue;
            }
            let state = applied?;
            if stands(&packet, |tick| is_known(first, tick)) {
                put.put(&packet)?;
            } else {
                encode(&mut encoder, state, &mut full)?;
                let bytes = &full;
                let role = Role::Keyframe;
                put.put(&Packet {
                    bytes,
                    role,
                    ..packet
                })?;
                anew += u64::from(first.is_some());
            }
            first.get_or_insert(state.tick());
            self.work.done(packet.offset)?;
        }
        Ok(anew)
    }

    /// Writes a message other than a packet: the events of the range, and all labels up to its end.
    fn beside(&self, packet: &Packet<'_>, put: &mut Put<'_>) -> Result<(), Error> {
        let [first, last] = self.ticks;
        let tick = packet.tick().unwrap_or_default();
        if tick > last || (packet.role == Role::Events && tick < first) {
            return Ok(());
        }
        match put {
            Put::Capture(writer) => {
                let time = super::convert::recorded(packet);
                // Labels from before the range get the tick of its first packet.
                writer.push_beside(packet.role, tick.max(first), time, packet.bytes)?;
                Ok(())
            }
            Put::Delta(_) => Ok(()),
        }
    }
}

/// Whether a reader that has the states of `known` ticks can apply a packet.
fn stands(packet: &Packet<'_>, known: impl Fn(u32) -> bool) -> bool {
    let header = Header::read(packet.bytes);
    header.is_ok_and(|(header, _)| header.baseline().is_none_or(known))
}

fn encode(encoder: &mut Encoder, state: &Snapshot, full: &mut Vec<u8>) -> Result<(), CaptureError> {
    let encoded = encoder.full(state, full);
    encoded.map_err(|error| CaptureError::Write(error.to_string()))
}

/// The destination of packets.
enum Put<'o> {
    Capture(Box<Writer<&'o mut dyn Sink>>),
    Delta(&'o mut dyn Sink),
}

impl Put<'_> {
    fn put(&mut self, packet: &Packet<'_>) -> Result<(), Error> {
        match self {
            Self::Capture(writer) => Ok(keep(packet, writer)?),
            Self::Delta(out) => out.write_all(packet.bytes).map_err(Error::Output),
        }
    }
}
