//! Recordings of packets: writing, reading, seeking, damage, audit and conversion.

use gametape_capture::{CaptureError, Rule};
use gametape_core::table::kit;

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
#[test]
fn the_page_of_findings_is_what_the_rules_say() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/delta/findings.md"
    );
    kit::findings(path, &[&Rule::all(), CaptureError::CODES].concat());
}
