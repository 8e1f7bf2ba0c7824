//! Checks of the promises of `gametape_echo`.

mod butter;
mod line;
mod roundtrip;
pub mod seeds;
mod spoiled;
mod ways;
mod zip;

pub use butter::butter_read;
pub use line::echoreplay_line;
pub use roundtrip::butter_roundtrip;
pub use zip::echoreplay_zip;

use crate::Check;

/// Every check of this crate, with its seeds.
pub const CHECKS: &[Check] = &[
    Check::new("butter_read", butter_read, seeds::butters),
    Check::new("butter_roundtrip", butter_roundtrip, || {
        [seeds::files(), crate::noise(10, 250)].concat()
    }),
    Check::new("echoreplay_line", echoreplay_line, seeds::texts),
    Check::new("echoreplay_zip", echoreplay_zip, seeds::zips),
    Check::new("echoreplay_spoiled", spoiled::echoreplay_spoiled, || {
        crate::noise(12, 8)
    }),
];
