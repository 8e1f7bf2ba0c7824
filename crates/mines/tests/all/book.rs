//! The book lists every finding with its severity and the documentation of its rule.

use gametape_core::findings_page;
use gametape_core::tape::Format as _;
use gametape_mines::Mode;
use gametape_mines::tape::Rmv;

/// After an intended change, run with `GAMETAPE_BLESS=1` and review the difference.
#[test]
fn the_page_of_findings_is_what_the_rules_say() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/rmv/findings.md"
    );
    let page = std::fs::read_to_string(path).unwrap();
    let expected = findings_page(&page, &Rmv.rules()).unwrap();
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    assert!(
        page == expected || std::fs::read_to_string(path).unwrap() == expected,
        "the page is not what the rules say: GAMETAPE_BLESS=1 writes it anew"
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
