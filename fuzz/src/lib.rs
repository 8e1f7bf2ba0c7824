//! The promises of gametape that concern every input, one function per promise.
//!
//! Each check takes any bytes and panics if the promise is broken. libFuzzer calls the checks
//! through `fuzz_targets/check.rs`; ordinary tests call them with kept and generated inputs. A
//! check has no state and gives the same answer every time.

pub mod capture;
pub mod cut;
pub mod delta;
pub mod echo;
pub mod murk;
pub mod rmv;
pub mod tables;

/// A check with its seeds.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name, which is also that of its folders of corpus and regressions.
    pub name: &'static str,
    /// Panics if the promise is broken.
    pub run: fn(&[u8]),
    /// Small inputs that reach deep into the code.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

impl Check {
    const fn new(name: &'static str, run: fn(&[u8]), seeds: fn() -> Vec<Vec<u8>>) -> Self {
        Self { name, run, seeds }
    }
}

/// The checks of each format. This is the only such list.
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

/// Pseudo-random bytes, always the same, for checks that build their input from a script.
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
