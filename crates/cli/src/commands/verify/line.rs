//! What is said of a file as JSON.

use std::ffi::OsStr;

use gametape::{AnyFinding, Audit, Decision, Verdict};
use serde_json::{Map, Value, json};

use crate::located::located;

/// Keys that every line has.
pub fn audited(path: &OsStr, format: Option<&str>, audit: &Audit) -> Map<String, Value> {
    of(
        path,
        format,
        Some(audit.verdict()),
        &audit.findings,
        &audit.facts,
    )
}

/// The same of what is known of any file.
pub fn of(
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

/// What a policy says of it.
pub fn decide(line: &mut Map<String, Value>, decision: &Decision) {
    line.insert("admitted".to_owned(), json!(decision.admitted));
    line.insert("reasons".to_owned(), json!(decision.reasons));
}
