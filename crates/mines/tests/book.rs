//! The book lists every finding, with the severity it has.

use gametape_mines::Mode;
use gametape_mines::rmv::{Rule, Severity};

#[test]
fn every_finding_code_is_in_the_book() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/rmv/findings.md"
    );
    let book = std::fs::read_to_string(path).unwrap();
    let listed: Vec<(&str, &str)> = book
        .lines()
        .filter_map(|line| {
            let (code, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
            Some((code, rest.split_once(" |")?.0))
        })
        .collect();
    for &(code, severity) in Rule::CODES {
        let severity = match severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        assert!(listed.contains(&(code, severity)), "{code}, {severity}");
    }
    assert_eq!(
        listed.len(),
        Rule::CODES.len(),
        "the book lists a code twice, or one too many"
    );
}

#[test]
fn every_mode_is_in_the_book() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/rmv/format.md");
    let book = std::fs::read_to_string(path).unwrap();
    for mode in Mode::ALL {
        let rules = mode.rules();
        let unknown = rules.unknown.unwrap_or("nothing");
        let (code, name, changes) = (mode.code(), mode.name(), rules.changes);
        let row = format!("| {code} | {name} | {changes} | {unknown} |");
        assert!(book.lines().any(|line| line == row), "{row}");
    }
}
