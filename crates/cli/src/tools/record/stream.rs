//! `gametape record stream`.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Parser;
use gametape::capture::Options;
use gametape::core::Spell as _;
use gametape::core::text::{Counted, Grouped, printable};
use gametape::delta::Mode;
use gametape::{Error, Formats};
use gametape_record::udp::{FileEvent, FileOptions, FileRecorder, RecordOptions, Recorded};
use serde_json::json;

use super::serving::{ForBrowsers, Watched};
use crate::Exit;
use crate::args::address;
use crate::located::located;
use crate::tools::inputs::{schema, seconds};
use crate::ui::Ui;

tool!(
    /// `gametape record stream`.
    Stream, under: "record"
);

/// Record a snapshot/delta stream over UDP as a capture
///
/// Packets of the first sender are recorded if they can be applied, until Ctrl-C or one of the
/// options ends the recording. If the recorder is killed, the capture can be read up to the last
/// second; with --serve up to the last packet, and it is larger for that. When the sender starts
/// again, such as after a restart of the server, the next capture is begun: OUT with a number. Exits
/// with 3 if packets could not be recorded.
#[derive(Parser, Debug)]
#[command(name = "stream")]
struct Args {
    /// The address to listen at, such as 0.0.0.0:7777
    #[arg(long, value_name = "ADDR", value_parser = address)]
    udp: SocketAddr,
    /// The schema of the packets, as JSON, or a recording with this schema
    #[arg(long, value_name = "FILE")]
    schema: PathBuf,
    /// A server that sends after it receives a packet
    #[arg(long, value_name = "ADDR", value_parser = address)]
    join: Option<SocketAddr>,
    /// Stop after this many packets
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    packets: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Stop when no packet has come for this many seconds, once one has
    #[arg(long, value_name = "S", value_parser = seconds)]
    idle: Option<Duration>,
    /// The sender is in strict mode: each packet builds on the state of one packet before
    ///
    /// By default the recorder merges what arrives, as senders of gametape expect. Senders of other
    /// programs are strict.
    #[arg(long)]
    strict: bool,
    /// Record the packets as they came instead of a receiver's view; implies --strict
    ///
    /// The view has the newest values of each entity, each delta on the one before. Packets of a sender
    /// that keeps a byte budget have bare states, in which entities go back in time.
    #[arg(long)]
    wire: bool,
    /// Send no acknowledgements, for senders that code each packet on the one before
    #[arg(long)]
    no_feedback: bool,
    /// The number of ticks a second; without it the capture has no times
    #[arg(long, value_name = "HZ", value_parser = tick_rate)]
    tick_rate: Option<f64>,
    /// Add a full snapshot for seeking if the stream has none for this many ticks; 0: never
    #[arg(long, value_name = "TICKS", default_value_t = 300)]
    keyframe_every: u32,
    #[command(flatten)]
    serve: ForBrowsers,
    /// The capture, an .mcap file. An existing file is not replaced
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

/// A number of ticks a second; a tick takes at least a nanosecond.
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
        Ok((address, files)) => ended(address, &files, ui)?,
    };
    watched.stay(exit, ui)
}

/// Reports the last file; the others were reported when they were finished.
fn ended(address: SocketAddr, files: &[(PathBuf, Recorded)], ui: &mut Ui) -> io::Result<Exit> {
    let Some((path, recorded)) = files.last() else {
        return Ok(Exit::Unusable);
    };
    if recorded.packets == 0 {
        return Ok(ui.refuse(&format!(
            "{address}: no packet of this schema came{}",
            why(recorded)
        )));
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

/// Records; returns the address that was listened at, whose port is known even if any free one was asked for, and
/// the files.
fn record(
    args: &Args,
    formats: &Formats,
    watched: &mut Watched,
    ui: &mut Ui,
) -> Result<(SocketAddr, Vec<(PathBuf, Recorded)>), Error> {
    let options = options(args);
    options.check()?;
    let schema = schema(formats, &args.schema)?;
    let ending = watched.ending();
    ending.listen(&args.output)?;
    let recorder = FileRecorder::begin(&options, &schema)?;
    watched.goes_into(&args.output);
    let address = recorder.local_addr().unwrap_or(args.udp);
    ui.remark(&format!(
        "listening at {address}; Ctrl-C ends the recording"
    ));
    if args.tick_rate.is_none() {
        ui.remark(
            "without --tick-rate HZ the capture has ticks and no times; convert --tick-rate HZ adds them later",
        );
    }
    let (mut warned, mut warned_of_schema, mut warned_of_others) = (false, false, false);
    let mut packets = 0;
    let files = recorder.run(|update| {
        let so_far = match update {
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
                    tick(recorded.next_session),
                    next.spelled()
                ));
                // If this cannot be printed, the rest is still recorded.
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
                "packets also come from other senders; only those of {sender} are recorded"
            ));
            warned_of_others = true;
        }
        if let Some(hash) = so_far.first_other_schema.filter(|_| !warned_of_schema) {
            ui.remark(&format!(
                "a packet of schema {hash:016x} came; the recorded schema is {:016x}",
                schema.hash()
            ));
            warned_of_schema = true;
        }
        if let Some(broken) = so_far.first_broken.filter(|_| !warned) {
            ui.remark(&format!("an unreadable packet came: {broken}"));
            warned = true;
        }
        ending.stop.load(Ordering::Relaxed)
    })?;
    Ok((address, files))
}

fn options(args: &Args) -> FileOptions {
    FileOptions {
        listen: args.udp,
        output: args.output.clone(),
        capture: Options {
            tick_ns: args.tick_rate.map(|rate| (1e9 / rate).round() as u64),
            keyframe_every: (args.keyframe_every > 0).then_some(args.keyframe_every),
            view: !args.wire,
            ..Options::default()
        },
        record: RecordOptions {
            packets: args.packets,
            duration: args.seconds,
            idle: args.idle,
            feedback: !args.no_feedback,
            mode: if args.strict || args.wire {
                Mode::Strict
            } else {
                Mode::Merged
            },
            wire: args.wire,
            join: args.join,
            ..flushed(args)
        },
    }
}

/// With viewers, every packet is flushed at once.
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

fn tick(tick: Option<u32>) -> Grouped {
    Grouped(tick.unwrap_or_default().into())
}

/// The packets that were not recorded, in words.
fn why(recorded: &Recorded) -> String {
    let mut parts = Vec::new();
    if recorded.unusable > 0 {
        parts.push(format!(
            "{} built on states that never came",
            Counted(recorded.unusable, "packet")
        ));
    }
    if let Some(hash) = recorded.first_other_schema {
        parts.push(format!(
            "{} of schema {hash:016x} came",
            Counted(recorded.other_schema, "packet")
        ));
    }
    if recorded.broken > 0 {
        let first = recorded
            .first_broken
            .map_or(String::new(), |e| format!(" (the first: {e})"));
        parts.push(format!(
            "{} could not be read{first}",
            Counted(recorded.broken, "packet")
        ));
    }
    if recorded.stale > 0 {
        parts.push(format!(
            "{} came late or twice",
            Counted(recorded.stale, "packet")
        ));
    }
    if recorded.foreign > 0 {
        parts.push(format!(
            "{} came from others",
            Counted(recorded.foreign, "packet")
        ));
    }
    match missing_ticks(recorded) {
        0 => {}
        1 => parts.insert(0, "1 tick is missing".to_owned()),
        ticks => parts.insert(0, format!("{} ticks are missing", Grouped(ticks))),
    }
    parts
        .into_iter()
        .fold(String::new(), |text, part| text + "; " + &part)
}

/// The number of ticks between the first and the last packet that no packet has: their packets were lost, or
/// never sent.
fn missing_ticks(recorded: &Recorded) -> u64 {
    let (Some(first), Some(last)) = (recorded.first_tick, recorded.last_tick) else {
        return 0;
    };
    let ticks = u64::from(last).saturating_sub(u64::from(first)) + 1;
    ticks.saturating_sub(recorded.packets)
}

/// Reports a file, and the next one if there is one.
fn report(path: &Path, recorded: &Recorded, next: Option<&Path>, ui: &mut Ui) -> io::Result<()> {
    if ui.json {
        let rest = json!({
            "format": "capture",
            "packets": recorded.packets,
            "bytes": recorded.bytes,
            "added_keyframes": recorded.added_keyframes,
            "first_tick": recorded.first_tick,
            "last_tick": recorded.last_tick,
            "missing_ticks": missing_ticks(recorded),
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
        printable(&path.spelled()),
        Counted(recorded.packets, "packet"),
        Counted(recorded.bytes, "byte"),
        tick(recorded.first_tick),
        tick(recorded.last_tick),
        why(recorded),
    ))
}
