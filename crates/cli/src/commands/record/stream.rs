//! `gametape record stream`.

use std::fs::{self, File};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gametape::capture::{
    CaptureError, CaptureWriter, Options, UdpOptions, UdpRecorded, record_udp,
};
use gametape::{Error, Recording};
use serde_json::json;

use crate::args::RecordStream;
use crate::exit::Exit;
use crate::ui::{Ui, counted, read_schema, tick_ns};

pub fn run(args: &RecordStream, ui: &mut Ui) -> io::Result<Exit> {
    match record(args, ui) {
        Err(error) => Ok(ui.fail(&error)),
        Ok(recorded) if recorded.packets == 0 => {
            ui.complain(&format!(
                "{}: no packet of this schema came{}",
                args.udp,
                why(&recorded)
            ));
            Ok(Exit::Unusable)
        }
        Ok(recorded) => {
            report(args, &recorded, ui)?;
            Ok(
                if recorded.unusable + recorded.other_schema + recorded.broken > 0 {
                    Exit::Loss
                } else {
                    Exit::Fine
                },
            )
        }
    }
}

fn record(args: &RecordStream, ui: &mut Ui) -> Result<UdpRecorded, Error> {
    let refuse = |message: String| Error::Unwritable {
        path: args.output.clone(),
        message,
    };
    if args
        .output
        .extension()
        .is_none_or(|extension| !extension.eq_ignore_ascii_case("mcap"))
    {
        return Err(refuse("a stream is recorded into an .mcap file".into()));
    }
    if let Some(join) = args.join {
        check_join(args.udp, join).map_err(|message| Error::Io {
            path: join.to_string().into(),
            source: io::Error::other(message),
        })?;
    }
    let schema = read_schema(&args.schema)?;
    let socket = UdpSocket::bind(args.udp).map_err(|source| Error::Io {
        path: args.udp.to_string().into(),
        source: io::Error::new(source.kind(), format!("can't listen here: {source}")),
    })?;
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    ctrlc::set_handler(move || heard.store(true, Ordering::Relaxed))
        .map_err(|error| refuse(format!("can't listen to Ctrl-C: {error}")))?;
    let file = File::create_new(&args.output).map_err(|error| {
        refuse(match error.kind() {
            io::ErrorKind::AlreadyExists if args.output.is_dir() => "is a folder".into(),
            io::ErrorKind::AlreadyExists => "is there already".into(),
            io::ErrorKind::NotFound => {
                let folder = args.output.parent().unwrap_or(&args.output);
                format!("no such folder: {}", folder.display())
            }
            _ => error.to_string(),
        })
    })?;
    let options = Options {
        tick_ns: args.tick_rate.map(tick_ns),
        keyframe_every: (args.keyframe_every > 0).then_some(args.keyframe_every),
        ..Options::default()
    };
    let udp = UdpOptions {
        packets: args.packets,
        duration: args.seconds,
        idle: args.idle,
        feedback: !args.no_feedback,
        view: args.view,
        join: args.join,
    };
    if let Ok(address) = socket.local_addr() {
        ui.remark(&format!(
            "listening at {address}; Ctrl-C ends the recording"
        ));
    }
    let unwritable = |error: CaptureError| refuse(error.to_string());
    let recorded = CaptureWriter::new(file, &schema, options).and_then(|mut writer| {
        let (mut warned, mut warned_of_schema) = (false, false);
        let recorded = record_udp(&socket, &schema, &udp, &mut writer, |so_far| {
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
            stop.load(Ordering::Relaxed)
        })?;
        let file = writer.finish()?;
        file.sync_all()?;
        Ok(recorded)
    });
    let nothing = match &recorded {
        Ok(recorded) => recorded.packets == 0,
        Err(_) => holds_nothing(&args.output),
    };
    if nothing {
        // A capture of nothing would be in the way of the next try.
        let _ = fs::remove_file(&args.output);
    }
    recorded.map_err(unwritable)
}

/// Refuses a server that nothing can be sent to.
fn check_join(udp: SocketAddr, join: SocketAddr) -> Result<(), String> {
    if join.port() == 0 {
        return Err("a server has a port above 0".into());
    }
    if udp.is_ipv4() != join.is_ipv4() {
        return Err(format!(
            "can't be joined from {udp}: one address is IPv4, the other IPv6"
        ));
    }
    Ok(())
}

/// Whether a recording that failed has left no packet.
fn holds_nothing(path: &Path) -> bool {
    let Ok(recording) = Recording::open(path) else {
        return true;
    };
    let first = recording.packets().map(|packets| {
        let mut cursor = packets.cursor();
        matches!(cursor.next_packet(), Ok(Some(_)))
    });
    !matches!(first, Ok(true))
}

/// What came and was of no use.
fn why(recorded: &UdpRecorded) -> String {
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

fn report(args: &RecordStream, recorded: &UdpRecorded, ui: &mut Ui) -> io::Result<()> {
    let path = args.output.display().to_string();
    if ui.json {
        return ui.object(&json!({
            "path": path,
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
        }));
    }
    ui.line(format_args!(
        "{}: recorded {} ({}), ticks {} to {}{}",
        gametape::printable(&path),
        counted(recorded.packets, "packet"),
        counted(recorded.bytes, "byte"),
        recorded.first_tick.unwrap_or_default(),
        recorded.last_tick.unwrap_or_default(),
        why(recorded),
    ))
}
