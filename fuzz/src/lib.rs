//! What gametape promises for every input, one function a promise.
//!
//! Each check takes any bytes and panics where the promise is broken. libFuzzer calls them through
//! `fuzz_targets/check.rs`, ordinary tests on inputs that are kept or made from code. A check holds no
//! state and gives the same answer every time.

pub mod capture;
pub mod cut;
pub mod delta;
pub mod echo;
pub mod murk;
pub mod rmv;
pub mod tables;

/// A check, and where to begin with it.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name, and that of the folders of its corpus and its regressions.
    pub name: &'static str,
    /// Panics where the promise is broken.
    pub run: fn(&[u8]),
    /// Small inputs that reach deep.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

impl Check {
    const fn new(name: &'static str, run: fn(&[u8]), seeds: fn() -> Vec<Vec<u8>>) -> Self {
        Self { name, run, seeds }
    }
}

/// The checks of each format: the one list that there is.
const ALL: &[&[Check]] = &[
    rmv::CHECKS,
    murk::CHECKS,
    delta::CHECKS,
    capture::CHECKS,
    echo::CHECKS,
    tables::CHECKS,
    cut::CHECKS,
];

/// Every check.
pub fn checks() -> impl Iterator<Item = Check> {
    ALL.iter().copied().flatten().copied()
}

/// Bytes without a pattern, always the same ones, for the checks that build their input from
/// a script.
pub fn noise(count: u64, len: usize) -> Vec<Vec<u8>> {
    (1..=count)
        .map(|seed| {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (0..len)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    (state >> 32) as u8
                })
                .collect()
        })
        .collect()
}
