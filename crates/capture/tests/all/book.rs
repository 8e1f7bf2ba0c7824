//! The book lists every finding with its severity and the documentation of its rule.

use gametape_capture::{CaptureError, Rule};
use gametape_core::table::kit;

#[test]
fn the_page_of_findings_is_what_the_rules_say() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/delta/findings.md"
    );
    kit::findings(path, &[&Rule::all(), CaptureError::CODES].concat());
}
