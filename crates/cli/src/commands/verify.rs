//! `gametape verify`.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use gametape::core::Finding;
use gametape::core::tape::Told;
use gametape::{AnyFinding, Audit, Error, Found, Recording, Severity, Verb, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde_json::json;

use super::Call;
use crate::args::Verify;
use crate::exit::Exit;
use crate::ui::{FAINT, STRONG, Ui, severity_style, styled, verdict_style};

/// Files checked at a time: enough for all cores, few enough that results appear as they come.
const BATCH: usize = 256;

/// What became of one file.
struct Checked {
    path: String,
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
    skipped: usize,
    bytes: u64,
}

pub fn run(args: &Verify, call: &Call<'_>, ui: &mut Ui) -> io::Result<Exit> {
    if let Err(error) = call.check_opening(&args.paths) {
        return Ok(ui.fail(&error));
    }
    let started = Instant::now();
    let mut tally = Tally::default();
    let mut files: Vec<Found> = Vec::new();
    for path in &args.paths {
        if path == "-" {
            let outcome = Some(audit(call.open(path), call));
            let path = path.display().to_string();
            report(Checked { path, outcome }, args, ui, &mut tally)?;
            continue;
        }
        for found in call.formats.find(path) {
            match found {
                Ok(found) => files.push(found),
                Err(error) => {
                    let (path, outcome) = (path.display().to_string(), Some(Err(error)));
                    report(Checked { path, outcome }, args, ui, &mut tally)?;
                }
            }
        }
    }
    let bar = progress(files.len());
    for batch in files.chunks(BATCH) {
        let checked: Vec<Checked> = batch
            .par_iter()
            .map(|found| {
                let checked = check_found(found, call);
                bar.inc(1);
                checked
            })
            .collect();
        bar.suspend(|| -> io::Result<()> {
            for checked in checked {
                report(checked, args, ui, &mut tally)?;
            }
            if io::stdout().is_terminal() {
                ui.flush()?;
            }
            Ok(())
        })?;
    }
    bar.finish_and_clear();
    summarise(args, &tally, started.elapsed(), ui)
}

/// A bar on a terminal's standard error, for a wait worth one.
fn progress(files: usize) -> ProgressBar {
    if files <= BATCH {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} files, {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn audit(
    opened: Result<Recording, Error>,
    call: &Call<'_>,
) -> Result<(&'static str, u64, Audit), Error> {
    let recording = opened?;
    let audit = recording.audit_with(&call.told_of(&recording, Verb::Verify))?;
    Ok((recording.format().name(), recording.input().size(), audit))
}

fn check_found(found: &Found, call: &Call<'_>) -> Checked {
    let path = found.path.display().to_string();
    let outcome = match call.formats.open_with(&found.path, &call.open_options()) {
        Err(Error::UnknownFormat { .. }) if !found.named => None,
        opened => Some(audit(opened, call)),
    };
    Checked { path, outcome }
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
        let skipped = match tally.skipped {
            0 => String::new(),
            1 => ", 1 other file skipped".to_owned(),
            n => format!(", {n} other files skipped"),
        };
        ui.line(format_args!(
            "{} recordings: {}; {:.1} MB in {:.2} s{skipped}",
            checked + tally.unreadable,
            parts.join(", "),
            tally.bytes as f64 / 1e6,
            took.as_secs_f64()
        ))?;
    }
    Ok(if tally.unreadable > 0 {
        Exit::Unusable
    } else if tally.fail > 0 {
        Exit::Problems
    } else {
        Exit::Fine
    })
}
