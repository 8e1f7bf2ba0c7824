//! Checks of the promises of `gametape_echo`.

mod butter;
mod frames;
mod line;
mod roundtrip;
pub mod seeds;
mod ways;
mod zip;

pub use butter::butter_read;
pub use line::echoreplay_line;
pub use roundtrip::{butter_compat, butter_roundtrip};
pub use zip::echoreplay_zip;

use std::fmt::Display;

use gametape_echo::{Error, Finding, Frame, Rule};

use crate::Check;

/// Every check of this crate, with its seeds.
pub const CHECKS: &[Check] = &[
    Check::new("butter_read", butter_read, seeds::butters),
    Check::new("butter_roundtrip", butter_roundtrip, || {
        [seeds::files(), crate::noise(10, 250)].concat()
    }),
    Check::new("butter_compat", butter_compat, || crate::noise(24, 12)),
    Check::new("echoreplay_line", echoreplay_line, seeds::texts),
    Check::new("echoreplay_zip", echoreplay_zip, seeds::zips),
];

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

/// The visible properties of an error.
fn told(error: &Error) -> (String, &'static str, Option<u64>) {
    (error.to_string(), error.code(), error.offset())
}

/// Whether the finding's code is a known one, with the right severity.
fn is_known(finding: &Finding) -> bool {
    let told = (finding.code(), finding.severity());
    let mut rules = Rule::ALL.iter();
    rules.any(|rule| (rule.code, rule.severity) == told)
}

/// The size of a piece: 1 to 61, derived from the data, so that a change of one byte changes few
/// pieces.
fn odd_size(data: &[u8], at: usize) -> usize {
    let byte = data.get(at.wrapping_mul(7) % data.len().max(1));
    1 + usize::from(byte.copied().unwrap_or(0)) % 61
}
