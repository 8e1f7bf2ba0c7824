//! The format without a command: its tables, its rules, its page of findings in the book.

use gametape_core::table::kit;
use gametape_core::tape::{Format as _, Options, Source, Tape, Work};
use own_format::{EXAMPLE, Track};

fn open(bytes: impl Into<Vec<u8>>) -> std::sync::Arc<dyn Tape> {
    Track.open(Source::new(bytes.into())).unwrap()
}

fn found(bytes: &str) -> Vec<String> {
    let audit = open(bytes).audit(&Options::new(), &Work::default());
    let findings = audit.unwrap().findings;
    findings.iter().map(ToString::to_string).collect()
}

#[test]
fn the_tables_of_sound_and_broken_recordings_keep_the_rules() {
    for bytes in [EXAMPLE.to_owned(), EXAMPLE.replace("5.5", "five")] {
        kit::check(&open(bytes));
    }
}

#[test]
fn every_rule_is_raised() {
    assert!(found(EXAMPLE).is_empty());
    assert_eq!(
        found("0,1,0,0\n"),
        [
            "error track.line, row 0 (line 1, byte 0): neither time,entity,x,y,z nor time,mark,text: \"0,1,0,0\""
        ]
    );
    assert_eq!(
        found("5,mark,\n4,mark,\n"),
        ["warning track.time-order, row 1 (0.004 s, line 2, byte 8): 4 ms comes after 5 ms"]
    );
}

#[test]
fn the_page_of_findings_matches_the_rules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/findings.md");
    kit::findings(path, &Track.rules());
}
