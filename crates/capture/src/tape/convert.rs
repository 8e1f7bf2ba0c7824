//! Converts between the forms, packets byte for byte; repairs; makes the segments that are published.

use std::sync::Arc;

use gametape_core::Input;
use gametape_core::table::Lane;
use gametape_core::tape::{
    Beside, Converted, Error, Options, Repaired, Secrets, Sink, Tape, Target, Work,
};
use gametape_core::text::{Bytes, Counted, Grouped};
use gametape_delta::Schema;

use super::opened::{CAPTURE, DELTA, PacketsTape, made_of, name_of};
use super::schema;
use crate::audit::wild_ticks;
use crate::error::CaptureError;
use crate::layout::Role;
use crate::limits::decoder;
use crate::made::{PUBLISHED, Segment, Segmented, Wanted};
use crate::migrate::migrate;
use crate::packets::{Packet, Packets};
use crate::ranges::Ranges;
use crate::read::end::After;
use crate::read::{Capture, read};
use crate::rule::CaptureRule;
use crate::salvage::{Salvaged, salvage};
use crate::write::{OfTables, Options as CaptureOptions, Writer};

/// The ending of the names of captures.
const CAPTURE_ENDING: &str = ".mcap";

/// The schema as a file next to the packets.
pub(super) fn beside(schema: &Schema) -> Beside {
    let mut bytes = serde_json::to_vec_pretty(schema).unwrap_or_default();
    bytes.push(b'\n');
    Beside {
        extension: "schema.json",
        bytes,
    }
}

/// The files that have to be next to a file of these packets.
pub(super) fn beside_of(packets: &Packets<'_>) -> Vec<Beside> {
    match packets {
        Packets::Capture(_) => Vec::new(),
        Packets::Delta(file) => vec![beside(file.schema())],
    }
}

/// The options for writing a capture.
pub(crate) fn options_of(options: &Options, tick_ns: Option<u64>, view: bool) -> CaptureOptions {
    let every = options.count("keyframe-every");
    let asked = options.number("tick-rate");
    CaptureOptions {
        tick_ns: asked.map(|hz| (1e9 / hz).round() as u64).or(tick_ns),
        keyframe_every: every.map(|every| u32::try_from(every).unwrap_or(u32::MAX)),
        view,
        ..CaptureOptions::default()
    }
}

/// The description of the tables from which a capture was made.
fn of_tables<'p>(packets: &'p Packets<'_>) -> Option<OfTables<'p>> {
    let Packets::Capture(capture) = packets else {
        return None;
    };
    Some(OfTables {
        tables: capture.tables()?,
        log_tick_ns: log_tick_ns(capture),
        rises: capture.rises(),
    })
}

/// The unit of log times in nanoseconds, if the length of a tick is not known.
pub(super) fn log_tick_ns(capture: &Capture<'_>) -> Option<u64> {
    let unknown = capture.tick_ns().is_none();
    unknown.then(|| capture.log_tick_ns())
}

/// Converts a recording; `None` if the result is a plain copy and the recording is complete.
pub(super) fn convert(
    packets: &Packets<'_>,
    to: &Target<'_>,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Option<Converted>, Error> {
    let of_captures = to.options.has("tick-rate") || to.options.has("keyframe-every");
    if to.format == DELTA && of_captures {
        return Err(Error::Unsupported(
            "bare packets hold no tick rate and no keyframes that were added: captures do".into(),
        ));
    }
    if to.options.has("show-secrets") {
        return Err(Error::Unsupported(
            "packets are carried over as they are: nothing of them is secret".into(),
        ));
    }
    let next = schema::given(to.options, "to-schema")?;
    let mut foreign_records = 0;
    if let Packets::Capture(capture) = packets {
        // What stands beside the packets is carried over, and has no other checksum.
        capture.check_data()?;
        foreign_records = capture.walked()?.foreign;
    }
    if to.format == name_of(packets) && next.is_none() && !of_captures {
        let _ = each(packets, |packet| work.done(packet.offset))?;
        return Ok(None);
    }
    let schema = next.as_ref().unwrap_or_else(|| packets.schema());
    let wild = wild_ticks(packets).into_iter().map(|(meant, tick)| {
        let [meant, tick] = [meant, tick].map(|tick| Grouped(tick.into()));
        format!("the tick {tick} that a packet was recorded with: it has tick {meant} now")
    });
    let mut losses: Vec<String> = wild.collect();
    if foreign_records > 0 {
        let records = Counted(foreign_records, "attachment or metadata record");
        losses.push(format!("{records} of another program"));
    }
    // The description of tables is valid only for this schema, and only captures have one.
    let keeps_tables = next.is_none() && to.format == CAPTURE;
    if packets.tables().is_some() && !keeps_tables {
        losses.push(
            "the tables of the recording that it was made of: their names, texts, facts and events"
                .to_owned(),
        );
    }
    let of = of_tables(packets).filter(|_| keeps_tables);
    let mut output = if to.format == CAPTURE {
        let options = options_of(to.options, packets.tick_ns(), packets.is_view());
        Output::Capture(Box::new(Writer::of_tables(out, schema, options, of)?))
    } else {
        Output::Delta(out)
    };
    // The number of packets with a time of recording. In a capture that was made from tables, these are the times
    // of its steps.
    let mut timed = 0;
    let made = packets.tables().is_some();
    let mut push = |packet: &Packet<'_>| {
        if packet.role.is_beside() {
            return output.put(packet);
        }
        timed += u64::from(recorded(packet).is_some() && !made);
        output.carry(packet)?;
        work.done(packet.offset)
    };
    losses.extend(match next {
        Some(_) => migrate(packets, schema, push)?.losses,
        None => each(packets, &mut push)?,
    });
    let mut beside_it = Vec::new();
    if let Output::Delta(_) = output {
        if let Some(tick_ns) = packets.tick_ns() {
            losses.push(format!("the length of a tick, {tick_ns} ns"));
        }
        if timed > 0 {
            let times = Counted(timed, "time");
            losses.push(format!("when packets were recorded ({times})"));
        }
        beside_it.push(beside(schema));
    }
    output.finish()?;
    Ok(Some(Converted {
        losses,
        beside: beside_it,
        ..Converted::default()
    }))
}

/// Visits the packets of the stream, and returns what is not among them. An error if the recording
/// cannot be read to its end.
fn each(
    packets: &Packets<'_>,
    mut visit: impl FnMut(&Packet<'_>) -> Result<(), Error>,
) -> Result<Vec<String>, Error> {
    let mut cursor = packets.messages();
    let decoder = decoder(packets.schema());
    while let Some(packet) = cursor.next_packet()? {
        if packet.role.is_beside() {
            visit(&packet)?;
            continue;
        }
        decoder
            .header(packet.bytes)
            .map_err(|error| packet.error(error))?;
        if packet.role != Role::Added {
            visit(&packet)?;
        }
    }
    let foreign = cursor.foreign().map(|(topic, messages)| {
        let messages = Counted(messages, "message");
        format!("{messages} of channel {topic}, of another program")
    });
    match packets.problem() {
        Some(problem) => Err(problem.into()),
        None => Ok(foreign.collect()),
    }
}

/// The time at which a packet was recorded. A time that equals the tick's own carries no
/// information.
fn recorded(packet: &Packet<'_>) -> Option<u64> {
    let times = packet.times?;
    (times.publish_time != times.log_time).then_some(times.publish_time)
}

/// The destination of packets.
pub(super) enum Output<'o> {
    Capture(Box<Writer<&'o mut dyn Sink>>),
    Delta(&'o mut dyn Sink),
}

impl<'o> Output<'o> {
    /// Creates an output of the form that these packets have.
    pub fn like(
        packets: &Packets<'_>,
        of: Option<OfTables<'_>>,
        out: &'o mut dyn Sink,
    ) -> Result<Self, CaptureError> {
        let Packets::Capture(capture) = packets else {
            return Ok(Self::Delta(out));
        };
        let options = options_of(&Options::new(), capture.tick_ns(), capture.is_view());
        let mut writer = Writer::of_tables(out, capture.schema(), options, of)?;
        if capture.has_role(Role::Added) {
            writer.define(Role::Added)?;
        }
        Ok(Self::Capture(Box::new(writer)))
    }

    /// Writes a packet, or another message, which only captures have.
    pub fn put(&mut self, packet: &Packet<'_>) -> Result<(), Error> {
        match self {
            Self::Capture(writer) => Ok(keep(packet, writer)?),
            Self::Delta(_) if packet.role.is_beside() => Ok(()),
            Self::Delta(out) => out.write_all(packet.bytes).map_err(Error::Output),
        }
    }

    /// Like [`Output::put`]; a fault of the recording has the place of the packet.
    fn carry(&mut self, packet: &Packet<'_>) -> Result<(), Error> {
        let Self::Capture(writer) = self else {
            return self.put(packet);
        };
        match keep(packet, writer) {
            Err(CaptureError::TickOrder { tick, last }) => {
                Err(packet.finding(CaptureRule::TickOrder { tick, last }).into())
            }
            Err(CaptureError::BadPacket(source)) => Err(packet.error(source).into()),
            kept => Ok(kept?),
        }
    }

    pub fn finish(self) -> Result<(), CaptureError> {
        match self {
            Self::Capture(writer) => writer.finish().map(|_| ()),
            Self::Delta(_) => Ok(()),
        }
    }
}

/// The captures that begin at `at` and after it, as files of their own, byte for byte.
fn following(input: &Input, at: u64) -> Result<Vec<Beside>, Error> {
    const NAMES: [&str; 8] = [
        "2.mcap", "3.mcap", "4.mcap", "5.mcap", "6.mcap", "7.mcap", "8.mcap", "9.mcap",
    ];
    let mut files = Vec::new();
    let mut at = at;
    for (number, extension) in NAMES.into_iter().enumerate() {
        let rest = Ranges::from(input).range(at, input.size().saturating_sub(at))?;
        let next = match read(&rest[..]).ok().and_then(|capture| capture.after()) {
            // The last name is for all that is left.
            Some(After::Next(next)) if number + 1 < NAMES.len() => Some(next),
            _ => None,
        };
        let length = next.and_then(|next| usize::try_from(next).ok());
        let bytes = length
            .and_then(|length| rest.get(..length))
            .unwrap_or(&rest);
        files.push(Beside {
            extension,
            bytes: bytes.to_vec(),
        });
        match next {
            Some(next) => at += next,
            None => break,
        }
    }
    Ok(files)
}

/// Writes what is whole of a recording that is not.
pub(super) fn repair(
    packets: Packets<'_>,
    input: &Input,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Repaired, Error> {
    let beside_it = match &packets {
        Packets::Capture(capture) => match capture.after() {
            Some(After::Next(at)) => following(input, at)?,
            _ => Vec::new(),
        },
        Packets::Delta(file) => vec![beside(file.schema())],
    };
    let mut output = Output::like(&packets, of_tables(&packets), out)?;
    let mut nothing = true;
    let salvaged = salvage(packets, |packet| {
        nothing = false;
        output.put(packet)?;
        work.done(packet.offset)
    })?;
    output.finish()?;
    let Salvaged {
        repairs,
        lossy,
        altered,
        ..
    } = salvaged;
    // What had no packets before has lost none.
    if nothing && lossy {
        return Err(Error::Unsupported(
            "no packet of it can be applied: there is nothing to keep".into(),
        ));
    }
    let repaired = Repaired {
        lossy,
        beside: beside_it,
        ..Repaired::default()
    };
    let mut repaired = repaired.with_altered(&altered);
    for file in repaired
        .beside
        .iter()
        .filter(|file| file.extension.ends_with(CAPTURE_ENDING))
    {
        let (bytes, extension) = (Bytes(file.bytes.len() as u64), file.extension);
        let action = format!("wrote the capture after it, {bytes}, beside the first: .{extension}");
        repaired.actions.push(action);
    }
    let repairs = repairs.iter().map(ToString::to_string);
    repaired.actions.extend(repairs);
    Ok(repaired)
}

fn keep(packet: &Packet<'_>, writer: &mut Writer<&mut dyn Sink>) -> Result<(), CaptureError> {
    let (role, time) = (packet.role, recorded(packet));
    let tick = || packet.tick().unwrap_or_default();
    match role {
        Role::Added => writer.push_added(tick(), packet.bytes, time),
        _ if role.is_beside() => writer.push_beside(role, tick(), time, packet.bytes),
        _ => writer.push_timed(packet.bytes, time).map(|_| ()),
    }
}

/// Makes the stream of snapshot/delta packets of a recording's tables, in segments that each begin
/// with a full snapshot and last a few seconds. A broken recording is used as far as it can be
/// read; [`Segmented::doubts`] lists its problems. For a capture that was made from another
/// recording's tables, these tables are used.
///
/// If the recording is `growing`, the schema has room for any later rows, and the segments also
/// contain labels. If it is called again after the recording has grown, all segments except the
/// last one are the same.
///
/// # Errors
/// If nothing of the recording can be read; errors of `each`.
pub fn segments(
    tape: &Arc<dyn Tape>,
    secrets: Secrets,
    growing: bool,
    each: &mut dyn FnMut(Segment) -> Result<(), Error>,
    work: &Work<'_>,
) -> Result<Segmented, Error> {
    cut_tables(tape, secrets, growing, None, each, work)
}

/// The rows of a recording's fact tables, as far as they are known: the label records at the start
/// of [`Segmented::labels`]. They may change while a recording grows.
///
/// # Errors
/// As [`segments`].
pub fn facts(tape: &Arc<dyn Tape>, secrets: Secrets, work: &Work<'_>) -> Result<Vec<u8>, Error> {
    let facts = Some(Lane::Facts);
    let none = &mut |_| Ok(());
    cut_tables(tape, secrets, true, facts, none, work).map(|made| made.labels)
}

fn cut_tables(
    tape: &Arc<dyn Tape>,
    secrets: Secrets,
    growing: bool,
    lane: Option<Lane>,
    each: &mut dyn FnMut(Segment) -> Result<(), Error>,
    work: &Work<'_>,
) -> Result<Segmented, Error> {
    let packets = tape.of_type::<PacketsTape>();
    let packets = packets.and_then(|tape| tape.packets().ok());
    let made = packets.as_ref().and_then(|packets| made_of(packets).ok()?);
    let made = made.as_ref().map(|(_, made)| made);
    let of_packets = made.and_then(|made| made.tables.last());
    let wanted = Wanted {
        secrets,
        keep: PUBLISHED,
        keyframe_every: None,
        broken: true,
        growing,
        lane,
        without: of_packets.map(|table| &*table.name),
        made_of: made.map(crate::made::Made::made_of),
    };
    crate::made::segments(tape, &wanted, each, work)
}
