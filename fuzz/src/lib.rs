//! What gametape promises for every input, one function a promise.
//!
//! Each check takes any bytes and panics where the promise is broken. libFuzzer calls them
//! through `fuzz_targets/`, ordinary tests on inputs that are kept or made from code through
//! [`CHECKS`]. A check holds no state and gives the same answer every time.

mod rmv;

pub use rmv::{rmv_audit, rmv_engine, rmv_read, rmv_roundtrip};

/// A check, and where to begin with it.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The name of the fuzz target and of the folders of its corpus and its regressions.
    pub name: &'static str,
    /// Panics where the promise is broken.
    pub run: fn(&[u8]),
    /// Small inputs that reach deep.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every check.
pub const CHECKS: [Check; 4] = [
    Check {
        name: "rmv_read",
        run: rmv_read,
        seeds,
    },
    Check {
        name: "rmv_roundtrip",
        run: rmv_roundtrip,
        seeds: || [seeds(), rmv::noise(12, 400)].concat(),
    },
    Check {
        name: "rmv_engine",
        run: rmv_engine,
        seeds: rmv::seeds::scripts,
    },
    Check {
        name: "rmv_audit",
        run: rmv_audit,
        seeds,
    },
];

/// Small recordings of every kind: both versions, won, lost, left, cut, with every event code,
/// with and without each optional part. Most are valid; the last ones are broken on purpose.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    rmv::seeds::recordings()
}

/// Large recordings, for the memory test: what is long in each is a different part.
#[must_use]
pub fn large_seeds() -> Vec<Vec<u8>> {
    rmv::seeds::large_recordings()
}
