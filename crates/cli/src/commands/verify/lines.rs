//! The output for a file: an object for JSON, lines for people.

use std::ffi::OsStr;
use std::io;

use gametape::core::text::printable;
use gametape::{AnyFinding, Audit, Decision, Reason, Severity, Verdict};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::located::located;
use crate::ui::{BAD, FAINT, GOOD, STRONG, Ui, severity_style, styled, verdict_style};

/// The object for a recording that was audited.
pub fn audited(path: &OsStr, format: Option<&str>, audit: &Audit) -> Map<String, Value> {
    object(
        path,
        format,
        Some(audit.verdict()),
        &audit.findings,
        &audit.facts,
    )
}

/// The object for any file.
pub fn object(
    path: &OsStr,
    format: Option<&str>,
    verdict: Option<Verdict>,
    findings: &[AnyFinding],
    facts: &Map<String, Value>,
) -> Map<String, Value> {
    let rest = json!({
        "format": format,
        "verdict": verdict,
        "facts": facts,
        "findings": findings,
    });
    located([("path", path)], rest)
}

/// Adds the decision of a policy to an object.
pub fn decide(line: &mut Map<String, Value>, decision: &Decision) {
    line.insert("admitted".to_owned(), json!(decision.admitted));
    line.insert("reasons".to_owned(), json!(decision.reasons));
}

/// The object of a file for a table of a ranking, before the reasons become [labels](ranked).
pub fn listed(path: &OsStr, decision: &Decision, facts: Map<String, Value>) -> Map<String, Value> {
    let mut line = located([("path", path)], json!({}));
    line.insert("admitted".to_owned(), json!(decision.admitted));
    line.insert("class".to_owned(), json!(decision.class));
    line.insert("reasons".to_owned(), json!(decision.reasons));
    line.insert("facts".to_owned(), facts.into());
    line
}

/// The row of a file in the table of a ranking: the labels of the reasons, each once, and the facts as columns.
pub fn ranked(mut line: Map<String, Value>) -> Map<String, Value> {
    let reasons = line.get("reasons").and_then(Value::as_array);
    let mut labels: Vec<String> = Vec::new();
    for reason in reasons.into_iter().flatten() {
        let label = Reason::deserialize(reason).map(|reason| reason.label());
        labels.extend(label.ok().filter(|label| !labels.contains(label)));
    }
    let labels = labels.join(" ");
    line.insert("reasons".to_owned(), labels.into());
    if let Some(Value::Object(facts)) = line.remove("facts") {
        line.extend(facts);
    }
    line
}

/// Prints a line for the file, one for each important finding (with `verbose`, for each finding), and the advice.
pub fn print_audit(
    path: &str,
    audit: &Audit,
    advice: &[String],
    verbose: bool,
    ui: &mut Ui,
) -> io::Result<()> {
    let verdict = audit.verdict();
    let word = styled(verdict_style(verdict), format!("{verdict:<4}"));
    let mut line = head(&word, path, &audit.summary);
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
    shown
        .into_iter()
        .try_for_each(|finding| print_finding(finding, ui))?;
    advice.iter().try_for_each(|advice| {
        let word = styled(STRONG, "advice");
        ui.line(format_args!("      {word}: {}", printable(advice)))
    })
}

/// A word about a file, its path, and a summary of the recording.
fn head(word: &str, path: &str, summary: &str) -> String {
    let mut line = format!("{word}  {}", styled(STRONG, printable(path)));
    if !summary.is_empty() {
        line.push_str("  ");
        line.push_str(summary);
    }
    line
}

/// Prints a finding.
pub fn print_finding(finding: &AnyFinding, ui: &mut Ui) -> io::Result<()> {
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
    ))
}

/// Prints a line for the file, and one for each reason against it. The object is that of
/// `object_for_people`.
pub fn print_decision(object: &Map<String, Value>, ui: &mut Ui) -> io::Result<()> {
    let text = |object: &Map<String, Value>, key| {
        let text = object.get(key).and_then(Value::as_str);
        printable(text.unwrap_or_default())
    };
    let list = |key| {
        object
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let word = match object.get("admitted").and_then(Value::as_bool) {
        Some(true) => styled(GOOD, "admitted"),
        Some(false) => styled(BAD, "rejected"),
        None => styled(FAINT, "not judged"),
    };
    ui.line(head(&word, &text(object, "path"), &text(object, "summary")))?;
    for reason in list("reasons").filter_map(Value::as_object) {
        let (code, message) = (text(reason, "code"), text(reason, "message"));
        ui.line(format_args!("      {code}: {message}"))?;
    }
    for finding in list("said").filter_map(Value::as_str) {
        ui.line(format_args!("      {}", styled(FAINT, printable(finding))))?;
    }
    Ok(())
}
