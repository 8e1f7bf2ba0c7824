//! What is said of all files: of each as it comes, unless more may be known when all have been read; then
//! what they have in common, and how many of what there were.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Instant;

use gametape::core::Finding;
use gametape::core::text::printable;
use gametape::{
    AnyFinding, Audit, Decision, Error, Policy, Reason, Related, Severity, Told, Verdict,
};
use serde_json::{Map, Value, json};

use super::check::{Audited, Checked, Outcome};
use super::held::{Held, Line};
use super::related::{Files, Met, OfFile};
use super::tally::Tally;
use super::{line, words};
use crate::args::Verify;
use crate::exit::Exit;
use crate::located::{located, shown};
use crate::many::stop;
use crate::ui::{STRONG, Ui, styled, verdict_style};

pub struct Report<'a> {
    args: &'a Verify,
    policy: Option<&'a Policy>,
    /// How many there will be, and are yet to come.
    total: usize,
    left: usize,
    tally: Tally,
    files: Files,
    /// Who belongs to whom is known when all have been read: what is said of a file that may be related to
    /// others waits for that, and what is said of those after it, so that they come in their order. Without a
    /// policy people are told at once, and corrected.
    held: Option<Held>,
}

impl<'a> Report<'a> {
    /// Of so many files.
    pub fn new(args: &'a Verify, policy: Option<&'a Policy>, files: usize) -> Self {
        Self {
            args,
            policy,
            total: files,
            left: files,
            tally: Tally::default(),
            files: Files::default(),
            held: None,
        }
    }

    /// The next file.
    pub fn take(&mut self, checked: Checked, ui: &mut Ui) -> io::Result<()> {
        let Checked {
            path,
            named,
            real,
            outcome,
        } = checked;
        self.left -= 1;
        self.tally.found += usize::from(!named);
        let number = match self.files.meet(&path, real, outcome.came()) {
            Met::New(number) => number,
            Met::Again(first) => return self.again(&path, &first, ui),
        };
        match outcome {
            Outcome::Skipped(what) => self.skipped(&path, &what, ui),
            Outcome::Unreadable(error) => self.unreadable(&path, &error, ui),
            Outcome::Audited(audited) => self.audited(&path, number, &audited, ui),
        }
    }

    /// A path that leads to a file of before.
    fn again(&mut self, path: &OsStr, first: &OsStr, ui: &mut Ui) -> io::Result<()> {
        self.tally.repeated += 1;
        let what = format!("the same file as {}", shown(Path::new(first)));
        let rest = Value::Object(line::of(path, None, None, &[], &Map::new()));
        let line = located([("path", path), ("same_as", first)], rest);
        self.pass_over(line, &what, ui)
    }

    fn skipped(&mut self, path: &OsStr, what: &str, ui: &mut Ui) -> io::Result<()> {
        self.tally.skipped += 1;
        let line = line::of(path, None, None, &[], &Map::new());
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
        if self.policy.is_some() {
            let mut decision = Decision::default();
            decision.reject(&finding);
            line::decide(&mut line, &decision);
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
        let Audited { audit, bytes, .. } = audited;
        self.tally.bytes += bytes;
        self.tally.count(audit.verdict());
        // One alone has nothing in common with others.
        let file = (self.total > 1).then(|| self.files.add(number, audited));
        let file = file.flatten();
        let decides = self.policy.is_some();
        if !ui.json && !decides {
            return words::show(&shown(Path::new(path)), audit, self.args.verbose, ui);
        }
        let line = if ui.json {
            let mut line = line::audited(path, Some(audited.format), audit);
            if decides {
                line::decide(&mut line, &audited.decision);
            }
            line
        } else {
            for_people(path, audit, &audited.decision, self.args.verbose)
        };
        self.put(file, &line, ui)
    }

    /// Says a line, or keeps it for later.
    fn put(&mut self, file: Option<u32>, line: &Map<String, Value>, ui: &mut Ui) -> io::Result<()> {
        if file.is_some() && self.held.is_none() {
            self.held = Some(Held::new());
            stop::listen();
        }
        match &mut self.held {
            Some(held) => held.put(file, line),
            None => self.say(line, ui),
        }
    }

    /// What is final.
    fn say(&mut self, line: &Map<String, Value>, ui: &mut Ui) -> io::Result<()> {
        let admitted = line.get("admitted").and_then(Value::as_bool);
        self.tally.decide(admitted);
        if ui.json {
            ui.object(line)
        } else {
            words::decided(line, ui)
        }
    }

    /// Nobody waits for the files that are left: says what is known of the others, and ends the command.
    pub fn stop(&mut self, started: Instant, ui: &mut Ui) -> ! {
        let said = self.finish(started, ui);
        if self.left > 0 {
            let (left, total) = (self.left, self.total);
            ui.complain(&format!("stopped: {left} of {total} files are not checked"));
        }
        let said = said.and_then(|exit| ui.flush().map(|()| exit));
        stop::end(said.unwrap_or(Exit::Unseen))
    }

    /// No more files come.
    pub fn finish(&mut self, started: Instant, ui: &mut Ui) -> io::Result<Exit> {
        let found = self.files.find();
        for of_file in found.chunk_by(|a, b| a.tape == b.tape) {
            if let Some((alone, verdict)) = self.files.verdicts(of_file) {
                self.tally.correct(alone, verdict);
            }
            let matters = of_file.iter().any(|one| one.severity > Severity::Info);
            self.tally.related += usize::from(matters);
        }
        match self.held.take() {
            Some(held) => self.release(held, &found, ui)?,
            None => self.relate(&found, ui)?,
        }
        self.tally.left = self.left;
        let seconds = started.elapsed().as_secs_f64();
        let decides = self.policy.is_some();
        self.tally.say(&self.args.paths, seconds, decides, ui)
    }

    /// Tells people what files have in common, after all that is said of them alone.
    fn relate(&self, found: &[Related], ui: &mut Ui) -> io::Result<()> {
        let told = |finding: &&AnyFinding| self.args.verbose || finding.severity() > Severity::Info;
        for of in self.files.tell(found) {
            if of.findings.iter().any(|finding| told(&finding)) {
                let word = styled(verdict_style(of.verdict), format!("{:<4}", of.verdict));
                let path = styled(STRONG, printable(&shown(Path::new(of.path))));
                let alone = if of.alone == of.verdict {
                    String::new()
                } else {
                    format!(" ({} by itself)", of.alone)
                };
                ui.line(format_args!("{word}  {path}  among the others{alone}"))?;
            }
            let mut told = of.findings.iter().filter(told);
            told.try_for_each(|finding| words::say(finding, ui))?;
        }
        Ok(())
    }

    /// Says what was kept, with what is known now.
    fn release(&mut self, held: Held, found: &[Related], ui: &mut Ui) -> io::Result<()> {
        let files = std::mem::take(&mut self.files);
        let mut related = files.tell(found).peekable();
        for line in held.take()? {
            let Line {
                file,
                admitted,
                value,
            } = line?;
            // Both are in the order of the files.
            let of_file = related.next_if(|of| Some(of.file) == file);
            if of_file.is_none() && ui.json {
                self.tally.decide(admitted);
                ui.out().write_all(&value)?;
                ui.line("")?;
                continue;
            }
            let mut line: Map<String, Value> = serde_json::from_slice(&value)?;
            if let Some(of_file) = of_file {
                amend(&mut line, &of_file, self.policy, self.args.verbose);
            }
            self.say(&line, ui)?;
        }
        Ok(())
    }
}

/// Why a file can't be checked, as a finding.
fn unreadable(error: &Error) -> AnyFinding {
    Finding::new(Told {
        code: error.code(),
        severity: Severity::Error,
        class: error.class(),
        sentence: printable(&error.message()),
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

/// How bad a finding is.
fn rank(finding: &Value) -> Option<usize> {
    let all = [Severity::Info, Severity::Warning, Severity::Error];
    let severity = finding.get("severity").and_then(Value::as_str);
    all.iter().position(|one| Some(one.name()) == severity)
}

/// What was found among the others speaks of this file, too.
fn amend(line: &mut Map<String, Value>, of: &OfFile<'_>, policy: Option<&Policy>, verbose: bool) {
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
        // The worst first, as in each file alone.
        findings.sort_by_key(|finding| std::cmp::Reverse(rank(finding)));
    }
    let said = of.findings.iter().filter(|_| verbose);
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
