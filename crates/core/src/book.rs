//! The findings pages of the book: their tables are generated from the rules; their order and
//! headings are written by hand.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::rule::RuleInfo;

/// Returns the page with its table rows generated from the rules. Each row that starts with a code
/// in backticks gets the severity, the meaning and the advice from the documentation of that rule's
/// variant: the first paragraph is the meaning, the second is the advice.
///
/// ```
/// use gametape_core::{RuleInfo, Severity, findings_page};
/// let rules = [RuleInfo {
///     code: "note.cut",
///     severity: Severity::Error,
///     doc: " The file ends within\n a line.\n\n Cut: `repair` keeps the lines before it.",
///     data: &["bytes"],
/// }];
/// let page = "| code | severity | means | do |\n|---|---|---|---|\n| `note.cut` | | | |\n";
/// assert!(findings_page(page, &rules).unwrap().ends_with(
///     "| `note.cut` | error | the file ends within a line | cut: `repair` keeps the lines before it |\n"
/// ));
/// assert!(findings_page("", &rules).unwrap_err()[0].contains("note.cut"));
/// ```
///
/// # Errors
/// Codes that the page lacks, lists twice, or lists although no rule has them; rules without a
/// meaning or advice.
pub fn findings_page(page: &str, rules: &[RuleInfo]) -> Result<String, Vec<String>> {
    let mut wrong = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut out = String::with_capacity(page.len());
    for line in page.split_inclusive('\n') {
        let code = line
            .strip_prefix("| `")
            .and_then(|rest| rest.split_once('`'))
            .map(|(code, _)| code);
        let rule = code.map(|code| (code, rules.iter().find(|rule| rule.code == code)));
        match rule {
            None => out.push_str(line),
            Some((code, None)) => wrong.push(format!("{code} is in the book, and no rule")),
            Some((code, Some(_))) if seen.contains(&code) => {
                wrong.push(format!("{code} is in the book twice"));
            }
            Some((code, Some(rule))) => {
                seen.push(code);
                let (means, to_do) = sentences(rule.doc);
                if means.is_empty() || to_do.is_empty() {
                    wrong.push(format!("{code} does not say what it means and what to do"));
                }
                let severity = rule.severity.name();
                // Writing to a string does not fail.
                let _ = writeln!(out, "| `{code}` | {severity} | {means} | {to_do} |");
            }
        }
    }
    let missing = rules.iter().filter(|rule| !seen.contains(&rule.code));
    wrong.extend(missing.map(|rule| format!("{} is not in the book", rule.code)));
    if wrong.is_empty() {
        Ok(out)
    } else {
        Err(wrong)
    }
}

/// Returns the first two paragraphs of the documentation as table cells: without the final full
/// stop, and with a lower-case first letter where the text starts with an ordinary word.
fn sentences(doc: &str) -> (String, String) {
    let mut paragraphs = doc.trim().split("\n\n").map(|paragraph| {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        let text = words.join(" ").trim_end_matches('.').to_string();
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(first), Some(second)) if first.is_uppercase() && !second.is_uppercase() => {
                let rest = text.get(first.len_utf8()..).unwrap_or_default();
                first.to_lowercase().chain(rest.chars()).collect()
            }
            _ => text,
        }
    });
    let means = paragraphs.next().unwrap_or_default();
    (means, paragraphs.next().unwrap_or_default())
}
