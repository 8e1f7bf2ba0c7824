//! Cuts a part of a stream: it begins with a full snapshot and continues with the original packets.

use std::fs::File;

use gametape_core::table::Position;
use gametape_core::tape::{Converted, Cut, Error, Kept, Sink, Work};
use gametape_core::text::Counted;
use gametape_core::{Clocks, Input};
use gametape_delta::wire::Header;
use gametape_delta::{Encoder, Limits, Snapshot};

use super::convert::{Output, beside_of, log_tick_ns};
use super::dump::stamp;
use super::opened::made_of;
use crate::error::CaptureError;
use crate::layout::Role;
use crate::made::Made;
use crate::packets::{Clock, Packet, Packets, Times};
use crate::read::read;
use crate::replay::Replay;
use crate::write::OfTables;

/// Cuts the part; no conversion is returned if the whole recording is kept, since a copy is enough
/// then.
pub(super) fn cut(
    packets: &Packets<'_>,
    cut: &Cut,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<(Kept, Option<Converted>), Error> {
    let made = made_of(packets)?.map(|(_, made)| made);
    let (kept, ticks) = range(packets, made.as_ref(), cut, work)?;
    if kept.is_all {
        return Ok((kept, None));
    }
    let part = CutPart {
        packets,
        kept: &kept,
        ticks,
        work,
    };
    let made = made.map(|made| part.described(&made)).transpose()?;
    let anew = part.write(made.as_deref(), out)?;
    let mut converted = Converted {
        beside: beside_of(packets),
        ..Converted::default()
    };
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
    Ok((kept, Some(converted)))
}

/// The ticks of the first and the last kept packet.
type Ticks = [u32; 2];

/// Finds the packets in the range. Only their headers are read, unless a capture was made from tables: then the states
/// have the stamps.
fn range(
    packets: &Packets<'_>,
    made: Option<&Made>,
    cut: &Cut,
    work: &Work<'_>,
) -> Result<(Kept, Ticks), Error> {
    let mut clock = Clock::new(packets.tick_ns());
    let by_ticks = Clocks::ticks(packets.tick_ns().is_some());
    let of_states = made.map(|made| made.stamps(packets.schema())).transpose()?;
    let mut steps = cut.steps(of_states.as_ref().map_or(by_ticks, |(_, clocks)| *clocks))?;
    let mut replay = Replay::live(packets.schema()).max_state_bytes(0);
    let mut ticks = None;
    let mut cursor = packets.cursor();
    while let Some(packet) = cursor.next_packet()? {
        if packet.role == Role::Added {
            continue;
        }
        let stamp = match &of_states {
            Some((stamps, _)) => stamps.stamp(replay.apply(&packet)?).unwrap_or_default(),
            None => stamp(&packet, &mut clock),
        };
        let place = steps.position(stamp);
        if let (Position::Within, Some(tick)) = (place, packet.tick()) {
            let [_, last] = ticks.get_or_insert([tick, tick]);
            *last = tick;
        }
        if place == Position::After {
            break;
        }
        work.done(packet.offset / 2)?;
    }
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
        let of = match (self.packets, tables) {
            (Packets::Capture(capture), Some(tables)) => Some(OfTables {
                tables,
                log_tick_ns: log_tick_ns(capture),
                rises: capture.rises(),
            }),
            _ => None,
        };
        let mut output = Output::like(self.packets, of, out)?;
        let anew = self.each(&mut output)?;
        output.finish()?;
        Ok(anew)
    }

    fn each(&self, output: &mut Output<'_>) -> Result<u64, Error> {
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
                // The events of the range, and all labels up to its end.
                let [first, last] = self.ticks;
                let tick = packet.tick().unwrap_or_default();
                if tick <= last && (packet.role != Role::Events || tick >= first) {
                    // Labels from before the range get the tick of its first packet.
                    let sequence = tick.max(first);
                    let times = packet.times.map(|times| Times { sequence, ..times });
                    output.put(&Packet { times, ..packet })?;
                }
                continue;
            }
            if packet.role == Role::Added {
                let tick = packet.tick();
                if tick.is_some_and(|tick| is_known(first, tick)) {
                    output.put(&packet)?;
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
                output.put(&packet)?;
            } else {
                encode(&mut encoder, state, &mut full)?;
                let bytes = &full;
                let role = Role::Keyframe;
                output.put(&Packet {
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
