//! The report on all files: each file, then their relations, then the summary. A file is printed as soon as it
//! is read, unless a relation to a later file may change its verdict.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::time::Instant;

use gametape::core::Spell as _;
use gametape::core::text::{Counted, Grouped, printable};
use gametape::{AnyFinding, Decision, Error, Policy, Reason, Related, Severity, Verdict};
use serde_json::{Map, Value, json};

use super::check::{Audited, CheckOutcome, Checked};
use super::lines;
use super::related::{FileFindings, Files, Met};
use super::spool::{Line, Spool};
use super::summary::VerifySummary;
use crate::args::Verify;
use crate::exit::{self, Exit};
use crate::located::located;
use crate::ui::{STRONG, Ui, styled, verdict_style};

pub struct Report<'a> {
    args: &'a Verify,
    policy: Option<&'a Policy>,
    /// The number of all files, and of those yet to come.
    total: usize,
    left: usize,
    summary: VerifySummary,
    files: Files,
    /// The lines that wait. Relations are known when all files have been read: the line of a file that may be
    /// related waits for that, and so do the lines after it, to keep the order. For people, without a policy,
    /// nothing waits; relations are printed at the end.
    spool: Option<Spool>,
}

impl<'a> Report<'a> {
    /// A report on this many files.
    pub fn new(args: &'a Verify, policy: Option<&'a Policy>, files: usize) -> Self {
        Self {
            args,
            policy,
            total: files,
            left: files,
            summary: VerifySummary::default(),
            files: Files::default(),
            spool: None,
        }
    }

    /// Takes the next file.
    pub fn take(&mut self, checked: Checked, ui: &mut Ui) -> io::Result<()> {
        let Checked {
            path,
            named,
            real,
            outcome,
        } = checked;
        self.left -= 1;
        self.summary.found += usize::from(!named);
        let number = match self.files.meet(&path, real, outcome.stage()) {
            Met::New(number) => number,
            Met::Again(first) => return self.again(&path, &first, ui),
        };
        match outcome {
            CheckOutcome::Skipped(what) => self.skipped(&path, &what, ui),
            CheckOutcome::Unreadable(error) => self.unreadable(&path, &error, ui),
            CheckOutcome::Audited(audited) => self.audited(&path, number, &audited, ui),
        }
    }

    /// Reports a path that leads to an earlier file.
    fn again(&mut self, path: &OsStr, first: &OsStr, ui: &mut Ui) -> io::Result<()> {
        self.summary.repeated += 1;
        let what = format!("the same file as {}", first.spelled());
        let rest = Value::Object(lines::object(path, None, None, &[], &Map::new()));
        let line = located([("path", path), ("same_as", first)], rest);
        self.pass_over(line, &what, ui)
    }

    fn skipped(&mut self, path: &OsStr, what: &str, ui: &mut Ui) -> io::Result<()> {
        self.summary.skipped += 1;
        let line = lines::object(path, None, None, &[], &Map::new());
        self.pass_over(line, what, ui)
    }

    fn pass_over(
        &mut self,
        mut line: Map<String, Value>,
        what: &str,
        ui: &mut Ui,
    ) -> io::Result<()> {
        if !ui.json {
            return Ok(());
        }
        if self.policy.is_some() {
            lines::decide(&mut line, &Decision::default());
        }
        line.insert("skipped".to_owned(), what.into());
        self.put(None, &line, ui)
    }

    fn unreadable(&mut self, path: &OsStr, error: &Error, ui: &mut Ui) -> io::Result<()> {
        self.summary.unreadable += 1;
        if !ui.json {
            ui.complain(&error.to_string());
        }
        if !ui.is_data() {
            return Ok(());
        }
        let finding = error.finding();
        if self.args.csv.is_some() {
            let mut decision = Decision::default();
            decision.reject(&finding);
            return self.put(None, &lines::listed(path, &decision, Map::new()), ui);
        }
        let findings = std::slice::from_ref(&finding);
        let mut line = lines::object(path, None, Some(Verdict::Fail), findings, &Map::new());
        if self.policy.is_some() {
            let mut decision = Decision::default();
            decision.reject(&finding);
            lines::decide(&mut line, &decision);
        }
        self.put(None, &line, ui)
    }

    fn audited(
        &mut self,
        path: &OsStr,
        number: usize,
        audited: &Audited,
        ui: &mut Ui,
    ) -> io::Result<()> {
        let of = &audited.of;
        let audit = &of.audit;
        self.summary.bytes += of.bytes;
        self.summary.count(audit.verdict());
        // A single file has no relations.
        let file = (self.total > 1).then(|| self.files.add(number, audited));
        let file = file.flatten();
        let decides = self.policy.is_some();
        if decides && of.decision.admitted.is_none() && audit.verdict() == Verdict::Fail {
            self.summary.failing_unjudged += 1;
        }
        if !ui.json && !decides {
            return lines::print_audit(&path.spelled(), audit, &of.advice, self.args.verbose, ui);
        }
        let line = if self.args.csv.is_some() {
            lines::listed(path, &of.decision, audited.facts.clone())
        } else if ui.json {
            let mut line = lines::audited(path, Some(of.format), audit);
            line.insert("advice".to_owned(), json!(of.advice));
            if decides {
                lines::decide(&mut line, &of.decision);
            }
            line
        } else {
            object_for_people(path, audited, self.args.verbose)
        };
        self.put(file, &line, ui)
    }

    /// Prints a line, or keeps it for later.
    fn put(&mut self, file: Option<u32>, line: &Map<String, Value>, ui: &mut Ui) -> io::Result<()> {
        if file.is_some() && self.spool.is_none() {
            self.spool = Some(Spool::new());
            exit::listen_for_stop();
        }
        match &mut self.spool {
            Some(spool) => spool.put(file, line),
            None => self.print(line, ui),
        }
    }

    /// Prints a final line.
    fn print(&mut self, line: &Map<String, Value>, ui: &mut Ui) -> io::Result<()> {
        let admitted = line.get("admitted").and_then(Value::as_bool);
        self.summary.decide(admitted);
        if self.args.csv.is_some() {
            ui.record(&lines::ranked(line.clone()))
        } else if ui.json {
            ui.object(line)
        } else {
            lines::print_decision(line, ui)
        }
    }

    /// Prints the results so far and ends the command.
    pub fn stop(&mut self, started: Instant, ui: &mut Ui) -> ! {
        let printed = self.finish(started, ui);
        if self.left > 0 {
            let (left, total) = (
                Grouped(self.left as u64),
                Counted(self.total as u64, "file"),
            );
            ui.complain(&format!("stopped: {left} of {total} are not checked"));
        }
        let printed = printed.and_then(|exit| ui.flush().map(|()| exit));
        exit::end(printed.unwrap_or(Exit::Unseen))
    }

    /// Ends the report after the last file.
    pub fn finish(&mut self, started: Instant, ui: &mut Ui) -> io::Result<Exit> {
        let found = self.files.find();
        for of_file in found.chunk_by(|a, b| a.tape == b.tape) {
            if let Some((alone, verdict)) = self.files.verdicts(of_file) {
                self.summary.correct(alone, verdict);
            }
            let matters = of_file.iter().any(|one| one.severity > Severity::Info);
            self.summary.related += usize::from(matters);
        }
        match self.spool.take() {
            Some(spool) => self.release(spool, &found, ui)?,
            None => self.relate(&found, ui)?,
        }
        self.summary.left = self.left;
        let seconds = started.elapsed().as_secs_f64();
        let decides = self.policy.is_some();
        let exit = self.summary.print(&self.args.paths, seconds, decides, ui)?;
        ui.end()?;
        Ok(exit)
    }

    /// Prints the relations of files for people.
    fn relate(&self, found: &[Related], ui: &mut Ui) -> io::Result<()> {
        // What chance could explain is told to who asks.
        let told = |one: &&Related| self.args.verbose || one.severity == one.relation.severity;
        let found: Vec<Related> = found.iter().filter(told).cloned().collect();
        for of in self.files.findings(&found) {
            let word = styled(verdict_style(of.verdict), format!("{:<4}", of.verdict));
            let path = styled(STRONG, printable(&of.path.spelled()));
            let alone = if of.alone == of.verdict {
                String::new()
            } else {
                format!(" ({} by itself)", of.alone)
            };
            ui.line(format_args!(
                "{word}  {path}  compared with the others{alone}"
            ))?;
            of.findings
                .iter()
                .try_for_each(|finding| lines::print_finding(finding, ui))?;
        }
        Ok(())
    }

    /// Prints the lines that waited, with their relations.
    fn release(&mut self, spool: Spool, found: &[Related], ui: &mut Ui) -> io::Result<()> {
        let files = std::mem::take(&mut self.files);
        let mut related = files.findings(found).peekable();
        for line in spool.lines()? {
            let Line {
                file,
                admitted,
                value,
            } = line?;
            // Lines and relations are in the order of the files.
            let of_file = related.next_if(|of| Some(of.file) == file);
            if of_file.is_none() && ui.json {
                self.summary.decide(admitted);
                ui.out().write_all(&value)?;
                ui.line("")?;
                continue;
            }
            let mut line: Map<String, Value> = serde_json::from_slice(&value)?;
            if let Some(of_file) = of_file {
                amend(&mut line, &of_file, self.policy, self.args.verbose);
            }
            self.print(&line, ui)?;
        }
        Ok(())
    }
}

/// The object for people if a policy decides; [`lines::print_decision`] prints it.
fn object_for_people(path: &OsStr, audited: &Audited, verbose: bool) -> Map<String, Value> {
    let (audit, decision, advice) = (&audited.of.audit, &audited.of.decision, &audited.of.advice);
    let findings = audit.findings.iter();
    let findings = findings.filter(|finding| is_said(finding, decision.admitted, verbose));
    let advice = advice.iter().filter(|_| decision.admitted != Some(true));
    let advice = advice.map(|advice| format!("advice: {advice}"));
    let findings: Vec<String> = findings.map(ToString::to_string).chain(advice).collect();
    let object = json!({
        "path": path.spelled(),
        "summary": audit.summary,
        "said": findings,
        "admitted": decision.admitted,
        "reasons": decision.reasons,
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Whether a finding is said beside the decision. Where the policy has none, nothing else speaks of what is wrong.
fn is_said(finding: &AnyFinding, admitted: Option<bool>, verbose: bool) -> bool {
    verbose || admitted.is_none() && finding.severity() > Severity::Info
}

/// The severity of a finding as a number.
fn rank(finding: &Value) -> Option<usize> {
    let all = [Severity::Info, Severity::Warning, Severity::Error];
    let severity = finding.get("severity").and_then(Value::as_str);
    all.iter().position(|one| Some(one.name()) == severity)
}

/// Adds the relations of a file to its line.
fn amend(
    line: &mut Map<String, Value>,
    of: &FileFindings<'_>,
    policy: Option<&Policy>,
    verbose: bool,
) {
    let list = |line: &mut Map<String, Value>, key: &str, more: Vec<Value>| {
        if let Some(all) = line.get_mut(key).and_then(Value::as_array_mut) {
            all.extend(more);
        }
    };
    if line.contains_key("verdict") {
        line.insert("verdict".to_owned(), json!(of.verdict));
    }
    list(
        line,
        "findings",
        of.findings.iter().map(|finding| json!(finding)).collect(),
    );
    if let Some(findings) = line.get_mut("findings").and_then(Value::as_array_mut) {
        // The worst first, as in every audit.
        findings.sort_by_key(|finding| std::cmp::Reverse(rank(finding)));
    }
    let admitted = line.get("admitted").and_then(Value::as_bool);
    let said = of.findings.iter();
    let said = said.filter(|finding| is_said(finding, admitted, verbose));
    list(
        line,
        "said",
        said.map(|finding| finding.to_string().into()).collect(),
    );
    let against = |finding: &&AnyFinding| {
        policy.is_some_and(|policy| policy.rejects(of.format, finding.code(), finding.severity()))
    };
    let reasons = of.findings.iter().filter(against).map(Reason::of);
    let reasons: Vec<Value> = reasons.map(|reason| json!(reason)).collect();
    if !reasons.is_empty() {
        line.insert("admitted".to_owned(), json!(false));
        list(line, "reasons", reasons);
    }
}
