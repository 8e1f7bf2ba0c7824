//! Finds the single value that explains a hash, by running FNV-1a backwards.
//!
//! A recording holds a hash for each tick, not the state. When the replayed state has another hash,
//! the recorded state is unknown; but if it differs in one value only, the hash determines that
//! value. For each value `v` of the replayed state, let `h` be the hash before it (of all that
//! precedes) and `g` the hash that must follow it for the rest to lead to the recorded hash. FNV-1a
//! can be inverted byte by byte, so both come from walking the state backwards. Four bytes lead
//! from `h` to `g` exactly if
//!
//! ```text
//! g / p - h p³ = d0 p³ + d1 p² + d2 p + d3   (mod 2⁶⁴)
//! ```
//!
//! where `d` is the change of the hash's lowest byte by each byte, from -255 to 255. The prime is
//! 2⁴⁰ + 435, so the lower 40 bits of the right side are `435³ d0 + 435² d1 + 435 d2 + d3`, which
//! is below 2³⁵ and can be taken apart like a number to the base 435. Each value costs constant
//! time; the chance of a false match is about 2⁻³² for each value.

use crate::simulation::hash::{PRIME, State, absorb_u32};

/// The inverse of the prime: a multiplication by it undoes one by the prime.
const INVERSE: u64 = {
    // Newton's iteration doubles the number of right bits; the prime itself has three.
    let mut inverse = PRIME;
    let mut i = 0;
    while i < 5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(PRIME.wrapping_mul(inverse)));
        i += 1;
    }
    inverse
};

const PRIME_2: u64 = PRIME.wrapping_mul(PRIME);
const PRIME_3: u64 = PRIME_2.wrapping_mul(PRIME);

/// The prime without its bit 40.
const BASE: i64 = 435;
/// The largest remainder after the leading parts are subtracted.
const REST: [i64; 4] = [
    255 * (BASE * BASE * BASE + BASE * BASE + BASE + 1),
    255 * (BASE * BASE + BASE + 1),
    255 * (BASE + 1),
    255,
];

/// A value that explains a hash: if it were `recorded` in place of `replayed`, the state would have
/// the recorded hash.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The field's number, from 0: its place in the hash.
    pub field: u32,
    /// The value's place in the field.
    pub element: usize,
    /// The value in the replay.
    pub replayed: f32,
    /// The value that the recording must have had.
    pub recorded: f32,
}

/// Returns every single value whose change alone turns the state's hash into `recorded`.
///
/// One candidate is the value that differs (a false match has odds of about 2⁻³² for each value of
/// the state). Several can't be told apart. None means that more than one value differs.
///
/// ```
/// use gametape_murk::{State, explain};
/// let replayed = State::from_fields([[1.0, 2.0, 3.0].as_slice()]);
/// let recorded = State::from_fields([[1.0, -7.5, 3.0].as_slice()]);
/// let found = explain(&replayed, recorded.hash());
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].element, found[0].recorded), (1, -7.5));
/// ```
#[must_use]
pub fn explain(replayed: &State, recorded: u64) -> Vec<Candidate> {
    let mut found = Vec::new();
    // The hashes after the current value: of the replayed state, and as they would have to be.
    let (mut is, mut should) = (replayed.hash(), recorded);
    for (field, values) in replayed.fields().enumerate().rev() {
        for (element, value) in values.iter().enumerate().rev() {
            let bits = value.to_bits();
            let before = undo_u32(is, bits);
            if let Some(other) = bridge(before, should)
                && other != bits
            {
                found.push(Candidate {
                    field: field as u32,
                    element,
                    replayed: *value,
                    recorded: f32::from_bits(other),
                });
            }
            is = before;
            should = undo_u32(should, bits);
        }
        is = undo_u32(is, field as u32);
        should = undo_u32(should, field as u32);
    }
    found.reverse();
    found
}

#[inline(always)]
const fn undo_byte(hash: u64, byte: u32) -> u64 {
    hash.wrapping_mul(INVERSE) ^ (byte & 0xff) as u64
}

#[inline(always)]
const fn undo_u32(hash: u64, value: u32) -> u64 {
    let hash = undo_byte(hash, value >> 24);
    let hash = undo_byte(hash, value >> 16);
    let hash = undo_byte(hash, value >> 8);
    undo_byte(hash, value)
}

/// Returns the four bytes that lead from one hash to another, if there are any.
#[inline(always)]
fn bridge(before: u64, after: u64) -> Option<u32> {
    let sum = after
        .wrapping_mul(INVERSE)
        .wrapping_sub(before.wrapping_mul(PRIME_3));
    // The lower 40 bits, sign-extended.
    let low = (sum << 24) as i64 >> 24;
    if low.abs() > REST[0] {
        return None;
    }
    take_apart(before, after, low)
}

#[cold]
fn take_apart(before: u64, after: u64, low: i64) -> Option<u32> {
    let digits = |number: i64, unit: i64, rest: i64| {
        let floor = number.div_euclid(unit);
        [floor, floor + 1]
            .into_iter()
            .map(move |digit| (digit, number - digit * unit))
            .filter(move |(digit, left)| digit.abs() <= 255 && left.abs() <= rest)
    };
    for (d0, left) in digits(low, BASE * BASE * BASE, REST[1]) {
        for (d1, left) in digits(left, BASE * BASE, REST[2]) {
            for (d2, d3) in digits(left, BASE, REST[3]) {
                if let Some(value) = bytes_of(before, [d0, d1, d2, d3])
                    && absorb_u32(before, value) == after
                {
                    return Some(value);
                }
            }
        }
    }
    None
}

/// Returns the bytes that change the lowest byte of the hash by these differences.
fn bytes_of(before: u64, differences: [i64; 4]) -> Option<u32> {
    let mut hash = before;
    let mut bytes = [0_u8; 4];
    for (byte, difference) in bytes.iter_mut().zip(differences) {
        let low = hash as u8;
        let changed = u8::try_from(i64::from(low) + difference).ok()?;
        *byte = low ^ changed;
        hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
    Some(u32::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_inverse_undoes_the_prime() {
        assert_eq!(PRIME.wrapping_mul(INVERSE), 1);
        assert_eq!(PRIME, (1 << 40) + BASE as u64);
    }

    proptest! {
        #[test]
        fn absorbing_can_be_undone(hash: u64, value: u32) {
            prop_assert_eq!(undo_u32(absorb_u32(hash, value), value), hash);
        }

        /// Any four bytes that were absorbed are found.
        #[test]
        fn a_bridge_is_found_wherever_there_is_one(hash: u64, value: u32) {
            prop_assert_eq!(bridge(hash, absorb_u32(hash, value)), Some(value));
        }

        #[test]
        fn a_changed_value_is_named(
            fields in prop::collection::vec(prop::collection::vec(any::<u32>(), 0..40), 1..4),
            pick: prop::sample::Index,
            bits in 1_u32..,
        ) {
            let count: usize = fields.iter().map(Vec::len).sum();
            prop_assume!(count > 0);
            let floats: Vec<Vec<f32>> = fields
                .iter()
                .map(|field| field.iter().map(|&bits| f32::from_bits(bits)).collect())
                .collect();
            let replayed = State::from_fields(floats.iter().map(Vec::as_slice));
            let mut changed = floats.clone();
            let mut at = pick.index(count);
            let (field, values) = changed
                .iter_mut()
                .enumerate()
                .find(|(_, values)| {
                    let here = at < values.len();
                    if !here {
                        at -= values.len();
                    }
                    here
                })
                .unwrap();
            values[at] = f32::from_bits(values[at].to_bits() ^ bits);
            let expected = values[at].to_bits();
            let recorded = State::from_fields(changed.iter().map(Vec::as_slice));
            let found = explain(&replayed, recorded.hash());
            prop_assert!(found.iter().any(|candidate| {
                candidate.field as usize == field
                    && candidate.element == at
                    && candidate.recorded.to_bits() == expected
            }), "{:?}", found);
        }
    }
}
