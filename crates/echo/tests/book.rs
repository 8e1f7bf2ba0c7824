//! The book lists every finding, with the severity it has.

use gametape_echo::Rule;

#[test]
fn every_finding_code_is_in_the_book() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/echo/findings.md"
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
        assert!(
            listed.contains(&(code, severity.name())),
            "{code}, {severity}"
        );
    }
    assert_eq!(
        listed.len(),
        Rule::CODES.len(),
        "the book lists a code twice, or one too many"
    );
}
