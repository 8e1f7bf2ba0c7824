//! Recordings of the snapshot/delta wire as any recording: captures, files of packets, folders.

#[path = "../../../capture/tests/common/mod.rs"]
mod common;

mod audit;
mod convert;
mod diff;
mod figures;
mod open;
mod origin;
mod repair;

use gametape::{Audit, Dump, Recording, Verdict};
use serde_json::Value as Json;

use common::schema;

fn opened(bytes: Vec<u8>, name: &str) -> Recording {
    Recording::from_bytes(bytes, name)
        .unwrap()
        .with_schema(schema())
}

fn audit(bytes: &[u8]) -> Audit {
    opened(bytes.to_vec(), "tape").audit().unwrap()
}

fn codes(audit: &Audit) -> Vec<&'static str> {
    audit.findings.iter().map(|finding| finding.code).collect()
}

/// Without a fault; it may be that nothing is left.
fn clean(audit: &Audit) -> bool {
    audit.verdict() == Verdict::Pass
        || matches!(codes(audit)[..], ["capture.empty" | "delta.empty"])
}

fn assert_clean(bytes: &[u8]) {
    let audit = audit(bytes);
    assert_eq!(audit.verdict(), Verdict::Pass, "{:#?}", audit.findings);
}

fn dumped(recording: &Recording, dump: Dump) -> Vec<Json> {
    let mut out = Vec::new();
    let partial = recording.dump_with(&dump, &mut out).unwrap().unwrap();
    assert!(partial.problem.is_none(), "{:?}", partial.problem);
    String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
