//! The demo with a match of Echo VR.

use std::io;
use std::path::Path;
use std::time::Duration;

use gametape::core::Spell as _;
use gametape::core::text::{TextTable, printable, significant};
use gametape::echo::tape::Butter;
use gametape::echo::{Frame, WriteError};
use gametape::{Existing, Format, Options, Recording, Verdict, Work};
use gametape_samples::echo::{Match, MatchOptions, cut_out, echoreplay};
use serde_json::{Value, json};

use super::{Args, audit, print, save};
use crate::ui::{STRONG, Ui, styled};

/// The length of the match.
const LASTS: Duration = Duration::from_secs(90);
/// The number of frames a second.
const RATE: u32 = 15;
/// A cheater cuts six seconds of play out and closes the gap: the number of frames,
const CUT_OUT: usize = 90;
/// and the first one.
const CUT_AT: usize = 600;

/// Plays this part; true if every result is as expected. The inner error is a message.
pub(super) fn play(args: &Args, ui: &mut Ui) -> io::Result<Result<bool, String>> {
    if !ui.json {
        ui.line(styled(
            STRONG,
            format_args!(
                "A match of Echo VR is invented, recorded at {RATE} Hz as the game's API gives it, \
                 and made a .butter of:"
            ),
        ))?;
    }
    let made = match make(args) {
        Ok(made) => made,
        Err(message) => return Ok(Err(message)),
    };
    let mut as_expected = numbers(&made.report).all(|number| number["beyond"] == 0);
    for path in [&made.replay, &made.butter] {
        match audit(path) {
            Ok(audit) => {
                print(path, &audit, ui)?;
                as_expected &= audit.verdict() != Verdict::Fail;
            }
            Err(message) => return Ok(Err(message)),
        }
    }
    if ui.json {
        ui.object(&json!({ "path": made.butter, "report": made.report }))?;
    } else {
        print_statistics(&made, ui)?;
        ui.line("")?;
        ui.line(styled(
            STRONG,
            "A copy that somebody cut six seconds out of, closing the gap, and one that breaks off:",
        ))?;
    }
    for (tampered, verdict) in [
        (&made.cut_out, Verdict::Fail),
        (&made.cut_off, Verdict::Fail),
    ] {
        match audit(tampered) {
            Ok(audit) => {
                print(tampered, &audit, ui)?;
                as_expected &= audit.verdict() == verdict;
            }
            Err(message) => return Ok(Err(message)),
        }
    }
    Ok(Ok(as_expected))
}

struct Made {
    replay: String,
    butter: String,
    sizes: [u64; 2],
    report: Value,
    goals: Vec<Value>,
    cut_out: String,
    cut_off: String,
}

fn make(args: &Args) -> Result<Made, String> {
    let options = MatchOptions {
        seed: args.seed,
        rate_hz: RATE,
        ..MatchOptions::default()
    };
    let frames: Vec<Frame> = Match::new(options.lasting(LASTS)).collect();
    let sentence = |error: WriteError| error.to_string();
    let whole = echoreplay(&frames).map_err(sentence)?;
    let cut_out = cut_out(&frames, CUT_OUT, CUT_AT, RATE)
        .ok_or("nobody plays for six seconds in this match")?;
    let cut_out = echoreplay(&cut_out).map_err(sentence)?;
    let cut_out = save(&args.folder, "match-cut-out.echoreplay", || Ok(cut_out))?;
    let replay_bytes = whole.len() as u64;
    let replay = save(&args.folder, "match.echoreplay", || Ok(whole))?;

    let sentence = |error: gametape::Error| error.to_string();
    let recording = Recording::open(&replay).map_err(sentence)?;
    let work = Work {
        folder: Some(&args.folder),
        ..Work::default()
    };
    let converted = recording
        .convert_with(Butter.info().name, &Options::new(), &work)
        .map_err(sentence)?;
    let report = converted.outcome.report.ok_or("nothing was measured")?.data;
    let butter = args.folder.join("match.butter");
    let butter_bytes = converted.content.size();
    converted
        .content
        .save(&butter, &Butter, &[], Existing::Replace)
        .map_err(sentence)?;
    let cut_off = save(&args.folder, "match-cut-off.butter", || {
        let mut bytes = std::fs::read(&butter).map_err(|error| error.to_string())?;
        bytes.truncate(bytes.len() * 2 / 3);
        Ok(bytes)
    })?;
    let stats = Recording::open(&butter)
        .and_then(|recording| recording.stats(&Options::new()))
        .map_err(sentence)?;
    let timeline = stats.value.stats.get("timeline");
    let goals = timeline.and_then(|timeline| timeline.get("goals")?.as_array());
    Ok(Made {
        replay,
        butter: path_text(&butter),
        sizes: [replay_bytes, butter_bytes],
        report,
        goals: goals.cloned().unwrap_or_default(),
        cut_out,
        cut_off,
    })
}

/// The rounding of each kind of number.
fn numbers(report: &Value) -> impl Iterator<Item = &Value> {
    report["numbers"].as_array().into_iter().flatten()
}

fn path_text(path: &Path) -> String {
    path.spelled().into_owned()
}

/// The size, the rounding, and the statistics of the match.
fn print_statistics(made: &Made, ui: &mut Ui) -> io::Result<()> {
    let [replay, butter] = made
        .sizes
        .map(|bytes| bytes as f64 / made.report["frames"].as_f64().unwrap_or(1.0));
    ui.line(format_args!(
        "      {replay:.0} bytes a frame became {butter:.0}; the largest error of each kind of number, and the \
         bound that the format implies:"
    ))?;
    let mut table = TextTable::new(["field", "max error", "bound"]);
    for number in numbers(&made.report).filter(|number| number["differing"] != 0) {
        let text = |key: &str| number[key].as_str().unwrap_or_default();
        let value = |key: &str| significant(number[key].as_f64().unwrap_or_default());
        let field = match (text("field"), text("unit")) {
            (field, "") => field.to_owned(),
            (field, unit) => format!("{field} ({unit})"),
        };
        table.row([
            (field, false),
            (value("max_error"), true),
            (value("bound"), true),
        ]);
    }
    for line in table.lines() {
        ui.line(format_args!("        {line}"))?;
    }
    for goal in &made.goals {
        let text = |key: &str| goal.get(key).and_then(Value::as_str).unwrap_or("nobody");
        let number = |key: &str| goal.get(key).and_then(Value::as_f64).unwrap_or_default();
        ui.line(printable(&format!(
            "      goal at {:.1} s: {} for {}, {} by {}, assist {}, {:.1} m/s over {:.1} m",
            number("time_ms") / 1000.0,
            number("points"),
            text("team"),
            text("goal_type").to_lowercase(),
            text("thrower"),
            text("assist"),
            number("disc_speed"),
            number("distance"),
        )))?;
    }
    Ok(())
}
