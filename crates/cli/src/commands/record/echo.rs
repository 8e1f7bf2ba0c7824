//! `gametape record echo`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gametape::echo::Session;
use gametape::{Error, Format};
use gametape_record::echo::{Event, Faults, RecordOptions, Recorded, record, shown_url};
use serde_json::json;

use crate::args::RecordEcho;
use crate::exit::Exit;
use crate::ui::{Ui, counted};

pub fn run(args: &RecordEcho, ui: &mut Ui) -> io::Result<Exit> {
    match listen(args, ui) {
        Err(error) => Ok(ui.fail(&error)),
        Ok(recorded) if recorded.files.is_empty() => {
            ui.complain(&format!(
                "{}: no frame came{}",
                shown_url(&args.url),
                why(&recorded.faults)
            ));
            Ok(Exit::Unusable)
        }
        Ok(recorded) => {
            report(args, &recorded, ui)?;
            Ok(Exit::Fine)
        }
    }
}

fn listen(args: &RecordEcho, ui: &mut Ui) -> Result<Recorded, Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    ctrlc::set_handler(move || heard.store(true, Ordering::Relaxed)).map_err(|error| {
        Error::Unwritable {
            path: args.output.clone(),
            message: format!("can't listen to Ctrl-C: {error}"),
        }
    })?;
    let options = RecordOptions {
        url: args.url.clone(),
        rate: args.rate,
        bones: !args.no_bones,
        resume: args.resume,
        split: args.split,
        zip: args.zip,
        frames: args.frames,
        duration: args.seconds,
        idle: args.idle,
        ..RecordOptions::new(&args.output)
    };
    record(&options, &stop, |event| {
        let text = match event {
            Event::Begun => format!(
                "asking {} {} a second; Ctrl-C ends the recording",
                shown_url(&args.url),
                counted(args.rate.into(), "time")
            ),
            Event::Waiting(fault) => format!("waiting for a match: {fault}"),
            Event::Appeared(session) => format!("recording {}", what(session)),
            Event::NextMatch(session) => format!("the next match: {}", what(session)),
            Event::NextFile(path) => format!("goes on in {}", path.display()),
            Event::Disappeared(fault) => format!("the match is gone, waiting for one: {fault}"),
            _ => return,
        };
        ui.remark(&text);
    })
}

/// The kind of a match.
fn what(session: &Session) -> String {
    let map = session.map_name.as_str();
    if session.match_type.is_empty() {
        map.to_owned()
    } else {
        format!("{} on {map}", session.match_type)
    }
}

/// Why there was no frame, where there was none.
fn why(faults: &Faults) -> String {
    [
        (faults.unreachable, "time", "nobody answered"),
        (faults.timeout, "answer", "did not come in time"),
        (faults.status, "answer", "had another HTTP status than 200"),
        (faults.no_match, "answer", "said that no match is on"),
        (faults.malformed, "answer", "could not be used"),
        (faults.bones, "frame", "had to do without bones"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .fold(String::new(), |text, (count, what, did)| {
        format!("{text}; {} {did}", counted(count, what))
    })
}

fn report(args: &RecordEcho, recorded: &Recorded, ui: &mut Ui) -> io::Result<()> {
    let bytes: u64 = recorded.files.iter().map(|file| file.bytes).sum();
    if ui.json {
        let files = recorded.files.iter().map(|file| {
            json!({
                "path": file.path.display().to_string(),
                "frames": file.frames,
                "frames_before": file.frames_before,
                "bytes": file.bytes,
            })
        });
        return ui.object(&json!({
            "path": args.output.display().to_string(),
            "format": Format::from_extension(&args.output).map(Format::name),
            "frames": recorded.frames,
            "bytes": bytes,
            "duration_ms": recorded.duration_ms,
            "matches": recorded.matches,
            "skipped": recorded.skipped,
            "faults": recorded.faults,
            "resumed": recorded.resumed,
            "dropped": recorded.dropped,
            "files": files.collect::<Vec<_>>(),
        }));
    }
    if recorded.dropped > 0 {
        ui.remark(&format!(
            "cut off {} behind the last whole frame",
            counted(recorded.dropped, "byte")
        ));
    }
    for file in &recorded.files {
        ui.line(format_args!(
            "{}: recorded {}{} ({})",
            gametape::printable(&file.path.display().to_string()),
            counted(file.frames, "frame"),
            match file.frames_before {
                0 => String::new(),
                before => format!(", {} with those before", before + file.frames),
            },
            counted(file.bytes, "byte"),
        ))?;
    }
    if !args.zip && Format::from_extension(&args.output) == Some(Format::Echoreplay) {
        ui.remark("kept as text; gametape convert --zip makes a zip of it");
    }
    let skipped = match recorded.skipped {
        0 => String::new(),
        skipped => format!(
            "; {} missing, answers took too long",
            counted(skipped, "frame")
        ),
    };
    ui.line(format_args!(
        "{} in {:.1} s{skipped}{}",
        counted(recorded.frames, "frame"),
        recorded.duration_ms as f64 / 1000.0,
        why(&recorded.faults),
    ))
}
