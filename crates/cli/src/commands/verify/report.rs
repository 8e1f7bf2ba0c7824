//! What is said of all files: of each as it comes, unless a policy has to know them all first; then what
//! they have in common, and how many of what there were.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Instant;

use gametape::core::Finding;
use gametape::{
    AnyFinding, Audit, Decision, Error, Policy, Reason, Related, Severity, Told, Verdict,
};
use serde_json::{Map, Value, json};

use super::check::{Audited, Checked, Outcome};
use super::held::{Held, Line};
use super::related::{Files, OfFile};
use super::{line, words};
use crate::args::Verify;
use crate::exit::Exit;
use crate::located::shown;
use crate::many;
use crate::ui::{STRONG, Ui, styled, verdict_style};

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
    /// Files that have something in common with others that somebody should look at.
    related: usize,
    admitted: usize,
    rejected: usize,
}

impl Tally {
    fn decided(&mut self, admitted: Option<bool>) {
        match admitted {
            Some(true) => self.admitted += 1,
            Some(false) => self.rejected += 1,
            None => {}
        }
    }
}

pub struct Report<'a> {
    args: &'a Verify,
    tally: Tally,
    files: Files,
    /// What is said where a policy decides: who belongs to whom is known when all have been read.
    held: Option<Held>,
}

impl<'a> Report<'a> {
    pub fn new(args: &'a Verify, decides: bool) -> io::Result<Self> {
        Ok(Self {
            args,
            tally: Tally::default(),
            files: Files::default(),
            held: decides.then(Held::new).transpose()?,
        })
    }

    /// The next file.
    pub fn take(&mut self, checked: Checked, ui: &mut Ui) -> io::Result<()> {
        let Checked {
            path,
            named,
            real,
            outcome,
        } = checked;
        self.tally.found += usize::from(!named);
        match outcome {
            Outcome::Skipped(what) => self.skipped(&path, &what, ui),
            Outcome::Unreadable(error) => self.unreadable(&path, &error, ui),
            Outcome::Audited(audited) => self.audited(path, real, &audited, ui),
        }
    }

    fn skipped(&mut self, path: &OsStr, what: &str, ui: &mut Ui) -> io::Result<()> {
        self.tally.skipped += 1;
        if !ui.json {
            return Ok(());
        }
        let mut line = line::of(path, None, None, &[], &Map::new());
        if self.held.is_some() {
            line::decide(&mut line, &Decision::default());
        }
        line.insert("skipped".to_owned(), what.into());
        self.put(None, &line, ui)
    }

    fn unreadable(&mut self, path: &OsStr, error: &Error, ui: &mut Ui) -> io::Result<()> {
        self.tally.unreadable += 1;
        if !ui.json {
            ui.complain(&error.to_string());
            return Ok(());
        }
        let finding = unreadable(error);
        let findings = std::slice::from_ref(&finding);
        let mut line = line::of(path, None, Some(Verdict::Fail), findings, &Map::new());
        if self.held.is_some() {
            let mut decision = Decision::default();
            decision.reject(&finding);
            line::decide(&mut line, &decision);
        }
        self.put(None, &line, ui)
    }

    fn audited(
        &mut self,
        path: OsString,
        real: Option<u64>,
        audited: &Audited,
        ui: &mut Ui,
    ) -> io::Result<()> {
        let Audited { audit, bytes, .. } = audited;
        self.tally.bytes += bytes;
        match audit.verdict() {
            Verdict::Pass => self.tally.pass += 1,
            Verdict::Warn => self.tally.warn += 1,
            Verdict::Fail => self.tally.fail += 1,
        }
        if self.held.is_none() && !ui.json {
            let said = shown(Path::new(&path));
            self.files.add(path, real, audited);
            return words::show(&said, audit, self.args.verbose, ui);
        }
        let line = if self.held.is_some() && !ui.json {
            for_people(&path, audit, &audited.decision, self.args.verbose)
        } else {
            let mut line = line::audited(&path, Some(audited.format), audit);
            if self.held.is_some() {
                line::decide(&mut line, &audited.decision);
            }
            line
        };
        let file = self.files.add(path, real, audited);
        self.put(file, &line, ui)
    }

    /// Says a line, or keeps it for later.
    fn put(&mut self, file: Option<u32>, line: &Map<String, Value>, ui: &mut Ui) -> io::Result<()> {
        match &mut self.held {
            Some(held) => held.put(file, line),
            None => ui.object(line),
        }
    }

    /// All files have come.
    pub fn finish(
        mut self,
        policy: Option<&Policy>,
        started: Instant,
        ui: &mut Ui,
    ) -> io::Result<Exit> {
        let found = self.files.find();
        let of_files = found.chunk_by(|a, b| a.tape == b.tape);
        let matters = |of: &&[Related]| of.iter().any(|one| one.severity > Severity::Info);
        self.tally.related = of_files.filter(matters).count();
        match (self.held.take(), policy) {
            (Some(held), Some(policy)) => self.decide(held, policy, &found, ui)?,
            _ => self.relate(&found, ui)?,
        }
        self.summarise(started, policy.is_some(), ui)
    }

    /// What files have in common, behind all that is said of them alone.
    fn relate(&self, found: &[Related], ui: &mut Ui) -> io::Result<()> {
        for OfFile { file, findings } in self.files.tell(found) {
            let Some((path, format)) = self.files.get(file) else {
                continue;
            };
            let verdict = Verdict::of(worst(&findings));
            if ui.json {
                ui.object(&line::of(
                    path,
                    Some(*format),
                    Some(verdict),
                    &findings,
                    &Map::new(),
                ))?;
                continue;
            }
            let told =
                |finding: &&AnyFinding| self.args.verbose || finding.severity() > Severity::Info;
            if findings.iter().any(|finding| told(&finding)) {
                let word = styled(verdict_style(verdict), format!("{verdict:<4}"));
                let path = gametape::core::text::printable(&shown(Path::new(path)));
                let path = styled(STRONG, path);
                ui.line(format_args!("{word}  {path}  among the others"))?;
            }
            findings
                .iter()
                .filter(told)
                .try_for_each(|finding| words::say(finding, ui))?;
        }
        Ok(())
    }

    /// Says what was kept, with what is known now.
    fn decide(
        &mut self,
        held: Held,
        policy: &Policy,
        found: &[Related],
        ui: &mut Ui,
    ) -> io::Result<()> {
        let Self { files, tally, .. } = self;
        let mut related = files.tell(found).peekable();
        for line in held.take()? {
            let Line {
                file,
                admitted,
                value,
            } = line?;
            // Both are in the order of the files.
            let of_file = related.next_if(|of| Some(of.file) == file);
            let known = of_file.as_ref().and_then(|of| files.get(of.file));
            let known = known.map(|(_, format)| *format).zip(of_file);
            if known.is_none() && ui.json {
                tally.decided(admitted);
                ui.out().write_all(&value)?;
                ui.line("")?;
                continue;
            }
            let mut line: Map<String, Value> = serde_json::from_slice(&value)?;
            if let Some((format, of)) = known {
                amend(&mut line, &of.findings, policy, format);
            }
            tally.decided(line.get("admitted").and_then(Value::as_bool));
            if ui.json {
                ui.object(&line)?;
            } else {
                words::decided(&line, ui)?;
            }
        }
        Ok(())
    }

    fn summarise(&self, started: Instant, decides: bool, ui: &mut Ui) -> io::Result<Exit> {
        let tally = &self.tally;
        let seconds = started.elapsed().as_secs_f64();
        let checked = tally.pass + tally.warn + tally.fail;
        let recordings = checked + tally.unreadable;
        if recordings == 0 {
            return Ok(ui.found_nothing(&self.args.paths));
        }
        if !ui.json && checked > 1 {
            let judged = tally.admitted + tally.rejected;
            let parts = if decides {
                vec![
                    (tally.admitted, "admitted"),
                    (tally.rejected, "rejected"),
                    (checked.saturating_sub(judged), "not judged"),
                    (tally.unreadable, "unreadable"),
                ]
            } else {
                vec![
                    (tally.pass, "pass"),
                    (tally.warn, "warn"),
                    (tally.fail, "fail"),
                    (tally.unreadable, "unreadable"),
                    (tally.related, "related to others"),
                ]
            };
            let parts = parts.into_iter().filter(|(count, _)| *count > 0);
            let parts: Vec<String> = parts
                .map(|(count, what)| format!("{count} {what}"))
                .collect();
            ui.line(format_args!(
                "{recordings} recordings: {}; {:.1} MB in {seconds:.2} s{}",
                parts.join(", "),
                tally.bytes as f64 / 1e6,
                many::skipped(tally.skipped)
            ))?;
        }
        if ui.json && tally.found > 0 {
            ui.object(&self.summary(recordings, seconds, decides))?;
        }
        Ok(if tally.unreadable > 0 {
            Exit::Unusable
        } else if if decides { tally.rejected } else { tally.fail } > 0 {
            Exit::Problems
        } else {
            Exit::Fine
        })
    }

    /// With the keys of all lines: whoever reads those meets nothing new.
    fn summary(&self, recordings: usize, seconds: f64, decides: bool) -> Value {
        let tally = &self.tally;
        let mut line = json!({
            "path": null,
            "format": null,
            "verdict": null,
            "facts": {},
            "findings": [],
        });
        let mut summary = json!({
            "recordings": recordings,
            "pass": tally.pass,
            "warn": tally.warn,
            "fail": tally.fail,
            "unreadable": tally.unreadable,
            "skipped": tally.skipped,
            "related": tally.related,
            "bytes": tally.bytes,
            "seconds": seconds,
        });
        if decides {
            line["admitted"] = Value::Null;
            line["reasons"] = json!([]);
            summary["admitted"] = json!(tally.admitted);
            summary["rejected"] = json!(tally.rejected);
        }
        line["summary"] = summary;
        line
    }
}

fn worst(findings: &[AnyFinding]) -> Option<Severity> {
    findings.iter().map(Finding::severity).max()
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

/// What people are told where a policy decides.
fn for_people(
    path: &OsStr,
    audit: &Audit,
    decision: &Decision,
    verbose: bool,
) -> Map<String, Value> {
    let findings = audit.findings.iter().filter(|_| verbose);
    let findings: Vec<String> = findings.map(ToString::to_string).collect();
    let told = json!({
        "path": shown(Path::new(path)),
        "summary": audit.summary,
        "said": findings,
        "admitted": decision.admitted,
        "reasons": decision.reasons,
    });
    match told {
        Value::Object(told) => told,
        _ => Map::new(),
    }
}

/// What was found among the others speaks of this file, too.
fn amend(line: &mut Map<String, Value>, found: &[AnyFinding], policy: &Policy, format: &str) {
    if let Some(findings) = line.get_mut("findings").and_then(Value::as_array_mut) {
        findings.extend(found.iter().map(|finding| json!(finding)));
        let is_sound = line.get("verdict") == Some(&json!(Verdict::Pass));
        if is_sound {
            line.insert("verdict".to_owned(), json!(Verdict::of(worst(found))));
        }
    }
    let against =
        |finding: &&AnyFinding| policy.rejects(format, finding.code(), finding.severity());
    let reasons: Vec<Reason> = found.iter().filter(against).map(Reason::of).collect();
    if reasons.is_empty() {
        return;
    }
    line.insert("admitted".to_owned(), json!(false));
    if let Some(all) = line.get_mut("reasons").and_then(Value::as_array_mut) {
        all.extend(reasons.iter().map(|reason| json!(reason)));
    }
}
