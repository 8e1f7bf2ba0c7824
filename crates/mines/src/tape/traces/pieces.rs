//! Selects a few short pieces that represent a long sequence.

use super::board::mix;

/// The number of pieces that are kept of a path. If two paths share a third of their pieces, nine
/// times out of ten they have one of the kept ones in common; if they differ in one click in a
/// hundred, nearly always.
const KEPT: usize = 6;
/// The least number of different elements in a piece: clicking along a row looks the same for
/// everyone.
const DIFFERENT: usize = 6;
/// The base of the rolling hash of a piece.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The pieces of `LONG` consecutive elements.
pub(super) struct Pieces<const LONG: usize> {
    last: [u64; LONG],
    at: usize,
    seen: u64,
    hash: u64,
    /// The smallest hashes in ascending order. Which hashes these are does not depend on the rest
    /// of the sequence.
    kept: [u64; KEPT],
}

impl<const LONG: usize> Pieces<LONG> {
    pub const fn new() -> Self {
        Self {
            last: [0; LONG],
            at: 0,
            seen: 0,
            hash: 0,
            kept: [u64::MAX; KEPT],
        }
    }

    /// Takes the next element, hashed to 64 bits.
    pub fn push(&mut self, thing: u64) {
        let Some(oldest) = self.last.get_mut(self.at) else {
            return;
        };
        let gone = oldest.wrapping_mul(const { BASE.wrapping_pow(LONG as u32) });
        self.hash = (self.hash.wrapping_mul(BASE).wrapping_add(thing)).wrapping_sub(gone);
        *oldest = thing;
        self.at += 1;
        if self.at == LONG {
            self.at = 0;
        }
        self.seen += 1;
        if self.seen >= LONG as u64 {
            self.keep(mix(self.hash));
        }
    }

    fn keep(&mut self, hash: u64) {
        let most = self.kept.last().copied().unwrap_or_default();
        if hash >= most || self.kept.contains(&hash) || !self.is_varied() {
            return;
        }
        let at = self.kept.partition_point(|kept| *kept < hash);
        if let Some(above) = self.kept.get_mut(at..) {
            above.rotate_right(1);
            if let Some(slot) = above.first_mut() {
                *slot = hash;
            }
        }
    }

    fn is_varied(&self) -> bool {
        // Nearly always the first few elements are enough.
        let mut different = [0; DIFFERENT];
        let mut count = 0;
        for thing in self.last {
            let known = different.get(..count).unwrap_or_default();
            if known.contains(&thing) {
                continue;
            }
            if let Some(slot) = different.get_mut(count) {
                *slot = thing;
            }
            count += 1;
            if count == DIFFERENT {
                return true;
            }
        }
        false
    }

    /// The number of elements so far.
    pub const fn seen(&self) -> u64 {
        self.seen
    }

    /// The hash of the whole sequence, if it is not longer than a piece.
    pub const fn all(&self) -> u64 {
        mix(self.hash)
    }

    /// The hashes of the kept pieces.
    pub fn kept(&self) -> impl Iterator<Item = u64> {
        self.kept.into_iter().filter(|hash| *hash != u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(things: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut pieces = Pieces::<8>::new();
        for thing in things {
            pieces.push(mix(thing));
        }
        pieces.kept().collect()
    }

    #[test]
    fn a_piece_is_the_same_wherever_it_stands() {
        let [one, other] = [0, 1000].map(|before| kept((before..before + 30).chain(7..15)));
        assert!(one.iter().any(|hash| kept(7..15).contains(hash)) || one.len() == KEPT);
        let shared = kept(100..300);
        let within = kept((0..5).chain(100..300).chain(9000..9005));
        assert!(shared.iter().filter(|hash| within.contains(hash)).count() >= 4);
        assert!(!one.iter().any(|hash| other.contains(hash)) || one != other);
        assert!(kept(0..7).is_empty());
    }

    #[test]
    fn doing_the_same_again_and_again_says_nothing() {
        assert!(kept([1; 100]).is_empty());
        assert!(kept((0..100).map(|n| n % 5)).is_empty());
        assert_eq!(kept((0..100).map(|n| n % 8)).len(), KEPT);
    }
}
