//! The book lists every code that recordings of packets can give, and no other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The codes that stand in the sources: `"capture.truncated"`, `"delta.lost-sync"`.
fn codes(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            codes(&path, found);
            continue;
        }
        for literal in read(&path).split('"') {
            let Some((of, rest)) = literal.split_once('.') else {
                continue;
            };
            let is_code = |byte: u8| byte == b'-' || byte.is_ascii_lowercase();
            if ["capture", "delta"].contains(&of) && !rest.is_empty() && rest.bytes().all(is_code) {
                found.insert(literal.to_owned());
            }
        }
    }
}

#[test]
fn every_code_of_captures_is_in_the_book() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut codes_there = BTreeSet::new();
    // What recordings of packets are as any recording is not of this crate yet.
    for folder in ["src", "../gametape/src/formats/packets"] {
        codes(&root.join(folder), &mut codes_there);
    }
    codes_there.extend(gametape_delta::Rule::CODES.iter().map(ToString::to_string));
    let book = read(&root.join("../../docs/src/delta/findings.md"));
    let mut listed = BTreeSet::new();
    for line in book.lines() {
        let Some((code, rest)) = line
            .strip_prefix("| `")
            .and_then(|line| line.split_once("` | "))
        else {
            continue;
        };
        let severity = rest.split(' ').next().unwrap();
        assert!(["error", "warning", "info"].contains(&severity), "{line}");
        assert!(listed.insert(code.to_owned()), "{code} is listed twice");
    }
    let missing: Vec<_> = codes_there.difference(&listed).collect();
    assert!(missing.is_empty(), "not in the book: {missing:?}");
    let unknown: Vec<_> = listed.difference(&codes_there).collect();
    assert!(unknown.is_empty(), "only in the book: {unknown:?}");
}
