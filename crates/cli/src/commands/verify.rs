//! `gametape verify`.

use std::io;
use std::time::{Duration, Instant};

use gametape::core::Finding;
use gametape::core::tape::Told;
use gametape::{AnyFinding, Audit, Error, Recording, Severity, Verb, Verdict};
use serde_json::json;

use super::Call;
use crate::args::Verify;
use crate::exit::Exit;
use crate::many::{self, Item, Progress};
use crate::ui::{FAINT, STRONG, Ui, severity_style, styled, verdict_style};

/// What became of one file.
struct Checked {
    path: String,
    named: bool,
    /// `None` for a file of another kind that nobody named.
    outcome: Option<Result<(&'static str, u64, Audit), Error>>,
}

/// How many of what.
#[derive(Default)]
struct Tally {
    pass: usize,
    warn: usize,
    fail: usize,
    unreadable: usize,
    skipped: u64,
    /// Files that were come across, and not named.
    found: usize,
    bytes: u64,
}

pub fn run(args: &Verify, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    let started = Instant::now();
    let mut tally = Tally::default();
    let items = many::items(call.formats, &args.paths);
    let progress = Progress::new(items.len(), items.iter().map(Item::size).sum());
    many::each(
        items,
        |item| {
            let _begun = progress.begin(item.size());
            check(item, call)
        },
        |all| {
            progress.aside(|| {
                for checked in all {
                    report(checked, args, ui, &mut tally)?;
                }
                ui.flush_on_terminal()
            })
        },
    )?;
    drop(progress);
    summarise(args, &tally, started.elapsed(), ui)
}

fn audit(
    opened: Result<Recording, Error>,
    call: &Call<'_>,
) -> Result<(&'static str, u64, Audit), Error> {
    let recording = opened?;
    let audit = recording.audit_with(&call.told_of(&recording, Verb::Verify))?;
    Ok((recording.format().name(), recording.input().size(), audit))
}

fn check(item: Item, call: &Call<'_>) -> Checked {
    let (path, outcome, named) = match item {
        Item::Input => (
            "-".to_owned(),
            Some(audit(call.open("-".as_ref()), call)),
            true,
        ),
        Item::Nothing(error) => (error.path().display().to_string(), Some(Err(error)), true),
        Item::Found(found) => {
            let path = found.path.display().to_string();
            let outcome = match call.formats.open_with(&found.path, &call.open_options()) {
                Err(Error::UnknownFormat { .. }) if !found.named => None,
                opened => Some(audit(opened, call)),
            };
            (path, outcome, found.named)
        }
    };
    Checked {
        path,
        named,
        outcome,
    }
}

/// Why a file can't be checked, as a finding.
fn unreadable(error: &Error) -> AnyFinding {
    Finding::new(Told {
        code: error.code(),
        severity: Severity::Error,
        class: error.class(),
        sentence: gametape::core::text::printable(&error.message()),
        data: error.data(),
    })
}

fn report(checked: Checked, args: &Verify, ui: &mut Ui, tally: &mut Tally) -> io::Result<()> {
    tally.found += usize::from(!checked.named);
    let Some(outcome) = checked.outcome else {
        tally.skipped += 1;
        return Ok(());
    };
    match outcome {
        Ok((format, bytes, audit)) => {
            let verdict = audit.verdict();
            tally.bytes += bytes;
            match verdict {
                Verdict::Pass => tally.pass += 1,
                Verdict::Warn => tally.warn += 1,
                Verdict::Fail => tally.fail += 1,
            }
            if ui.json {
                return ui.object(&json!({
                    "path": checked.path,
                    "format": format,
                    "verdict": verdict,
                    "findings": audit.findings,
                }));
            }
            show(&checked.path, &audit, args.verbose, ui)
        }
        Err(error) => {
            tally.unreadable += 1;
            if ui.json {
                return ui.object(&json!({
                    "path": checked.path,
                    "format": null,
                    "verdict": Verdict::Fail,
                    "findings": [unreadable(&error)],
                }));
            }
            ui.complain(&error.to_string());
            Ok(())
        }
    }
}

/// A line for the file, and one for each finding that somebody has to read.
pub fn show(path: &str, audit: &Audit, verbose: bool, ui: &mut Ui) -> io::Result<()> {
    let verdict = audit.verdict();
    let mut line = format!(
        "{}  {}",
        styled(verdict_style(verdict), format!("{verdict:<4}")),
        styled(STRONG, gametape::core::text::printable(path))
    );
    if !audit.summary.is_empty() {
        line.push_str("  ");
        line.push_str(&audit.summary);
    }
    let (shown, noted): (Vec<&AnyFinding>, Vec<&AnyFinding>) = audit
        .findings
        .iter()
        .partition(|finding| verbose || finding.severity() > Severity::Info);
    if !noted.is_empty() {
        let codes: Vec<&str> = noted.iter().map(|finding| finding.code()).collect();
        let noted = format!("  (noted: {})", codes.join(", "));
        line.push_str(&styled(FAINT, noted));
    }
    ui.line(line)?;
    for finding in shown {
        let style = severity_style(finding.severity());
        let place = if finding.place.is_nowhere() {
            String::new()
        } else {
            format!(", {}", finding.place)
        };
        ui.line(format_args!(
            "      {} {}{place}: {}",
            styled(style, finding.severity()),
            finding.code(),
            finding.message()
        ))?;
    }
    Ok(())
}

fn summarise(args: &Verify, tally: &Tally, took: Duration, ui: &mut Ui) -> io::Result<Exit> {
    let checked = tally.pass + tally.warn + tally.fail;
    if checked + tally.unreadable == 0 {
        return Ok(ui.found_nothing(&args.paths));
    }
    if !ui.json && checked > 1 {
        let mut parts = Vec::new();
        for (count, what) in [
            (tally.pass, "pass"),
            (tally.warn, "warn"),
            (tally.fail, "fail"),
            (tally.unreadable, "unreadable"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        ui.line(format_args!(
            "{} recordings: {}; {:.1} MB in {:.2} s{}",
            checked + tally.unreadable,
            parts.join(", "),
            tally.bytes as f64 / 1e6,
            took.as_secs_f64(),
            many::skipped(tally.skipped)
        ))?;
    }
    if ui.json && tally.found > 0 {
        // With the keys of all lines: whoever reads those meets nothing new.
        ui.object(&json!({
            "path": null,
            "format": null,
            "verdict": null,
            "findings": [],
            "summary": {
                "recordings": checked + tally.unreadable,
                "pass": tally.pass,
                "warn": tally.warn,
                "fail": tally.fail,
                "unreadable": tally.unreadable,
                "skipped": tally.skipped,
                "bytes": tally.bytes,
                "seconds": took.as_secs_f64(),
            },
        }))?;
    }
    Ok(if tally.unreadable > 0 {
        Exit::Unusable
    } else if tally.fail > 0 {
        Exit::Problems
    } else {
        Exit::Fine
    })
}
