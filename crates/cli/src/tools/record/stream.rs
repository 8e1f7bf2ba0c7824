//! `gametape record stream`.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::{ArgMatches, Command, CommandFactory, Parser};
use gametape::capture::Options;
use gametape::core::text::printable;
use gametape::{Error, Formats};
use gametape_record::udp::{FileEvent, FileOptions, FileRecorder, RecordOptions, Recorded};
use serde_json::json;

use super::seconds::seconds;
use super::serving::{Serve, Watched};
use crate::located::located;
use crate::tools::given::{parsed, schema};
use crate::ui::{Ui, counted};
use crate::{Exit, Tool};

/// `gametape record stream`.
#[derive(Clone, Copy, Debug)]
pub struct Stream;

impl Tool for Stream {
    fn under(&self) -> Option<&'static str> {
        Some("record")
    }

    fn command(&self) -> Command {
        Args::command()
    }

    fn run(&self, matches: &ArgMatches, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
        run(&parsed(matches), formats, ui)
    }
}

/// Listen to a snapshot/delta stream over UDP and record it as a capture
///
/// Packets of the first sender are recorded as they come, those that can be applied, until
/// Ctrl-C or one of the options ends it. Killed at any time, the capture can be read up to the
/// last second; with --serve up to the last packet, and it is larger for that. When the sender begins anew, as when its
/// server is started again, the capture is done, and the next one is begun: OUT with a number. Exits with 3 if packets
/// came that could not be recorded.
#[derive(Parser, Debug)]
#[command(name = "stream")]
struct Args {
    /// Where to listen, such as 0.0.0.0:7777
    #[arg(long, value_name = "ADDR")]
    udp: SocketAddr,
    /// The schema of the packets: JSON, or a recording that has it
    #[arg(long, value_name = "FILE")]
    schema: PathBuf,
    /// A server that sends once it is spoken to
    #[arg(long, value_name = "ADDR")]
    join: Option<SocketAddr>,
    /// Stop after this many packets
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    packets: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Stop when nothing has come for this many seconds, once something has
    #[arg(long, value_name = "S", value_parser = seconds)]
    idle: Option<Duration>,
    /// Record what a receiver sees in place of the packets
    ///
    /// Of each entity the newest values, as deltas one on the other: for senders that stay within
    /// a byte budget by leaving entities out, whose bare states let entities go back in time.
    #[arg(long)]
    view: bool,
    /// Send no acknowledgements: for senders that code each packet on the one before
    #[arg(long)]
    no_feedback: bool,
    /// Ticks a second, where it is known
    #[arg(long, value_name = "HZ", value_parser = tick_rate)]
    tick_rate: Option<f64>,
    /// Add a full snapshot to seek by where the stream has none for this many ticks; 0: never
    #[arg(long, value_name = "TICKS", default_value_t = 300)]
    keyframe_every: u32,
    #[command(flatten)]
    serve: Serve,
    /// The capture, an .mcap file. A file that is there is not replaced
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

/// Ticks a second, such that a tick takes a nanosecond at least.
fn tick_rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.001..=1e9).contains(&rate) {
        Ok(rate)
    } else {
        Err("ticks a second are 0.001 to 1,000,000,000".to_owned())
    }
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let mut watched = match args.serve.begin(formats, ui) {
        Ok(watched) => watched,
        Err(exit) => return Ok(exit),
    };
    let exit = match record(args, formats, &mut watched, ui) {
        Err(error) => ui.fail(&error),
        Ok(files) => ended(args, &files, ui)?,
    };
    watched.stay(exit, ui)
}

/// Says what is in the last file: the others were told of when they were done.
fn ended(args: &Args, files: &[(PathBuf, Recorded)], ui: &mut Ui) -> io::Result<Exit> {
    let Some((path, recorded)) = files.last() else {
        return Ok(Exit::Unusable);
    };
    if recorded.packets == 0 {
        ui.complain(&format!(
            "{}: no packet of this schema came{}",
            args.udp,
            why(recorded)
        ));
        return Ok(Exit::Unusable);
    }
    report(path, recorded, None, ui)?;
    let lost = files
        .iter()
        .map(|(_, file)| file.unusable + file.other_schema + file.broken);
    Ok(if lost.sum::<u64>() > 0 {
        Exit::Loss
    } else {
        Exit::Fine
    })
}

fn record(
    args: &Args,
    formats: &Formats,
    watched: &mut Watched,
    ui: &mut Ui,
) -> Result<Vec<(PathBuf, Recorded)>, Error> {
    let options = options(args);
    options.check()?;
    let schema = schema(formats, &args.schema)?;
    let ending = watched.ending();
    ending.listen(&args.output)?;
    let recorder = FileRecorder::begin(&options, &schema)?;
    watched.goes_into(&args.output);
    if let Ok(address) = recorder.local_addr() {
        ui.remark(&format!(
            "listening at {address}; Ctrl-C ends the recording"
        ));
    }
    let (mut warned, mut warned_of_schema, mut warned_of_others) = (false, false, false);
    let mut packets = 0;
    recorder.run(|told| {
        let so_far = match told {
            FileEvent::Progress(so_far) => so_far,
            FileEvent::NextFile {
                path,
                recorded,
                next,
            } => {
                packets = 0;
                watched.goes_into(next);
                ui.remark(&format!(
                    "the sender has begun anew, from tick {}: what comes now goes into {}",
                    recorded.next_session.unwrap_or_default(),
                    next.display()
                ));
                // Who does not hear that may still want the rest.
                let _ = report(path, recorded, Some(next), ui).and_then(|()| ui.flush());
                return ending.stop.load(Ordering::Relaxed);
            }
        };
        if so_far.packets > packets {
            packets = so_far.packets;
            watched.grew();
        }
        if let Some(sender) = so_far
            .sender
            .filter(|_| so_far.foreign > 0 && !warned_of_others)
        {
            ui.remark(&format!(
                "packets come from others, too: those of {sender} alone are recorded"
            ));
            warned_of_others = true;
        }
        if let Some(hash) = so_far.first_other_schema.filter(|_| !warned_of_schema) {
            ui.remark(&format!(
                "a packet of schema {hash:016x} came, recorded is {:016x}",
                schema.hash()
            ));
            warned_of_schema = true;
        }
        if let Some(broken) = so_far.first_broken.filter(|_| !warned) {
            ui.remark(&format!("a packet came that can't be read: {broken}"));
            warned = true;
        }
        ending.stop.load(Ordering::Relaxed)
    })
}

fn options(args: &Args) -> FileOptions {
    FileOptions {
        listen: args.udp,
        output: args.output.clone(),
        capture: Options {
            tick_ns: args.tick_rate.map(|rate| (1e9 / rate).round() as u64),
            keyframe_every: (args.keyframe_every > 0).then_some(args.keyframe_every),
            ..Options::default()
        },
        record: RecordOptions {
            packets: args.packets,
            duration: args.seconds,
            idle: args.idle,
            feedback: !args.no_feedback,
            view: args.view,
            join: args.join,
            ..flushed(args)
        },
    }
}

/// Who watches does not wait for a chunk to be full.
fn flushed(args: &Args) -> RecordOptions {
    let usual = RecordOptions::default();
    RecordOptions {
        flush_every: if args.serve.is_asked() {
            Duration::ZERO
        } else {
            usual.flush_every
        },
        ..usual
    }
}

/// What came and was of no use.
fn why(recorded: &Recorded) -> String {
    let mut parts = Vec::new();
    if recorded.unusable > 0 {
        parts.push(format!(
            "{} built on states that never came",
            counted(recorded.unusable, "packet")
        ));
    }
    if let Some(hash) = recorded.first_other_schema {
        parts.push(format!(
            "{} of schema {hash:016x} came",
            counted(recorded.other_schema, "packet")
        ));
    }
    if recorded.broken > 0 {
        let first = recorded
            .first_broken
            .map_or(String::new(), |e| format!(" (the first: {e})"));
        parts.push(format!(
            "{} could not be read{first}",
            counted(recorded.broken, "packet")
        ));
    }
    if recorded.stale > 0 {
        parts.push(format!(
            "{} came late or twice",
            counted(recorded.stale, "packet")
        ));
    }
    if recorded.foreign > 0 {
        parts.push(format!(
            "{} came from others",
            counted(recorded.foreign, "packet")
        ));
    }
    parts
        .into_iter()
        .fold(String::new(), |text, part| text + "; " + &part)
}

/// Says what is in a file, and in which one it goes on.
fn report(path: &Path, recorded: &Recorded, next: Option<&Path>, ui: &mut Ui) -> io::Result<()> {
    if ui.json {
        let rest = json!({
            "format": "capture",
            "packets": recorded.packets,
            "bytes": recorded.bytes,
            "keyframes_added": recorded.keyframes_added,
            "first_tick": recorded.first_tick,
            "last_tick": recorded.last_tick,
            "stale": recorded.stale,
            "unusable": recorded.unusable,
            "other_schema": recorded.other_schema,
            "first_other_schema": recorded.first_other_schema.map(|hash| format!("{hash:016x}")),
            "broken": recorded.broken,
            "first_broken": recorded.first_broken.map(|error| error.to_string()),
            "foreign": recorded.foreign,
        });
        let next = next.map(|next| ("next", next));
        return ui.object(&located([("path", path)].into_iter().chain(next), rest));
    }
    ui.line(format_args!(
        "{}: recorded {} ({}), ticks {} to {}{}",
        printable(&path.display().to_string()),
        counted(recorded.packets, "packet"),
        counted(recorded.bytes, "byte"),
        recorded.first_tick.unwrap_or_default(),
        recorded.last_tick.unwrap_or_default(),
        why(recorded),
    ))
}
