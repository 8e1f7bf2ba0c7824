//! Checks of the promises of `gametape_echo`.

mod butter;
mod line;
mod roundtrip;
pub mod seeds;
mod zip;

pub use butter::butter_read;
pub use line::echoreplay_line;
pub use roundtrip::butter_roundtrip;
pub use zip::echoreplay_zip;

use std::fmt::Display;

use gametape_echo::butter::File;
use gametape_echo::{Finding, Frame, Rule};
use gametape_testkit::echo::spoiled_match_keeps_its_frames;

use crate::Check;

/// Every check of this crate, with its seeds.
pub const CHECKS: &[Check] = &[
    Check::new("butter_read", butter_read, seeds::butters),
    Check::new("butter_roundtrip", butter_roundtrip, || {
        [seeds::files(), crate::noise(10, 250)].concat()
    }),
    Check::new("echoreplay_line", echoreplay_line, seeds::texts),
    Check::new("echoreplay_zip", echoreplay_zip, seeds::zips),
    Check::new("echoreplay_spoiled", echoreplay_spoiled, || {
        crate::noise(12, 8)
    }),
];

/// The input is a seed. A match that is spoiled in one to three ways (its times, numbers, members, bytes and
/// containers) keeps its frames, and each way is named.
fn echoreplay_spoiled(data: &[u8]) {
    spoiled_match_keeps_its_frames(crate::seed(data));
}

/// The most frames of one input that are examined, because packed data can be long.
const MOST: usize = 4000;

/// All frames of a file, up to the limit; `None` if there is an error.
fn all(file: &File<'_>) -> Option<Vec<Frame>> {
    let mut frames = file.frames();
    let mut all = Vec::new();
    while let Some(frame) = frames.next_frame().ok()? {
        all.push(frame.clone());
        if all.len() == MOST {
            return None;
        }
    }
    Some(all)
}

/// Asserts that both frames are equal, bit for bit except for the payload of NaNs.
#[track_caller]
fn assert_same(a: &Frame, b: &Frame, what: impl Display) {
    let (a, b) = (format!("{a:?}"), format!("{b:?}"));
    let at = a.bytes().zip(b.bytes()).position(|(a, b)| a != b);
    if let Some(at) = at.or((a.len() != b.len()).then_some(a.len().min(b.len()))) {
        let near = |text: &str| {
            let bytes = &text.as_bytes()[at.saturating_sub(150).min(text.len())..];
            String::from_utf8_lossy(&bytes[..bytes.len().min(230)]).into_owned()
        };
        panic!("{what}:\n{}\n{}", near(&a), near(&b));
    }
}

/// Whether the finding's code is a known one, with the right severity.
fn is_known(finding: &Finding) -> bool {
    let told = (finding.code(), finding.severity());
    let mut rules = Rule::ALL.iter();
    rules.any(|rule| (rule.code, rule.severity) == told)
}
