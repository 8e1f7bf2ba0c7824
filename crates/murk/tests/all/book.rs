//! The book's page of findings is what the rules say.
//!
//! After a change that is meant: `GAMETAPE_BLESS=1 cargo test -p gametape-murk book`.

use gametape_core::findings_page;
use gametape_murk::Rule;

#[test]
fn the_page_of_findings_is_made_of_the_rules() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/murk/findings.md"
    );
    let page = std::fs::read_to_string(path).unwrap();
    let made = findings_page(&page, Rule::ALL).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(path, &made).unwrap();
    } else {
        assert!(page == made, "the page is another: see how to bless it");
    }
}
