//! Checks of `track`, the example of a format.

use std::io::Cursor;

use gametape_core::tape::{Format as _, Options, Source, Verdict, Work};
use own_format::{EXAMPLE, Track};

use crate::Check;

/// All checks of this format, with their seeds.
pub const CHECKS: &[Check] = &[Check::new("track_repair", repair, seeds)];

/// Small recordings.
pub fn seeds() -> Vec<Vec<u8>> {
    vec![EXAMPLE.into()]
}

/// An audit ends. A recording without errors is repaired to the same bytes; another one to a recording without
/// errors, which is shorter, or it is refused.
pub fn repair(data: &[u8]) {
    let open = |bytes: &[u8]| {
        Track
            .open(Source::new(bytes.to_vec()))
            .expect("nothing is missing")
    };
    let audited = |bytes: &[u8]| {
        let audit = open(bytes).audit(&Options::new(), &Work::default());
        audit.expect("a file in memory can be read").verdict()
    };
    let is_broken = audited(data) == Verdict::Fail;
    let mut out = Cursor::new(Vec::new());
    let repaired = open(data).repair(&Options::new(), &mut out, &Work::default());
    let Ok(repaired) = repaired else {
        assert!(is_broken, "a sound recording is refused");
        return;
    };
    let bytes = out.into_inner();
    assert_eq!(repaired.lossy, is_broken);
    assert_eq!(bytes != data, is_broken);
    assert!(bytes.len() <= data.len());
    assert_ne!(audited(&bytes), Verdict::Fail);
}
