//! From one form to another, packets byte for byte.

use std::path::Path;

use gametape_capture::{CaptureError, CaptureWriter, Options, Packets, Role, Times};
use gametape_delta::Schema;

use super::{broken, open};
use crate::format::{Beside, Convert, Converted};
use crate::source::Source;
use crate::{Error, Format};

/// The schema as it lies beside packets.
pub(super) fn beside(schema: &Schema) -> Beside {
    let mut bytes = serde_json::to_vec_pretty(schema).unwrap_or_default();
    bytes.push(b'\n');
    Beside {
        extension: "schema.json",
        bytes,
    }
}

pub(super) fn convert<'a>(
    path: &Path,
    source: &'a Source,
    to: Format,
    convert: &Convert,
) -> Result<Converted<'a>, Error> {
    let packets = open(path, source)?;
    let from = match &packets {
        Packets::Capture(_) => Format::Capture,
        Packets::Delta(_) => Format::Delta,
    };
    if let Some(version) = convert.version
        && version != u32::from(gametape_delta::wire::VERSION)
    {
        return Err(Error::NoConversion {
            path: path.to_owned(),
            from,
            to: format!("wire version {version}: only version 0 is in use"),
        });
    }
    let same = from == to;
    let rewrite = convert.schema.is_some()
        || (to == Format::Capture
            && (convert.tick_ns.is_some() || convert.keyframe_every.is_some()));
    if same && !rewrite {
        check(path, &packets)?;
        let mut beside_it = Vec::new();
        if to == Format::Delta {
            beside_it.push(beside(packets.schema()));
        }
        return Ok(Converted {
            notes: Vec::new(),
            content: (&**source).into(),
            losses: Vec::new(),
            report: None,
            beside: beside_it,
        });
    }
    let mut losses = Vec::new();
    let schema = convert.schema.as_ref().unwrap_or_else(|| packets.schema());
    let mut sink = Sink::new(path, &packets, schema, to, convert)?;
    if convert.schema.is_some() {
        let migrated =
            gametape_capture::migrate(&packets, schema, |packet, times| sink.push(packet, times));
        let migrated = migrated.map_err(|error| sink.explain(error))?;
        losses.extend(migrated.losses);
    } else {
        let mut cursor = packets.cursor();
        let decoder = gametape_capture::decoder(packets.schema());
        while let Some(packet) = cursor.next_packet().map_err(|error| broken(path, error))? {
            if packet.role != Role::Added {
                decoder
                    .header(packet.bytes)
                    .map_err(|error| broken(path, packet.error(error)))?;
                sink.push(packet.bytes, packet.times)
                    .map_err(|error| sink.explain(error))?;
            }
        }
        whole(path, &packets)?;
    }
    sink.finish(schema, losses)
}

/// Refuses what can't be read to its end.
fn check(path: &Path, packets: &Packets<'_>) -> Result<(), Error> {
    let mut cursor = packets.cursor();
    let decoder = gametape_capture::decoder(packets.schema());
    while let Some(packet) = cursor.next_packet().map_err(|error| broken(path, error))? {
        decoder
            .header(packet.bytes)
            .map_err(|error| broken(path, packet.error(error)))?;
    }
    whole(path, packets)
}

fn whole(path: &Path, packets: &Packets<'_>) -> Result<(), Error> {
    match packets {
        Packets::Capture(capture) => capture.problem().map_or(Ok(()), |p| Err(broken(path, p))),
        Packets::Delta(_) => Ok(()),
    }
}

/// Where packets go.
struct Sink<'p> {
    path: &'p Path,
    output: Output,
    index: u64,
    /// The length of a tick that the output can't hold.
    tick_ns: Option<u64>,
    /// Packets whose time of recording the output can't hold.
    timed: u64,
}

enum Output {
    Capture(Box<CaptureWriter<Vec<u8>>>),
    Delta(Vec<u8>),
}

impl<'p> Sink<'p> {
    fn new(
        path: &'p Path,
        packets: &Packets<'_>,
        schema: &Schema,
        to: Format,
        convert: &Convert,
    ) -> Result<Self, Error> {
        let output = if to == Format::Capture {
            let options = Options {
                tick_ns: convert.tick_ns.or_else(|| packets.tick_ns()),
                keyframe_every: convert.keyframe_every,
                ..Options::default()
            };
            let writer = CaptureWriter::new(Vec::new(), schema, options);
            Output::Capture(Box::new(writer.map_err(|error| unwritable(path, &error))?))
        } else {
            Output::Delta(Vec::new())
        };
        Ok(Self {
            path,
            output,
            index: 0,
            tick_ns: packets.tick_ns(),
            timed: 0,
        })
    }

    fn push(&mut self, packet: &[u8], times: Option<Times>) -> Result<(), CaptureError> {
        // A time that is the tick's own says nothing.
        let time = times
            .filter(|times| times.publish_time != times.log_time)
            .map(|times| times.publish_time);
        self.timed += u64::from(time.is_some());
        match &mut self.output {
            Output::Capture(writer) => {
                writer.push_timed(packet, time)?;
            }
            Output::Delta(bytes) => bytes.extend_from_slice(packet),
        }
        self.index += 1;
        Ok(())
    }

    fn explain(&self, error: CaptureError) -> Error {
        match error {
            CaptureError::TickOrder { .. } | CaptureError::PacketTooLarge { .. } => {
                Error::Unwritable {
                    path: self.path.to_owned(),
                    message: format!("packet {}: {error}", self.index),
                }
            }
            CaptureError::Migrate(_) => unwritable(self.path, &error),
            CaptureError::BadPacket(source) => Error::Broken {
                path: self.path.to_owned(),
                code: source.code(),
                offset: None,
                message: format!("packet {}: {source}", self.index),
            },
            error => broken(self.path, error),
        }
    }

    fn finish(self, schema: &Schema, mut losses: Vec<String>) -> Result<Converted<'static>, Error> {
        let (bytes, beside) = match self.output {
            Output::Capture(writer) => {
                let bytes = writer
                    .finish()
                    .map_err(|error| unwritable(self.path, &error))?;
                (bytes, Vec::new())
            }
            Output::Delta(bytes) => {
                if let Some(tick_ns) = self.tick_ns {
                    losses.push(format!("the length of a tick, {tick_ns} ns"));
                }
                if self.timed > 0 {
                    let s = if self.timed == 1 { "" } else { "s" };
                    losses.push(format!(
                        "when packets were recorded ({} time{s})",
                        self.timed
                    ));
                }
                (bytes, vec![beside(schema)])
            }
        };
        Ok(Converted {
            notes: Vec::new(),
            content: bytes.into(),
            losses,
            report: None,
            beside,
        })
    }
}

fn unwritable(path: &Path, error: &CaptureError) -> Error {
    Error::Unwritable {
        path: path.to_owned(),
        message: error.to_string(),
    }
}
