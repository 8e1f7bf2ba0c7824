//! Recordings of packets: writing, reading, seeking, damage, audit and conversion.

use gametape_capture::{CaptureError, Rule};
use gametape_core::findings_page;

mod common;

mod damage;
#[cfg(feature = "tape")]
mod made;
mod ranges;
#[cfg(feature = "tape")]
mod reads;
mod replay;
mod seeking;
#[cfg(feature = "tape")]
mod tables;
#[cfg(feature = "tape")]
mod tape;
mod writing;

/// The book lists every finding with its severity and the documentation of its rule.
///
/// After an intended change, run with `GAMETAPE_BLESS=1` and review the difference.
#[test]
fn the_page_of_findings_is_what_the_rules_say() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/delta/findings.md"
    );
    let page = std::fs::read_to_string(path).unwrap();
    let rules = [&Rule::all(), CaptureError::CODES].concat();
    let expected = findings_page(&page, &rules).unwrap();
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    assert!(
        page == expected || std::fs::read_to_string(path).unwrap() == expected,
        "the page is not what the rules say: GAMETAPE_BLESS=1 writes it anew"
    );
}
