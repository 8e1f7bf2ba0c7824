//! The book lists every finding, as the rules say it.

use gametape_echo::Rule;

#[test]
fn the_findings_of_the_book_are_those_of_the_rules() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/echo/findings.md"
    );
    let book = std::fs::read_to_string(path).unwrap();
    let page = gametape_core::findings_page(&book, Rule::ALL)
        .unwrap_or_else(|wrong| panic!("{}", wrong.join("\n")));
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert!(
        page == book || std::env::var_os("GAMETAPE_BLESS").is_some(),
        "run this test with GAMETAPE_BLESS=1, and look at the difference"
    );
}
