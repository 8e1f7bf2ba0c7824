//! The promises of `gametape_mines`.

mod audit;
mod engine;
mod read;
mod roundtrip;
pub(crate) mod seeds;
mod structured;
mod writer;

pub use audit::rmv_audit;
pub use engine::rmv_engine;
pub use read::rmv_read;
pub use roundtrip::rmv_roundtrip;

/// Bytes without a pattern, always the same ones, for the checks that build their input from
/// a script.
pub(crate) fn noise(count: u64, len: usize) -> Vec<Vec<u8>> {
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
