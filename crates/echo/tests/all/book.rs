//! The book lists every finding as in the rules, and every member of the API as in its table.

use std::fmt::Write as _;

use gametape_core::table::kit;
use gametape_echo::{Kept, MEMBERS, Member, Rule};

#[cfg(feature = "tape")]
#[test]
fn the_page_of_findings_is_what_the_rules_say() {
    use gametape_core::tape::Format as _;
    // And the relations between recordings.
    let mut rules = Rule::ALL.to_vec();
    for rule in gametape_echo::tape::Echoreplay.rules() {
        if rules.iter().all(|known| known.code != rule.code) {
            rules.push(rule);
        }
    }
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/echo/findings.md"
    );
    kit::findings(path, &rules);
}

/// How much a .butter keeps of a member.
fn kept(member: &Member) -> String {
    if member.kind.starts_with("object") {
        return String::new();
    }
    let mut kept: Vec<&str> = Vec::new();
    for field in member.fields {
        let word = match field.kept() {
            Kept::Rounded => "rounded",
            Kept::Whole | Kept::Same => "as it is",
            Kept::Once => "the first",
            Kept::Nothing => "no",
        };
        if !kept.contains(&word) {
            kept.push(word);
        }
    }
    kept.join(", ")
}

#[test]
fn the_book_lists_the_members() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/echo/members.md"
    );
    let book = std::fs::read_to_string(path).unwrap();
    let (start, _) = book.split_once("\n## ").unwrap_or((&book, ""));
    let mut page = start.to_owned();
    for (object, members) in MEMBERS {
        write!(page, "\n## {object}\n\n").unwrap();
        page.push_str("| member | JSON | what it is | a .butter keeps it |\n");
        page.push_str("|---|---|---|---|\n");
        for member in *members {
            let range = member.range.map_or(String::new(), |(low, high)| {
                format!(" From {low} to {high}.")
            });
            let redacted = if member.redacted { " Redacted." } else { "" };
            let (name, kind, doc) = (member.name, member.kind, member.doc);
            let unit = match member.unit {
                "" => String::new(),
                unit => format!(", {unit}"),
            };
            let kept = kept(member);
            writeln!(
                page,
                "| `{name}` | {kind}{unit} | {doc}{range}{redacted} | {kept} |"
            )
            .unwrap();
        }
    }
    kit::blessed(path, &page);
}
