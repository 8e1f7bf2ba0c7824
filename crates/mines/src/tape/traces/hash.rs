//! Hashes of numbers.

/// A hash with this many bits of information does not occur twice by chance.
pub(super) const CERTAIN: u8 = 80;

/// Spreads a number over 64 bits: the last step of splitmix64.
pub(super) const fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The factors for several numbers: odd, and as good as random.
const ODD: [u64; 4] = [
    0x9E37_79B9_7F4A_7C15,
    0xC2B2_AE3D_27D4_EB4F,
    0x1656_67B1_9E37_79F9,
    0xD6E8_FEB8_6659_FD93,
];

/// A hash of up to four numbers whose order matters: each is multiplied by a different factor, and
/// the sum is spread.
pub(super) fn mix_all<const N: usize>(numbers: [i64; N]) -> u64 {
    const { assert!(N <= ODD.len(), "each number has its own factor") };
    let products = numbers.iter().zip(ODD);
    let sum = products.fold(N as u64, |sum, (number, odd)| {
        sum.wrapping_add(number.cast_unsigned().wrapping_mul(odd))
    });
    mix(sum)
}
