//! What is said of a file to people.

use std::io;

use gametape::core::text::printable;
use gametape::{AnyFinding, Audit, Severity};
use serde_json::{Map, Value};

use crate::ui::{BAD, FAINT, GOOD, STRONG, Ui, severity_style, styled, verdict_style};

/// A line for the file, and one for each finding that somebody has to read.
pub fn show(path: &str, audit: &Audit, verbose: bool, ui: &mut Ui) -> io::Result<()> {
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
    shown.into_iter().try_for_each(|finding| say(finding, ui))
}

/// A word about a file, its path, and the recording in half a line.
fn head(word: &str, path: &str, summary: &str) -> String {
    let mut line = format!("{word}  {}", styled(STRONG, printable(path)));
    if !summary.is_empty() {
        line.push_str("  ");
        line.push_str(summary);
    }
    line
}

/// A finding.
pub fn say(finding: &AnyFinding, ui: &mut Ui) -> io::Result<()> {
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

/// A line for the file, and one for each reason against it: of what was kept for people.
pub fn decided(told: &Map<String, Value>, ui: &mut Ui) -> io::Result<()> {
    let text = |told: &Map<String, Value>, key| {
        let text = told.get(key).and_then(Value::as_str);
        printable(text.unwrap_or_default())
    };
    let list = |key| {
        told.get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let word = match told.get("admitted").and_then(Value::as_bool) {
        Some(true) => styled(GOOD, "admitted"),
        Some(false) => styled(BAD, "rejected"),
        None => styled(FAINT, "not judged"),
    };
    ui.line(head(&word, &text(told, "path"), &text(told, "summary")))?;
    for reason in list("reasons").filter_map(Value::as_object) {
        let (code, message) = (text(reason, "code"), text(reason, "message"));
        ui.line(format_args!("      {code}: {message}"))?;
    }
    for said in list("said").filter_map(Value::as_str) {
        ui.line(format_args!("      {}", styled(FAINT, printable(said))))?;
    }
    Ok(())
}
