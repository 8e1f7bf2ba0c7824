//! The promises of gametape that concern every input, one function per promise.
//!
//! Each check takes any bytes and panics if the promise is broken. libFuzzer calls the checks
//! through `fuzz_targets/check.rs`; ordinary tests call them with kept and generated inputs. A
//! check has no state and gives the same answer every time.

pub mod archive;
pub mod capture;
pub mod delta;
pub mod echo;
pub mod murk;
pub mod rmv;
pub mod tables;
pub mod track;
mod ways;

use gametape_testkit::cases::some;

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

/// Visits a seed and inputs that are one step away from it: cut at a byte, or with a changed byte (`^ 0x01`,
/// `^ 0xff`). One place in ten is tried, another one for each seed by its number, or all where
/// [`exhaustive`](gametape_testkit::cases::exhaustive). The first argument says which input it is.
pub fn near(number: usize, seed: &[u8], mut visit: impl FnMut(&dyn Fn() -> String, &[u8])) {
    visit(&|| format!("seed {number}"), seed);
    for cut in some(0..seed.len(), number) {
        visit(&|| format!("seed {number} cut at {cut}"), &seed[..cut]);
    }
    let mut changed = seed.to_vec();
    for at in some(0..seed.len(), number) {
        for change in [0x01, 0xFF] {
            changed[at] ^= change;
            let what = || format!("seed {number}, byte {at} ^ {change:#04x}");
            visit(&what, &changed);
            changed[at] ^= change;
        }
    }
}

/// A seed for checks whose input is nothing else: each byte changes it.
pub fn seed(data: &[u8]) -> u64 {
    data.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    })
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

/// The size of a piece: 1 to 61, derived from the data, so that a change of one byte changes few
/// pieces.
pub(crate) fn odd_size(data: &[u8], at: usize) -> usize {
    let byte = data.get(at.wrapping_mul(7) % data.len().max(1));
    1 + usize::from(byte.copied().unwrap_or(0)) % 61
}

/// The checks of each format. This is the only such list.
const ALL: &[&[Check]] = &[
    archive::CHECKS,
    rmv::CHECKS,
    murk::CHECKS,
    delta::CHECKS,
    capture::CHECKS,
    echo::CHECKS,
    track::CHECKS,
    tables::CHECKS,
];

/// Every check.
pub fn checks() -> impl Iterator<Item = Check> {
    ALL.iter().copied().flatten().copied()
}
