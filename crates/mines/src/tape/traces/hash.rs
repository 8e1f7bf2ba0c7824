//! Numbers made of numbers.

/// Nobody meets a hash that tells so many bits again by chance.
pub(super) const CERTAIN: u8 = 80;

/// Spreads a number over 64 bits: the last step of splitmix64.
pub(super) const fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// One of several, whose order counts.
pub(super) fn mix_all<const N: usize>(numbers: [i64; N]) -> u64 {
    let numbers = numbers.into_iter();
    numbers.fold(N as u64, |hash, number| mix(hash ^ number.cast_unsigned()))
}
