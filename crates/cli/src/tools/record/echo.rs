//! `gametape record echo`.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use gametape::core::Spell as _;
use gametape::core::text::{Counted, printable};
use gametape::echo::Session;
use gametape::echo::tape::Echoreplay;
use gametape::{Error, Format, Formats};
use gametape_record::echo::{Event, Faults, RecordOptions, Recorded, record, shown_url};
use serde_json::json;

use super::serving::{ForBrowsers, Watched};
use crate::Exit;
use crate::located::located;
use crate::tools::inputs::seconds;
use crate::ui::Ui;

tool!(
    /// `gametape record echo`.
    Echo, under: "record"
);

// Each is a switch of its own.
#[allow(clippy::struct_excessive_bools)]
/// Poll the API of Echo VR and record its answers
///
/// The game answers while a match is on. At other times, also when it closes or restarts, the
/// recorder waits; Ctrl-C or one of the options ends the recording. If the recorder is killed, the
/// file holds all frames so far, and --resume continues it. A .butter holds one match: the second
/// goes into OUT.2.butter, the third into OUT.3.butter. Exits with 2 if no frame came.
#[derive(Parser, Debug)]
#[command(name = "echo")]
struct Args {
    /// The address of the game: on this computer, or on a headset
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:6721")]
    url: String,
    /// Frames a second
    #[arg(long, value_name = "HZ", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=120))]
    rate: u32,
    /// Do not record the bones of players
    #[arg(long)]
    no_bones: bool,
    /// Stop after this many frames
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    frames: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Stop when no frame has come for this many seconds, once one has
    #[arg(long, value_name = "S", value_parser = seconds)]
    idle: Option<Duration>,
    /// Write a file for each match of an .echoreplay as well: OUT.2.echoreplay, OUT.3.echoreplay
    #[arg(long)]
    split: bool,
    /// Compress an .echoreplay as a zip at the end. Until then, or without it, the file is text
    #[arg(long)]
    zip: bool,
    /// Continue an existing recording
    ///
    /// It continues after the last whole frame; after a finished .butter, in the next file.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    serve: ForBrowsers,
    /// The recording, a .butter or an .echoreplay file. An existing file is not replaced
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

fn run(args: &Args, formats: &Formats, ui: &mut Ui) -> io::Result<Exit> {
    let mut watched = match args.serve.begin(formats, ui) {
        Ok(watched) => watched,
        Err(exit) => return Ok(exit),
    };
    let exit = match listen(args, &mut watched, ui) {
        Err(error) => ui.fail(&error),
        Ok(recorded) if recorded.files.is_empty() => ui.refuse(&format!(
            "{}: no frame came{}",
            shown_url(&args.url),
            why(&recorded.faults)
        )),
        Ok(recorded) => {
            report(args, &recorded, formats, ui)?;
            Exit::Fine
        }
    };
    watched.stay(exit, ui)
}

fn listen(args: &Args, watched: &mut Watched, ui: &mut Ui) -> Result<Recorded, Error> {
    let ending = watched.ending();
    ending.listen(&args.output)?;
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
    record(&options, &ending.stop, |event| {
        match event {
            Event::Frame => return watched.grew(),
            Event::Begun => watched.goes_into(&args.output),
            Event::NextFile(path) => watched.goes_into(path),
            _ => {}
        }
        let text = match event {
            Event::Begun => format!(
                "asking {} {} a second; Ctrl-C ends the recording",
                shown_url(&args.url),
                Counted(args.rate.into(), "time")
            ),
            Event::Waiting(fault) => format!("waiting for a match: {fault}"),
            Event::Appeared(session) => format!("recording {}", what(session)),
            Event::NextMatch(session) => format!("the next match: {}", what(session)),
            Event::NextFile(path) => format!("goes on in {}", path.spelled()),
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

/// The reasons for missing frames, in words.
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
        format!("{text}; {} {did}", Counted(count, what))
    })
}

fn report(args: &Args, recorded: &Recorded, formats: &Formats, ui: &mut Ui) -> io::Result<()> {
    let format = formats.from_extension(&args.output).map(<dyn Format>::name);
    let bytes: u64 = recorded.files.iter().map(|file| file.bytes).sum();
    if ui.json {
        let files = recorded.files.iter().map(|file| {
            let rest = json!({
                "frames": file.frames,
                "frames_before": file.frames_before,
                "bytes": file.bytes,
            });
            located([("path", &file.path)], rest)
        });
        let rest = json!({
            "format": format,
            "frames": recorded.frames,
            "bytes": bytes,
            "duration_ms": recorded.duration_ms,
            "matches": recorded.matches,
            "skipped": recorded.skipped,
            "faults": recorded.faults,
            "resumed": recorded.resumed,
            "dropped": recorded.dropped,
            "files": files.collect::<Vec<_>>(),
        });
        return ui.object(&located([("path", &args.output)], rest));
    }
    if recorded.dropped > 0 {
        ui.remark(&format!(
            "cut off {} after the last whole frame",
            Counted(recorded.dropped, "byte")
        ));
    }
    for file in &recorded.files {
        ui.line(format_args!(
            "{}: recorded {}{} ({})",
            printable(&file.path.spelled()),
            Counted(file.frames, "frame"),
            match file.frames_before {
                0 => String::new(),
                before => format!(", {} with those before", before + file.frames),
            },
            Counted(file.bytes, "byte"),
        ))?;
    }
    if !args.zip && format == Some(Echoreplay.info().name) {
        ui.remark("kept as text; gametape convert --zip compresses it");
    }
    let skipped = match recorded.skipped {
        0 => String::new(),
        skipped => format!(
            "; {} missing, answers took too long",
            Counted(skipped, "frame")
        ),
    };
    ui.line(format_args!(
        "{} in {:.1} s{skipped}{}",
        Counted(recorded.frames, "frame"),
        recorded.duration_ms as f64 / 1000.0,
        why(&recorded.faults),
    ))
}
