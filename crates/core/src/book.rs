//! Pages of the book that are made of the code: of findings, whose order and headings are written by
//! hand, and of tables.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::rule::RuleInfo;

/// Returns the page with its table rows generated from the rules. Each row that starts with a code
/// in backticks gets the severity, the meaning and the advice from the documentation of that rule's
/// variant: the first paragraph is the meaning, the second is the advice. A rule without a row gets
/// one, after the row of the rule before it, or else at the top of the first table. A row of a rule that
/// was renamed or removed is left out, as is a second row of a rule.
///
/// ```
/// use gametape_core::{RuleInfo, Severity, findings_page};
/// let rules = [RuleInfo {
///     code: "note.cut",
///     severity: Severity::Error,
///     doc: " The file ends within\n a line.\n\n Cut: `repair` keeps the lines before it.",
///     data: &["bytes"],
/// }];
/// let table = "| code | severity | means | do |\n|---|---|---|---|\n";
/// let page = findings_page(table, &rules).unwrap();
/// assert!(page.ends_with(
///     "| `note.cut` | error | the file ends within a line | cut: `repair` keeps the lines before it |\n"
/// ));
/// assert_eq!(findings_page(&format!("{table}| `note.cut` | | | |\n"), &rules).unwrap(), page);
/// assert!(findings_page("", &rules).unwrap_err()[0].contains("note.cut"));
/// ```
///
/// # Errors
/// Rules without a meaning or advice; rules without a row on a page without a table.
pub fn findings_page(page: &str, rules: &[RuleInfo]) -> Result<String, Vec<String>> {
    let mut wrong = Vec::new();
    let mut lines: Vec<(Option<&str>, String)> = Vec::new();
    let has = |lines: &[(Option<&str>, String)], code: &str| {
        lines.iter().position(|(of, _)| *of == Some(code))
    };
    for line in page.split_inclusive('\n') {
        let code = line
            .strip_prefix("| `")
            .and_then(|rest| rest.split_once('`'))
            .map(|(code, _)| code);
        let rule = code.map(|code| rules.iter().find(|rule| rule.code == code));
        match rule {
            None => lines.push((None, line.to_string())),
            Some(Some(rule)) if has(&lines, rule.code).is_none() => {
                lines.push((Some(rule.code), row(rule, &mut wrong)));
            }
            Some(_) => {}
        }
    }
    for (at, rule) in rules.iter().enumerate() {
        if has(&lines, rule.code).is_some() {
            continue;
        }
        let mut before = rules.iter().take(at).rev();
        let before = before.find_map(|before| has(&lines, before.code));
        let head = || lines.iter().position(|(_, line)| line.starts_with("|---"));
        match before.or_else(head) {
            Some(at) => lines.insert(at + 1, (Some(rule.code), row(rule, &mut wrong))),
            None => wrong.push(format!("there is no table for {}", rule.code)),
        }
    }
    if wrong.is_empty() {
        Ok(lines.into_iter().map(|(_, line)| line).collect())
    } else {
        Err(wrong)
    }
}

/// Returns tables as Markdown: a heading and a description for each table, and a row for each
/// column. Columns that say the same of the axes x, y and z share a row.
///
/// ```
/// use gametape_core::surface::tables_page;
/// use gametape_core::table::{ColumnDef, Kind, Lane, TableDef};
/// let table = TableDef::new("throws", Lane::Events, "Throws of dice.")
///     .with(ColumnDef::new("eyes", Kind::Uint, "What was thrown."));
/// let page = tables_page(&[table]);
/// assert!(page.starts_with("### `throws`\n\nEvents. Throws of dice.\n\n| column | kind |"));
/// assert!(page.contains("\n| `eyes` | uint | What was thrown. |\n"));
/// ```
#[cfg(feature = "tape")]
#[must_use]
pub fn tables_page(tables: &[crate::table::TableDef]) -> String {
    use core::fmt::Write as _;
    let mut out = String::new();
    for table in tables {
        let lane = table.lane.name();
        let asked = if table.on_request {
            ", where they are asked for by name"
        } else {
            ""
        };
        let (first, rest) = lane.split_at_checked(1).unwrap_or((lane, ""));
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "### `{}`\n\n{}{rest}{asked}. {}\n\n| column | kind | what it is |\n|---|---|---|\n",
            table.name,
            first.to_uppercase(),
            table.doc
        );
        let mut rest = table.columns.as_slice();
        while let [column, after @ ..] = rest {
            let (name, doc, after) = match rest {
                [x, y, z, after @ ..] if are_axes(x, [(y, "y"), (z, "z")]) => (
                    format!("{}`, `{}`, `{}", x.name, y.name, z.name),
                    x.doc.replacen(" along x", " along x, y and z", 1),
                    after,
                ),
                _ => (column.name.to_string(), column.doc.to_string(), after),
            };
            let mark = match (column.key, column.secret) {
                (true, _) => ", key",
                (_, true) => ", secret",
                _ => "",
            };
            let unit = if column.unit.is_empty() { "" } else { ", " };
            let precision = column.precision;
            let precision = precision.map_or_else(String::new, |off| format!(" Within {off}."));
            let _ = writeln!(
                out,
                "| `{name}` | {}{unit}{}{mark} | {doc}{precision} |",
                column.kind.name(),
                column.unit,
            );
            rest = after;
        }
        out.push('\n');
    }
    out
}

/// Whether the other columns differ from the one of x in their axis alone.
#[cfg(feature = "tape")]
fn are_axes(x: &crate::table::ColumnDef, others: [(&crate::table::ColumnDef, &str); 2]) -> bool {
    let stem = x.name.strip_suffix("_x");
    let Some(stem) = stem.filter(|_| x.doc.contains(" along x")) else {
        return false;
    };
    others.iter().all(|(other, axis)| {
        let doc = x.doc.replacen(" along x", &format!(" along {axis}"), 1);
        let of_axis = crate::table::ColumnDef {
            name: format!("{stem}_{axis}").into(),
            doc: doc.into(),
            ..x.clone()
        };
        of_axis == **other
    })
}

/// Returns the row of a rule.
fn row(rule: &RuleInfo, wrong: &mut Vec<String>) -> String {
    let (code, severity) = (rule.code, rule.severity.name());
    let (means, to_do) = sentences(rule.doc);
    if means.is_empty() || to_do.is_empty() {
        wrong.push(format!("{code} does not say what it means and what to do"));
    }
    format!("| `{code}` | {severity} | {means} | {to_do} |\n")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Severity;

    const fn rule(code: &'static str) -> RuleInfo {
        RuleInfo {
            code,
            severity: Severity::Info,
            doc: "A fact.\n\nFine.",
            data: &[],
        }
    }

    /// Hand-written text around the rows stays, and so does their order.
    #[test]
    fn a_new_rule_gets_its_row_after_the_rule_before_it() {
        let rules = ["a.new", "a.one", "b.one", "b.new", "b.last"].map(rule);
        let row = |code: &str| format!("| `{code}` | info | a fact | fine |\n");
        let page = "# Findings\n\n| code | | | |\n|---|---|---|---|\n| `b.one` | | | |\n\nBy hand.\n\n| code | | | |\n|---|---|---|---|\n| `a.one` | | | |\n| `b.last` | old | | |\n";
        let written = [
            "# Findings\n\n| code | | | |\n|---|---|---|---|\n",
            &row("a.new"),
            &row("b.one"),
            &row("b.new"),
            "\nBy hand.\n\n| code | | | |\n|---|---|---|---|\n",
            &row("a.one"),
            &row("b.last"),
        ]
        .concat();
        assert_eq!(findings_page(page, &rules), Ok(written.clone()));
        // Once written, it stays.
        assert_eq!(findings_page(&written, &rules), Ok(written));
    }

    #[test]
    fn the_row_of_a_renamed_rule_and_a_second_row_are_left_out() {
        let page = "|---|\n| `a.one` | | | |\n| `a.one` | | | |\n| `a.gone` | | | |\n";
        let written = "|---|\n| `a.one` | info | a fact | fine |\n".to_string();
        assert_eq!(findings_page(page, &[rule("a.one")]), Ok(written));
    }
}
