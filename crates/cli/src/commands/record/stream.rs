//! `gametape record stream`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gametape::Error;
use gametape::capture::Options;
use gametape_record::udp::{FileOptions, FileRecorder, RecordOptions, Recorded};
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

fn record(args: &RecordStream, ui: &mut Ui) -> Result<Recorded, Error> {
    let options = options(args);
    options.check()?;
    let schema = read_schema(&args.schema)?;
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    ctrlc::set_handler(move || heard.store(true, Ordering::Relaxed)).map_err(|error| {
        Error::Unwritable {
            path: args.output.clone(),
            message: format!("can't listen to Ctrl-C: {error}"),
        }
    })?;
    let recorder = FileRecorder::begin(&options, &schema)?;
    if let Ok(address) = recorder.local_addr() {
        ui.remark(&format!(
            "listening at {address}; Ctrl-C ends the recording"
        ));
    }
    let (mut warned, mut warned_of_schema) = (false, false);
    recorder.run(|so_far| {
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
    })
}

fn options(args: &RecordStream) -> FileOptions {
    FileOptions {
        listen: args.udp,
        output: args.output.clone(),
        capture: Options {
            tick_ns: args.tick_rate.map(tick_ns),
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
        },
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

fn report(args: &RecordStream, recorded: &Recorded, ui: &mut Ui) -> io::Result<()> {
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
